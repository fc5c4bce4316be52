// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "perf/far_side.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "base/variables.h"
#include "common/address.h"
#include "common/tool_error.h"

namespace datum::perf {

using tools::ExitCode;
using tools::ToolError;

namespace {

// True also of a namespace that cannot be looked at: enter() reports the reason.
bool is_own_namespace(const std::string& path) {
  struct stat own = {}, named = {};
  return stat("/proc/thread-self/ns/net", &own) != 0 || stat(path.c_str(), &named) != 0 ||
         (own.st_dev == named.st_dev && own.st_ino == named.st_ino);
}

} // namespace

FarSide far_side_of(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw ToolError(ExitCode::Usage,
                    fmt::format("--netns: \"{}\" is not NAME=ADDRESS, as in far=192.0.2.2", text));
  const std::string name = text.substr(0, equals);
  const std::string host = text.substr(equals + 1);
  const tools::Address address = tools::resolve(host);
  // The limits take a number, not a name. address_text() would drop the scope of a link-local
  // address, so such an address stays as the user gave it. The limits refuse it, because
  // inet_pton(3) takes no scope.
  const bool has_scope = host.find('%') != std::string::npos;
  return {name.find('/') == std::string::npos ? "/run/netns/" + name : name,
          has_scope ? host
                    : tools::address_text(reinterpret_cast<const sockaddr*>(&address.storage))};
}

void require_way_to(const FarSide& side) {
  const char* const ways = value_of(Variable::Transport);
  if (ways == nullptr || std::strcmp(ways, "shm") != 0 || is_own_namespace(side.netns)) return;
  throw ToolError(ExitCode::Usage,
                  fmt::format("--netns: {} is another network namespace, and shared memory does "
                              "not reach into it (take tcp or auto in place of shm)",
                              side.netns));
}

void enter(const FarSide& side) {
  const int netns = open(side.netns.c_str(), O_RDONLY | O_CLOEXEC);
  if (netns < 0)
    throw ToolError(ExitCode::Usage,
                    fmt::format("--netns: {}: {} (`ip netns` lists those that have a name)",
                                side.netns, std::strerror(errno)));
  const int error = setns(netns, CLONE_NEWNET) == 0 ? 0 : errno;
  close(netns);
  if (error != 0)
    throw ToolError(ExitCode::Usage,
                    fmt::format("--netns: cannot enter {}: {}{}", side.netns, std::strerror(error),
                                error == EPERM ? " (CAP_SYS_ADMIN is needed)" : ""));
}

} // namespace datum::perf

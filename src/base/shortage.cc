// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/shortage.h"

#include <cstring>
#include <optional>
#include <sys/resource.h>

namespace datum {
namespace {

// Nothing: a sandbox refuses getrlimit(2).
std::optional<rlim_t> limit_of(decltype(RLIMIT_NOFILE) resource) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0) return std::nullopt;
  return limit.rlim_cur;
}

void log_lack_of_descriptors(std::string_view what, const char* why) {
  if (const auto most = limit_of(RLIMIT_NOFILE))
    log(LogLevel::Warn,
        "{}: {}; this process may have {} (`ulimit -n`), which is its RLIMIT_NOFILE", what, why,
        *most);
  else
    log(LogLevel::Warn, "{}: {}; `ulimit -n` tells how many this process may have (RLIMIT_NOFILE)",
        what, why);
}

void log_lack_of_memory(std::string_view what, const char* why) {
  const auto most = limit_of(RLIMIT_AS);
  if (most && *most != RLIM_INFINITY)
    log(LogLevel::Warn,
        "{}: {}; this process may have {} octets of address space (`ulimit -v`, RLIMIT_AS)", what,
        why, *most);
  else
    log(LogLevel::Warn,
        "{}: {}; this process found no memory: look at `free` and at memory.max of its control "
        "group",
        what, why);
}

} // namespace

void log_shortage(std::string_view what, Shortage shortage) {
  const char* const why = std::strerror(shortage.error);
  switch (shortage.lack) {
  case Lack::Descriptors: log_lack_of_descriptors(what, why); break;
  case Lack::HostDescriptors:
    log(LogLevel::Warn,
        "{}: {}; all processes of this host together may have as many as `sysctl fs.file-max` says",
        what, why);
    break;
  case Lack::KernelMemory:
    log(LogLevel::Warn,
        "{}: {}; the kernel has no memory for sockets and the like: look at `free`, at memory.max "
        "of this process's control group and at `sysctl net.ipv4.tcp_mem`",
        what, why);
    break;
  case Lack::Watches:
    log(LogLevel::Warn,
        "{}: {}; this user's processes may watch as many descriptors as `sysctl "
        "fs.epoll.max_user_watches` says",
        what, why);
    break;
  case Lack::LocalPorts:
    log(LogLevel::Warn,
        "{}: {}; all local ports that `sysctl net.ipv4.ip_local_port_range` allows are in use "
        "towards that peer",
        what, why);
    break;
  case Lack::Memory: log_lack_of_memory(what, why); break;
  case Lack::Other: log(LogLevel::Warn, "{}: {}", what, why); break;
  }
}

} // namespace datum

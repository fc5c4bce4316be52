// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "namespace.h"

#include <csignal>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "refusal.h"

namespace datum::net {
namespace {

constexpr const char* kInside = "DATUM_NET_INSIDE";
// the namespace of the main thread, the only thread that moves
constexpr const char* kOwn = "/proc/self/ns/net";

// Ends the program: a namespace could not be made or entered, so no test can run.
[[noreturn]] void die(const char* what) {
  std::perror(what);
  std::_Exit(2);
}

// A container may have no right to make namespaces. Then the tests are skipped. In CI they fail
// instead, so that they run somewhere.
[[noreturn]] void end_without_hosts(int error) {
  if (std::getenv("CI") == nullptr) {
    std::fputs(skip_line(error).c_str(), stdout);
    std::exit(0);
  }
  std::fprintf(stderr, "datum-net-test: %s", explain_refusal(error).c_str());
  std::_Exit(2);
}

} // namespace

void enter_own_namespaces(char** words) {
  if (std::getenv(kInside) != nullptr) return;
  if (const int error = refusal(); error != 0) end_without_hosts(error);
  static char program[PATH_MAX];
  if (::readlink("/proc/self/exe", program, sizeof program - 1) < 0) die("/proc/self/exe");
  ::setenv(kInside, "1", 1);
  // DATUM_OWN_NETWORK is a separate program: the kernel gives no user namespace to a process with
  // several threads, and a sanitizer starts threads.
  std::vector<const char*> command{DATUM_OWN_NETWORK, program};
  for (char** word = words + 1; *word != nullptr; ++word) command.push_back(*word);
  command.push_back(nullptr);
  ::execv(command[0], const_cast<char**>(command.data()));
  die(DATUM_OWN_NETWORK);
}

Namespace Namespace::current() {
  const int file = ::open(kOwn, O_RDONLY); // not O_CLOEXEC: see file_
  if (file < 0) die(kOwn);
  return Namespace(file);
}

Namespace Namespace::create() {
  const Namespace home = current();
  if (::unshare(CLONE_NEWNET) != 0) die("a network namespace");
  Namespace created = current();
  home.enter();
  return created;
}

Namespace::Namespace(Namespace&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

Namespace::~Namespace() {
  if (file_ >= 0) ::close(file_);
}

void Namespace::enter() const {
  if (::setns(file_, CLONE_NEWNET) != 0) die("setns");
}

std::string Namespace::path() const {
  return "/proc/self/fd/" + std::to_string(file_);
}

std::vector<std::string> Namespace::command(const std::vector<std::string>& words) const {
  std::vector<std::string> command{"/usr/bin/nsenter", "--net=" + path(), "--"};
  command.insert(command.end(), words.begin(), words.end());
  return command;
}

void Namespace::run_together(const std::vector<std::string>& scripts) const {
  const Visit visit(*this);
  std::vector<pid_t> children;
  for (const std::string& script : scripts) {
    // Adds folders that an ordinary user may not have in PATH.
    const std::string whole = "PATH=$PATH:/usr/sbin:/sbin\n" + script;
    children.push_back(::fork());
    if (children.back() == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::execl("/bin/sh", "sh", "-ec", whole.c_str(), static_cast<char*>(nullptr));
      std::_Exit(127);
    }
  }
  for (std::size_t i = 0; i < scripts.size(); ++i) {
    int status = 0;
    EXPECT_EQ(::waitpid(children[i], &status, 0), children[i]);
    EXPECT_EQ(status, 0) << scripts[i];
  }
}

void Namespace::leave_nothing_to_hardware(const std::string& interface) const {
  const Visit visit(*this);
  // An interface without checksum offload does no segmentation, either.
  ethtool_value checksums{ETHTOOL_STXCSUM, 0};
  ifreq request{};
  interface.copy(request.ifr_name, IFNAMSIZ - 1);
  request.ifr_data = reinterpret_cast<char*>(&checksums);
  const int socket = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  EXPECT_EQ(::ioctl(socket, SIOCETHTOOL, &request), 0) << interface << ": errno " << errno;
  ::close(socket);
}

} // namespace datum::net

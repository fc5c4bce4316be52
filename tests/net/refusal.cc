// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "refusal.h"

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace datum::net {
namespace {

const char* next_step(int error) {
  switch (error) {
  case EPERM:
    return "not inside a chroot; where they exist, kernel.unprivileged_userns_clone has to be 1 "
           "and kernel.apparmor_restrict_unprivileged_userns 0 (sysctl); a container has to "
           "allow unshare(2), as Docker does with --security-opt seccomp=unconfined";
  case ENOSPC:
  case EUSERS:
    return "more in user.max_user_namespaces and user.max_net_namespaces (sysctl), or fewer "
           "namespaces within each other";
  case EINVAL:
  case ENOSYS: return "a kernel with CONFIG_USER_NS and CONFIG_NET_NS";
  default: return "see unshare(2) for this error";
  }
}

std::string refused(int error) {
  return std::string("the kernel refuses a user namespace with a network namespace in it: ") +
         std::strerror(error) + " (errno " + std::to_string(error) + ")";
}

} // namespace

int refusal() {
  const pid_t child = ::fork();
  if (child == 0) {
    const int error = ::unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0 ? 0 : errno;
    // for a process with a privilege
    std::_Exit(error != 0 && ::unshare(CLONE_NEWNET) == 0 ? 0 : error);
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child) return errno;
  return WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
}

std::string explain_refusal(int error) {
  return refused(error) +
         "\n  The hosts of these tests are network namespaces, and only within a user namespace "
         "may they be made without privileges.\n  What helps: " +
         next_step(error) + "\n";
}

std::string skip_line(int error) {
  return "[  SKIPPED ] no hosts here, " + refused(error) + "; with CI=true: what helps\n";
}

} // namespace datum::net

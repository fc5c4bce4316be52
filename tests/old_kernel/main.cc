// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// old-kernel VERSION PROGRAM [ARGUMENT...]: runs a program, and what it starts, with the system
// calls of that version of Linux only. A filter makes younger ones fail as they would fail there: a
// call with ENOSYS, an argument with EINVAL or a similar error.
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <endian.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <vector>

#include "calls.h"

namespace datum::old_kernel {
namespace {

using Filter = std::vector<sock_filter>;

void load(Filter& filter, std::size_t offset) {
  filter.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)));
}

void fail(Filter& filter, int error) {
  filter.push_back(
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error)));
}

constexpr std::size_t kInstructionsOfAnArgument = 4;

// `behind`: how many instructions of the rule follow the instructions of this argument.
void compare(Filter& filter, const Argument& argument, std::size_t behind) {
  constexpr std::size_t kLowerHalf = __BYTE_ORDER == __LITTLE_ENDIAN ? 0 : 4;
  load(filter, offsetof(seccomp_data, args) + 8 * argument.index + kLowerHalf);
  filter.push_back(BPF_STMT(BPF_ALU | BPF_AND | BPF_K, argument.mask));
  const auto skip = static_cast<std::uint8_t>(behind);
  filter.push_back(
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, argument.low, 0, static_cast<std::uint8_t>(skip + 1)));
  filter.push_back(BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, argument.high, skip, 0));
}

void add(Filter& filter, const Younger& rule) {
  load(filter, offsetof(seccomp_data, nr));
  const std::size_t length = rule.arguments * kInstructionsOfAnArgument + 1;
  filter.push_back(
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, rule.call, 0, static_cast<std::uint8_t>(length)));
  const std::array arguments{rule.first, rule.second};
  for (std::uint32_t i = 0; i < rule.arguments; ++i)
    compare(filter, arguments[i], length - (i + 1) * kInstructionsOfAnArgument);
  fail(filter, rule.error);
}

Filter filter_of(Version version) {
  Filter filter;
  load(filter, offsetof(seccomp_data, nr));
  filter.push_back(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, first_unknown_call(version), 0, 1));
  fail(filter, ENOSYS);
  for (const Younger& rule : younger_arguments())
    if (version < rule.since) add(filter, rule);
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  return filter;
}

// If the caller is privileged, the filter is installed without PR_SET_NO_NEW_PRIVS. So programs may
// still gain privileges by exec. Tests that become another user need that.
bool install(Filter& filter) {
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0) return true;
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

} // namespace
} // namespace datum::old_kernel

int main(int count, char** words) {
  using namespace datum::old_kernel;
  Version version;
  int end = 0;
  if (count < 3 || std::sscanf(words[1], "%u.%u%n", &version.major, &version.minor, &end) != 2 ||
      words[1][end] != '\0') {
    std::fprintf(stderr,
                 "usage: old-kernel VERSION PROGRAM [ARGUMENT...], such as old-kernel 4.18 ls\n");
    return 2;
  }
  if (version < Version{4, 18}) {
    std::fprintf(stderr, "old-kernel: %s: the table begins with what is younger than 4.18\n",
                 words[1]);
    return 2;
  }
  Filter filter = filter_of(version);
  if (!install(filter)) {
    std::fprintf(stderr, "old-kernel: no filter of system calls can be had here: %s\n",
                 std::strerror(errno));
    return 4;
  }
  ::execvp(words[2], words + 2);
  std::fprintf(stderr, "old-kernel: %s: %s\n", words[2], std::strerror(errno));
  return 127;
}

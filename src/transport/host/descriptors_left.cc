// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/host/descriptors_left.h"

#include <climits>
#include <fcntl.h>
#include <sys/resource.h>

namespace datum {
namespace {

int descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > INT_MAX) return INT_MAX;
  return static_cast<int>(limit.rlim_cur);
}

} // namespace

// The kernel gives the lowest free number. So the count begins at the highest one.
DescriptorsLeft count_descriptors_left(std::size_t most) {
  DescriptorsLeft found{0, descriptor_limit()};
  for (int number = found.limit - 1; number >= 0 && found.left < most; --number)
    if (::fcntl(number, F_GETFD) < 0) ++found.left;
  return found;
}

} // namespace datum

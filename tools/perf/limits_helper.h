// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// perf/limits_helper.h: the physical limits of this machine, measured between the figures of
// dat-perf.
// Lives here: a helper process that starts before DAT does. Its children run bench/limits, so the
//             threads of dat-perf and those of the limits do not disturb each other.
// Not here:   which limit belongs to which task (limit_of.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <sys/types.h>

#include "perf/far_side.h"

namespace datum::perf {

enum class Limit : std::uint32_t {
  OneLine, // half round trips in ns
  TwoLines,
  Ring,
  Put,
  Futex,
  RingRate, // messages per second
  CmaRead,  // ns per operation
  CmaWrite,
  CmaReadNew,
  CmaPut,     // half round trip in ns
  CmaMessage, // half round trip in ns
  Memcpy,
  Tcp, // half round trips in ns
  TcpEpoll,
  TcpStream, // ns per message
  TcpGather,
};

class LimitsHelper {
 public:
  // Forks. Limits of sockets are measured over the link to the far side.
  explicit LimitsHelper(const FarSide& far = {});
  ~LimitsHelper();
  LimitsHelper(const LimitsHelper&) = delete;
  LimitsHelper& operator=(const LimitsHelper&) = delete;

  // 0: this machine cannot measure the limit. Throws ToolError(Failed) if the helper process has
  // ended.
  double measure(Limit limit, std::size_t size);

 private:
  [[noreturn]] void fail();

  int requests_ = -1, answers_ = -1;
  pid_t pid_ = -1;
};

} // namespace datum::perf

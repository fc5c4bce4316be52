// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/iwarp/outstanding_reads.h"

namespace datum::iwarp {

void OutstandingReads::end_oldest() {
  const OutstandingRead read = reads_.front();
  reads_.pop();
  if (read.work != nullptr)
    stream_.events->on_read_done();
  else
    has_own_ = false;
}

std::optional<OutstandingReads::Place> OutstandingReads::find_msn(std::uint32_t msn) const {
  return find_if([&](const OutstandingRead& each) { return each.msn == msn; });
}

std::optional<OutstandingReads::Place> OutstandingReads::find_sink(std::uint64_t offset) const {
  return find_if([&](const OutstandingRead& each) { return each.has_sink_at(offset); });
}

} // namespace datum::iwarp

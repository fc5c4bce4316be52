// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/iwarp/unfinished_requests.h"

namespace datum::iwarp {

void UnfinishedRequests::end_upto(std::uint32_t message) {
  std::uint32_t count = 0;
  while (!entries_.empty() && entries_.front().built &&
         static_cast<std::int32_t>(message - entries_.front().last) >= 0) {
    entries_.pop();
    ++count;
  }
  if (count != 0) stream_.events->on_placed(count);
}

bool UnfinishedRequests::on_ack(std::uint32_t placed) {
  if (placed - acked_ > sent_ - acked_) return false;
  acked_ = placed;
  end_upto(acked_);
  return true;
}

std::optional<std::uint32_t> UnfinishedRequests::find(const WorkRequest& work) const {
  return find_if([&](const Entry& each) { return each.work == &work; });
}

std::optional<std::uint32_t> UnfinishedRequests::find_send(std::uint32_t msn) const {
  return find_if([&](const Entry& each) { return !each.write && each.msn == msn; });
}

std::optional<std::uint32_t> UnfinishedRequests::find_write(Stag stag,
                                                            std::uint64_t address) const {
  return find_if([&](const Entry& each) {
    return each.write && each.stag == stag && address - each.address < each.length;
  });
}

} // namespace datum::iwarp

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/sim/sim_wire.h"

#include <algorithm>
#include <cstring>

#include "base/assertion.h"
#include "transport/link/record.h"

namespace datum {
namespace {

std::uint32_t lines_in(const RingSlot& slot) {
  RecordHeader header;
  std::memcpy(&header, &slot, sizeof header);
  return lines_of(header);
}

} // namespace

bool SimWire::find() {
  if (!published_.ready()) return false;
  published_.pop(lines_in(*published_.front()));
  under_way_.push_back(0);
  return true;
}

// Does not let the record arrive before an earlier record of the same direction.
void SimWire::arrive(Instant when) {
  DATUM_ASSERT(!under_way_.empty()); // find() has found a record
  Instant& due = under_way_.back();
  due = when;
  if (under_way_.size() > 1) due = std::max(due, under_way_[under_way_.size() - 2]);
}

void SimWire::copy_next() {
  constexpr std::size_t kWord = sizeof(std::uint32_t);
  const RingSlot* from = leaving_.front();
  const std::uint32_t lines = lines_in(*from);
  RingSlot* to = arriving_.reserve(lines);
  DATUM_ASSERT(to != nullptr); // the receiver's ring is as large as the sender's
  std::memcpy(reinterpret_cast<std::byte*>(to) + kWord,
              reinterpret_cast<const std::byte*>(from) + kWord, sizeof *from - kWord);
  std::memcpy(arriving_.payload(), leaving_.payload(lines), lines * std::size_t{kLineSize});
  arriving_.publish();
  leaving_.pop(lines);
}

bool SimWire::carry(Instant now) {
  bool any = false;
  while (!under_way_.empty() && under_way_.front() <= now) {
    copy_next();
    under_way_.pop_front();
    any = true;
  }
  return any;
}

} // namespace datum

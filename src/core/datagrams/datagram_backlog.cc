// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "core/datagrams/datagram_backlog.h"

#include <new>

#include "base/assertion.h"
#include "core/port/copy.h"

namespace datum {

bool DatagramBacklog::keep(const WorkRequest& work) {
  if (full() || work.length > kMaxDatagram) return false;
  std::unique_ptr<Copy>& place = copies_[end_ % kMost];
  if (!place) place.reset(new (std::nothrow) Copy);
  if (!place) return false;
  Copy& copy = *place;
  gather(copy.bytes, work.local, 0, work.length);
  copy.segment = {0, reinterpret_cast<std::uintptr_t>(copy.bytes), work.length};
  copy.work = work;
  copy.work.local = {&copy.segment, 1};
  ++end_;
  return true;
}

const WorkRequest* DatagramBacklog::next() const {
  return all_started() ? nullptr : &at(begun_).work;
}

void DatagramBacklog::mark_started(std::uint32_t sequence) {
  DATUM_ASSERT(first_ <= begun_ && begun_ < end_ && end_ <= first_ + kMost);
  at(begun_).sequence = sequence;
  ++begun_;
}

void DatagramBacklog::release(std::uint32_t placed) {
  // The numbers wrap around.
  while (first_ != begun_ && static_cast<std::int32_t>(placed - at(first_).sequence) >= 0) ++first_;
  if (first_ == end_) first_ = begun_ = end_ = 0;
}

std::size_t DatagramBacklog::clear() {
  const std::size_t waiting = end_ - begun_;
  first_ = begun_ = end_ = 0;
  for (std::unique_ptr<Copy>& copy : copies_) copy.reset();
  return waiting;
}

} // namespace datum

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/link/read_responder.h"

#include <algorithm>
#include <cstring>

#include "base/aligned.h"
#include "base/assertion.h"
#include "core/port/copy.h"
#include "transport/link/link.h"

namespace datum {

bool ReadResponder::has_slot() {
  if (served_.size() < static_cast<std::size_t>(frame_.options().reads_in)) return true;
  // An honest peer sends no more Reads than this side's limit.
  refuse(DtoStatus::RemoteResponder);
  return false;
}

// Ends the connection. The refused request was posted after all requests that are being served.
void ReadResponder::refuse(DtoStatus status) {
  frame_.terminate(RequestClass::Read, status, static_cast<std::uint32_t>(served_.size()));
}

void ReadResponder::respond_if_first() {
  DATUM_ASSERT(served_.size() <= static_cast<std::size_t>(frame_.options().reads_in));
  if (served_.size() == 1) respond();
}

void ReadResponder::on_read_request(const RecordHeader& header) {
  if (!has_slot()) return;
  std::uint64_t memory = 0;
  const RdmaFields source = header.read.rdma;
  const std::uint64_t length = header.read.length;
  if (length != 0 && frame_.events()->check_remote(source.stag, source.address, length, kRemoteRead,
                                                   memory) != AccessFault::None) {
    refuse(DtoStatus::RemoteAccess);
    return;
  }
  served_.push_back({.source = source, .length = length});
  respond_if_first();
}

void ReadResponder::on_atomic(const RecordHeader& header) {
  if (!has_slot()) return;
  const AtomicFields fields = header.atomic;
  constexpr std::uint64_t kSize = sizeof fields.operand;
  std::uint64_t memory = 0;
  const bool allowed = frame_.events()->check_remote(fields.rdma.stag, fields.rdma.address, kSize,
                                                     kRemoteAtomic, memory) == AccessFault::None &&
                       memory % kSize == 0;
  if (!allowed) {
    refuse(DtoStatus::RemoteAccess);
    return;
  }
  // The allocation comes before the operation: if it fails, the record is handled again.
  served_.push_back({.source = fields.rdma, .length = kSize, .atomic = true});
  auto* target = aligned_as<std::uint64_t>(pointer(memory));
  std::uint64_t before = fields.compare;
  if ((header.flags & record_flag::kCompare) != 0)
    __atomic_compare_exchange_n(target, &before, fields.operand, false, __ATOMIC_SEQ_CST,
                                __ATOMIC_SEQ_CST);
  else
    before = __atomic_fetch_add(target, fields.operand, __ATOMIC_SEQ_CST);
  served_.back().value = before;
  respond_if_first();
}

bool ReadResponder::respond() {
  bool any = false;
  while (!served_.empty()) {
    Served& read = served_.front();
    const auto size =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(read.length - read.done, kMaxPiece));
    // The region may have been freed since the last piece.
    auto memory = reinterpret_cast<std::uint64_t>(&read.value);
    if (!read.atomic && size != 0 &&
        frame_.events()->check_remote(read.source.stag, read.source.address + read.done, size,
                                      kRemoteRead, memory) != AccessFault::None) {
      frame_.terminate(RequestClass::Read, DtoStatus::RemoteAccess);
      return true;
    }
    Link& link = *frame_.link();
    RecordHeader* record = link.reserve(lines_for(size, kInlinePayload));
    if (record == nullptr) {
      frame_.want_room();
      break;
    }
    const bool last = read.done + size == read.length;
    frame_.stamp(*record, RecordType::ReadData, last ? record_flag::kLast : std::uint8_t{0}, size);
    std::byte* payload = size <= kInlinePayload ? record->payload : link.payload();
    if (size != 0) std::memcpy(payload, pointer(memory), size);
    link.publish();
    any = true;
    read.done += size;
    if (read.done == read.length) served_.pop_front();
  }
  return any;
}

} // namespace datum

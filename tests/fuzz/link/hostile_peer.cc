// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "hostile_peer.h"

#include <algorithm>
#include <cstring>

namespace datum::fuzz {
namespace {

constexpr std::uint32_t kLengths[] = {0,    1,    8,    24,   25,    40,    41,         64,    1000,
                                      4096, 8192, 8193, 8256, 16383, 65536, 0xffffffff, 0x7fff};
constexpr std::uint64_t kLongLengths[] = {0,           1,     41,           8192,       8193,
                                          20000,       65536, 262144,       262145,     1U << 20U,
                                          1ULL << 32U, ~0ULL, ~0ULL - 8191, 1ULL << 63U};

std::uint32_t small_change(Input& input) {
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(input.take<std::int8_t>()));
}

// A range that the peer knows, with an address in it, beside it, or anywhere, or with another STag.
KnownRange choose_range(Input& input, std::span<const KnownRange> ranges) {
  KnownRange range = ranges[input.byte() % ranges.size()];
  switch (input.byte() % 8) {
  case 0: range.address += range.length; break;
  case 1: range.address += range.length - 1; break;
  case 2: range.address -= 1; break;
  case 3: range.address = input.take<std::uint64_t>(); break;
  case 4: range.stag += small_change(input); break;
  default: range.address += input.byte(); break;
  }
  return range;
}

// An Atomic is drawn as a changed ReadRequest, so that the kept inputs mean what they meant before
// there were Atomics.
RecordType type_of(std::uint8_t drawn, std::uint8_t changes) {
  const auto type = static_cast<RecordType>(drawn % 14);
  return type == RecordType::ReadRequest && (changes & 0x40U) != 0 ? RecordType::Atomic : type;
}

} // namespace

void HostilePeer::begin() {
  if (fabric_.port() == nullptr) return;
  const int honest = fabric_.port()->side();
  out_.emplace(segment().ring[1 - honest], honest_side().tail);
  in_.emplace(segment().ring[honest], own_side().tail);
  read_ = {};
  for (Connection& connection : connections_) connection = Connection();
}

void HostilePeer::learn(const RecordHeader& header) {
  std::size_t which = header.connection - own_number(0);
  if (header.type == RecordType::Connect) which = next_requested_++ % kConnections;
  if (which >= kConnections) return;
  Connection& connection = connections_[which];
  const bool last = (header.flags & record_flag::kLast) != 0;
  switch (header.type) {
  case RecordType::Connect:
  case RecordType::Accept: connection = {header.connect.number, 0, 0}; break;
  case RecordType::Send:
    connection.octets += header.length;
    connection.placed += last ? 1 : 0;
    break;
  case RecordType::Write: connection.placed += last ? 1 : 0; break;
  case RecordType::SendFetch: ++connection.placed; break;
  default: break;
  }
}

void HostilePeer::listen() {
  while (const RingSlot* slot = in_->front()) {
    RecordHeader header;
    std::memcpy(&header, slot, sizeof header);
    learn(header);
    const std::uint32_t lines = std::min(lines_of(header), kMaxRecordLines);
    in_->pop(lines);
    ++read_.records;
    if (lines != 0) read_.lines += read_.skipped(lines) + lines;
  }
  in_->tell();
}

void HostilePeer::put(const RecordHeader& header, std::uint32_t lines, Input* payload) {
  RingSlot* to = out_->reserve(lines);
  if (to == nullptr) return;
  std::memcpy(reinterpret_cast<std::byte*>(to) + sizeof(std::uint32_t),
              reinterpret_cast<const std::byte*>(&header) + sizeof(std::uint32_t),
              sizeof header - sizeof(std::uint32_t));
  if (payload != nullptr && header.type == RecordType::SendFetch)
    fill_fetch(out_->payload(), *payload, std::min(lines * kLineSize / 24, 8U));
  out_->publish();
}

RecordHeader HostilePeer::control(RecordType type, std::size_t which) const {
  const Connection& connection = connections_[which % kConnections];
  RecordHeader header{};
  header.type = type;
  header.connection = connection.honest_number;
  header.acked = connection.placed;
  header.returned = connection.octets;
  return header;
}

void HostilePeer::connect(std::size_t which, ConnQual qualifier) {
  RecordHeader header = control(RecordType::Connect, which);
  header.connection = 0;
  header.connect = {qualifier, own_number(which), 0, 0, 4, 0, 50000};
  put(header, 0, nullptr);
}

void HostilePeer::answer(std::size_t which) {
  RecordHeader header = control(RecordType::Accept, which);
  header.connect = {0, own_number(which), 0, 0, 4, 0, 0};
  put(header, 0, nullptr);
}

void HostilePeer::confirm(std::size_t which) {
  put(control(RecordType::Confirm, which), 0, nullptr);
}

void HostilePeer::fill_rdma(RecordHeader& header, Input& input,
                            std::span<const KnownRange> ranges) {
  const KnownRange range = choose_range(input, ranges);
  header.rdma = {range.stag, 0, range.address};
  if (header.type == RecordType::ReadRequest) header.read.length = input.pick(kLongLengths);
  if (header.type != RecordType::Atomic) return;
  header.atomic.operand = input.take<std::uint64_t>();
  header.atomic.compare = input.take<std::uint64_t>();
}

// The segments of a message that the honest side is to fetch. They need not lie in the peer's
// memory.
void HostilePeer::fill_fetch(std::byte* payload, Input& input, std::uint32_t segments) {
  for (std::uint32_t i = 0; i < segments; ++i) {
    const FetchSegment segment{static_cast<Stag>(input.byte()) << 8U, 0,
                               fabric_.memory().base() + input.take<std::uint16_t>(),
                               input.pick(kLongLengths)};
    std::memcpy(payload + i * sizeof segment, &segment, sizeof segment);
  }
}

void HostilePeer::send_record(Input& input, std::span<const KnownRange> ranges) {
  const std::uint8_t drawn = input.byte();
  const std::uint8_t connection = input.byte();
  const std::uint8_t changes = input.byte();
  const RecordType type = type_of(drawn, changes);
  RecordHeader header = control(type, connection);
  header.flags = input.byte();
  header.length = input.pick(kLengths);
  if ((changes & 0x01U) != 0) header.acked += small_change(input);
  if ((changes & 0x02U) != 0) header.returned += small_change(input);
  if ((changes & 0x04U) != 0) header.connection = input.take<std::uint32_t>();
  if ((changes & 0x08U) != 0) header.status = input.byte();
  switch (type) {
  case RecordType::Write:
  case RecordType::ReadRequest:
  case RecordType::Atomic: fill_rdma(header, input, ranges); break;
  case RecordType::Note:
    if ((changes & 0x40U) == 0) break;
    header.note = {input.take<std::uint64_t>(), input.take<std::uint32_t>(), input.byte() % 8U};
    break;
  case RecordType::SendFetch:
    header.fetch = {input.pick(kLongLengths), 1 + input.byte() % 80U};
    if ((changes & 0x10U) == 0) header.length = header.fetch.segments * 24;
    break;
  case RecordType::Connect:
  case RecordType::Accept:
  case RecordType::Close:
    header.connect = {7, own_number(input.byte() % 4U), 0, 0, input.take<std::int8_t>(), 0, 1};
    header.connect.private_data_size = header.length;
    if ((changes & 0x10U) != 0) header.connect.private_data_size = input.byte();
    break;
  default: break;
  }
  const std::uint32_t needed = std::min(lines_of(header), kMaxRecordLines);
  put(header, (changes & 0x20U) != 0 ? input.byte() : needed, &input);
}

void HostilePeer::scribble(Input& input) {
  auto* bytes = reinterpret_cast<std::byte*>(&segment());
  const auto value = input.take<std::uint64_t>();
  const std::size_t at = input.take<std::uint32_t>() % (sizeof(LinkSegment) - sizeof value);
  std::memcpy(bytes + at, &value, sizeof value);
}

void HostilePeer::set_words(Input& input) {
  SegmentSide& side = own_side();
  side.sleep_epoch = input.byte();
  side.wants_room = input.byte();
  side.fences = input.byte();
  side.mark = input.take<std::uint32_t>();
}

void HostilePeer::claim_tail(Input& input) {
  SegmentSide& side = own_side();
  const bool raw = input.flag();
  side.tail.records = raw ? input.take<std::uint64_t>() : read_.records - input.byte();
  side.tail.lines = raw ? input.take<std::uint64_t>() : read_.lines - input.byte();
}

void HostilePeer::edit_region(Input& input) {
  const std::uint32_t index = input.byte() % 16U;
  HostileMemory& memory = fabric_.memory();
  RegionEntry& entry = memory.entry(index);
  const std::uint8_t odd = input.byte();
  entry.stag = index << 8U | ((odd & 1U) != 0 ? 1U : 0U);
  entry.access = input.byte();
  entry.base = (odd & 2U) != 0 ? input.take<std::uint64_t>() : memory.base();
  entry.length = (odd & 4U) != 0 ? input.pick(kLongLengths) : HostileMemory::kSize;
  entry.zone = 0;
  entry.backing_fd = (odd & 8U) != 0 ? 3 : -1;
  entry.backing_offset = (odd & 16U) != 0 ? input.pick(kLongLengths) : 0;
}

} // namespace datum::fuzz

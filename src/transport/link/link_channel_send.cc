// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/link/link_channel_send.cc: requests that go through the ring.
// Hot path: no allocation, no logging.
#include <algorithm>
#include <cassert>
#include <cstring>

#include "base/copy_bytes.h"
#include "core/port/copy.h"
#include "transport/link/link.h"
#include "transport/link/link_channel.h"
#include "transport/link/link_transport.h"

namespace datum {
namespace {

// From here on it is cheaper to let the receiver copy once than to copy twice through the ring.
constexpr std::uint64_t kFetchFrom = 16 * 1024;

} // namespace

RecordHeader LinkChannel::header(RecordType type) {
  RecordHeader header{};
  stamp(header, type, 0, 0);
  return header;
}

// on_room() follows: when what is under way has ended, the peer has placed something, or, with a
// full ring, when there is room.
StartResult LinkChannel::later(bool ring_full) {
  wants_room_ = true;
  if (ring_full) link_->starve(*this);
  return StartResult::Later;
}

StartResult LinkChannel::start(const WorkRequest& request) {
  if (state_ != LinkState::Open || failed_) return StartResult::Later;
  if (busy_sending()) return later(false);
  StartResult result = StartResult::Later;
  switch (request.opcode) {
  case Opcode::Send: result = start_send(request); break;
  case Opcode::SendInvalidate:
  case Opcode::WriteImmediate: result = start_noted(request); break;
  case Opcode::RdmaWrite: result = start_write(request); break;
  case Opcode::RdmaRead: result = start_read(request); break;
  case Opcode::FetchAdd:
  case Opcode::CompareSwap: result = start_atomic(request); break;
  case Opcode::Datagram:
  case Opcode::Bind: break; // never handed to a channel
  }
  link_->flush_bell();
  return result;
}

// The line that the peer looks at takes as long to come over as all that happens before the store.
void LinkChannel::warm_up(const RemoteTriplet* target) {
  if (link_ == nullptr) return;
  DirectAccess* direct = target != nullptr ? link_->direct() : nullptr;
  if (direct == nullptr || !direct->warm_up(target->stag, target->address + target->length - 1))
    link_->warm_up();
}

// What fits into one record, and what is over within one turn of copying.
StartResult LinkChannel::start_now(const WorkRequest& request) {
  if (state_ != LinkState::Open || failed_ || busy_sending()) return StartResult::Later;
  if (request.opcode != Opcode::Send) {
    if (is_extended(request.opcode)) return StartResult::Later;
    if (may_go_direct(request)) {
      if (request.length > kDirectTurn) return StartResult::Later;
      const StartResult result = start_direct(request);
      assert(direct_ == nullptr); // one turn was enough: nothing points at `request` any more
      return result;
    }
  }
  if (request.length > kMaxPiece || request.opcode == Opcode::RdmaRead) return StartResult::Later;
  const auto size = static_cast<std::uint32_t>(request.length);
  if (request.opcode == Opcode::Send && size > window_left()) return StartResult::Later;
  const bool one_line = size <= kWriteInlinePayload && request.local.size() == 1;
  if (!(one_line ? send_line(request, size) : send_piece(request, 0, size)))
    return StartResult::Later;
  ++sent_;
  link_->flush_bell();
  return StartResult::Started;
}

// What send_piece() does for a whole Send or Write of one short segment.
bool LinkChannel::send_line(const WorkRequest& request, std::uint32_t size) {
  RecordHeader* record = link_->reserve();
  if (record == nullptr) return false;
  const auto* from = pointer(request.local[0].address);
  if (request.opcode == Opcode::RdmaWrite) {
    stamp(*record, RecordType::Write, record_flag::kLast, size);
    record->rdma.stag = request.remote.stag;
    record->rdma.address = request.remote.address;
    copy_bytes(record->write.payload, from, size);
  } else {
    stamp(*record, RecordType::Send,
          request.solicited ? record_flag::kLast | record_flag::kSolicited : record_flag::kLast,
          size);
    sent_octets_ += size;
    copy_bytes(record->payload, from, size);
  }
  link_->publish();
  return true;
}

// Said again if the message itself finds no room: the last one counts.
bool LinkChannel::send_note(const MessageNote& note) {
  RecordHeader* record = link_->reserve(0);
  if (record == nullptr) return false;
  stamp(*record, RecordType::Note, 0, 0);
  record->note = {note.written, note.value, static_cast<std::uint32_t>(note.by)};
  link_->publish();
  return true;
}

StartResult LinkChannel::start_noted(const WorkRequest& request) {
  return send_note(request.extra.note) ? start_send(request) : later(true);
}

StartResult LinkChannel::start_send(const WorkRequest& request) {
  if (request.length > kMaxPiece) {
    if (request.length >= kFetchFrom && link_->peer_can_fetch() && send_fetch(request))
      return StartResult::Started;
    return start_partial(request);
  }
  const auto size = static_cast<std::uint32_t>(request.length);
  if (size > window_left()) return later(false);
  if (!send_piece(request, 0, size)) return later(true);
  ++sent_;
  return StartResult::Started;
}

StartResult LinkChannel::start_write(const WorkRequest& request) {
  if (may_go_direct(request)) return start_direct(request);
  if (request.length > kMaxPiece) {
    // Large data goes once, and straight: as soon as what went before has been placed.
    if (link_->direct() != nullptr) return later(false);
    return start_partial(request);
  }
  if (!send_piece(request, 0, static_cast<std::uint32_t>(request.length))) return later(true);
  ++sent_;
  return StartResult::Started;
}

StartResult LinkChannel::start_partial(const WorkRequest& request) {
  partial_ = &request;
  partial_done_ = 0;
  continue_partial();
  return StartResult::Started;
}

bool LinkChannel::continue_partial() {
  bool any = false;
  while (partial_ != nullptr) {
    const WorkRequest& request = *partial_;
    const auto size = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(request.length - partial_done_, kMaxPiece));
    if (!events_->recheck_local(request, kLocalRead)) {
      partial_ = nullptr;
      fail_later(RequestClass::Placed, DtoStatus::LocalProtection);
      return true;
    }
    // The window opens with the peer's next word, the ring when the peer has read on.
    if (request.opcode != Opcode::RdmaWrite && size > window_left()) break;
    if (!send_piece(request, partial_done_, size)) {
      link_->starve(*this);
      break;
    }
    any = true;
    partial_done_ += size;
    if (partial_done_ == request.length) {
      partial_ = nullptr;
      ++sent_;
    }
  }
  return any;
}

// One record with [offset, offset + size) of a Send or a Write. False: the ring is full.
bool LinkChannel::send_piece(const WorkRequest& request, std::uint64_t offset, std::uint32_t size) {
  const bool write = request.opcode == Opcode::RdmaWrite;
  const RecordType type = write ? RecordType::Write : RecordType::Send;
  RecordHeader* record = link_->reserve(lines_for(size, inline_room(type)));
  if (record == nullptr) return false;
  std::uint8_t flags = 0;
  if (offset + size == request.length) flags |= record_flag::kLast;
  if (request.solicited && !write) flags |= record_flag::kSolicited;
  stamp(*record, type, flags, size);
  std::byte* payload = link_->payload();
  if (write) {
    record->rdma.stag = request.remote.stag;
    record->rdma.address = request.remote.address + offset;
    if (size <= kWriteInlinePayload) payload = record->write.payload;
  } else {
    sent_octets_ += size;
    if (size <= kInlinePayload) payload = record->payload;
  }
  gather(payload, request.local, offset, size);
  link_->publish();
  return true;
}

std::uint64_t LinkChannel::shift_of(Stag stag) const {
  const RegionEntry* entry = transport_.host().regions->find(stag);
  return entry != nullptr ? entry->shift() : 0;
}

bool LinkChannel::send_fetch(const WorkRequest& request) {
  if (request.local.size() > kMaxFetchSegments) return false;
  const auto size = static_cast<std::uint32_t>(request.local.size() * sizeof(FetchSegment));
  RecordHeader* record = link_->reserve(lines_for(size, 0));
  if (record == nullptr) return false;
  stamp(*record, RecordType::SendFetch,
        request.solicited ? record_flag::kSolicited : std::uint8_t{0}, size);
  record->fetch = {request.length, static_cast<std::uint32_t>(request.local.size())};
  auto* segments = reinterpret_cast<FetchSegment*>(link_->payload());
  for (const LocalTriplet& segment : request.local)
    *segments++ = {segment.stag, 0, segment.address - shift_of(segment.stag), segment.length};
  link_->publish();
  ++sent_;
  fetched_out_ = true;
  return true;
}

// False: the peer said that it serves none, on whatever path (decision 306), and the
// request fails.
bool LinkChannel::peer_serves_reads() {
  if (peer_reads_in_ == 0) fail_later(RequestClass::Read, DtoStatus::RemoteResponder);
  return peer_reads_in_ != 0;
}

StartResult LinkChannel::start_read(const WorkRequest& request) {
  if (!peer_serves_reads()) return StartResult::Started;
  if (may_go_direct(request)) return start_direct(request);
  RecordHeader* record = link_->reserve(0);
  if (record == nullptr) return later(true);
  reads_.push_back(&request); // before the peer knows: it may fail
  stamp(*record, RecordType::ReadRequest, 0, 0);
  record->read.rdma = {request.remote.stag, 0, request.remote.address};
  record->read.length = request.length;
  link_->publish();
  return StartResult::Started;
}

// Through the ring always: the target carries it out itself.
StartResult LinkChannel::start_atomic(const WorkRequest& request) {
  if (!peer_serves_reads()) return StartResult::Started;
  RecordHeader* record = link_->reserve(0);
  if (record == nullptr) return later(true);
  reads_.push_back(&request); // before the peer knows: it may fail
  const bool compare = request.opcode == Opcode::CompareSwap;
  stamp(*record, RecordType::Atomic, compare ? record_flag::kCompare : std::uint8_t{0}, 0);
  record->atomic = {{request.remote.stag, 0, request.remote.address},
                    request.extra.atomic.operand,
                    request.extra.atomic.compare};
  link_->publish();
  return StartResult::Started;
}

bool LinkChannel::serve_reads() {
  bool any = false;
  while (!served_.empty()) {
    ServedRead& read = served_.front();
    const auto size =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(read.length - read.done, kMaxPiece));
    // The region may have gone since the last piece.
    auto memory = reinterpret_cast<std::uint64_t>(&read.value);
    if (!read.atomic && size != 0 &&
        events_->check_remote(read.stag, read.address + read.done, size, kRemoteRead, memory) !=
            AccessFault::None) {
      terminate(RequestClass::Read, DtoStatus::RemoteAccess);
      return true;
    }
    RecordHeader* record = link_->reserve(lines_for(size, kInlinePayload));
    if (record == nullptr) {
      link_->starve(*this);
      break;
    }
    const bool last = read.done + size == read.length;
    stamp(*record, RecordType::ReadData, last ? record_flag::kLast : std::uint8_t{0}, size);
    std::byte* payload = size <= kInlinePayload ? record->payload : link_->payload();
    if (size != 0) std::memcpy(payload, pointer(memory), size);
    link_->publish();
    any = true;
    read.done += size;
    if (read.done == read.length) served_.pop_front();
  }
  return any;
}

bool LinkChannel::flush_ack() {
  if (state_ != LinkState::Open || (told_placed_ == placed_ && told_octets_ == placed_octets_))
    return true;
  RecordHeader* record = link_->reserve(0);
  if (record == nullptr) return false;
  stamp(*record, RecordType::Ack, 0, 0);
  link_->publish();
  return true;
}

} // namespace datum

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Hot path: no allocation, no logging.
#include "transport/link/link_sender.h"

#include <algorithm>
#include <utility>

#include "base/aligned.h"
#include "base/assertion.h"
#include "base/copy_bytes.h"
#include "core/port/copy.h"
#include "transport/link/link.h"
#include "transport/link/link_transport.h"

namespace datum {
namespace {

// A message of at least this length is cheaper to copy once, by the receiver, than twice, through
// the ring.
constexpr std::uint64_t kFetchFrom = 16 * 1024;

RequestClass class_of(const WorkRequest& request) {
  return request.opcode == Opcode::RdmaRead ? RequestClass::Read : RequestClass::Placed;
}

} // namespace

// on_room() follows when the requests under way have ended or when the peer has placed something.
// After a full ring it also follows when there is room.
StartResult LinkSender::later(bool ring_full) {
  wants_room_ = true;
  if (ring_full) frame_.want_room();
  return StartResult::Later;
}

StartResult LinkSender::start(const WorkRequest& request) {
  if (!frame_.open() || failed_) return StartResult::Later;
  if (busy()) return later(false);
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
  case Opcode::Bind: DATUM_ASSERT(false); break; // the core passes neither opcode to a channel
  }
  frame_.link()->flush_doorbell();
  return result;
}

// Starts a request only if it fits into one record or ends within one turn of copying.
StartResult LinkSender::start_now(const WorkRequest& request) {
  if (!frame_.open() || failed_ || busy()) return StartResult::Later;
  if (request.opcode != Opcode::Send) {
    if (is_extended(request.opcode)) return StartResult::Later;
    if (may_go_direct(request)) {
      if (request.length > kDirectQuantum) return StartResult::Later;
      const StartResult result = start_direct(request);
      DATUM_ASSERT(
          !direct_.under_way()); // one turn was enough: nothing points at `request` any more
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
  frame_.link()->flush_doorbell();
  return StartResult::Started;
}

// The fast version of send_piece() for a whole Send or Write of one short segment.
bool LinkSender::send_line(const WorkRequest& request, std::uint32_t size) {
  DATUM_ASSERT(size <= kWriteInlinePayload);
  RecordHeader* record = frame_.link()->reserve();
  if (record == nullptr) return false;
  const auto* from = pointer(request.local[0].address);
  if (request.opcode == Opcode::RdmaWrite) {
    frame_.stamp(*record, RecordType::Write, record_flag::kLast, size);
    record->rdma.stag = request.remote.stag;
    record->rdma.address = request.remote.address;
    copy_bytes(record->write.payload, from, size);
  } else {
    frame_.stamp(*record, RecordType::Send,
                 request.solicited ? record_flag::kLast | record_flag::kSolicited
                                   : record_flag::kLast,
                 size);
    sent_octets_ += size;
    copy_bytes(record->payload, from, size);
  }
  frame_.link()->publish();
  return true;
}

// If the message itself finds no room, the note is sent once more with it. The receiver uses the
// last note.
bool LinkSender::send_note(const MessageNote& note) {
  RecordHeader* record = frame_.link()->reserve(0);
  if (record == nullptr) return false;
  frame_.stamp(*record, RecordType::Note, 0, 0);
  record->note = {note.written, note.value, static_cast<std::uint32_t>(note.by)};
  frame_.link()->publish();
  return true;
}

StartResult LinkSender::start_noted(const WorkRequest& request) {
  return send_note(request.extra.note) ? start_send(request) : later(true);
}

StartResult LinkSender::start_send(const WorkRequest& request) {
  if (request.length > kMaxPiece) {
    if (request.length >= kFetchFrom && frame_.link()->peer_can_fetch() && send_fetch(request))
      return StartResult::Started;
    return start_partial(request);
  }
  const auto size = static_cast<std::uint32_t>(request.length);
  if (size > window_left()) return later(false);
  if (!send_piece(request, 0, size)) return later(true);
  ++sent_;
  return StartResult::Started;
}

StartResult LinkSender::start_write(const WorkRequest& request) {
  if (may_go_direct(request)) return start_direct(request);
  if (request.length > kMaxPiece) {
    // A long Write is copied once, directly. For that it waits until all earlier requests have been
    // placed.
    if (frame_.link()->direct() != nullptr) return later(false);
    return start_partial(request);
  }
  if (!send_piece(request, 0, static_cast<std::uint32_t>(request.length))) return later(true);
  ++sent_;
  return StartResult::Started;
}

StartResult LinkSender::start_partial(const WorkRequest& request) {
  DATUM_ASSERT(!busy());
  partial_ = &request;
  partial_done_ = 0;
  continue_partial();
  return StartResult::Started;
}

StartResult LinkSender::start_direct(const WorkRequest& request) {
  direct_.begin(request);
  frame_.link()->wrote_directly();
  // Requests of several connections may have waited for the same event, and together they get only
  // one turn.
  if (!copy_.has_turn(request.length)) {
    frame_.want_work();
    return StartResult::Started;
  }
  const DtoStatus status = direct_.take_turn();
  if (status != DtoStatus::Success) {
    fail_later(class_of(request), status); // work() reports it
    return StartResult::Started;
  }
  if (!direct_.under_way()) return StartResult::Finished;
  frame_.want_work();
  frame_.host().progress->wake_promptly();
  return StartResult::Started;
}

void LinkSender::continue_direct() {
  const WorkRequest& request = direct_.request();
  const RequestClass kind = class_of(request);
  const bool read = kind == RequestClass::Read;
  // The request's memory may have gone since the last turn.
  if (!frame_.events()->recheck_local(request, read ? kLocalWrite : kLocalRead)) {
    direct_.drop();
    fail_later(kind, DtoStatus::LocalProtection);
    return;
  }
  const DtoStatus status = direct_.take_turn();
  if (status != DtoStatus::Success) return fail_later(kind, status);
  if (direct_.under_way()) return;
  if (read)
    frame_.events()->on_read_done();
  else
    frame_.events()->on_placed(1);
}

bool LinkSender::continue_partial() {
  bool any = false;
  while (partial_ != nullptr) {
    const WorkRequest& request = *partial_;
    const auto size = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(request.length - partial_done_, kMaxPiece));
    if (!frame_.events()->recheck_local(request, kLocalRead)) {
      partial_ = nullptr;
      fail_later(RequestClass::Placed, DtoStatus::LocalProtection);
      return true;
    }
    // If the window is closed, the peer's next record may open it. If the ring is full, want_room()
    // asks for room.
    if (request.opcode != Opcode::RdmaWrite && size > window_left()) break;
    if (!send_piece(request, partial_done_, size)) {
      frame_.want_room();
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

// Sends one record with [offset, offset + size) of a Send or a Write. False: the ring is full.
bool LinkSender::send_piece(const WorkRequest& request, std::uint64_t offset, std::uint32_t size) {
  const bool write = request.opcode == Opcode::RdmaWrite;
  DATUM_ASSERT(size <= kMaxPiece && offset + size <= request.length);
  DATUM_ASSERT(write || size <= window_left());
  const RecordType type = write ? RecordType::Write : RecordType::Send;
  RecordHeader* record = frame_.link()->reserve(lines_for(size, inline_room(type)));
  if (record == nullptr) return false;
  std::uint8_t flags = 0;
  if (offset + size == request.length) flags |= record_flag::kLast;
  if (request.solicited && !write) flags |= record_flag::kSolicited;
  frame_.stamp(*record, type, flags, size);
  std::byte* payload = frame_.link()->payload();
  if (write) {
    record->rdma.stag = request.remote.stag;
    record->rdma.address = request.remote.address + offset;
    if (size <= kWriteInlinePayload) payload = record->write.payload;
  } else {
    sent_octets_ += size;
    if (size <= kInlinePayload) payload = record->payload;
  }
  gather(payload, request.local, offset, size);
  frame_.link()->publish();
  return true;
}

std::uint64_t LinkSender::shift_of(Stag stag) const {
  const RegionEntry* entry = frame_.host().regions->find(stag);
  return entry != nullptr ? entry->shift() : 0;
}

bool LinkSender::send_fetch(const WorkRequest& request) {
  if (request.local.size() > kMaxFetchSegments) return false;
  const auto size = static_cast<std::uint32_t>(request.local.size() * sizeof(FetchSegment));
  RecordHeader* record = frame_.link()->reserve(lines_for(size, 0));
  if (record == nullptr) return false;
  frame_.stamp(*record, RecordType::SendFetch,
               request.solicited ? record_flag::kSolicited : std::uint8_t{0}, size);
  record->fetch = {request.length, static_cast<std::uint32_t>(request.local.size())};
  auto* segments = aligned_as<FetchSegment>(frame_.link()->payload());
  for (const LocalTriplet& segment : request.local)
    *segments++ = {segment.stag, 0, segment.address - shift_of(segment.stag), segment.length};
  frame_.link()->publish();
  ++sent_;
  fetched_out_ = true;
  return true;
}

// False: the peer has announced that it serves no Reads. The request then fails on every path
// (decision 306).
bool LinkSender::peer_serves_reads() {
  if (frame_.peer().reads_in == 0) fail_later(RequestClass::Read, DtoStatus::RemoteResponder);
  return frame_.peer().reads_in != 0;
}

StartResult LinkSender::start_read(const WorkRequest& request) {
  if (!peer_serves_reads()) return StartResult::Started;
  if (may_go_direct(request)) return start_direct(request);
  RecordHeader* record = frame_.link()->reserve(0);
  if (record == nullptr) return later(true);
  reads_.push_back(&request); // first, since it may fail
  frame_.stamp(*record, RecordType::ReadRequest, 0, 0);
  record->read.rdma = {request.remote.stag, 0, request.remote.address};
  record->read.length = request.length;
  frame_.link()->publish();
  return StartResult::Started;
}

// An Atomic always goes through the ring, because the target carries it out itself.
StartResult LinkSender::start_atomic(const WorkRequest& request) {
  if (!peer_serves_reads()) return StartResult::Started;
  RecordHeader* record = frame_.link()->reserve(0);
  if (record == nullptr) return later(true);
  reads_.push_back(&request); // first, since it may fail
  const bool compare = request.opcode == Opcode::CompareSwap;
  frame_.stamp(*record, RecordType::Atomic, compare ? record_flag::kCompare : std::uint8_t{0}, 0);
  record->atomic = {{request.remote.stag, 0, request.remote.address},
                    request.extra.atomic.operand,
                    request.extra.atomic.compare};
  frame_.link()->publish();
  return StartResult::Started;
}

void LinkSender::give_room() {
  if (!wants_room_ || busy()) return;
  wants_room_ = false;
  frame_.events()->on_room();
}

void LinkSender::hold_behind_confirm() {
  DATUM_ASSERT(!confirm_waits_ && sent_ == 0);
  confirm_waits_ = true;
  ++sent_;
  frame_.want_room();
}

bool LinkSender::try_confirm() {
  if (frame_.link()->controls_wait()) {
    frame_.want_room();
    return false;
  }
  confirm_waits_ = false;
  --sent_;
  return true;
}

bool LinkSender::take_progress(const RecordHeader& header) {
  const std::uint32_t placed = header.acked - acked_;
  const std::uint32_t octets = header.returned - returned_;
  if (placed > unplaced() || octets > sent_octets_ - returned_) return false;
  acked_ = header.acked;
  returned_ = header.returned;
  if (unplaced() == 0) fetched_out_ = false;
  if (placed != 0) frame_.events()->on_placed(placed);
  if ((wants_room_ || partial_ != nullptr) && frame_.link() != nullptr) frame_.want_work();
  return true;
}

bool LinkSender::on_read_data(const RecordHeader& header, const std::byte* payload) {
  if (reads_.empty()) return false;
  const WorkRequest& read = *reads_.front();
  const bool last = (header.flags & record_flag::kLast) != 0;
  if (header.length > kMaxPiece || header.length > read.length - read_done_ ||
      last != (read_done_ + header.length == read.length))
    return false;
  if (!frame_.events()->recheck_local(read, kLocalWrite)) {
    report_failed(RequestClass::Read, DtoStatus::LocalProtection);
    return true;
  }
  scatter(read.local, read_done_, payload, header.length);
  read_done_ += header.length;
  if (!last) return true;
  read_done_ = 0;
  reads_.pop_front();
  frame_.events()->on_read_done();
  return true;
}

// A consumer that only posts Writes and watches its own memory never polls the ring. Without a poll
// before the post this side would not learn that earlier records have been placed, and every Write
// would go through the ring.
bool LinkSender::should_look_first(const WorkRequest& request) const {
  return frame_.open() && unplaced() != 0 && suits_direct(request);
}

// True: a message waits for its Recv at the peer. That is so if the peer had read all records that
// were published at the last call, has not reported since that anything was placed, and is not
// fetching the message.
bool LinkSender::waits_for_receive(bool oldest_is_message) {
  if (!frame_.open()) return false;
  const bool all_read = frame_.link()->peer_has_read(published_then_);
  published_then_ = frame_.link()->published();
  const Reached now{sent_, sent_octets_, acked_, returned_};
  const bool moved = std::exchange(reached_, now) != now;
  const bool fetching = fetched_out_ && fetch_found_recv_ == sent_;
  const bool begun = unplaced() != 0 || partial_ != nullptr;
  return oldest_is_message && begun && all_read && !moved && !fetching;
}

void LinkSender::fail_later(RequestClass kind, DtoStatus status) {
  DATUM_ASSERT(!failed_);
  failed_ = true;
  failed_class_ = kind;
  failed_status_ = status;
  frame_.want_work();
  frame_.host().progress->wake();
}

void LinkSender::report_failure() {
  report_failed(failed_class_, failed_status_);
}

void LinkSender::report_failed(RequestClass kind, DtoStatus status) {
  // The failure is on this side, so the peer gets no Terminate. For the peer the connection is
  // broken.
  frame_.link()->send_control(frame_.header(RecordType::Close));
  frame_.link()->flush_doorbell();
  // Messages that went through the ring before the failed request may still wait for their Recvs.
  frame_.events()->on_request_failed(kind, status, kind == RequestClass::Placed ? unplaced() : 0);
  frame_.end(CloseReason::Broken);
}

} // namespace datum

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/link/link_channel_receive.cc: records that arrive. Everything in them is the peer's
// word and is checked before use; false means that no honest peer sends this.
#include <cstring>
#include <utility>

#include "core/port/copy.h"
#include "transport/link/link.h"
#include "transport/link/link_channel.h"
#include "transport/link/link_transport.h"

namespace datum {

// The usual record: a whole message, while no other one is under way. False: nothing was done that
// may not be done again.
bool LinkChannel::take_message(const RecordHeader& header, const std::byte* payload) {
  if (header.type != RecordType::Send || (header.flags & record_flag::kLast) == 0 ||
      state_ != LinkState::Open || message_done_ != 0 || fetching_ || !staged_.empty() ||
      header.length > kMaxPiece || note_.any() || !take_counters(header) ||
      state_ != LinkState::Open)
    return false;
  if (header.length <= kInlinePayload) payload = header.payload;
  const bool solicited = (header.flags & record_flag::kSolicited) != 0;
  // Its completion may end the connection.
  ++placed_;
  placed_octets_ += header.length;
  if (!events_->place_message(payload, header.length, solicited)) {
    --placed_;
    placed_octets_ -= header.length;
    return false;
  }
  if (link_ != nullptr) link_->list_for_ack(*this);
  return true;
}

bool LinkChannel::handle_any(const RecordHeader& header, const std::byte* payload) {
  switch (header.type) {
  case RecordType::Accept: return on_accept(header, payload);
  case RecordType::Refuse: {
    if (state_ != LinkState::Requested || header.length > transport_.most_private_data())
      return false;
    const bool by_consumer = (header.flags & record_flag::kByConsumer) != 0;
    ChannelEvents* events = events_;
    gone_ = true;
    leave();
    events->on_connect_failed(by_consumer ? ConnectFailure::PeerRejected
                                          : ConnectFailure::NonPeerRejected,
                              {payload, header.length});
    return true;
  }
  case RecordType::Confirm:
    if (!on(LinkEvent::ConfirmArrived)) return false;
    events_->on_established({}, peer_reads_in_);
    return true;
  case RecordType::Close: {
    if (state_ == LinkState::Open && !take_counters(header)) return false;
    const bool orderly = (header.flags & record_flag::kOrderly) != 0;
    gone_ = true;
    if (state_ != LinkState::Closed)
      closed(orderly ? CloseReason::Disconnected : CloseReason::Broken);
    return true;
  }
  default:
    if (state_ != LinkState::Open) return state_ == LinkState::Closed;
    return handle_open(header, payload);
  }
}

bool LinkChannel::on_accept(const RecordHeader& header, const std::byte* payload) {
  const ConnectFields& fields = header.connect;
  if (state_ != LinkState::Requested || fields.number == 0 ||
      fields.private_data_size != header.length || fields.reads_in < 0 ||
      header.length > transport_.most_private_data())
    return false;
  peer_number_ = fields.number;
  peer_zone_ = fields.zone;
  peer_endpoint_ = fields.endpoint;
  peer_reads_in_ = fields.reads_in;
  private_data_.assign(payload, payload + header.length);
  on(LinkEvent::AcceptArrived);
  // Both sides are established, or neither: the accepter waits for this (decision 220).
  link_->send_control(this->header(RecordType::Confirm));
  if (link_->controls_wait()) {
    confirm_waits_ = true;
    ++sent_;
    link_->starve(*this);
  }
  events_->on_established(private_data_, peer_reads_in_);
  return true;
}

bool LinkChannel::take_progress(const RecordHeader& header) {
  const std::uint32_t placed = header.acked - acked_;
  const std::uint32_t octets = header.returned - returned_;
  if (placed > unplaced() || octets > sent_octets_ - returned_) return false;
  acked_ = header.acked;
  returned_ = header.returned;
  if (unplaced() == 0) fetched_out_ = false;
  if (placed != 0) events_->on_placed(placed);
  if ((wants_room_ || partial_ != nullptr) && link_ != nullptr) want_work();
  return true;
}

bool LinkChannel::handle_open(const RecordHeader& header, const std::byte* payload) {
  if (!take_counters(header)) return false;
  if (state_ != LinkState::Open) return true; // the completion ended the connection
  switch (header.type) {
  case RecordType::Send:
    return on_send(header, header.length <= kInlinePayload ? header.payload : payload);
  case RecordType::SendFetch: return on_fetch(header, payload);
  case RecordType::Write:
    return on_write(header, header.length <= kWriteInlinePayload ? header.write.payload : payload);
  case RecordType::ReadRequest: return on_read_request(header);
  case RecordType::Note: return on_note(header);
  case RecordType::Atomic: return on_atomic(header);
  case RecordType::ReadData:
    return on_read_data(header, header.length <= kInlinePayload ? header.payload : payload);
  case RecordType::Ack:
    if ((header.flags & record_flag::kFetching) != 0) fetch_found_recv_ = sent_;
    return true;
  case RecordType::Terminate: on_terminate(header); return true;
  default: return false;
  }
}

bool LinkChannel::on_send(const RecordHeader& header, const std::byte* payload) {
  if (header.length > kMaxPiece || fetch_pending()) return false;
  const bool last = (header.flags & record_flag::kLast) != 0;
  const MessageNote note = last ? note_ : MessageNote{};
  if (!staged_.empty() || !deliver(header, payload, note)) {
    if (state_ != LinkState::Open) return true;
    if (header.length > kSendWindow - staged_octets_ || staged_.size() == most_staged())
      return false;
    stage(header, payload, note);
  }
  // Not before the message is kept: without memory for it the record comes again, the note does
  // not.
  if (last) note_ = {};
  return true;
}

// The peer has read all that was published when this was asked last, and has not said since that
// anything of ours was placed: then a message of ours waits there, unless it is being fetched.
bool LinkChannel::waits_for_receive(bool oldest_is_message) {
  if (state_ != LinkState::Open) return false;
  const bool all_read = link_->peer_has_read(published_then_);
  published_then_ = link_->published();
  const Reached now{sent_, sent_octets_, acked_, returned_};
  const bool moved = std::exchange(reached_, now) != now;
  const bool fetching = fetched_out_ && fetch_found_recv_ == sent_;
  const bool begun = unplaced() != 0 || partial_ != nullptr;
  return oldest_is_message && begun && all_read && !moved && !fetching;
}

// An honest peer sends no message behind one that is being fetched, before that has been placed.
bool LinkChannel::fetch_pending() const {
  return fetching_ || (!staged_.empty() && staged_.back().header.type == RecordType::SendFetch);
}

// Another message has begun and not ended: no message to fetch can come now.
bool LinkChannel::message_under_way() const {
  if (fetch_pending()) return true;
  if (staged_.empty()) return message_done_ != 0;
  return (staged_.back().header.flags & record_flag::kLast) == 0;
}

// What is staged next is no further piece of the message before.
bool LinkChannel::begins_message() const {
  if (staged_.empty()) return true;
  const RecordHeader& before = staged_.back().header;
  return before.type == RecordType::SendFetch || (before.flags & record_flag::kLast) != 0;
}

// What an EP may have posted, and the pieces of one message: the window counts octets only, and a
// message may have none.
std::size_t LinkChannel::most_staged() const {
  return static_cast<std::size_t>(transport_.limits().max_dto_per_ep) + kSendWindow / kMaxPiece;
}

bool LinkChannel::on_note(const RecordHeader& header) {
  const NoteFields& fields = header.note;
  const bool known = fields.by == static_cast<std::uint32_t>(Opcode::SendInvalidate) ||
                     fields.by == static_cast<std::uint32_t>(Opcode::WriteImmediate);
  if (known) note_ = {static_cast<Opcode>(fields.by), fields.value, fields.written};
  return known;
}

// What the peer says cannot be: its message fails, and with it the connection.
bool LinkChannel::refuses(const MessageNote& note) {
  if (!note.any() || events_->check_note(note) == AccessFault::None) return false;
  events_->fail_receive(DtoStatus::LocalProtection);
  if (state_ == LinkState::Open) terminate(RequestClass::Placed, DtoStatus::RemoteAccess);
  return true;
}

void LinkChannel::complete_message(std::uint64_t length, bool solicited, const MessageNote& note) {
  if (note.any())
    events_->complete_noted(length, solicited, note);
  else
    events_->complete_receive(length, solicited);
}

bool LinkChannel::deliver(const RecordHeader& header, const std::byte* payload,
                          const MessageNote& note) {
  std::span<const LocalTriplet> into;
  std::uint64_t capacity = 0;
  switch (events_->take_receive(into, capacity)) {
  case TakeResult::NoReceive: return false;
  case TakeResult::Protection:
    if (state_ == LinkState::Open) terminate(RequestClass::Placed, DtoStatus::RemoteResponder);
    return true;
  case TakeResult::Taken: break;
  }
  if (header.length > capacity - message_done_) {
    events_->fail_receive(DtoStatus::LocalLength);
    if (state_ == LinkState::Open) terminate(RequestClass::Placed, DtoStatus::RemoteResponder);
    return true;
  }
  if (refuses(note)) return true;
  scatter(into, message_done_, payload, header.length);
  message_done_ += header.length;
  const bool last = (header.flags & record_flag::kLast) != 0;
  count_placed(last ? 1 : 0, header.length);
  if (last) {
    const std::uint64_t length = message_done_;
    message_done_ = 0;
    complete_message(length, (header.flags & record_flag::kSolicited) != 0, note);
  }
  return true;
}

void LinkChannel::stage(const RecordHeader& header, const std::byte* payload,
                        const MessageNote& note) {
  if (!staged_.may_wait(*events_)) {
    terminate(RequestClass::Placed, DtoStatus::ReceiverNotReady);
    return;
  }
  staged_.push({header, {payload, payload + header.length}, note},
               transport_.host().progress->now(), begins_message());
  // Not before it is kept: without memory for it the record stays in the ring.
  watch_patience();
  tells_taken_ = true;
  want_work();
  if (header.type == RecordType::Send) staged_octets_ += header.length;
}

void LinkChannel::on_receive_posted() {
  deliver_staged();
  if (state_ != LinkState::Open) return;
  // Whoever posted may call nothing more for long, and then nobody flushes what is listed.
  const bool told = flush_ack();
  link_->flush_bell();
  if (!told || has_work()) transport_.host().progress->kick();
}

void LinkChannel::deliver_staged() {
  while (state_ == LinkState::Open && !staged_.empty() && !fetching_) {
    Staged& first = staged_.front();
    const bool fetch = first.header.type == RecordType::SendFetch;
    const bool done = fetch ? start_fetch(first.header, first.payload.data(), first.note)
                            : deliver(first.header, first.payload.data(), first.note);
    if (!done || state_ != LinkState::Open) return;
    if (!fetch) staged_octets_ -= first.header.length;
    count_placed(staged_.pop(transport_.host().progress->now(), *events_), 0);
    watch_patience();
  }
}

void LinkChannel::watch_patience() {
  if (const Instant deadline = staged_.deadline(); deadline != kNever)
    transport_.host().timers->arm(receive_timer_, deadline);
  else
    receive_timer_.cancel();
}

void LinkChannel::count_placed(std::uint32_t messages, std::uint32_t octets) {
  placed_ += messages;
  placed_octets_ += octets;
  if (messages == 0 && octets == 0) return;
  link_->list_for_ack(*this);
}

std::uint32_t LinkChannel::waiting() const {
  std::uint32_t requests = 0;
  staged_.for_each([&](const Staged& each, std::uint32_t writes) {
    const bool ends =
        each.header.type == RecordType::SendFetch || (each.header.flags & record_flag::kLast) != 0;
    requests += writes + (ends ? 1 : 0);
  });
  return requests;
}

void LinkChannel::count_write_placed() {
  // Counted in posting order: behind the Sends that still wait.
  if (!staged_.count_write()) count_placed(1, 0);
}

bool LinkChannel::on_write(const RecordHeader& header, const std::byte* payload) {
  if (header.length > kMaxPiece) return false;
  const RdmaFields target = header.rdma;
  // A Write of nothing names no memory (checks on incoming frames, 20).
  if (header.length != 0) {
    std::uint64_t memory = 0;
    if (events_->check_remote(target.stag, target.address, header.length, kRemoteWrite, memory) !=
        AccessFault::None) {
      terminate(RequestClass::Placed, DtoStatus::RemoteAccess, waiting());
      return true;
    }
    copy_visible(pointer(memory), payload, header.length);
  }
  if ((header.flags & record_flag::kLast) != 0) count_write_placed();
  return true;
}

bool LinkChannel::has_read_slot() {
  if (served_.size() < static_cast<std::size_t>(options_.reads_in)) return true;
  // An honest peer holds its excess back.
  refuse_read(DtoStatus::RemoteResponder);
  return false;
}

// Behind those that are being served.
void LinkChannel::refuse_read(DtoStatus status) {
  terminate(RequestClass::Read, status, static_cast<std::uint32_t>(served_.size()));
}

bool LinkChannel::on_read_request(const RecordHeader& header) {
  if (!has_read_slot()) return true;
  std::uint64_t memory = 0;
  const RdmaFields source = header.read.rdma;
  const std::uint64_t length = header.read.length;
  if (length != 0 && events_->check_remote(source.stag, source.address, length, kRemoteRead,
                                           memory) != AccessFault::None) {
    refuse_read(DtoStatus::RemoteAccess);
    return true;
  }
  served_.push_back({source.stag, source.address, length, 0, false, 0});
  if (served_.size() == 1) serve_reads();
  return true;
}

// In one step for every processor of this host, and so for every other endpoint.
bool LinkChannel::on_atomic(const RecordHeader& header) {
  if (!has_read_slot()) return true;
  const AtomicFields fields = header.atomic;
  constexpr std::uint64_t kSize = sizeof fields.operand;
  std::uint64_t memory = 0;
  const bool allowed = events_->check_remote(fields.rdma.stag, fields.rdma.address, kSize,
                                             kRemoteAtomic, memory) == AccessFault::None &&
                       memory % kSize == 0;
  if (!allowed) {
    refuse_read(DtoStatus::RemoteAccess);
    return true;
  }
  // First what needs memory: without it the record comes again.
  served_.push_back({fields.rdma.stag, fields.rdma.address, kSize, 0, true, 0});
  auto* target = reinterpret_cast<std::uint64_t*>(pointer(memory));
  std::uint64_t before = fields.compare;
  if ((header.flags & record_flag::kCompare) != 0)
    __atomic_compare_exchange_n(target, &before, fields.operand, false, __ATOMIC_SEQ_CST,
                                __ATOMIC_SEQ_CST);
  else
    before = __atomic_fetch_add(target, fields.operand, __ATOMIC_SEQ_CST);
  served_.back().value = before;
  if (served_.size() == 1) serve_reads();
  return true;
}

bool LinkChannel::on_read_data(const RecordHeader& header, const std::byte* payload) {
  if (reads_.empty()) return false;
  const WorkRequest& read = *reads_.front();
  const bool last = (header.flags & record_flag::kLast) != 0;
  if (header.length > kMaxPiece || header.length > read.length - read_done_ ||
      last != (read_done_ + header.length == read.length))
    return false;
  if (!events_->recheck_local(read, kLocalWrite)) {
    failed_class_ = RequestClass::Read;
    failed_status_ = DtoStatus::LocalProtection;
    report_failure();
    return true;
  }
  scatter(read.local, read_done_, payload, header.length);
  read_done_ += header.length;
  if (!last) return true;
  read_done_ = 0;
  reads_.pop_front();
  events_->on_read_done();
  return true;
}

void LinkChannel::on_terminate(const RecordHeader& header) {
  const RequestClass kind =
      (header.flags & record_flag::kReadClass) != 0 ? RequestClass::Read : RequestClass::Placed;
  const bool known =
      header.status != 0 && header.status <= static_cast<std::uint8_t>(DtoStatus::PartialPacket);
  const DtoStatus status = known ? static_cast<DtoStatus>(header.status) : DtoStatus::Transport;
  gone_ = true;
  events_->on_request_failed(kind, status, header.terminate.before);
  if (state_ == LinkState::Open) closed(CloseReason::Broken);
}

} // namespace datum

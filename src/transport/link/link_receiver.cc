// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/link/link_receiver.h"

#include <algorithm>

#include "base/assertion.h"
#include "core/port/copy.h"
#include "transport/link/link.h"
#include "transport/link/link_transport.h"

namespace datum {

LinkReceiver::LinkReceiver(ChannelFrame& frame)
    : frame_(frame), copy_(frame), kept_(frame), fetch_(copy_) {}

bool LinkReceiver::place_whole(const RecordHeader& send, const std::byte* payload) {
  DATUM_ASSERT(can_place_whole(send));
  if (send.length <= kInlinePayload) payload = send.payload;
  const bool solicited = (send.flags & record_flag::kSolicited) != 0;
  // The completion may end the connection.
  frame_.add_placed(1, send.length);
  if (!frame_.events()->place_message(payload, send.length, solicited)) {
    frame_.take_back_placed(1, send.length);
    return false;
  }
  if (frame_.link() != nullptr) frame_.owe_ack();
  return true;
}

bool LinkReceiver::on_send(const RecordHeader& header, const std::byte* payload) {
  // While a message is being fetched, an honest peer sends no further message.
  if (header.length > kMaxPiece || fetch_pending()) return false;
  const bool last = (header.flags & record_flag::kLast) != 0;
  const MessageNote note = last ? note_ : MessageNote{};
  if (!kept_.empty() || !deliver(header, payload, note)) {
    if (!frame_.open()) return true;
    if (!kept_.has_room_for(header)) return false;
    kept_.keep(header, payload, note);
  }
  // The note is cleared only after the message is kept. If keep() lacks memory, the record is
  // handled again, but the note does not come again.
  if (last) note_ = {};
  return true;
}

bool LinkReceiver::on_fetch(const RecordHeader& header, const std::byte* payload) {
  Link& link = *frame_.link();
  if (link.direct() == nullptr) return link.ending(); // the memory of a dead peer has gone with it
  if (!MessageFetch::is_sound(header) || message_under_way()) return false;
  const MessageNote note = note_;
  if (!kept_.empty() || !start_fetch(header, payload, note)) {
    if (frame_.open()) kept_.keep(header, payload, note);
  }
  note_ = {};
  return true;
}

// True: a message has begun and not ended, so an honest peer sends no SendFetch now.
bool LinkReceiver::message_under_way() const {
  return fetch_pending() || (kept_.empty() ? message_done_ != 0 : kept_.ends_inside_message());
}

bool LinkReceiver::on_note(const RecordHeader& header) {
  const NoteFields& fields = header.note;
  const bool known = fields.by == static_cast<std::uint32_t>(Opcode::SendInvalidate) ||
                     fields.by == static_cast<std::uint32_t>(Opcode::WriteImmediate);
  if (known) note_ = {static_cast<Opcode>(fields.by), fields.value, fields.written};
  return known;
}

bool LinkReceiver::on_write(const RecordHeader& header, const std::byte* payload) {
  if (header.length > kMaxPiece) return false;
  const RdmaFields target = header.rdma;
  // A Write of no octets names no memory (decision 410, check 20).
  if (header.length != 0) {
    std::uint64_t memory = 0;
    if (frame_.events()->check_remote(target.stag, target.address, header.length, kRemoteWrite,
                                      memory) != AccessFault::None) {
      frame_.terminate(RequestClass::Placed, DtoStatus::RemoteAccess, kept_.requests());
      return true;
    }
    copy_visible(pointer(memory), payload, header.length);
  }
  if ((header.flags & record_flag::kLast) == 0) return true;
  // Requests are counted in posting order, so the Write counts after the kept Sends.
  if (!kept_.count_write()) {
    frame_.add_placed(1, 0);
    frame_.owe_ack();
  }
  return true;
}

[[gnu::always_inline]] inline LinkReceiver::Recv
LinkReceiver::take_receive(std::uint64_t length, const MessageNote& note,
                           std::span<const LocalTriplet>& into) {
  std::uint64_t capacity = 0;
  ChannelEvents& events = *frame_.events();
  switch (events.take_receive(into, capacity)) {
  case TakeResult::NoReceive: return Recv::Missing;
  case TakeResult::Protection: terminate_if_open(DtoStatus::RemoteResponder); return Recv::Refused;
  case TakeResult::Taken: break;
  }
  if (length > capacity) {
    events.fail_receive(DtoStatus::LocalLength);
    terminate_if_open(DtoStatus::RemoteResponder);
    return Recv::Refused;
  }
  return refuses(note) ? Recv::Refused : Recv::Taken;
}

bool LinkReceiver::deliver(const RecordHeader& header, const std::byte* payload,
                           const MessageNote& note) {
  std::span<const LocalTriplet> into;
  const Recv recv = take_receive(message_done_ + header.length, note, into);
  if (recv != Recv::Taken) return recv == Recv::Refused;
  scatter(into, message_done_, payload, header.length);
  message_done_ += header.length;
  const bool last = (header.flags & record_flag::kLast) != 0;
  frame_.count_placed(last ? 1 : 0, header.length);
  if (last) {
    const std::uint64_t length = message_done_;
    message_done_ = 0;
    complete(length, (header.flags & record_flag::kSolicited) != 0, note);
  }
  return true;
}

bool LinkReceiver::start_fetch(const RecordHeader& header, const std::byte* payload,
                               const MessageNote& note) {
  std::span<const LocalTriplet> into;
  const Recv recv = take_receive(header.fetch.length, note, into);
  if (recv != Recv::Taken) return recv == Recv::Refused;
  fetch_.begin(header, payload, note);
  if (copy_.has_turn(std::min(fetch_.left(), kDirectQuantum))) continue_fetch();
  if (!frame_.open() || !fetch_.under_way()) return true;
  // The fetch takes several turns. The sender is told, so that it does not believe that the message
  // waits for its Recv.
  RecordHeader word = frame_.header(RecordType::Ack);
  word.flags = record_flag::kFetching;
  frame_.link()->send_control(word);
  frame_.want_work();
  return true;
}

void LinkReceiver::continue_fetch() {
  std::span<const LocalTriplet> into;
  std::uint64_t capacity = 0;
  // The message has its Recv already. This call only checks that the Recv's memory is still
  // registered.
  if (frame_.events()->take_receive(into, capacity) != TakeResult::Taken) {
    fetch_.drop();
    terminate_if_open(DtoStatus::RemoteResponder);
    return;
  }
  const DtoStatus status = fetch_.take_turn(into);
  if (status != DtoStatus::Success) {
    frame_.terminate(RequestClass::Placed, status);
    return;
  }
  if (fetch_.under_way()) return;
  frame_.count_placed(1, 0);
  complete(fetch_.length(), fetch_.solicited(), fetch_.note());
}

// True: the peer's note is invalid. Then the message fails, and the connection ends.
bool LinkReceiver::refuses(const MessageNote& note) {
  ChannelEvents& events = *frame_.events();
  if (!note.any() || events.check_note(note) == AccessFault::None) return false;
  events.fail_receive(DtoStatus::LocalProtection);
  terminate_if_open(DtoStatus::RemoteAccess);
  return true;
}

void LinkReceiver::complete(std::uint64_t length, bool solicited, const MessageNote& note) {
  if (note.any())
    frame_.events()->complete_noted(length, solicited, note);
  else
    frame_.events()->complete_receive(length, solicited);
}

void LinkReceiver::deliver_kept() {
  while (frame_.open() && !kept_.empty() && !fetch_.under_way()) {
    const KeptMessages::Piece& first = kept_.front();
    const bool fetch = first.header.type == RecordType::SendFetch;
    const bool done = fetch ? start_fetch(first.header, first.payload.data(), first.note)
                            : deliver(first.header, first.payload.data(), first.note);
    if (!done || !frame_.open()) return;
    frame_.count_placed(kept_.release_first(), 0);
  }
}

void LinkReceiver::tell_kept() {
  if (kept_.take_news()) frame_.link()->acknowledge_records();
}

void LinkReceiver::terminate_if_open(DtoStatus status) {
  if (frame_.open()) frame_.terminate(RequestClass::Placed, status);
}

} // namespace datum

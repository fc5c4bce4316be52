// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/link/kept_messages.h"

#include "base/assertion.h"
#include "transport/link/link_transport.h"

namespace datum {
namespace {

bool is_fetch(const RecordHeader& header) {
  return header.type == RecordType::SendFetch;
}

bool ends_message(const RecordHeader& header) {
  return is_fetch(header) || (header.flags & record_flag::kLast) != 0;
}

// The most pieces of all messages that an EP may have posted. The window alone does not bound them:
// it counts octets, and a message may have no octets.
std::size_t most_pieces(const Limits& limits) {
  return static_cast<std::size_t>(limits.max_dto_per_ep) + kSendWindow / kMaxPiece;
}

} // namespace

KeptMessages::KeptMessages(ChannelFrame& frame)
    : frame_(frame), pieces_({frame.transport().options().receive_timeout}) {}

bool KeptMessages::has_room_for(const RecordHeader& send) const {
  return send.length <= kSendWindow - octets_ &&
         pieces_.size() != most_pieces(frame_.transport().limits());
}

void KeptMessages::keep(const RecordHeader& header, const std::byte* payload,
                        const MessageNote& note) {
  DATUM_ASSERT(is_fetch(header) || has_room_for(header));
  if (!pieces_.may_wait(*frame_.events())) {
    frame_.terminate(RequestClass::Placed, DtoStatus::ReceiverNotReady);
    return;
  }
  pieces_.push({header, {payload, payload + header.length}, note}, frame_.host().progress->now(),
               !ends_inside_message());
  // The steps below come after the push, because if push() lacks memory, the record stays in the
  // ring.
  watch_patience();
  news_ = true;
  frame_.want_work();
  if (!is_fetch(header)) octets_ += header.length;
}

std::uint32_t KeptMessages::release_first() {
  const RecordHeader& first = pieces_.front().header;
  DATUM_ASSERT(is_fetch(first) || octets_ >= first.length);
  if (!is_fetch(first)) octets_ -= first.length;
  const std::uint32_t writes = pieces_.pop(frame_.host().progress->now(), *frame_.events());
  watch_patience();
  return writes;
}

std::uint32_t KeptMessages::requests() const {
  std::uint32_t requests = 0;
  pieces_.for_each([&](const Piece& each, std::uint32_t writes) {
    requests += writes + (ends_message(each.header) ? 1 : 0);
  });
  return requests;
}

bool KeptMessages::ends_with_fetch() const {
  return !empty() && is_fetch(pieces_.back().header);
}

bool KeptMessages::ends_inside_message() const {
  return !empty() && !ends_message(pieces_.back().header);
}

void KeptMessages::watch_patience() {
  if (const Instant deadline = pieces_.deadline(); deadline != kNever)
    frame_.host().timers->arm(timer_, deadline);
  else
    timer_.cancel();
}

void KeptMessages::on_patience_over(Instant now) {
  if (pieces_.is_over(now, *frame_.events()))
    frame_.terminate(RequestClass::Placed, DtoStatus::ReceiverNotReady);
  else
    watch_patience();
}

} // namespace datum

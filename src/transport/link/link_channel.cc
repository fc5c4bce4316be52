// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/link/link_channel.h"

#include <algorithm>

#include "transport/link/direct_copy.h"
#include "transport/link/link.h"
#include "transport/link/link_transport.h"

namespace datum {

LinkChannel::LinkChannel(LinkTransport& transport, ChannelEvents& events,
                         const ChannelOptions& options)
    : ChannelFrame(transport,
                   {.state = LinkState::Dialling, .events = &events, .options = options}),
      handshake_(*this, {sender_, receiver_}, transport.next_local_port()) {}

LinkChannel::LinkChannel(LinkTransport& transport, Link& link, const RecordHeader& request,
                         PrivateData data)
    : ChannelFrame(
          transport,
          {.state = LinkState::Incoming, .link = &link, .peer = LinkPeer(request.connect)}),
      handshake_(*this, {sender_, receiver_}, request, data) {}

LinkChannel::~LinkChannel() {
  close(CloseMode::Abort);
}

const char* LinkChannel::path() const {
  return link() != nullptr ? link()->port().path() : "not connected";
}

std::string LinkChannel::path_reason() const {
  return link() != nullptr ? link()->port().path_reason() : std::string();
}

// --- calls of the consumer -----------------------------------------------------------------------

// To fetch the cache line that the peer polls takes as long as everything else before the store. So
// the fetch begins early.
void LinkChannel::prefetch(const RemoteTriplet* target) {
  if (link() == nullptr) return;
  DirectAccess* direct = target != nullptr ? link()->direct() : nullptr;
  if (direct == nullptr || !direct->prefetch(target->stag, target->address + target->length - 1))
    link()->prefetch();
}

void LinkChannel::on_receive_posted() {
  receiver_.deliver_kept();
  if (!open()) return;
  // The posting thread may make no further call for a long time, and then no thread would send the
  // Ack. So send it now.
  const bool told = flush_ack();
  link()->flush_doorbell();
  if (!told || has_work()) host().progress->wake();
}

void LinkChannel::catch_up() {
  transport().take_from_fabric();
  if (link() != nullptr) link()->catch_up();
}

// --- records -------------------------------------------------------------------------------------

// False: handle_any() has to handle the record. The counters may have been taken already; taking
// them twice does no harm.
bool LinkChannel::take_message(const RecordHeader& header, const std::byte* payload) {
  return header.type == RecordType::Send && (header.flags & record_flag::kLast) != 0 && open() &&
         receiver_.can_place_whole(header) && sender_.take_counters(header) && open() &&
         receiver_.place_whole(header, payload);
}

bool LinkChannel::handle_any(const RecordHeader& header, const std::byte* payload) {
  switch (header.type) {
  case RecordType::Accept: return handshake_.on_accept(header, payload);
  case RecordType::Refuse: return handshake_.on_refuse(header, payload);
  case RecordType::Confirm: return handshake_.on_confirm();
  case RecordType::Close:
    if (open() && !sender_.take_counters(header)) return false;
    handshake_.on_close(header);
    return true;
  default:
    if (!open()) return state() == LinkState::Closed;
    return handle_open(header, payload);
  }
}

bool LinkChannel::handle_open(const RecordHeader& header, const std::byte* payload) {
  if (!sender_.take_counters(header)) return false;
  if (!open()) return true; // the completion ended the connection
  switch (header.type) {
  case RecordType::Send:
    return receiver_.on_send(header, header.length <= kInlinePayload ? header.payload : payload);
  case RecordType::SendFetch: return receiver_.on_fetch(header, payload);
  case RecordType::Write:
    return receiver_.on_write(header, header.length <= kWriteInlinePayload ? header.write.payload
                                                                           : payload);
  case RecordType::Note: return receiver_.on_note(header);
  case RecordType::ReadRequest: responder_.on_read_request(header); return true;
  case RecordType::Atomic: responder_.on_atomic(header); return true;
  case RecordType::ReadData:
    return sender_.on_read_data(header, header.length <= kInlinePayload ? header.payload : payload);
  case RecordType::Ack:
    if ((header.flags & record_flag::kFetching) != 0) sender_.on_fetching();
    return true;
  case RecordType::Terminate: handshake_.on_terminate(header); return true;
  default: return false;
  }
}

// --- deferred work -------------------------------------------------------------------------------

std::uint64_t LinkChannel::next_quantum() const {
  return std::min(sender_.left_to_copy() + receiver_.left_to_copy(), kDirectQuantum);
}

bool LinkChannel::has_work() const {
  return sender_.failed() || state() == LinkState::Failing || sender_.copying() ||
         receiver_.fetching();
}

bool LinkChannel::work() {
  if (state() == LinkState::Failing) {
    handshake_.report_failed_connect();
    return true;
  }
  if (!open() || !sender_.confirm_has_left()) return false;
  if (sender_.failed()) {
    sender_.report_failure();
    return true;
  }
  receiver_.tell_kept();
  waits_for_turn_ = !transport().take_turn(next_quantum());
  const bool fetches = receiver_.fetching();
  bool any = sender_.continue_partial();
  if (open() && sender_.copying() && !waits_for_turn_) {
    sender_.continue_direct();
    any = true;
  }
  if (open() && fetches && receiver_.fetching() && !waits_for_turn_) {
    receiver_.continue_fetch();
    any = true;
  }
  if (open()) any = responder_.respond() || any;
  if (open()) sender_.give_room();
  return any;
}

// --- calls of the parts --------------------------------------------------------------------------

void LinkChannel::want_work() {
  if (link() != nullptr)
    link()->list_for_work(*this);
  else
    transport().list_for_work(*this);
}

void LinkChannel::want_room() {
  link()->wait_for_room(*this);
}

bool LinkChannel::join(Link& link) {
  const std::uint32_t number = link.add(*this);
  if (number != 0) set_link(&link, number);
  return number != 0;
}

void LinkChannel::part() {
  transport().unlist(*this);
  if (link() == nullptr) return;
  Link& left = *link();
  if (number() != 0) left.remove(*this);
  set_link(nullptr, 0);
}

} // namespace datum

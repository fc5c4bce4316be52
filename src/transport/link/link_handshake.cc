// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/link/link_handshake.h"

#include <new>
#include <optional>
#include <utility>

#include "base/assertion.h"
#include "transport/link/link.h"
#include "transport/link/link_transport.h"

namespace datum {
namespace {

ConnectFailure failure_of(DialFailure failure) {
  switch (failure) {
  case DialFailure::NobodyListens: return ConnectFailure::NobodyListens;
  case DialFailure::Unreachable: return ConnectFailure::Unreachable;
  case DialFailure::Refused: break;
  }
  return ConnectFailure::NonPeerRejected;
}

} // namespace

LinkHandshake::LinkHandshake(ChannelFrame& frame, const Neighbours& neighbours, ConnQual local_port)
    : frame_(frame), neighbours_(neighbours), local_port_(local_port) {}

LinkHandshake::LinkHandshake(ChannelFrame& frame, const Neighbours& neighbours,
                             const RecordHeader& request, PrivateData data)
    : frame_(frame), neighbours_(neighbours), local_port_(request.connect.qualifier),
      remote_port_(request.connect.port), remote_address_(frame.link()->port().peer_address()),
      private_data_(data.begin(), data.end()) {}

bool LinkHandshake::on(LinkEvent event) {
  const std::optional<LinkState> next = next_in(kLinkTable, frame_.state_, event);
  if (next) frame_.state_ = *next;
  return next.has_value();
}

// --- active side ---------------------------------------------------------------------------------

Status LinkHandshake::dial(const Address& address, ConnQual qualifier, PrivateData data) {
  remote_address_ = address;
  remote_port_ = qualifier;
  private_data_.assign(data.begin(), data.end());
  const Status status = start_dial();
  if (!status.ok()) on(LinkEvent::Leave);
  return status;
}

Status LinkHandshake::start_dial() {
  ++dials_;
  Result<std::unique_ptr<Dial>> dial =
      frame_.transport().fabric().dial(remote_address_, remote_port_, *this);
  if (!dial) return dial.error();
  if (frame_.state() == LinkState::Dialling) dial_ = std::move(*dial);
  return kOk;
}

// The peer gave the link up while this side's Connect was on its way, and has not read the Connect.
// So the request is sent again on a new link. An honest peer gives a link up at most once a minute.
void LinkHandshake::dial_again() {
  dial_.reset();
  bool dialled = false;
  try {
    dialled = start_dial().ok();
  } catch (const std::bad_alloc&) {
    dialled = false;
  }
  if (!dialled) on_dial_failed(DialFailure::Refused);
}

ConnectFields LinkHandshake::connect_fields(std::uint32_t private_data_size) const {
  ConnectFields fields{};
  fields.number = frame_.number();
  fields.zone = frame_.options().zone;
  fields.endpoint = frame_.options().endpoint;
  fields.reads_in = frame_.options().reads_in;
  fields.private_data_size = private_data_size;
  return fields;
}

void LinkHandshake::on_dialled(LinkPort& port) {
  if (frame_.state() != LinkState::Dialling) return;
  if (!frame_.join(*frame_.transport().find_link(port))) {
    on_dial_failed(DialFailure::Refused);
    return;
  }
  const bool moved = on(LinkEvent::Dialled);
  DATUM_ASSERT(moved);
  RecordHeader request = frame_.header(RecordType::Connect);
  request.length = static_cast<std::uint32_t>(private_data_.size());
  request.connect = connect_fields(request.length);
  request.connect.qualifier = remote_port_;
  request.connect.port = static_cast<std::uint32_t>(local_port_);
  say(request, private_data_);
}

void LinkHandshake::on_dial_failed(DialFailure failure) {
  if (!on(LinkEvent::DialFailed)) return;
  failure_ = failure_of(failure);
  // Reported from progress(), never inside connect().
  frame_.want_work();
}

void LinkHandshake::report_failed_connect() {
  DATUM_ASSERT(frame_.state() == LinkState::Failing);
  ChannelEvents* events = frame_.events();
  leave();
  if (events != nullptr) events->on_connect_failed(failure_, {});
}

bool LinkHandshake::on_accept(const RecordHeader& header, const std::byte* payload) {
  const ConnectFields& fields = header.connect;
  if (frame_.state() != LinkState::Requested || fields.number == 0 ||
      fields.private_data_size != header.length || fields.reads_in < 0 ||
      header.length > frame_.transport().most_private_data())
    return false;
  frame_.peer_ = LinkPeer(fields);
  private_data_.assign(payload, payload + header.length);
  const bool moved = on(LinkEvent::AcceptArrived);
  DATUM_ASSERT(moved);
  // The accepter waits for this record, so either both sides are established or neither (decision
  // 220).
  frame_.link()->send_control(frame_.header(RecordType::Confirm));
  if (frame_.link()->controls_wait()) neighbours_.sender.hold_behind_confirm();
  frame_.events()->on_established(private_data_, frame_.peer().reads_in);
  return true;
}

bool LinkHandshake::on_refuse(const RecordHeader& header, const std::byte* payload) {
  if (frame_.state() != LinkState::Requested ||
      header.length > frame_.transport().most_private_data())
    return false;
  const bool by_consumer = (header.flags & record_flag::kByConsumer) != 0;
  ChannelEvents* events = frame_.events();
  peer_gone_ = true;
  leave();
  events->on_connect_failed(by_consumer ? ConnectFailure::PeerRejected
                                        : ConnectFailure::NonPeerRejected,
                            {payload, header.length});
  return true;
}

// --- passive side --------------------------------------------------------------------------------

void LinkHandshake::accept(PrivateData data, ChannelEvents& events, const ChannelOptions& options) {
  DATUM_ASSERT(frame_.state() == LinkState::Incoming);
  frame_.events_ = &events;
  frame_.options_ = options;
  if (peer_gone_ || frame_.link() == nullptr) {
    on(LinkEvent::AcceptTooLate);
    frame_.want_work();
    return;
  }
  on(LinkEvent::Accept);
  RecordHeader answer = frame_.header(RecordType::Accept);
  answer.length = static_cast<std::uint32_t>(data.size());
  answer.connect = connect_fields(answer.length);
  say(answer, data);
}

void LinkHandshake::refuse(bool by_consumer, PrivateData data) {
  if (frame_.state() != LinkState::Incoming) return;
  if (frame_.link() != nullptr && !peer_gone_) {
    RecordHeader answer = frame_.header(RecordType::Refuse);
    if (by_consumer) answer.flags = record_flag::kByConsumer;
    answer.length = static_cast<std::uint32_t>(data.size());
    say(answer, data);
  }
  leave();
}

bool LinkHandshake::on_confirm() {
  if (!on(LinkEvent::ConfirmArrived)) return false;
  frame_.events()->on_established({}, frame_.peer().reads_in);
  return true;
}

// --- ends ----------------------------------------------------------------------------------------

void LinkHandshake::close(CloseMode mode) {
  if (frame_.state() == LinkState::Closed) return;
  if (frame_.link() != nullptr && frame_.peer().number != 0 && !peer_gone_) {
    RecordHeader last = frame_.header(RecordType::Close);
    if (mode == CloseMode::Disconnect) last.flags = record_flag::kOrderly;
    say(last);
  } else if (frame_.link() != nullptr && frame_.state() == LinkState::Requested) {
    // The peer has not sent its number yet, so the record names the connection by this side's
    // number.
    RecordHeader last = frame_.header(RecordType::Close);
    last.flags = record_flag::kOrderly;
    last.connect = {};
    last.connect.number = frame_.number();
    say(last);
  }
  leave();
}

void LinkHandshake::on_close(const RecordHeader& header) {
  const bool orderly = (header.flags & record_flag::kOrderly) != 0;
  peer_gone_ = true;
  if (frame_.state() != LinkState::Closed)
    end(orderly ? CloseReason::Disconnected : CloseReason::Broken);
}

void LinkHandshake::terminate(RequestClass kind, DtoStatus status, std::uint32_t before) {
  RecordHeader last = frame_.header(RecordType::Terminate);
  last.status = static_cast<std::uint8_t>(status);
  if (kind == RequestClass::Read) last.flags = record_flag::kReadClass;
  last.terminate = {before};
  say(last);
  end(CloseReason::Broken);
}

void LinkHandshake::on_terminate(const RecordHeader& header) {
  const RequestClass kind =
      (header.flags & record_flag::kReadClass) != 0 ? RequestClass::Read : RequestClass::Placed;
  const bool known =
      header.status != 0 && header.status <= static_cast<std::uint8_t>(DtoStatus::PartialPacket);
  const DtoStatus status = known ? static_cast<DtoStatus>(header.status) : DtoStatus::Transport;
  peer_gone_ = true;
  frame_.events()->on_request_failed(kind, status, header.terminate.before);
  if (frame_.open()) end(CloseReason::Broken);
}

void LinkHandshake::end(CloseReason reason) {
  // The peer has ended its request. The ConnectionRequest stays until the consumer answers it.
  if (frame_.state() == LinkState::Incoming) {
    if (frame_.link() != nullptr) frame_.link()->forget_requester(frame_.peer().number, frame_);
    return;
  }
  ChannelEvents* events = frame_.events();
  const bool established = frame_.open();
  leave();
  if (events == nullptr) return;
  if (established)
    events->on_closed(reason);
  else
    events->on_connect_failed(ConnectFailure::NonPeerRejected, {});
}

void LinkHandshake::on_link_lost() {
  constexpr int kMostDials = 4;
  const LinkState state = frame_.state();
  if (state == LinkState::Requested && frame_.link()->peer_retired() && dials_ < kMostDials) {
    frame_.part();
    on(LinkEvent::PeerRetired);
    dial_again();
    return;
  }
  if (state == LinkState::Incoming || state == LinkState::Failing) {
    peer_gone_ = true;
    frame_.part();
    if (state == LinkState::Failing) frame_.want_work();
    return;
  }
  end(CloseReason::Broken);
}

void LinkHandshake::say(const RecordHeader& record, PrivateData data) {
  frame_.link()->send_control(record, data);
  frame_.link()->flush_doorbell();
}

void LinkHandshake::leave() {
  on(LinkEvent::Leave);
  frame_.events_ = nullptr;
  neighbours_.receiver.stop();
  dial_.reset();
  Link* link = frame_.link();
  frame_.part();
  if (link != nullptr && link->idle() && !link->broken())
    frame_.transport().fabric().on_idle(link->port());
}

} // namespace datum

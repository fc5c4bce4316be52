// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/link/link_channel.cc: from dial to close.
#include "transport/link/link_channel.h"

#include <new>
#include <utility>

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

LinkChannel::LinkChannel(LinkTransport& transport, ChannelEvents& events,
                         const ChannelOptions& options)
    : transport_(transport), events_(&events), options_(options), state_(LinkState::Dialling),
      local_port_(transport.next_local_port()), staged_({transport.options().receive_timeout}) {}

LinkChannel::LinkChannel(LinkTransport& transport, Link& link, const RecordHeader& request,
                         PrivateData data)
    : transport_(transport), link_(&link), state_(LinkState::Incoming),
      peer_number_(request.connect.number), peer_zone_(request.connect.zone),
      peer_endpoint_(request.connect.endpoint), peer_reads_in_(request.connect.reads_in),
      local_port_(request.connect.qualifier), remote_port_(request.connect.port),
      remote_address_(link.port().peer_address()), private_data_(data.begin(), data.end()),
      staged_({transport.options().receive_timeout}) {}

LinkChannel::~LinkChannel() {
  close(CloseMode::Abort);
}

const char* LinkChannel::path() const {
  return link_ != nullptr ? link_->port().path() : "not connected";
}

std::string LinkChannel::path_reason() const {
  return link_ != nullptr ? link_->port().path_reason() : std::string();
}

bool LinkChannel::on(LinkEvent event) {
  const std::optional<LinkState> next = next_in(kLinkTable, state_, event);
  if (next) state_ = *next;
  return next.has_value();
}

Status LinkChannel::dial(const Address& address, ConnQual qualifier, PrivateData data) {
  remote_address_ = address;
  remote_port_ = qualifier;
  private_data_.assign(data.begin(), data.end());
  const Status status = start_dial();
  if (!status.ok()) on(LinkEvent::Leave);
  return status;
}

Status LinkChannel::start_dial() {
  ++dials_;
  Result<std::unique_ptr<Dial>> dial =
      transport_.fabric().dial(remote_address_, remote_port_, *this);
  if (!dial) return dial.error();
  if (state_ == LinkState::Dialling) dial_ = std::move(*dial);
  return kOk;
}

// The peer gave the link up as our request was on its way, and has not read it: no request was
// made. An honest one does that once in a minute at most.
void LinkChannel::dial_again() {
  number_ = 0;
  dial_.reset();
  bool dialled = false;
  try {
    dialled = start_dial().ok();
  } catch (const std::bad_alloc&) {
    dialled = false;
  }
  if (!dialled) on_dial_failed(DialFailure::Refused);
}

void LinkChannel::on_dialled(LinkPort& port) {
  if (state_ != LinkState::Dialling) return;
  link_ = transport_.find_link(port);
  number_ = link_->add(*this);
  if (number_ == 0) {
    link_ = nullptr;
    on_dial_failed(DialFailure::Refused);
    return;
  }
  on(LinkEvent::Dialled);
  RecordHeader request = header(RecordType::Connect);
  request.length = static_cast<std::uint32_t>(private_data_.size());
  request.connect = {};
  request.connect.qualifier = remote_port_;
  request.connect.number = number_;
  request.connect.zone = options_.zone;
  request.connect.endpoint = options_.endpoint;
  request.connect.reads_in = options_.reads_in;
  request.connect.private_data_size = request.length;
  request.connect.port = static_cast<std::uint32_t>(local_port_);
  link_->send_control(request, private_data_);
  link_->flush_bell();
}

void LinkChannel::on_dial_failed(DialFailure failure) {
  if (!on(LinkEvent::DialFailed)) return;
  connect_failure_ = failure_of(failure);
  // Reported from progress(), never from within connect().
  transport_.list_for_work(*this);
}

void LinkChannel::accept(PrivateData data, ChannelEvents& events, const ChannelOptions& options) {
  events_ = &events;
  options_ = options;
  if (gone_ || link_ == nullptr) {
    on(LinkEvent::AcceptTooLate);
    want_work();
    return;
  }
  on(LinkEvent::Accept);
  RecordHeader answer = header(RecordType::Accept);
  answer.length = static_cast<std::uint32_t>(data.size());
  answer.connect = {};
  answer.connect.number = number_;
  answer.connect.zone = options_.zone;
  answer.connect.endpoint = options_.endpoint;
  answer.connect.reads_in = options_.reads_in;
  answer.connect.private_data_size = answer.length;
  link_->send_control(answer, data);
  link_->flush_bell();
}

void LinkChannel::refuse(bool by_consumer, PrivateData data) {
  if (state_ != LinkState::Incoming) return;
  if (link_ != nullptr && !gone_) {
    RecordHeader answer = header(RecordType::Refuse);
    if (by_consumer) answer.flags = record_flag::kByConsumer;
    answer.length = static_cast<std::uint32_t>(data.size());
    link_->send_control(answer, data);
    link_->flush_bell();
  }
  leave();
}

void LinkChannel::close(CloseMode mode) {
  if (state_ == LinkState::Closed) return;
  if (link_ != nullptr && peer_number_ != 0 && !gone_) {
    RecordHeader last = header(RecordType::Close);
    if (mode == CloseMode::Disconnect) last.flags = record_flag::kOrderly;
    link_->send_control(last);
    link_->flush_bell();
  } else if (link_ != nullptr && state_ == LinkState::Requested) {
    // The peer knows us only by our own number so far.
    RecordHeader last = header(RecordType::Close);
    last.flags = record_flag::kOrderly;
    last.connect = {};
    last.connect.number = number_;
    link_->send_control(last);
    link_->flush_bell();
  }
  leave();
}

void LinkChannel::leave() {
  on(LinkEvent::Leave);
  events_ = nullptr;
  receive_timer_.cancel();
  dial_.reset();
  transport_.unlist(*this);
  if (link_ == nullptr) return;
  Link& link = *link_;
  link_ = nullptr;
  if (number_ != 0) link.remove(*this);
  if (link.idle() && !link.broken()) transport_.fabric().on_idle(link.port());
}

void LinkChannel::closed(CloseReason reason) {
  ChannelEvents* events = events_;
  const bool reported = state_ == LinkState::Open;
  const bool incoming = state_ == LinkState::Incoming;
  if (incoming) {
    gone_ = true; // the request stays until it is answered
    if (link_ != nullptr) link_->forget_requester(peer_number_, *this);
    return;
  }
  leave();
  if (events == nullptr) return;
  if (reported)
    events->on_closed(reason);
  else
    events->on_connect_failed(ConnectFailure::NonPeerRejected, {});
}

void LinkChannel::on_link_lost() {
  constexpr int kMostDials = 4;
  if (state_ == LinkState::Requested && link_->peer_retired() && dials_ < kMostDials) {
    link_->remove(*this);
    link_ = nullptr;
    on(LinkEvent::PeerRetired);
    dial_again();
    return;
  }
  if (state_ == LinkState::Incoming || state_ == LinkState::Failing) {
    gone_ = true;
    Link& link = *link_;
    link_ = nullptr;
    link.remove(*this);
    if (state_ == LinkState::Failing) transport_.list_for_work(*this);
    return;
  }
  closed(CloseReason::Broken);
}

void LinkChannel::want_work() {
  if (link_ != nullptr)
    link_->list_for_work(*this);
  else
    transport_.list_for_work(*this);
}

bool LinkChannel::has_work() const {
  return failed_ || state_ == LinkState::Failing || direct_ != nullptr || fetching_;
}

// A direct copy must not be seen before the Confirm can be: the peer may have its consumer answer.
bool LinkChannel::confirm_has_left() {
  if (link_->controls_wait()) {
    link_->starve(*this);
    return false;
  }
  confirm_waits_ = false;
  --sent_;
  return true;
}

void LinkChannel::catch_up() {
  transport_.take_from_fabric();
  if (link_ != nullptr) link_->catch_up();
}

bool LinkChannel::work() {
  if (state_ == LinkState::Failing) {
    ChannelEvents* events = events_;
    const ConnectFailure failure = connect_failure_;
    leave();
    if (events != nullptr) events->on_connect_failed(failure, {});
    return true;
  }
  if (state_ != LinkState::Open || (confirm_waits_ && !confirm_has_left())) return false;
  if (failed_) {
    report_failure();
    return true;
  }
  if (std::exchange(tells_taken_, false)) link_->tell_taken();
  bool any = false;
  waits_for_turn_ = !transport_.take_turn(next_turn());
  const bool fetches = fetching_;
  if (partial_ != nullptr) any = continue_partial();
  if (state_ == LinkState::Open && direct_ != nullptr && !waits_for_turn_)
    any = continue_direct() || any;
  if (state_ == LinkState::Open && fetches && fetching_ && !waits_for_turn_)
    any = fetch_turn() || any;
  if (state_ == LinkState::Open && !served_.empty()) any = serve_reads() || any;
  if (state_ == LinkState::Open && wants_room_ && !busy_sending()) {
    wants_room_ = false;
    events_->on_room();
  }
  return any;
}

void LinkChannel::fail_later(RequestClass kind, DtoStatus status) {
  failed_ = true;
  failed_class_ = kind;
  failed_status_ = status;
  want_work();
  transport_.host().progress->kick();
}

void LinkChannel::report_failure() {
  // The peer did nothing wrong that it knows of: it sees the connection break.
  RecordHeader last = header(RecordType::Close);
  link_->send_control(last);
  link_->flush_bell();
  ChannelEvents* events = events_;
  const RequestClass kind = failed_class_;
  const DtoStatus status = failed_status_;
  // What went through the ring before it may still wait for its receive.
  events->on_request_failed(kind, status, kind == RequestClass::Placed ? unplaced() : 0);
  closed(CloseReason::Broken);
}

void LinkChannel::terminate(RequestClass kind, DtoStatus status, std::uint32_t before) {
  RecordHeader last = header(RecordType::Terminate);
  last.status = static_cast<std::uint8_t>(status);
  if (kind == RequestClass::Read) last.flags = record_flag::kReadClass;
  last.terminate = {before};
  link_->send_control(last);
  link_->flush_bell();
  closed(CloseReason::Broken);
}

void LinkChannel::ReceiveTimer::on_expired(Instant now) {
  if (channel_.staged_.is_over(now, *channel_.events_))
    channel_.terminate(RequestClass::Placed, DtoStatus::ReceiverNotReady);
  else
    channel_.watch_patience();
}

} // namespace datum

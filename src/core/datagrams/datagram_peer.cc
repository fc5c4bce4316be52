// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "core/datagrams/datagram_peer.h"

#include <new>
#include <optional>

#include "base/assertion.h"
#include "core/datagrams/datagram_mark.h"
#include "core/datagrams/datagram_services.h"
#include "core/datagrams/datagrams.h"
#include "core/endpoint/endpoint.h"
#include "core/object/adapter_context.h"

namespace datum {
namespace {

// A message with this number says that the sender's consumer has freed the address handle.
constexpr std::uint32_t kLastMessage = 1;

} // namespace

DatagramPeer::DatagramPeer(Datagrams& owner, Role role, const Address& remote)
    : services_(owner.services()), adapter_(services_.adapter()), owner_(&owner), role_(role),
      address_(services_.addresses().add(*this)), remote_(remote) {
  last_message_.opcode = Opcode::WriteImmediate;
  last_message_.extra.note = {Opcode::WriteImmediate, kLastMessage, 0};
}

DatagramPeer::~DatagramPeer() {
  drop_channel(CloseMode::Disconnect);
  forget_private_data();
  services_.addresses().remove(address_);
}

void DatagramPeer::on(Happened event) {
  const std::optional<State> next = next_in(kDatagramPeerTable, state_, event);
  DATUM_ASSERT(next);
  if (next) state_ = *next;
}

// Events in the EVD that were not reaped lose their private data.
void DatagramPeer::forget_private_data() {
  if (owner_ == nullptr) return; // depart() has done this already
  EventDispatcher* evd = owner_->endpoint().connect_evd().own();
  if (evd != nullptr && !private_data_.empty())
    evd->forget_data(owner_->endpoint().token(), private_data_.data());
}

ChannelOptions DatagramPeer::options() const {
  ChannelOptions options; // no protection zone and no Reads: nothing here is for RDMA
  options.endpoint = owner_->endpoint().number();
  return options;
}

std::size_t DatagramPeer::most_private_data() const {
  return static_cast<std::size_t>(adapter_.limits().max_private_data);
}

Status DatagramPeer::connect(ConnQual qualifier, std::uint32_t timeout_us, PrivateData data) {
  // The answer comes outside every call of the consumer, when a lack of memory could not be
  // reported.
  private_data_.reserve(most_private_data());
  ChannelOptions chosen = options();
  chosen.deadline = deadline_after(adapter_.progress(), timeout_us);
  const auto asked = marked({owner_->number()}, data);
  Connector& self = *this;
  attempt_ = std::make_unique<ConnectAttempt>(
      adapter_, ConnectAttempt::ConnectTarget{remote_, qualifier, asked, chosen}, *this, self);
  Result<std::unique_ptr<Channel>> channel = attempt_->ask();
  if (!channel) return channel.error();
  channel_ = std::move(*channel);
  if (chosen.deadline != kNever) adapter_.timers().arm(timer_, chosen.deadline);
  adapter_.progress().wake();
  return kOk;
}

void DatagramPeer::end_attempt() {
  timer_.cancel();
  attempt_.reset();
}

void DatagramPeer::accept(IncomingConnection& incoming, PrivateData data) {
  DatagramMark mark;
  const PrivateData asked = incoming.private_data();
  decode(asked, mark);
  number_ = mark.number;
  // Programs use the private data to see which peer the event names (dtestsrq -u).
  const PrivateData said = asked.subspan(DatagramMark::kWireSize);
  private_data_.assign(said.begin(), said.end());
  channel_ = incoming.accept(marked({owner_->number()}, data), *this, options());
  adapter_.progress().wake();
}

void DatagramPeer::PatienceTimer::on_expired(Instant) {
  if (peer_.owner_ == nullptr) {
    peer_.close(CloseMode::Disconnect);
    return;
  }
  peer_.drop_channel(CloseMode::Disconnect);
  peer_.failed_by(EventKind::DatagramsFailed);
}

void DatagramPeer::on_established(PrivateData data, std::int32_t) {
  end_attempt();
  if (role_ == Role::Active) {
    DatagramMark mark;
    // The request was accepted by another kind of endpoint, or by a peer that ignores the limit.
    if (!decode(data, mark) || data.size() > DatagramMark::kWireSize + most_private_data()) {
      drop_channel(CloseMode::Abort);
      failed_by(EventKind::DatagramsFailed);
      return;
    }
    number_ = mark.number;
    const PrivateData said = data.subspan(DatagramMark::kWireSize);
    private_data_.assign(said.begin(), said.end());
  }
  on(Happened::Established);
  const EventKind kind =
      role_ == Role::Active ? EventKind::DatagramsResolved : EventKind::DatagramsResolvedPassive;
  if (owner_->report(kind, *this)) return;
  // The event was lost, so the consumer would never learn of the peer.
  drop_channel(CloseMode::Disconnect);
  become_spent();
}

void DatagramPeer::on_connect_failed(ConnectFailure failure, PrivateData data) {
  if (channel_) adapter_.retire(std::move(channel_));
  if (failure == ConnectFailure::NobodyListens && attempt_->ask_later()) return;
  failed_by(failure == ConnectFailure::PeerRejected && role_ == Role::Active
                ? EventKind::DatagramsRejected
                : EventKind::DatagramsFailed,
            data);
}

void DatagramPeer::failed_by(EventKind kind, PrivateData data) {
  end_attempt();
  on(Happened::ConnectFailed);
  private_data_.clear();
  if (data.size() <= most_private_data() && role_ == Role::Active)
    private_data_.assign(data.begin(), data.end());
  owner_->on_failed(*this);
  owner_->report(kind, *this);
}

void DatagramPeer::on_closed(CloseReason) {
  if (state_ == State::Resolving) {
    on_connect_failed(ConnectFailure::NonPeerRejected, {});
    return;
  }
  adapter_.retire(std::move(channel_));
  lose_the_rest();
  on(Happened::PeerEnded);
  if (forgotten_ || owner_ == nullptr) become_spent();
}

void DatagramPeer::drop_channel(CloseMode mode) {
  end_attempt();
  if (!channel_) return;
  channel_->close(mode);
  adapter_.retire(std::move(channel_));
}

void DatagramPeer::close(CloseMode mode) {
  drop_channel(mode);
  become_spent();
}

void DatagramPeer::lose_the_rest() {
  const std::size_t lost = backlog_.clear();
  if (owner_ != nullptr)
    owner_->count_lost(lost);
  else
    adapter_.tally().datagrams_lost += lost;
}

void DatagramPeer::become_spent() {
  on(Happened::Spend);
  end_attempt();
  lose_the_rest(); // frees memory now: the peer itself may be destroyed much later
  if (owner_ != nullptr)
    owner_->on_spent(*this);
  else
    services_.departures().on_spent(*this);
}

// --- sending -------------------------------------------------------------------------------------

bool DatagramPeer::send(const WorkRequest& work) {
  if (state_ != State::Open) return false;
  if (backlog_.all_started()) {
    const StartResult result = channel_->start_now(work);
    if (result == StartResult::Started) ++started_;
    if (result != StartResult::Later) return true;
  }
  if (!backlog_.keep(work)) return false;
  start_kept();
  return true;
}

void DatagramPeer::start_kept() {
  if (state_ != State::Open) return;
  while (const WorkRequest* next = backlog_.next()) {
    const StartResult result = channel_->start(*next);
    if (result == StartResult::Later) return;
    if (result == StartResult::Started) ++started_;
    backlog_.mark_started(started_);
  }
  send_last_message();
}

void DatagramPeer::on_placed(std::uint32_t count) {
  placed_ += count;
  backlog_.release(placed_);
  if (owner_ == nullptr && all_placed())
    close(CloseMode::Disconnect);
  else
    close_if_both_forgot();
}

// --- the end -------------------------------------------------------------------------------------

void DatagramPeer::forget() {
  forgotten_ = true;
  services_.addresses().remove(address_);
  if (state_ != State::Open) {
    become_spent();
    return;
  }
  owes_last_message_ = true;
  start_kept();
}

bool DatagramPeer::depart(Instant deadline) {
  if (state_ != State::Open || all_placed()) return false;
  forget_private_data();
  owner_ = nullptr;
  services_.addresses().remove(address_);
  adapter_.timers().arm(timer_, deadline);
  adapter_.progress().wake();
  return true;
}

// The last message leaves after all datagrams.
void DatagramPeer::send_last_message() {
  if (!owes_last_message_ || channel_->start(last_message_) == StartResult::Later) return;
  owes_last_message_ = false;
  ++started_;
}

// Closes the channel once both sides send no more. Each side then knows that the other sends no
// more, and that its own datagrams have arrived.
void DatagramPeer::close_if_both_forgot() {
  if (state_ != State::Open || !forgotten_ || !peer_forgot_ || owes_last_message_ ||
      started_ != placed_)
    return;
  close(CloseMode::Disconnect);
}

// --- what arrives --------------------------------------------------------------------------------

bool DatagramPeer::place_message(const std::byte* payload, std::uint64_t length, bool solicited) {
  if (length > kMaxDatagram) return false;
  take(payload, length, solicited);
  return true;
}

void DatagramPeer::take(const std::byte* payload, std::uint64_t length, bool solicited) {
  if (owner_ != nullptr)
    owner_->place(payload, length, solicited);
  else
    ++adapter_.tally().datagrams_dropped;
}

TakeResult DatagramPeer::take_receive(std::span<const LocalTriplet>& into,
                                      std::uint64_t& capacity) {
  if (!parts_) parts_.reset(new (std::nothrow) std::byte[kMaxDatagram]);
  if (!parts_) return TakeResult::NoReceive;
  parts_segment_ = {0, reinterpret_cast<std::uintptr_t>(parts_.get()), kMaxDatagram};
  into = {&parts_segment_, 1};
  capacity = kMaxDatagram; // the peer must not send a longer datagram
  return TakeResult::Taken;
}

void DatagramPeer::complete_receive(std::uint64_t length, bool solicited) {
  take(parts_.get(), length, solicited);
}

AccessFault DatagramPeer::check_note(const MessageNote& note) const {
  return note.by == Opcode::WriteImmediate ? AccessFault::None : AccessFault::BadStag;
}

void DatagramPeer::complete_noted(std::uint64_t, bool, const MessageNote& note) {
  if (note.value != kLastMessage) return; // a later version of Datum sent it; ignored
  peer_forgot_ = true;
  close_if_both_forgot();
}

} // namespace datum

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "party.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "core/endpoint/attribute_rules.h"
#include "failure.h"

namespace datum::test {
namespace {

// Bytes that do not repeat within a source, and that differ from party to party.
void fill_source(std::byte* to, std::uint32_t number) {
  static const auto kNoise = [] {
    std::array<std::uint64_t, 2 * kSourceBytes / sizeof(std::uint64_t)> noise{};
    SeededRandom random(0x5eed);
    for (std::uint64_t& word : noise) word = random.next();
    return noise;
  }();
  const std::size_t skip = number * std::size_t{1097} % (kSourceBytes / sizeof(std::uint64_t));
  std::memcpy(to, kNoise.data() + skip, kSourceBytes);
}

std::unique_ptr<std::byte[]> make_memory(std::uint32_t number) {
  std::unique_ptr<std::byte[]> memory(new std::byte[kPartyBytes]);
  fill_source(memory.get(), number);
  std::memset(memory.get() + kPanesAt, 0, kPanes * kPaneBytes);
  return memory;
}

} // namespace

Party::Party(SimNode& node, std::uint32_t number, const PartySetup& setup)
    : node_(node), number_(number), setup_(setup), memory_(make_memory(number)),
      panes_(memory_.get() + kPanesAt, kPanesAt) {
  InterfaceAdapter& adapter = *node_.adapter;
  node_.with_lock([&] {
    zone_ = setup_.zone != nullptr ? setup_.zone : adapter.create_zone().value();
    dto_evd_ = adapter.create_evd(setup_.events, nullptr, kEvdDto | kEvdRmrBind).value();
    connect_evd_ = adapter.create_evd(8, nullptr, kEvdConnection).value();
    EndpointAttributes attributes = default_attributes(adapter);
    attributes.max_recv_dtos = attributes.max_request_dtos = kDepth;
    attributes.max_rdma_read_in = 1 + static_cast<std::int32_t>(number % 3);
    attributes.max_rdma_read_out = 1 + static_cast<std::int32_t>(number % 2);
    SharedReceiveQueue* srq = setup_.shared != nullptr ? &setup_.shared->srq() : nullptr;
    ep_ = adapter.create_endpoint({zone_, dto_evd_, dto_evd_, {connect_evd_}}, srq, &attributes)
              .value();
    source_ = make_region(0, kSourceBytes, kLocalRead | kRemoteRead);
    sink_ = make_region(kSinkAt, kSinkBytes, kLocalWrite);
    pane_region_ = make_region(kPanesAt, kPanes * kPaneBytes, kLocalRead | kLocalWrite);
  });
  create_rmr();
  open_window();
}

MemoryRegion* Party::make_region(std::uint64_t offset, std::uint64_t length, Access access) {
  RegionRequest request;
  request.address = address(offset);
  request.length = length;
  request.access = access;
  return node_.adapter->create_region(request, *zone_).value();
}

void Party::free_endpoint() {
  // A Recv that a message was filling returns to the SRQ without a completion. Another Recv may be
  // used by a message that has arrived and is processed only now.
  if (setup_.shared != nullptr && life_ == Life::Up) setup_.shared->lose_track();
  node_.with_lock([&] {
    require(node_.adapter->free(*ep_).ok(), "party {}: its EP cannot be freed", number_);
  });
}

void Party::free_all() {
  InterfaceAdapter& adapter = *node_.adapter;
  node_.with_lock([&] {
    require(adapter.free(*rmr_).ok(), "party {}: its RMR cannot be freed", number_);
    for (MemoryRegion* region : {source_, sink_, pane_region_, window_})
      if (region != nullptr)
        require(adapter.free(*region).ok(), "party {}: an LMR cannot be freed", number_);
    require(adapter.free(*dto_evd_).ok(), "party {}: its DTO EVD cannot be freed", number_);
    require(adapter.free(*connect_evd_).ok(), "party {}: its connect EVD cannot be freed", number_);
    require(setup_.zone != nullptr || adapter.free(*zone_).ok(), "party {}: its PZ cannot be freed",
            number_);
  });
}

std::optional<std::uint64_t> Party::untaken(std::size_t skip) const {
  const auto sent = sent_.find(lives_);
  if (sent == sent_.end()) return std::nullopt;
  for (const Sent& each : sent->second)
    if (!each.write && skip-- == 0) return each.length;
  return std::nullopt;
}

Party::Reception Party::reception(std::uint64_t length) const {
  // It is not known which Recv of the SRQ a message will take. Most Recvs are long enough.
  if (peer_->setup_.shared != nullptr)
    return length <= kSharedMessage ? Reception::Fits : Reception::TooLong;
  // Messages use the peer's Recvs up in order.
  std::size_t waiting = 0;
  while (untaken(waiting)) ++waiting;
  const std::deque<PostedReceive>& recvs = peer_->receives_;
  if (waiting >= recvs.size()) return Reception::Waits;
  return recvs[waiting].capacity >= length ? Reception::Fits : Reception::TooLong;
}

std::optional<std::uint64_t> Party::owed_receive() const {
  if (peer_ == nullptr || peer_->lives_ != peer_life_) return std::nullopt;
  if (setup_.shared == nullptr) return peer_->untaken(receives_.size());
  return setup_.shared->srq().available() == 0 ? peer_->untaken(0) : std::nullopt;
}

bool Party::starves() const {
  if (node_.dead() || ep_->state() != EpState::Connected || peer_ == nullptr ||
      peer_->node_.dead() || peer_->ep_->state() != EpState::Connected)
    return false;
  const bool receive =
      setup_.shared != nullptr ? setup_.shared->srq().available() != 0 : !receives_.empty();
  return receive && peer_->lives_ == peer_life_ && peer_->untaken(0).has_value();
}

bool Party::has_receive_room(std::uint64_t length) const {
  if (!has_room_for_events()) return false;
  if (setup_.shared != nullptr) return setup_.shared->has_room(length);
  return receives_.size() < kDepth && sink_has_room(length);
}

bool Party::sink_has_room(std::uint64_t length) const {
  std::uint64_t oldest = sink_pieces_.handed_out();
  if (!receives_.empty()) oldest = receives_.front().serial;
  for (const PostedRequest& request : requests_)
    if (request.opcode == Opcode::RdmaRead) oldest = std::min(oldest, request.serial);
  return sink_pieces_.has_room(length, oldest);
}

void Party::begin() {
  life_ = Life::Pending;
}

void Party::join(Party& peer) {
  trace("party {}: joins party {}", number_, peer.number_);
  peer_ = &peer;
  peer_life_ = peer.lives_;
}

void Party::adopt(Endpoint& endpoint) {
  require(receives_.empty(), "party {}: has Recvs and gets another EP", number_);
  trace("party {}: takes the EP of its request", number_);
  free_endpoint();
  ep_ = &endpoint;
  // A window that was bound for one EP is useless for another EP.
  renew_rmr();
  soft_ = hard_ = kWatermarkInfinite;
  soft_armed_ = false;
  node_.with_lock([&] {
    EndpointAttributes attributes = endpoint.attributes();
    attributes.max_recv_dtos = attributes.max_request_dtos = kDepth;
    constexpr std::uint32_t kChanges = Endpoint::kZone | Endpoint::kRecvEvd |
                                       Endpoint::kRequestEvd | Endpoint::kConnectEvd |
                                       Endpoint::kMaxRecvDtos | Endpoint::kMaxRequestDtos;
    require(endpoint.modify(kChanges, {zone_, dto_evd_, dto_evd_, {connect_evd_}}, attributes).ok(),
            "party {}: dat_ep_modify fails", number_);
  });
}

void Party::reset() {
  require(requests_.empty() || may_lack_events(), "party {}: request {} never ended", number_,
          requests_.empty() ? 0 : requests_.front().cookie);
  node_.with_lock(
      [&] { require(ep_->reset().ok(), "party {}: dat_ep_reset fails after the end", number_); });
  trace("party {}: is reset", number_);
  life_ = Life::Fresh;
  ++lives_;
  peer_ = nullptr;
  failed_ = culprit_found_ = lossless = disconnected_by_us = was_full_ = false;
  messages_in_ = messages_out_ = 0;
}

void Party::disconnect(bool graceful) {
  disconnected_by_us = true;
  trace("party {}: disconnects, graceful={:d}", number_, graceful);
  node_.with_lock([&] {
    require(ep_->disconnect(graceful).ok(), "party {}: dat_ep_disconnect fails", number_);
  });
}

} // namespace datum::test

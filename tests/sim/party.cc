// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "party.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "failure.h"

namespace datum::test {
namespace {

constexpr std::uint64_t kSinkAt = kSourceBytes;
constexpr std::uint64_t kWindowAt = kSourceBytes + kSinkBytes;

// Bytes that repeat nowhere within a source, and differ from party to party.
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

} // namespace

std::uint64_t Pieces::take(std::uint64_t length, std::uint64_t& serial) {
  const std::uint64_t at = handed_out_ % size_;
  // Never across the end.
  const std::uint64_t skip = length > size_ - at ? size_ - at : 0;
  handed_out_ += skip;
  serial = handed_out_;
  handed_out_ += length;
  return serial % size_;
}

Party::Party(SimNode& node, std::uint32_t number)
    : node_(node), number_(number),
      memory_(new std::byte[kSourceBytes + kSinkBytes + kWindowBytes]) {
  fill_source(memory_.get(), number);
  InterfaceAdapter& adapter = *node_.adapter;
  node_.with_lock([&] {
    zone_ = adapter.create_zone().value();
    dto_evd_ = adapter.create_evd(kEvents, nullptr, kEvdDto).value();
    connect_evd_ = adapter.create_evd(8, nullptr, kEvdConnection).value();
    EndpointAttributes attributes = adapter.default_attributes();
    attributes.max_recv_dtos = attributes.max_request_dtos = kDepth;
    attributes.max_rdma_read_in = 1 + static_cast<std::int32_t>(number % 3);
    attributes.max_rdma_read_out = 1 + static_cast<std::int32_t>(number % 2);
    ep_ = adapter.create_endpoint({zone_, dto_evd_, dto_evd_, {connect_evd_}}, nullptr, &attributes)
              .value();
    source_ = make_region(0, kSourceBytes, kLocalRead | kRemoteRead);
    sink_ = make_region(kSinkAt, kSinkBytes, kLocalWrite);
  });
  open_window();
}

MemoryRegion* Party::make_region(std::uint64_t offset, std::uint64_t length, Access access) {
  RegionRequest request;
  request.address = address(offset);
  request.length = length;
  request.access = access;
  return node_.adapter->create_region(request, *zone_).value();
}

void Party::free_all() {
  InterfaceAdapter& adapter = *node_.adapter;
  node_.with_lock([&] {
    require(adapter.free(*ep_).ok(), "party {}: its EP cannot be freed", number_);
    for (MemoryRegion* region : {source_, sink_, window_})
      if (region != nullptr)
        require(adapter.free(*region).ok(), "party {}: an LMR cannot be freed", number_);
    require(adapter.free(*dto_evd_).ok(), "party {}: its DTO EVD cannot be freed", number_);
    require(adapter.free(*connect_evd_).ok(), "party {}: its connect EVD cannot be freed", number_);
    require(adapter.free(*zone_).ok(), "party {}: its PZ cannot be freed", number_);
  });
}

std::vector<LocalTriplet> Party::cut(const MemoryRegion& region, std::uint64_t offset,
                                     std::uint64_t length, std::uint32_t segments) const {
  std::vector<LocalTriplet> pieces;
  const std::uint64_t each = length / segments;
  for (std::uint32_t i = 0; i < segments; ++i) {
    const std::uint64_t size = i + 1 == segments ? length - each * i : each;
    pieces.push_back({region.local_stag(), address(offset + each * i), size});
  }
  return pieces;
}

std::optional<std::uint64_t> Party::untaken(std::size_t skip) const {
  const auto sent = sent_.find(lives_);
  if (sent == sent_.end()) return std::nullopt;
  for (const Sent& each : sent->second)
    if (!each.write && skip-- == 0) return each.length;
  return std::nullopt;
}

Party::Reception Party::reception(std::uint64_t length) const {
  // Messages use the peer's Recvs up in order.
  std::size_t waiting = 0;
  while (untaken(waiting)) ++waiting;
  const std::deque<PostedReceive>& recvs = peer_->receives_;
  if (waiting >= recvs.size()) return Reception::Waits;
  return recvs[waiting].capacity >= length ? Reception::Fits : Reception::TooLong;
}

std::optional<std::uint64_t> Party::owed_receive() const {
  if (peer_ == nullptr || peer_->lives_ != peer_life_) return std::nullopt;
  return peer_->untaken(receives_.size());
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

void Party::reset() {
  node_.with_lock(
      [&] { require(ep_->reset().ok(), "party {}: dat_ep_reset fails after the end", number_); });
  trace("party {}: is reset", number_);
  life_ = Life::Fresh;
  ++lives_;
  peer_ = nullptr;
  failed_ = culprit_found_ = lossless = disconnected_by_us = false;
  messages_in_ = messages_out_ = 0;
}

void Party::post_receive(std::uint64_t capacity, std::uint32_t segments) {
  std::uint64_t serial = 0;
  const std::uint64_t offset = kSinkAt + sink_pieces_.take(capacity, serial);
  const std::vector<LocalTriplet> local = cut(*sink_, offset, capacity, segments);
  const std::uint64_t cookie = next_cookie_++;
  receives_.push_back({cookie, offset, capacity, serial});
  trace("party {}: Recv {} of {} bytes", number_, cookie, capacity);
  ++events_owed_;
  node_.with_lock([&] {
    require(ep_->post_recv(local, cookie, 0).ok(), "party {}: a Recv cannot be posted", number_);
  });
}

void Party::post_send(std::uint64_t source, std::uint64_t length, std::uint32_t segments,
                      bool suppress) {
  const std::uint64_t cookie = next_cookie_++;
  requests_.push_back({cookie, Opcode::Send, suppress, length, source, 0, 0});
  sent_[lives_].push_back({false, length, source, 0, 0});
  trace("party {}: Send {} of {} bytes{}", number_, cookie, length, suppress ? ", silent" : "");
  ++events_owed_;
  const std::vector<LocalTriplet> local = cut(*source_, source, length, segments);
  node_.with_lock([&] {
    require(ep_->post_send(local, cookie, flags(suppress)).ok(),
            "party {}: a Send cannot be posted", number_);
  });
}

void Party::post_write(std::uint64_t source, std::uint64_t length, std::uint32_t segments,
                       bool suppress) {
  if (peer_->window_ == nullptr) return;
  std::uint64_t serial = 0;
  const std::uint64_t target = kWindowAt + peer_->window_pieces_.take(length, serial);
  const std::uint64_t cookie = next_cookie_++;
  requests_.push_back({cookie, Opcode::RdmaWrite, suppress, length, source, target, serial});
  sent_[lives_].push_back({true, length, source, target, serial});
  trace("party {}: Write {} of {} bytes{}", number_, cookie, length, suppress ? ", silent" : "");
  ++events_owed_;
  const std::vector<LocalTriplet> local = cut(*source_, source, length, segments);
  const RemoteTriplet remote{peer_->window_->remote_stag(), peer_->address(target), length};
  node_.with_lock([&] {
    require(ep_->post_rdma(Opcode::RdmaWrite, local, cookie, remote, flags(suppress)).ok(),
            "party {}: a Write cannot be posted", number_);
  });
}

void Party::post_read(std::uint64_t source, std::uint64_t length, bool suppress) {
  if (!sink_has_room(length)) return;
  std::uint64_t serial = 0;
  const std::uint64_t target = kSinkAt + sink_pieces_.take(length, serial);
  const std::uint64_t cookie = next_cookie_++;
  requests_.push_back({cookie, Opcode::RdmaRead, suppress, length, source, target, serial});
  trace("party {}: Read {} of {} bytes{}", number_, cookie, length, suppress ? ", silent" : "");
  ++events_owed_;
  const std::vector<LocalTriplet> local = cut(*sink_, target, length, 1);
  const RemoteTriplet remote{peer_->source_->remote_stag(), peer_->address(source), length};
  node_.with_lock([&] {
    require(ep_->post_rdma(Opcode::RdmaRead, local, cookie, remote, flags(suppress)).ok(),
            "party {}: a Read cannot be posted", number_);
  });
}

void Party::post_bad_write() {
  const std::uint64_t cookie = next_cookie_++;
  requests_.push_back({cookie, Opcode::RdmaWrite, false, 8, 0, 0, 0});
  trace("party {}: Write {} without the right", number_, cookie);
  ++events_owed_;
  const std::vector<LocalTriplet> local = cut(*source_, 0, 8, 1);
  // The peer's source is not open for writing.
  const RemoteTriplet remote{peer_->source_->remote_stag(), peer_->address(0), 8};
  node_.with_lock([&] {
    require(ep_->post_rdma(Opcode::RdmaWrite, local, cookie, remote, 0).ok(),
            "party {}: a Write cannot be posted", number_);
  });
}

void Party::disconnect(bool graceful) {
  disconnected_by_us = true;
  trace("party {}: disconnects, graceful={:d}", number_, graceful);
  node_.with_lock([&] {
    require(ep_->disconnect(graceful).ok(), "party {}: dat_ep_disconnect fails", number_);
  });
}

void Party::close_window() {
  if (window_ == nullptr) return;
  node_.with_lock([&] {
    require(node_.adapter->free(*window_).ok(), "party {}: dat_lmr_free fails", number_);
  });
  window_ = nullptr;
  trace("party {}: closes its window", number_);
  window_as_closed_.assign(memory_.get() + kWindowAt, memory_.get() + kWindowAt + kWindowBytes);
}

void Party::open_window() {
  if (window_ != nullptr) return;
  check_window();
  window_as_closed_.clear();
  node_.with_lock([&] { window_ = make_region(kWindowAt, kWindowBytes, kRemoteWrite); });
}

} // namespace datum::test

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/unit/link/bare_link.h: what the parts of a channel need in a test without a channel: a link
// whose other end the test holds, an endpoint that does as the test says, and a frame that counts
// the calls of the parts.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "pair.h"
#include "transport/link/channel_frame.h"
#include "transport/link/link.h"

namespace datum::test {

struct Refusal {
  RequestClass kind = RequestClass::Placed;
  DtoStatus status = DtoStatus::Success;
  std::uint32_t before = 0;
  bool operator==(const Refusal&) const = default;
};

// Has at most one Recv, and records the events.
class ScriptedEndpoint final : public ChannelEvents {
 public:
  void post(std::span<std::byte> memory) {
    recv = {0, reinterpret_cast<std::uint64_t>(memory.data()), memory.size()};
  }

  void on_established(PrivateData, std::int32_t reads_in) override { peer_reads_in = reads_in; }
  void on_connect_failed(ConnectFailure failure, PrivateData) override {
    connect_failure = failure;
  }
  void on_placed(std::uint32_t count) override { placed += count; }
  void on_read_done() override { ++reads_done; }
  void on_request_failed(RequestClass kind, DtoStatus status, std::uint32_t before) override {
    failed = Refusal{kind, status, before};
  }
  void on_room() override { ++rooms; }
  bool recheck_local(const WorkRequest&, Access) const override { return memory_stays; }
  TakeResult take_receive(std::span<const LocalTriplet>& into, std::uint64_t& capacity) override {
    if (!recv) return TakeResult::NoReceive;
    into = {&*recv, 1};
    capacity = recv->length;
    return TakeResult::Taken;
  }
  void complete_receive(std::uint64_t length, bool) override { complete(length); }
  bool place_message(const std::byte* payload, std::uint64_t length, bool) override {
    if (!recv) return false;
    std::memcpy(pointer_of(recv->address), payload, length);
    complete(length);
    return true;
  }
  void fail_receive(DtoStatus status) override { recv_failed = status; }
  bool may_wait_on() override { return true; }
  void count_long_waits(std::size_t more) override { long_waits += more; }
  void on_wait_over(Duration) override {}
  AccessFault check_note(const MessageNote&) const override { return fault; }
  void complete_noted(std::uint64_t length, bool, const MessageNote& note) override {
    noted = note.value;
    complete(length);
  }
  AccessFault check_remote(Stag, std::uint64_t address, std::uint64_t, Access,
                           std::uint64_t& memory) const override {
    memory = address;
    return fault;
  }
  void on_closed(CloseReason reason) override { closed = reason; }

  std::optional<LocalTriplet> recv;
  bool memory_stays = true;
  AccessFault fault = AccessFault::None;

  std::uint32_t placed = 0;
  int reads_done = 0;
  int rooms = 0;
  std::size_t long_waits = 0;
  std::vector<std::uint64_t> messages; // their lengths
  std::uint32_t noted = 0;
  std::optional<std::int32_t> peer_reads_in;
  std::optional<ConnectFailure> connect_failure;
  std::optional<CloseReason> closed;
  std::optional<Refusal> failed;
  std::optional<DtoStatus> recv_failed;

 private:
  static void* pointer_of(std::uint64_t address) { return reinterpret_cast<void*>(address); }
  void complete(std::uint64_t length) {
    messages.push_back(length);
    recv.reset();
  }
};

class CountingFrame final : public ChannelFrame {
 public:
  using ChannelFrame::Start;
  static constexpr std::uint32_t kNumber = 77; // its number in a link

  CountingFrame(LinkTransport& transport, const Start& start) : ChannelFrame(transport, start) {}
  void want_work() override { ++works; }
  void want_room() override { ++rooms; }
  void terminate(RequestClass kind, DtoStatus status, std::uint32_t before) override {
    terminated = Refusal{kind, status, before};
  }
  void end(CloseReason reason) override { ended = reason; }
  bool join(Link& link) override {
    if (!full) set_link(&link, kNumber);
    return !full;
  }
  void part() override { set_link(nullptr, 0); }

  bool full = false; // the link has no number left
  int works = 0;
  int rooms = 0;
  std::optional<Refusal> terminated;
  std::optional<CloseReason> ended;
};

// The part under test is on side a. Side b only lends its memory.
class BareLink {
 public:
  static constexpr std::uint32_t kPeerNumber = 42;

  explicit BareLink(bool direct = false) : world(direct), segment(std::make_shared<LinkSegment>()) {
    LocalFabric& fabric = world.a->fabric;
    fabric.ports.push_back(std::make_unique<LocalPort>(fabric, world.b->fabric, segment, 0));
    fabric.events()->on_link(*fabric.ports.back());
    link = world.a->transport.find_link(*fabric.ports.back());
  }
  LinkTransport& transport() { return world.a->transport; }
  LocalPort& port() { return *world.a->fabric.ports.back(); }
  CountingFrame::Start open() {
    CountingFrame::Start start{.state = LinkState::Open, .link = link, .events = &endpoint};
    start.options.reads_in = 2;
    start.peer.number = kPeerNumber;
    start.peer.reads_in = 2;
    return start;
  }
  // The next record that the peer finds. Its type is None if there is no record.
  RecordHeader next() {
    RecordHeader header{};
    const RingSlot* slot = peer.front();
    if (slot == nullptr) return header;
    std::memcpy(&header, slot, sizeof header);
    const std::byte* from = lines_of(header) == 0 ? slot->rest : peer.payload(lines_of(header));
    payload.assign(from, from + (lines_of(header) == 0 ? 0 : header.length));
    peer.pop(lines_of(header));
    return header;
  }
  // Fills the ring with records that say nothing.
  void fill_ring() {
    while (RecordHeader* record = link->reserve(0)) {
      record->type = RecordType::Ack;
      record->length = 0;
      link->publish();
    }
  }
  void empty_ring() {
    while (next().type != RecordType::None) continue;
    peer.tell();
  }

  LocalWorld world;
  std::shared_ptr<LinkSegment> segment;
  Link* link = nullptr;
  ScriptedEndpoint endpoint;
  RingConsumer peer{segment->ring[0], segment->side[1].tail};
  std::vector<std::byte> payload; // of the last record, if the payload lay beside the slot
};

// A record as the peer would write it, without its counters.
inline RecordHeader record(RecordType type, std::uint32_t length = 0, std::uint8_t flags = 0) {
  RecordHeader header{};
  header.type = type;
  header.flags = flags;
  header.length = length;
  return header;
}

inline LocalTriplet triplet(std::span<std::byte> memory) {
  return {0, reinterpret_cast<std::uint64_t>(memory.data()), memory.size()};
}

} // namespace datum::test

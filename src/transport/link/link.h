// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/link/link.h: two adapters and the rings between them, shared by all their connections.
// Lives here: polling, publishing, the doorbell, the table of connections, marks of direct access.
// Threads:    the adapter's lock.
#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "base/fence.h"
#include "transport/link/channel_frame.h"
#include "transport/link/fabric.h"
#include "transport/link/peer_habit.h"
#include "transport/link/record.h"
#include "transport/link/ring.h"

namespace datum {

class LinkChannel;
class LinkTransport;

class Link {
 public:
  Link(LinkTransport& transport, LinkPort& port);
  ~Link();
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  LinkPort& port() { return port_; }
  bool progress() {
    if (busy_ || in_.ready()) return progress_now();
    streaming_ = false;
    return false;
  }
  // Writes this side's sleep epoch. Before a thread sleeps, it fences everywhere and then asks
  // must_look().
  void set_attention(Attention attention);
  bool must_look();
  // See Transport::watch().
  Instant watch(Instant now);
  // The peer has rung. It rings once for each epoch, so a new epoch begins before this side looks.
  void on_doorbell();
  void lost();
  // See Channel::catch_up().
  void catch_up();

  // A number names a connection until the connection is removed. Stale numbers find nothing.
  std::uint32_t add(LinkChannel& channel);
  void remove(LinkChannel& channel);
  LinkChannel* find(std::uint32_t number) {
    const std::uint32_t at = number & (kMaxSlots - 1);
    if (at >= slots_.size() || slots_[at].generation != number >> kSlotBits) return nullptr;
    return slots_[at].channel;
  }
  bool idle() const { return channels_ == 0; }
  // Tells the peer that the link is given up. False: a record came in time, and the link stays.
  bool retire();
  bool peer_retired() const { return peer_.retired.load(std::memory_order_relaxed) != 0; }
  // The requester has left: its number may come again.
  void forget_requester(std::uint32_t peer_number, const ChannelFrame& channel);
  bool broken() const { return broken_; }
  // The peer has gone. Only what it left in the ring is still read.
  bool ending() const { return ending_; }
  // progress() is running, not a call of the consumer.
  bool in_turn() const { return in_turn_; }
  // A channel waits for its turn to copy, or for room.
  bool somebody_waits() const { return !work_list_.empty(); }

  // Room for a record with this many lines of payload. nullptr: the caller should wait_for_room().
  // The caller fills everything but the first word, then calls publish().
  RecordHeader* reserve(std::uint32_t lines) {
    if (!controls_.empty()) return nullptr; // they came first
    return reinterpret_cast<RecordHeader*>(out_.reserve(lines));
  }
  RecordHeader* reserve() {
    if (!controls_.empty()) return nullptr;
    return reinterpret_cast<RecordHeader*>(out_.reserve());
  }
  void prefetch() { out_.prefetch(); }
  void acknowledge_records() { in_.tell_if_behind(); }
  // The number of records ever published; and whether the peer says that it has taken so many.
  std::uint64_t published() const { return out_.published(); }
  bool peer_has_read(std::uint64_t records) const { return out_.taken() >= records; }
  std::byte* payload() { return out_.payload(); }
  // The channel continues when there is room again.
  void wait_for_room(LinkChannel& channel);
  void publish() {
    out_.publish();
    published_ = busy_ = true;
  }
  // Sends a record that must not be lost. It waits for room if there is none.
  void send_control(const RecordHeader& header, std::span<const std::byte> payload = {});
  // Such records wait.
  bool controls_wait() const { return !controls_.empty(); }
  // Called after publishing, before the thread leaves: rings if the peer sleeps.
  void flush_doorbell() {
    if (!published_) return;
    published_ = false;
    // What was published must be visible before this side checks whether the peer sleeps. The peer
    // writes its epoch, fences and then looks at the ring.
    fence();
    if (!peer_polls()) [[unlikely]]
      ring_sleeper();
  }

  bool peer_polls() const { return (peer_.sleep_epoch.load(std::memory_order_relaxed) & 1U) == 0; }
  // As far as is known: from the peer's word, and from what was seen.
  bool peer_takes_writes() const { return peer_polls() && !habit_.leaves_writes_lying(); }
  void wrote_directly() { habit_.wrote_directly(); }
  DirectAccess* direct() { return port_.direct(); }
  bool peer_can_fetch() const { return port_.peer_has_direct(); }
  // Set around every direct access. The peer waits for it to change before it gives the memory
  // away. The mark of a later access also shows that this one is over.
  void mark(Stag stag) {
    own_.mark.store(stag, std::memory_order_release);
    fence();
  }
  void unmark() { own_.mark.store(0, std::memory_order_release); }
  Stag peer_mark() const { return peer_.mark.load(std::memory_order_acquire); }

  [[gnu::always_inline]] void list_for_ack(ChannelFrame& channel) {
    if (channel.listed_for_ack) return;
    channel.listed_for_ack = busy_ = true;
    ack_list_.push_back(&channel);
  }
  void list_for_work(LinkChannel& channel);

 private:
  // Between a write of this side's word and a read of the peer's, where the peer fences for both.
  void fence() const {
    if (light_ && peer_.fences.load(std::memory_order_relaxed) != 0) [[likely]]
      light_fence();
    else
      std::atomic_thread_fence(std::memory_order_seq_cst);
  }
  bool progress_now();
  void ring_sleeper();
  bool make_slot();
  bool move();
  bool poll_ring();
  bool handle(const RecordHeader& header, const std::byte* payload);
  bool on_connect(const RecordHeader& header, const std::byte* payload);
  bool flush_acks();
  bool flush_controls();
  bool run_work();
  void ask_for_room();
  bool end_wait_for_room();
  void tell_peer_of_room();
  void break_off(const char* reason);

  // A connection's number has its slot in the low bits. A stale number misses the generation of its
  // slot.
  static constexpr std::uint32_t kSlotBits = 18;
  static constexpr std::uint32_t kMaxSlots = 1U << kSlotBits;

  struct Control {
    RecordHeader header;
    std::vector<std::byte> payload;
  };
  struct ChannelSlot {
    LinkChannel* channel = nullptr;
    std::uint32_t generation = 0;
  };

  LinkTransport& transport_;
  LinkPort& port_;
  SegmentSide& own_;
  SegmentSide& peer_;
  RingProducer out_;
  RingConsumer in_;
  const bool light_;  // this side may leave fencing to the peer, and does it for the peer
  bool busy_ = false; // there is work besides the ring
  bool published_ = false;
  bool streaming_ = false; // the last look at the ring found something
  bool waits_for_room_ = false;
  bool broken_ = false;
  bool ending_ = false;
  bool in_turn_ = false;
  std::uint32_t rung_epoch_ = 0;
  std::uint64_t watched_taken_ = 0; // what the peer had taken when watch() began to wait for it
  std::uint64_t rung_for_ = 0;      // how much was published when watch() rang
  Instant patient_until_ = kNever;
  PeerHabit habit_;
  std::vector<ChannelSlot> slots_;
  std::vector<std::uint32_t> free_slots_;
  std::uint32_t channels_ = 0;
  // Channels that the peer asked for, by the peer's number: it may take a request back before it
  // knows this side's number.
  std::unordered_map<std::uint32_t, LinkChannel*> requesters_;
  std::vector<ChannelFrame*> ack_list_;
  std::vector<LinkChannel*> work_list_;
  std::vector<LinkChannel*> working_;
  std::vector<LinkChannel*> room_waiters_;
  std::deque<Control> controls_;
};

// Inline, for each message that arrives.
inline void ChannelFrame::owe_ack() {
  link_->list_for_ack(*this);
}

} // namespace datum

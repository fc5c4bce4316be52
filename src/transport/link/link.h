// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/link/link.h: the link between two adapters, whose rings are shared by all connections
// between them.
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
  // Updates this side's sleep epoch. A thread that is about to sleep then fences everywhere and
  // calls must_look().
  void set_attention(Attention attention);
  bool must_look();
  // See Transport::watch().
  Instant watch(Instant now);
  // The peer has rung. The peer rings once for each epoch, so this function begins a new epoch
  // before it reads the ring.
  void on_doorbell();
  void lost();
  // See Channel::catch_up().
  void catch_up();

  // add() returns the number of the connection, valid until remove(). find() returns nullptr for a
  // stale number.
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
  // The peer's request under `peer_number` is over, so the peer may use that number again.
  void forget_requester(std::uint32_t peer_number, const ChannelFrame& channel);
  bool broken() const { return broken_; }
  // True: the peer has gone. This side only reads what is left in the ring.
  bool ending() const { return ending_; }
  // True: progress() is running, not a call of the consumer.
  bool in_turn() const { return in_turn_; }
  // True: a channel is listed for work, such as a copy that waits for its turn.
  bool has_listed_work() const { return !work_list_.empty(); }

  // Room for a record with this many lines of payload. nullptr: the caller should wait_for_room().
  // The caller writes all of the record but its first word, then calls publish().
  RecordHeader* reserve(std::uint32_t lines) {
    if (!controls_.empty()) return nullptr; // waiting controls go first
    return reinterpret_cast<RecordHeader*>(out_.reserve(lines));
  }
  RecordHeader* reserve() {
    if (!controls_.empty()) return nullptr;
    return reinterpret_cast<RecordHeader*>(out_.reserve());
  }
  void prefetch() { out_.prefetch(); }
  void acknowledge_records() { in_.tell_if_behind(); }
  // published(): the number of records published so far. peer_has_read(): whether the peer reports
  // that it has taken that many records.
  std::uint64_t published() const { return out_.published(); }
  bool peer_has_read(std::uint64_t records) const { return out_.taken() >= records; }
  std::byte* payload() { return out_.payload(); }
  // When the ring has room again, the channel's work() is called.
  void wait_for_room(LinkChannel& channel);
  void publish() {
    out_.publish();
    published_ = busy_ = true;
  }
  // Sends a record that must not be lost. If there is no room, the record is kept until there is.
  void send_control(const RecordHeader& header, std::span<const std::byte> payload = {});
  // True: controls wait for room.
  bool controls_wait() const { return !controls_.empty(); }
  // Rings the peer if it sleeps. Called after publish(), before the thread leaves the transport.
  void flush_doorbell() {
    if (!published_) return;
    published_ = false;
    // Published records must be visible before this side checks whether the peer sleeps. The peer
    // writes its epoch, fences and then reads the ring.
    fence();
    if (!peer_polls()) [[unlikely]]
      ring_sleeper();
  }

  bool peer_polls() const { return (peer_.sleep_epoch.load(std::memory_order_relaxed) & 1U) == 0; }
  // True: the peer reports that it polls, and has taken Writes from the ring in time lately
  // (peer_habit.h).
  bool peer_takes_writes() const { return peer_polls() && !habit_.leaves_writes_lying(); }
  void wrote_directly() { habit_.wrote_directly(); }
  DirectAccess* direct() { return port_.direct(); }
  bool peer_can_fetch() const { return port_.peer_has_direct(); }
  // mark() and unmark() enclose every direct access. Before the peer gives the memory away, it
  // waits until the mark differs from the region's STag. The mark of a later access shows this,
  // too.
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
  // Orders a write to a word of this side before a read of a word of the peer. A light fence is
  // enough if the peer fences on every processor (SegmentSide::fences).
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

  // A connection's number has its slot in the low bits and the slot's generation in the high bits.
  // A stale number has an older generation.
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
  const bool light_;  // this side may use light fences if the peer fences on every processor
  bool busy_ = false; // there is work besides reading the ring
  bool published_ = false;
  bool streaming_ = false; // the last poll of the ring found a record
  bool waits_for_room_ = false;
  bool broken_ = false;
  bool ending_ = false;
  bool in_turn_ = false;
  std::uint32_t rung_epoch_ = 0;
  std::uint64_t watched_taken_ = 0; // out_.taken() when watch() began to wait
  std::uint64_t rung_for_ = 0;      // out_.published() when watch() rang
  Instant patient_until_ = kNever;
  PeerHabit habit_;
  std::vector<ChannelSlot> slots_;
  std::vector<std::uint32_t> free_slots_;
  std::uint32_t channels_ = 0;
  // Channels that the peer requested, by the peer's number. The peer may take its request back
  // before it knows this side's number.
  std::unordered_map<std::uint32_t, LinkChannel*> requesters_;
  std::vector<ChannelFrame*> ack_list_;
  std::vector<LinkChannel*> work_list_;
  std::vector<LinkChannel*> working_;
  std::vector<LinkChannel*> room_waiters_;
  std::deque<Control> controls_;
};

// Inline, since it is called for each message that arrives.
inline void ChannelFrame::owe_ack() {
  link_->list_for_ack(*this);
}

} // namespace datum

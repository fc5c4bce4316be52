// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/link/link.h: two adapters and the rings between them, shared by all their connections.
// Lives here: polling, publishing, the bell, the table of connections, marks of direct access.
// Threads:    the adapter's lock.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "base/fence.h"
#include "transport/link/fabric.h"
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
  bool progress();
  // Writes our sleep epoch. Whoever goes to sleep fences everywhere and then asks must_look().
  void set_attention(Attention attention);
  bool must_look();
  // The peer has rung. It rings once for each epoch, so a new one begins before we look.
  void on_bell();
  void lost();

  // Connections: a number names one until it is removed; stale numbers find nothing.
  std::uint32_t add(LinkChannel& channel);
  void remove(LinkChannel& channel);
  LinkChannel* find(std::uint32_t number);
  bool idle() const { return channels_ == 0; }
  bool broken() const { return broken_; }

  // Room for a record with so many lines of payload, or nullptr: then whoever asked should
  // starve(). Fill everything but the first word, then publish().
  RecordHeader* reserve(std::uint32_t lines) {
    if (!controls_.empty()) return nullptr; // they were first
    return reinterpret_cast<RecordHeader*>(out_.reserve(lines));
  }
  std::byte* payload() { return out_.payload(); }
  // The channel works on when there is room again.
  void starve(LinkChannel& channel);
  void publish() {
    out_.publish();
    published_ = true;
  }
  // A record that must not be lost; waits for room if there is none.
  void send_control(const RecordHeader& header, std::span<const std::byte> payload = {});
  // After publishing, before going away: rings if the peer sleeps.
  void flush_bell();

  bool peer_polls() const { return (peer_.sleep_epoch.load(std::memory_order_relaxed) & 1U) == 0; }
  DirectAccess* direct() { return port_.direct(); }
  bool peer_can_fetch() const { return port_.peer_has_direct(); }
  // Around every direct access: the peer waits for it before it lets go of the memory.
  void mark(Stag stag) {
    own_.mark.store(stag, std::memory_order_relaxed);
    fence();
  }
  void unmark() { own_.mark.store(0, std::memory_order_release); }
  Stag peer_mark() const { return peer_.mark.load(std::memory_order_acquire); }

  void list_for_ack(LinkChannel& channel);
  void list_for_work(LinkChannel& channel);

 private:
  // Between a word of ours and a look at one of the peer's, where the peer fences for both.
  void fence() const {
    if (light_ && peer_.fences.load(std::memory_order_relaxed) != 0) [[likely]]
      light_fence();
    else
      std::atomic_thread_fence(std::memory_order_seq_cst);
  }
  bool poll_ring();
  bool handle(const RecordHeader& header, const std::byte* payload);
  bool on_connect(const RecordHeader& header, const std::byte* payload);
  bool flush_acks();
  bool flush_controls();
  bool run_work();
  void ask_for_room();
  bool end_starving();
  void relieve_peer();
  LinkChannel* find_requester(std::uint32_t peer_number);
  void break_off(const char* reason);

  struct Control {
    RecordHeader header;
    std::vector<std::byte> payload;
  };
  struct Slot {
    LinkChannel* channel = nullptr;
    std::uint32_t generation = 0;
  };

  LinkTransport& transport_;
  LinkPort& port_;
  SegmentSide& own_;
  SegmentSide& peer_;
  RingProducer out_;
  RingConsumer in_;
  const bool light_; // we can leave fencing to the peer, and do it for the peer
  bool published_ = false;
  bool starving_ = false;
  bool broken_ = false;
  std::uint32_t rung_epoch_ = 0;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_slots_;
  std::uint32_t channels_ = 0;
  std::vector<LinkChannel*> ack_list_;
  std::vector<LinkChannel*> work_list_;
  std::vector<LinkChannel*> working_;
  std::vector<LinkChannel*> starving_list_;
  std::deque<Control> controls_;
};

} // namespace datum

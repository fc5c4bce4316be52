// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/sim/party.h: one end of a connection and what is expected of it.
// Lives here: an EP with its EVDs and memory, what was posted, and the check of every event against
// it. Not here:   what happens to it (search.h).
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "sim_node.h"

namespace datum::test {

// Sizes of a party's memory: the source never changes, so that everything read from it is known.
inline constexpr std::uint64_t kSourceBytes = 192 * 1024;
inline constexpr std::uint64_t kSinkBytes = 1024 * 1024;  // Recvs and Reads
inline constexpr std::uint64_t kWindowBytes = 256 * 1024; // the peer's Writes

// A ring of bytes from which each transfer gets a piece of its own; old pieces are used again.
class Pieces {
 public:
  explicit Pieces(std::uint64_t size) : size_(size) {}
  // Where it lies; `serial` counts bytes handed out so far.
  std::uint64_t take(std::uint64_t length, std::uint64_t& serial);
  // Nothing was handed out since that could have overwritten it.
  bool intact(std::uint64_t serial) const { return handed_out_ - serial <= size_; }
  // A piece of this length would overlap none from `oldest` on, even if the end is skipped.
  bool has_room(std::uint64_t length, std::uint64_t oldest) const {
    return handed_out_ + 2 * length - oldest <= size_;
  }
  std::uint64_t handed_out() const { return handed_out_; }

 private:
  std::uint64_t size_;
  std::uint64_t handed_out_ = 0;
};

struct PostedRequest {
  std::uint64_t cookie = 0;
  Opcode opcode = Opcode::Send;
  bool suppressed = false;
  std::uint64_t length = 0;
  std::uint64_t source = 0; // own offset, or the peer's for a Read
  std::uint64_t target = 0; // the peer's offset, or our own for a Read
  std::uint64_t serial = 0; // of the piece at the target
};

struct PostedReceive {
  std::uint64_t cookie = 0;
  std::uint64_t offset = 0;
  std::uint64_t capacity = 0;
  std::uint64_t serial = 0; // of the piece
};

// A Send or Write as the other side will see it.
struct Sent {
  bool write = false;
  std::uint64_t length = 0;
  std::uint64_t source = 0;
  std::uint64_t target = 0; // Write
  std::uint64_t serial = 0; // Write
};

class Party {
 public:
  enum class Life : std::uint8_t { Fresh, Pending, Up, Over };

  Party(SimNode& node, std::uint32_t number);
  // Frees every object; each must be free to go.
  void free_all();

  SimNode& node() { return node_; }
  std::uint32_t number() const { return number_; }
  Endpoint& ep() { return *ep_; }
  Life life() const { return life_; }
  std::uint32_t lives() const { return lives_; }
  Party* peer() { return peer_; }
  std::size_t requests() const { return requests_.size(); }
  std::size_t receives() const { return receives_.size(); }
  // The last connection event, and how the last request with an event ended.
  EventKind last_event() const { return last_event_; }
  DtoStatus last_status() const { return last_status_; }
  bool has_room() const { return requests_.size() < kDepth && events_owed_ < kEvents / 2; }
  bool has_receive_room(std::uint64_t length) const {
    return receives_.size() < kDepth && events_owed_ < kEvents / 2 && sink_has_room(length);
  }
  // What a further message of this length meets at the peer.
  enum class Reception : std::uint8_t { Fits, TooLong, Waits };
  Reception reception(std::uint64_t length) const;
  // The length of the oldest message that is on its way to us, or here, and has no Recv.
  std::optional<std::uint64_t> owed_receive() const;

  // --- what is done to it ------------------------------------------------------------------------
  void begin();
  void join(Party& peer);
  // A fresh life after the last one is over.
  void reset();
  void post_receive(std::uint64_t capacity, std::uint32_t segments);
  void post_send(std::uint64_t source, std::uint64_t length, std::uint32_t segments, bool suppress);
  void post_write(std::uint64_t source, std::uint64_t length, std::uint32_t segments,
                  bool suppress);
  void post_read(std::uint64_t source, std::uint64_t length, bool suppress);
  // A Write that the peer has to refuse.
  void post_bad_write();
  void disconnect(bool graceful);
  // Takes away what peers may write to, and watches that nothing is written any more.
  void close_window();
  void open_window();

  // From now on only success is good, until either side disconnects.
  bool lossless = false;
  bool disconnected_by_us = false;

  // Takes every event there is and checks it.
  void harvest();

 private:
  static constexpr std::size_t kDepth = 24;
  static constexpr std::int32_t kEvents = 256;

  std::vector<LocalTriplet> cut(const MemoryRegion& region, std::uint64_t offset,
                                std::uint64_t length, std::uint32_t segments) const;
  std::uint64_t address(std::uint64_t offset) const {
    return reinterpret_cast<std::uint64_t>(memory_.get()) + offset;
  }
  // Our messages that the peer has not taken yet, the first `skip` left out.
  std::optional<std::uint64_t> untaken(std::size_t skip) const;
  MemoryRegion* make_region(std::uint64_t offset, std::uint64_t length, Access access);
  CompletionFlags flags(bool suppress) const { return suppress ? kSuppress : kDefaultCompletion; }
  // Into memory that no Recv or Read under way will still be written to.
  bool sink_has_room(std::uint64_t length) const;
  bool may_be_flushed() const;
  void collect();
  void harvest_dtos();
  void on_request_done(const Event& event);
  void on_receive_done(const Event& event);
  void on_connection_event(const Event& event);
  void check_done(const PostedRequest& request);
  void check_placed(const PostedRequest& request);
  // What the peer posted before its next message has arrived; that message is taken from the list.
  Sent next_message();
  void check_write(const Sent& write) const;
  void check_window() const;
  void require_bytes(std::uint64_t own, const Party& other, std::uint64_t theirs,
                     std::uint64_t length, const char* what) const;

  SimNode& node_;
  std::uint32_t number_;
  std::unique_ptr<std::byte[]> memory_; // source, sink, window
  ProtectionZone* zone_ = nullptr;
  EventDispatcher* dto_evd_ = nullptr;
  EventDispatcher* connect_evd_ = nullptr;
  Endpoint* ep_ = nullptr;
  MemoryRegion* source_ = nullptr;
  MemoryRegion* sink_ = nullptr;
  MemoryRegion* window_ = nullptr;
  std::vector<std::byte> window_as_closed_;
  Pieces sink_pieces_{kSinkBytes};
  Pieces window_pieces_{kWindowBytes};

  EventKind last_event_ = EventKind::Software;
  DtoStatus last_status_ = DtoStatus::Success;
  Life life_ = Life::Fresh;
  Party* peer_ = nullptr;
  std::uint32_t lives_ = 0;
  std::uint32_t peer_life_ = 0;
  std::uint64_t next_cookie_ = 1;
  std::size_t events_owed_ = 0;
  // A request of this life has failed: the others of its class are flushed. A Read may have had its
  // answer before the Send in front of it failed, and the other way round.
  bool failed_ = false;            // a request of this connection; all that follow must fail
  bool culprit_found_ = false;     // one at most ends with more than "flushed"
  std::uint64_t messages_in_ = 0;  // received in this life
  std::uint64_t messages_out_ = 0; // Sends whose completion was seen
  std::deque<Event> arrived_;      // reaped, not looked at
  std::deque<PostedRequest> requests_;
  std::deque<PostedReceive> receives_;
  std::map<std::uint32_t, std::deque<Sent>> sent_; // by life; not yet seen by the peer
};

} // namespace datum::test

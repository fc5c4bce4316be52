// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/sim/party.h: one end of a connection, and the events that it must get.
// Lives here: an EP with its EVDs and memory, what was posted (party_posts.cc), what it opens to
//             its peers (party_rights.cc), and the check of every event against that
//             (party_events.cc).
// Not here:   the calls on it (search.h).
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "expected.h"
#include "panes.h"
#include "shared_receives.h"
#include "sim_node.h"

namespace datum::test {

// Sizes of the parts of a party's memory. The source never changes, so the result of every Read is
// known.
inline constexpr std::uint64_t kSourceBytes = 192 * 1024;
inline constexpr std::uint64_t kSinkBytes = 1024 * 1024;  // Recvs and Reads
inline constexpr std::uint64_t kWindowBytes = 256 * 1024; // the peer's Writes
inline constexpr std::uint64_t kSinkAt = kSourceBytes;
inline constexpr std::uint64_t kWindowAt = kSinkAt + kSinkBytes;
inline constexpr std::uint64_t kPanesAt = kWindowAt + kWindowBytes;
inline constexpr std::uint64_t kPartyBytes = kPanesAt + kPanes * kPaneBytes;

// The options of a party.
struct PartySetup {
  ProtectionZone* zone = nullptr;   // several parties share it; null: the party makes its own
  SharedReceives* shared = nullptr; // the SRQ of its Recvs; null: the party posts Recvs to its EP
  std::int32_t events = 256;        // a small EVD may overflow
  MemoryWindow::Scope scope = MemoryWindow::Scope::Zone;
};

class Party {
 public:
  enum class Life : std::uint8_t { Fresh, Pending, Up, Over };

  Party(SimNode& node, std::uint32_t number, const PartySetup& setup = {});
  // free_endpoint() frees the EP, then free_all() frees the party's other objects. Each must succeed.
  // An SRQ is freed after the EPs that use it.
  void free_endpoint();
  void free_all();

  SimNode& node() { return node_; }
  std::uint32_t number() const { return number_; }
  Endpoint& ep() { return *ep_; }
  Life life() const { return life_; }
  std::uint32_t lives() const { return lives_; }
  Party* peer() { return peer_; }
  std::size_t requests() const { return requests_.size(); }
  std::size_t receives() const { return receives_.size(); }
  // The last connection event, and the status of the last request that had an event.
  EventKind last_event() const { return last_event_; }
  DtoStatus last_status() const { return last_status_; }
  bool is_free() const { return life_ == Life::Fresh && ep_->state() == EpState::Unconnected; }
  SharedReceives* shared() { return setup_.shared; }
  bool may_overflow() const { return setup_.events < kManyEvents; }
  bool has_room() const { return requests_.size() < kDepth && has_room_for_events(); }
  bool has_receive_room(std::uint64_t length) const;
  // A number that changes when the party changes what peers may do.
  std::uint64_t rights() const { return rights_; }
  const Panes& panes() const { return panes_; }
  // True: a request that arrives at the EP of `other` cannot use this party's RMR. `other` is another
  // party on the same adapter.
  bool is_shut_off_from(const Party& other) const {
    return zone_ != other.zone_ || setup_.scope == MemoryWindow::Scope::Endpoint;
  }
  // How many connections this party had, and how many notices said that its EP has left its SRQ.
  std::uint64_t ups() const { return ups_; }
  std::uint64_t srq_lefts() const { return srq_lefts_; }
  // What would become of a further message of this length at the peer.
  enum class Reception : std::uint8_t { Fits, TooLong, Waits };
  Reception reception(std::uint64_t length) const;
  // The length of the oldest message to this party that has no Recv, on its way or arrived.
  std::optional<std::uint64_t> owed_receive() const;

  // True: a message waits although there is a Recv for it, and nothing more is on its way.
  bool starves() const;

  // --- what is done to it ------------------------------------------------------------------------
  void begin();
  void join(Party& peer);
  // Begins a new life after the last one is over.
  void reset();
  void post_receive(std::uint64_t capacity, std::uint32_t segments);
  void post_send(std::uint64_t source, std::uint64_t length, std::uint32_t segments, bool suppress);
  void post_write(std::uint64_t source, std::uint64_t length, std::uint32_t segments,
                  bool suppress);
  void post_read(std::uint64_t source, std::uint64_t length, bool suppress);
  // A Write that the peer has to refuse.
  void post_bad_write();
  void disconnect(bool graceful);
  // Takes over the EP that came with a request.
  void adopt(Endpoint& endpoint);
  void set_watermarks(std::int32_t soft, std::int32_t hard);
  // Takes the memory for Writes away from peers, and checks from then on that it stays as it is.
  void close_window();
  void open_window();

  // --- an RMR (party_rights.cc) ------------------------------------------------------------------
  struct Bind {
    bool write = false; // true: a pane, for Writes; false: a part of the source, for Reads
    std::uint64_t at = 0;
    std::uint64_t length = 0; // 0: unbinds
    bool zero_based = false;
    bool suppress = false;
  };
  // A bind of pane number `pane`, for post_bind(). It leaves out the last kPaneUnused + `less` bytes.
  static Bind bind_of_pane(std::size_t pane, std::uint64_t less);
  void post_bind(const Bind& bind);
  // Frees the RMR and makes another one.
  void renew_rmr();
  struct Through {
    const Opening* opening = nullptr; // an opening of `owner`, a party on the peer's adapter
    Party* owner = nullptr;
    bool write = false;
    bool out_of_bounds = false;
    std::uint64_t length = 0;
    std::uint64_t source = 0; // for a Write: offset in the source
    std::uint64_t skip = 0;   // for a Read: offset in the opening
    bool suppress = false;
  };
  // Posts a Write or a Read by the context of an RMR. If the peer has to refuse the request, it
  // must fail.
  void post_through(const Through& through);

  // From now on every request must succeed, until either side disconnects.
  bool lossless = false;
  bool disconnected_by_us = false;

  // Takes all events and checks them.
  void harvest();
  // Takes an asynchronous event. False: the event is not about this party.
  bool on_notice(const Event& event);
  // Called after all notices were taken.
  void check_notices() const;

 private:
  static constexpr std::size_t kDepth = 24;
  static constexpr std::int32_t kManyEvents = 256; // more events than can ever be due

  bool has_room_for_events() const {
    return may_overflow() || events_owed_ < static_cast<std::size_t>(kManyEvents / 2);
  }

  std::vector<LocalTriplet> cut(const MemoryRegion& region, std::uint64_t offset,
                                std::uint64_t length, std::uint32_t segments) const;
  std::uint64_t address(std::uint64_t offset) const {
    return reinterpret_cast<std::uint64_t>(memory_.get()) + offset;
  }
  // The length of the oldest message of this party that the peer has not taken, after skipping
  // `skip` of these messages. Nothing: there is no such message.
  std::optional<std::uint64_t> untaken(std::size_t skip) const;
  MemoryRegion* make_region(std::uint64_t offset, std::uint64_t length, Access access);
  CompletionFlags flags(bool suppress) const { return suppress ? kSuppress : kDefaultCompletion; }
  void create_rmr();
  PostedRequest& expect(const PostedRequest& request, const char* what);
  void post_rdma(const PostedRequest& request, std::uint64_t own, const RemoteTriplet& remote,
                 std::uint32_t segments);
  bool must_refuse(const Through& through) const;
  // True: there is room for a Recv or Read that overlaps no other Recv or Read under way.
  bool sink_has_room(std::uint64_t length) const;
  bool may_be_flushed() const;
  void collect();
  void harvest_dtos();
  void on_request_done(const Event& event);
  void end_request(const PostedRequest& request, const Event& event);
  void fail_request(const PostedRequest& request, DtoStatus status);
  PostedReceive take_receive(std::uint64_t cookie);
  void on_receive_done(const Event& event);
  void check_message(const PostedReceive& receive, const Event& event);
  void on_connection_event(const Event& event);
  void check_last_event(const Event& event) const;
  void end_life();
  void check_done(const PostedRequest& request);
  // True: completions may have been lost with an EVD that has overflowed.
  bool may_lack_events() const { return was_full_ && overflow_told_; }
  void watch_soft_watermark(std::int32_t held);
  void check_placed(const PostedRequest& request);
  // Takes the peer's next message off the list, with the Writes before that message.
  Sent next_message();
  void check_write(const Sent& write) const;
  void check_window() const;
  void require_bytes(std::uint64_t own, const Party& other, std::uint64_t theirs,
                     std::uint64_t length, const char* what) const;

  SimNode& node_;
  std::uint32_t number_;
  PartySetup setup_;
  std::unique_ptr<std::byte[]> memory_; // source, sink, window, panes
  ProtectionZone* zone_ = nullptr;
  EventDispatcher* dto_evd_ = nullptr;
  EventDispatcher* connect_evd_ = nullptr;
  Endpoint* ep_ = nullptr;
  MemoryRegion* source_ = nullptr;
  MemoryRegion* sink_ = nullptr;
  MemoryRegion* window_ = nullptr;
  MemoryRegion* pane_region_ = nullptr; // without rights for peers
  MemoryWindow* rmr_ = nullptr;
  Panes panes_;
  std::uint64_t rights_ = 0;
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
  // True: a request of this life has failed. All later requests must fail too, even those that have
  // been carried out.
  bool failed_ = false;
  bool culprit_found_ = false;     // at most one request ends with another status than "flushed"
  std::uint64_t messages_in_ = 0;  // messages received in this life
  std::uint64_t messages_out_ = 0; // Sends whose completion was seen
  std::uint64_t ups_ = 0;
  std::uint64_t srq_lefts_ = 0;
  std::uint64_t last_shared_ = 0; // the newest Recv of the SRQ that this party has used
  bool was_full_ = false;         // in this life its EVD was full
  bool overflow_told_ = false;
  std::int32_t soft_ = kWatermarkInfinite;
  std::int32_t hard_ = kWatermarkInfinite;
  bool soft_armed_ = false;
  int soft_due_ = 0;          // notices that must still come
  std::deque<Event> arrived_; // taken from the EVD, not checked yet
  std::deque<PostedRequest> requests_;
  std::deque<PostedReceive> receives_;
  std::map<std::uint32_t, std::deque<Sent>> sent_; // by life; not yet seen by the peer
};

} // namespace datum::test

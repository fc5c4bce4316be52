// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/unit/iwarp/stand_in.h: StandIn, which replaces the core above a session in tests. It has
// Recvs, regions, and a log of all events in words.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/port/region_table.h"
#include "transport/iwarp/session.h"

namespace datum::iwarp::test {

using Bytes = std::vector<std::byte>;

Bytes from_hex(std::string_view hex);
std::string to_hex(Octets octets);
Bytes pattern(std::size_t size, unsigned factor, unsigned start);

class StandIn final : public ChannelEvents, public SessionEvents {
 public:
  static constexpr std::uint32_t kZone = 7;
  static constexpr std::uint32_t kEndpoint = 3;

  // Posts a Recv of `size` octets in `segments` segments.
  void post_receive(std::size_t size, std::size_t segments = 1);
  // Adds a region of `size` octets, over memory of its own or at `base`.
  std::byte* add_region(Stag stag, std::size_t size, Access access, std::uint32_t zone = kZone,
                        std::uint32_t endpoint = 0);
  void add_region_at(Stag stag, std::uint64_t base, std::uint64_t size, Access access,
                     std::uint32_t zone = kZone);
  // Adds a region whose first octet has the address `origin` for peers. An STag may have several
  // such parts.
  std::byte* add_part(Stag stag, std::size_t size, Access access, std::uint64_t origin);
  void count_from_zero(Stag stag); // peers address this region from 0
  void revoke(Stag stag);

  // The events, oldest first. take_log() clears the log.
  std::vector<std::string> take_log();
  const std::vector<std::string>& log() const { return log_; }
  const Bytes& received(std::size_t index) const { return received_[index]; }
  std::size_t receives_posted() const { return posted_.size(); }
  bool asked() const { return asked_; } // on_request() came

  bool local_memory_valid = true;
  bool receive_memory_valid = true;
  AccessFault invalidation = AccessFault::None;
  std::optional<NoReply> no_reply_handled; // the reason for which on_no_reply() returns true
  int replies = 0;
  std::uint64_t octets_arrived = ~std::uint64_t{0}; // at the peer's TCP
  bool all_arrived = true;                          // the peer's TCP has everything, with the end
  Session* session = nullptr;                       // for calls from within an event
  bool close_when_told = false;
  bool waits_on = false;                           // messages wait for ever if no limit is set
  std::size_t long_waits = 0;                      // as count_long_waits() has told
  std::optional<Duration> waited_at_most;          // as on_wait_over() has told
  std::function<void(const std::string&)> on_tell; // called for each event before the log gets it
  std::deque<WorkRequest> start_on_room;           // on_room() starts them in this order, each once

  // --- ChannelEvents ---------------------------------------------------------------------------
  void on_established(PrivateData data, std::int32_t peer_reads_in) override;
  void on_connect_failed(ConnectFailure failure, PrivateData data) override;
  void on_placed(std::uint32_t count) override;
  void on_read_done() override;
  void on_request_failed(RequestClass kind, DtoStatus status, std::uint32_t before) override;
  void on_room() override;
  bool recheck_local(const WorkRequest& request, Access right) const override;
  TakeResult take_receive(std::span<const LocalTriplet>& into, std::uint64_t& capacity) override;
  void complete_receive(std::uint64_t length, bool solicited) override;
  bool place_message(const std::byte* payload, std::uint64_t length, bool solicited) override;
  void fail_receive(DtoStatus status) override;
  bool may_wait_on() override;
  void count_long_waits(std::size_t messages) override;
  void on_wait_over(Duration limit) override;
  AccessFault check_note(const MessageNote& note) const override;
  void complete_noted(std::uint64_t length, bool solicited, const MessageNote& note) override;
  AccessFault check_remote(Stag stag, std::uint64_t address, std::uint64_t length, Access right,
                           std::uint64_t& memory) const override;
  void on_closed(CloseReason reason) override;

  // --- SessionEvents -----------------------------------------------------------------------------
  void on_request() override;
  bool on_no_reply(NoReply why) override;
  void on_reply() override { ++replies; }
  bool has_arrived(std::uint64_t octets) const override { return octets_arrived >= octets; }
  bool all_has_arrived() const override { return all_arrived; }

 private:
  struct Receive {
    Bytes memory;
    std::vector<LocalTriplet> segments;
  };
  void tell(std::string what);
  void end_receive(std::uint64_t length);

  std::vector<std::string> log_;
  std::size_t started_ = 0;
  std::deque<Receive> posted_;
  bool open_ = false;
  bool asked_ = false;
  std::vector<Bytes> received_;
  std::deque<RegionEntry> regions_;
  std::deque<Bytes> memory_;
};

} // namespace datum::iwarp::test

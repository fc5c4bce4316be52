// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/fuzz/link/consumer.h: the honest side of a link: an adapter, what its consumer does with
// it, and what the consumer may rely on, whatever the peer does.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <vector>

#include "../input.h"
#include "core/adapter/interface_adapter.h"
#include "granted_memory.h"
#include "hostile_fabric.h"
#include "hostile_peer.h"
#include "transport/link/link_transport.h"

namespace datum::fuzz {

class Handles final : public HandleSource {
 public:
  Token issue(ObjectKind, Object& object) override { return &object; }
  void withdraw(Token) override {}
};

class AnyMemory final : public MemoryProbe {
 public:
  Found usable(std::uint64_t, std::uint64_t, Access) override { return Found::Yes; }
  Found shared(std::uint64_t, std::uint64_t) override { return Found::Yes; }
  bool backing(std::uint64_t, std::uint64_t, std::int32_t&, std::uint64_t&) override {
    return false;
  }
};

// Each query of the time lets time pass, so a wait with a deadline ends.
class LookedAtTime final : public Progress {
 public:
  bool poll() override { return false; }
  WaitResult wait(WaitPoint&, Instant) override { return WaitResult::TimedOut; }
  void signal(WaitPoint& point) override { point.signalled = true; }
  void wake() override {}
  Instant now() override { return now_ += kMillisecond; }
  void pass(Duration time) { now_ += time; }

 private:
  Instant now_ = 0;
};

class Consumer {
 public:
  static constexpr ConnQual kQualifier = 7;
  static constexpr std::size_t kEndpoints = HostilePeer::kConnections;

  Consumer(HostileFabric& fabric, bool with_srq);
  ~Consumer();

  // The ranges that the peer may have learnt: all ranges, also those that it was not granted.
  std::vector<KnownRange> known_ranges() const;

  void work(); // runs the timers and the transport, then takes the events
  // The facade does the same after each call, when it releases the lock.
  void end_call();
  void pass(Duration time) { time_.pass(time); }
  void set_attention(bool asleep);
  void connect(std::size_t which);
  void answer_request(bool accept, std::size_t which);
  void post(Input& input, const HostileMemory& peer);
  void bind(Input& input);
  void disconnect(std::size_t which, bool graceful);
  void reset(std::size_t which);
  // Gives a region up, or registers it again.
  void toggle(std::size_t region);
  // Ends everything. Requires that no request is left unanswered.
  void finish();

 private:
  enum Place : std::size_t { kSource, kLanding, kTarget, kReadable, kSecret, kForeign, kPlaces };
  struct Side {
    Endpoint* ep = nullptr;
    bool busy = false; // a connection exists, or is being made
  };
  struct Posted {
    bool receive = false;
    bool shared = false; // a Recv of the SRQ outlives connections
    std::uint64_t capacity = 0;
  };
  void register_place(std::size_t place);
  LocalTriplet local(std::size_t place, std::uint64_t length) const;
  void post_receive(Endpoint& ep, std::uint64_t length);
  void post_request(Endpoint& ep, Opcode opcode, std::uint64_t length, const RemoteTriplet& remote);
  void take_events();
  void check_completion(const Event& event);
  void check_connection(const Event& event);
  Side& side_of(Token token);

  Handles handles_;
  AnyMemory probe_;
  SeededRandom random_{1};
  TimerQueue timers_;
  LookedAtTime time_;
  LinkTransport transport_;
  std::array<std::optional<GrantedMemory>, kPlaces> memory_;
  std::unique_ptr<InterfaceAdapter> adapter_;
  ProtectionZone* zone_ = nullptr;
  ProtectionZone* foreign_zone_ = nullptr;
  EventDispatcher* transfer_evd_ = nullptr;
  EventDispatcher* connection_evd_ = nullptr;
  EventDispatcher* request_evd_ = nullptr;
  SharedReceiveQueue* srq_ = nullptr;
  MemoryWindow* window_ = nullptr;
  Stag window_stag_ = 0;
  std::array<MemoryRegion*, kPlaces> regions_{};
  std::array<Side, kEndpoints> sides_;
  std::vector<ConnectionRequest*> requests_;
  std::map<std::uint64_t, Posted> posted_;
  std::uint64_t last_cookie_ = 0;
};

} // namespace datum::fuzz

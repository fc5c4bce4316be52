// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/unit/core/silent_world.h: the surroundings of an adapter, without a peer.
#pragma once

#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "base/random.h"
#include "core/adapter/interface_adapter.h"

namespace datum::test {

class PlainHandles final : public HandleSource {
 public:
  Token issue(ObjectKind, Object& object) override { return &object; }
  void withdraw(Token) override {}
};

// Time passes as the test says. A wait ends at once, with the result that the test chose.
class StillTime final : public Progress {
 public:
  bool poll() override { return false; }
  WaitResult wait(WaitPoint&, Instant) override {
    if (lacks_memory) throw std::bad_alloc();
    return WaitResult::TimedOut;
  }
  void signal(WaitPoint&) override {}
  void wake() override {}
  Instant now() override { return time; }
  Instant time = 0;
  bool lacks_memory = false;
};

// Completes no request. Its requests count as waiting for a Recv while the test's `moved` does not
// change.
class SilentChannel final : public Channel {
 public:
  explicit SilentChannel(const int& moved) : moved_(moved) {}
  StartResult start(const WorkRequest&) override { return StartResult::Later; }
  StartResult start_now(const WorkRequest&) override { return StartResult::Later; }
  void on_receive_posted() override {}
  void catch_up() override {}
  bool waits_for_receive(bool) override { return std::exchange(moved_then_, moved_) == moved_; }
  void close(CloseMode) override {}
  ConnQual local_port() const override { return 1; }
  ConnQual remote_port() const override { return 2; }
  Address remote_address() const override { return {}; }
  const char* path() const override { return "none"; }
  std::string path_reason() const override { return {}; }

 private:
  const int& moved_;
  int moved_then_ = 0; // `moved_` at the last call
};

// Connects to no peer: the test gives the answers.
class SilentTransport final : public Transport {
 public:
  const Limits& limits() const override { return limits_; }
  const Address& address() const override { return address_; }
  NamedAttributes attributes() const override { return {}; }
  std::span<RegionEntry> region_storage() override { return regions_; }
  DirectAccessGate* gate() override { return nullptr; }
  void attach(const TransportHost&) override {}
  Result<std::unique_ptr<Listener>> listen(ConnQual, ListenerEvents&) override {
    return fail(Type::InsufficientResources);
  }
  Result<std::unique_ptr<Listener>> listen_any(ListenerEvents&) override {
    return fail(Type::InsufficientResources);
  }
  Result<std::unique_ptr<Channel>> connect(const Address&, ConnQual, PrivateData, ChannelEvents&,
                                           const ChannelOptions&) override {
    return std::make_unique<SilentChannel>(moved);
  }
  bool progress() override { return false; }
  bool set_attention(Attention) override { return false; }
  int moved = 0;

 private:
  Limits limits_;
  Address address_;
  std::vector<RegionEntry> regions_ = std::vector<RegionEntry>(RegionTable::kCapacity);
};

} // namespace datum::test

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A runtime without a network: a test causes requests, and the events of a connection that was
// accepted.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "facade/runtime.h"

namespace datum::test {

class FakeTransport final : public Transport {
 public:
  FakeTransport();
  const Limits& limits() const override { return limits_; }
  const Address& address() const override { return address_; }
  NamedAttributes attributes() const override { return {{"fake.path", "none"}}; }
  std::span<RegionEntry> region_storage() override {
    return {regions_.get(), RegionTable::kCapacity};
  }
  DirectAccessGate* gate() override { return nullptr; }
  void attach(const TransportHost&) override {}
  Result<std::unique_ptr<Listener>> listen(ConnQual qualifier, ListenerEvents& events) override;
  Result<std::unique_ptr<Listener>> listen_any(ListenerEvents& events) override;
  Result<std::unique_ptr<Channel>> connect(const Address& address, ConnQual qualifier,
                                           PrivateData data, ChannelEvents& events,
                                           const ChannelOptions& options) override;
  bool progress() override;
  bool set_attention(Attention) override { return false; }

  // Causes a request with this private data. The caller holds the adapter's lock.
  void arrive(ConnQual qualifier, const std::string& data);
  void arrive_at_next_poll(ConnQual qualifier, const std::string& data) {
    coming_.emplace(qualifier, data);
  }
  // The connection that was accepted last. It starts all requests until it is stalled. The caller
  // holds the adapter's lock.
  ChannelEvents& accepted() { return *accepted_; }
  void set_accepted(ChannelEvents& events) { accepted_ = &events; }
  void stall() { stalled_ = true; }
  bool stalled() const { return stalled_; }
  // The target of the last connect.
  const Address& dialled() const { return dialled_; }

 private:
  class FakeListener;
  Limits limits_;
  Address address_;
  Address dialled_;
  ChannelEvents* accepted_ = nullptr;
  bool stalled_ = false;
  std::unique_ptr<RegionEntry[]> regions_;
  std::map<ConnQual, ListenerEvents*> listeners_;
  std::optional<std::pair<ConnQual, std::string>> coming_;
};

// Counts of the runtimes of this process.
struct RuntimeCounts {
  int opened = 0;
  int started = 0;
  int stopped = 0;
  int destroyed = 0;
  int channels = 0; // that exist now
};
RuntimeCounts& runtime_counts();

// The next open or start fails, or the next poll finds no memory.
enum class Fault { None, Open, Start, Poll };
void provoke(Fault fault);

// Causes a request at the IA that was opened last.
void arrive(ConnQual qualifier, const std::string& data);
// The next poll of the IA that was opened last finds a request.
void arrive_at_next_poll(ConnQual qualifier, const std::string& data);
FakeTransport& last_transport();
// Causes an event of the connection that was accepted last, under the adapter's lock.
void tell_accepted(const std::function<void(ChannelEvents&)>& what);
// The instance data that the factory got last.
const std::string& last_instance_data();
// The lock of the IA that the factory got last.
LockOwner& last_lock();

} // namespace datum::test

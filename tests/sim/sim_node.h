// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/sim/sim_node.h: an adapter of a simulated world, with core objects, for tests with one
// thread.
#pragma once

#include <memory>

#include "core/adapter/interface_adapter.h"
#include "transport/sim/sim_adapter.h"

namespace datum::test {

// There is only one thread. The lock checks only that it is taken and released properly.
class SimLock final : public LockOwner {
 public:
  void acquire() override;
  void relinquish() override;
  bool held() const override { return held_; }
  InterfaceAdapter* adapter = nullptr;

 private:
  bool held_ = false;
};

class CountedHandles final : public HandleSource {
 public:
  Token issue(ObjectKind, Object& object) override {
    ++count;
    return &object;
  }
  void withdraw(Token) override { --count; }
  int count = 0;
};

class AnyMemory final : public MemoryProbe {
 public:
  Found usable(std::uint64_t, std::uint64_t, Access) override { return Found::Yes; }
  Found shared(std::uint64_t, std::uint64_t) override { return Found::No; }
  bool backing(std::uint64_t, std::uint64_t, std::int32_t& fd, std::uint64_t& offset) override {
    fd = -1;
    offset = 0;
    return mapped && (fd = 0, true);
  }
  bool mapped = false; // peers map regions for direct access
};

class SimNode {
 public:
  SimNode(SimWorld& world, VirtualTime& time, const LinkOptions& options,
          bool reports_srq_left = false);
  ~SimNode();
  SimNode(const SimNode&) = delete;
  SimNode& operator=(const SimNode&) = delete;

  // Runs `call` as a consumer's call: with the lock held.
  template <class F>
  auto with_lock(F&& call) {
    struct Held {
      explicit Held(SimLock& owner) : lock(owner) { lock.acquire(); }
      ~Held() { lock.relinquish(); }
      SimLock& lock;
    } held(lock);
    return call();
  }
  void kill();
  // Does what dat_ia_close() does. The empty adapter stays, so that tests can check it.
  void close();
  bool dead() const { return dead_; }
  const Address& address() { return stand.transport().address(); }

  SimLock lock;
  CountedHandles handles;
  AnyMemory memory;
  SimAdapter stand;
  std::unique_ptr<InterfaceAdapter> adapter;

 private:
  bool dead_ = false;
  bool closed_ = false;
};

} // namespace datum::test

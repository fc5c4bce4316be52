// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/unit/shm/test_world.h: what ShmFabric needs in a test without threads: a reactor on
// poll(2), the real clock, and a record of what the fabric reports.
#pragma once

#include <arpa/inet.h>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <netinet/in.h>
#include <poll.h>
#include <sys/epoll.h>
#include <unistd.h>
#include <vector>

#include "base/random.h"
#include "transport/shm/shm_fabric.h"

namespace datum::test {

inline constexpr std::size_t kPage = 4096;
inline constexpr uid_t kNobody = 65534;

inline Address address_of(const char* text) {
  Address address;
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  if (::inet_pton(AF_INET, text, &v4.sin_addr) == 1) {
    std::memcpy(address.bytes, &v4, sizeof v4);
    return address;
  }
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  if (::inet_pton(AF_INET6, text, &v6.sin6_addr) == 1) std::memcpy(address.bytes, &v6, sizeof v6);
  return address;
}

class PollReactor final : public Reactor {
 public:
  Status add(int fd, std::uint32_t events, FdHandler& handler) override {
    if (full) return {Type::InsufficientResources, Detail::ResourceDevice};
    handlers_[fd] = {events, &handler};
    return kOk;
  }
  int change(int fd, std::uint32_t events, FdHandler& handler) override {
    handlers_[fd] = {events, &handler};
    return 0;
  }
  void remove(int fd, FdHandler& handler) override {
    const auto at = handlers_.find(fd);
    ASSERT_NE(at, handlers_.end());
    EXPECT_EQ(at->second.handler, &handler);
    handlers_.erase(at);
  }
  void turn(int timeout_ms) {
    std::vector<pollfd> fds;
    for (const auto& [fd, entry] : handlers_)
      fds.push_back({fd, static_cast<short>(entry.events), 0});
    if (::poll(fds.data(), fds.size(), timeout_ms) <= 0) return;
    for (const pollfd& ready : fds) {
      const auto at = handlers_.find(ready.fd);
      // Masked entries still report hangups, as epoll does.
      if (ready.revents == 0 || at == handlers_.end()) continue;
      at->second.handler->on_ready(static_cast<std::uint32_t>(ready.revents));
    }
  }
  void handle_all() override { turn(0); }
  std::size_t size() const { return handlers_.size(); }
  bool full = false; // add() fails, as with epoll when the user may have no more watches

 private:
  struct Entry {
    std::uint32_t events;
    FdHandler* handler;
  };
  std::map<int, Entry> handlers_;
};

class RealTime final : public Progress {
 public:
  bool poll() override { return false; }
  WaitResult wait(WaitPoint&, Instant) override { return WaitResult::TimedOut; }
  void signal(WaitPoint&) override {}
  void wake() override { ++wakes; }
  Instant now() override {
    timespec t{};
    ::clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * kSecond + t.tv_nsec;
  }
  int wakes = 0;
};

// Everything that several fabrics of one test thread share.
class World {
 public:
  PollReactor reactor;
  RealTime time;
  TimerQueue timers;
  SeededRandom random{7};

  TransportHost host() {
    TransportHost host;
    host.progress = &time;
    host.timers = &timers;
    host.random = &random;
    return host;
  }
  void turn(int longest_ms = 20) {
    const Instant next = timers.next();
    const Instant now = time.now();
    std::int64_t wait = longest_ms;
    if (next != kNever) wait = next <= now ? 0 : std::min(wait, (next - now) / kMillisecond + 1);
    reactor.turn(static_cast<int>(wait));
    timers.run(time.now());
  }
  // Gives turns until `done` returns true. Returns false if that takes more than a minute, or four
  // minutes under an emulator.
  [[nodiscard]] bool run_until(const std::function<bool()>& done) {
    // This is long enough for a busy machine. Only a wait without end gets that far.
    const char* const times = std::getenv("DATUM_TEST_PATIENCE"); // under an emulator
    const Instant end = time.now() + (times == nullptr ? 60 : 240) * kSecond;
    while (!done()) {
      if (time.now() > end) return false;
      turn();
    }
    return true;
  }
};

class Adapter final : public FabricEvents {
 public:
  Adapter(World& world, const char* address, const ShmOptions& options = {}) {
    auto made = ShmFabric::create(address_of(address), world.reactor, options);
    if (!made) throw std::runtime_error("no fabric");
    fabric = std::move(*made);
    fabric->attach(world.host(), *this);
  }

  void on_link(LinkPort& port) override { links.push_back(&port); }
  void on_doorbell(LinkPort& port) override { ++doorbells[&port]; }
  void on_link_lost(LinkPort& port) override {
    std::erase(links, &port);
    ++lost;
  }
  IdleLink judge_idle(LinkPort&) override {
    ++judged;
    return idle;
  }

  std::unique_ptr<ShmFabric> fabric;
  IdleLink idle = IdleLink::Drop; // the answer of judge_idle()
  int judged = 0;
  std::vector<LinkPort*> links;
  std::map<LinkPort*, int> doorbells;
  int lost = 0;
};

// One dial and its outcome.
class Dialled final : public DialEvents {
 public:
  void on_dialled(LinkPort& given) override {
    port = &given;
    ++outcomes;
  }
  void on_dial_failed(DialFailure why) override {
    failure = why;
    ++outcomes;
  }
  bool over() const { return outcomes != 0; }

  LinkPort* port = nullptr;
  std::optional<DialFailure> failure;
  int outcomes = 0;
  std::unique_ptr<Dial> dial;
};

inline void start_dial(Adapter& from, const char* address, ConnQual qualifier, Dialled& into) {
  auto dial = from.fabric->dial(address_of(address), qualifier, into);
  ASSERT_TRUE(dial.has_value());
  into.dial = std::move(*dial);
}

// Dials and waits for the outcome.
inline void dial_now(World& world, Adapter& from, const char* address, ConnQual qualifier,
                     Dialled& into) {
  start_dial(from, address, qualifier, into);
  ASSERT_TRUE(world.run_until([&] { return into.over(); }));
}

inline std::unique_ptr<PublishedName> publish_any(Adapter& adapter) {
  auto name = adapter.fabric->publish_any();
  EXPECT_TRUE(name.has_value());
  return name ? std::move(*name) : nullptr;
}

} // namespace datum::test

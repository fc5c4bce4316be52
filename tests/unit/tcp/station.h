// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/unit/tcp/station.h: two TCP transports on the loopback interface, without threads: nothing
// is looked at and nothing leaves but when the test says so.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "../iwarp/stand_in.h"
#include "base/random.h"
#include "progress/reactor.h"
#include "transport/tcp/tcp_transport.h"

namespace datum::test {

// Asks its descriptors one by one, in the order in which they were added.
class StepReactor final : public Reactor {
 public:
  Status add(int fd, std::uint32_t events, FdHandler& handler) override;
  void change(int fd, std::uint32_t events, FdHandler& handler) override;
  void remove(int fd, FdHandler& handler) override;
  void handle_all() override;
  // What it is asked for.
  std::uint32_t watched(int fd) { return find(fd)->events; }
  // One of them alone; it has to become ready.
  void handle_awaited(int fd);
  // The newest of them.
  int last() const { return entries_.back().fd; }
  std::size_t size() const { return entries_.size(); }

  // Called when this descriptor has had its turn, whether or not it was ready.
  std::function<void(int fd)> after_turn_of;

 private:
  struct Entry {
    int fd;
    std::uint32_t events;
    FdHandler* handler;
  };
  Entry* find(int fd);
  void handle(int fd, int timeout_ms);
  std::vector<Entry> entries_;
};

class RealTime final : public Progress {
 public:
  bool poll() override { return false; }
  WaitResult wait(WaitPoint&, Instant) override { return WaitResult::TimedOut; }
  void signal(WaitPoint&) override {}
  void wake() override {}
  void wake_promptly() override { ++prompt_wakes; }
  Instant now() override;
  void stop() { stopped_ = now() - ahead; }
  Duration ahead = 0;
  unsigned prompt_wakes = 0;

 private:
  Instant stopped_ = kNever;
};

// An adapter's transport, and what it needs around it.
class Station final : private ListenerEvents {
 public:
  explicit Station(TcpOptions options = {});
  // Everything that waits for a turn, once.
  void turn();
  // Its clock does.
  void skip(Duration time) { time_.ahead += time; }
  // And from here on only so.
  void stop_clock() { time_.stop(); }
  void expire() { timers_.run(time_.now()); }
  // How often something had to leave within 100 us that could not within its call.
  unsigned prompt_wakes() const { return time_.prompt_wakes; }
  ConnQual listen();
  std::unique_ptr<IncomingConnection> take_request() { return std::move(request_); }

  std::function<void()> on_asked;

 private:
  void on_request(std::unique_ptr<IncomingConnection> request) override {
    request_ = std::move(request);
    if (on_asked) on_asked();
  }
  RealTime time_;
  TimerQueue timers_;
  SeededRandom random_{7};

 public:
  StepReactor reactor;
  std::unique_ptr<TcpTransport> transport;

 private:
  std::unique_ptr<Listener> listener_;
  std::unique_ptr<IncomingConnection> request_;
};

// One end of a connection.
struct End {
  iwarp::test::StandIn events;
  std::unique_ptr<Channel> channel;
  int socket = -1;
};

struct Line {
  End near;
  End far;
};

class TwoStations {
 public:
  explicit TwoStations(const TcpOptions& of_far = {}) : far(of_far) {}
  // Both ends know by then that the other one is of our kind.
  std::unique_ptr<Line> connect();
  // Turns for both until that is so.
  void run_until(const std::function<bool()>& done);
  // On the near side somebody looks soon after each post; from then on requests wait for those that
  // follow. Its clock stops.
  void let_posters_come_back_soon(Line& line);
  ConnQual qualifier() const { return qualifier_; }

  Station near;
  Station far;

 private:
  ConnQual qualifier_ = far.listen();
};

Address loopback();
// Until something, or the peer's end, has come to this socket.
void await_octets(int socket);
void await_end(int socket);

} // namespace datum::test

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/unit/tcp/station.h: two TCP transports on the loopback interface, without threads. The test
// decides when they check their sockets and when they send.
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

// A reactor that polls its descriptors one by one, in the order in which they were added.
class StepReactor final : public Reactor {
 public:
  Status add(int fd, std::uint32_t events, FdHandler& handler) override;
  int change(int fd, std::uint32_t events, FdHandler& handler) override;
  void remove(int fd, FdHandler& handler) override;
  void handle_all() override;
  // The events that the reactor watches for on this descriptor.
  std::uint32_t watched(int fd) { return find(fd)->events; }
  // Waits until this descriptor is ready, and handles it alone.
  void handle_awaited(int fd);
  // The descriptor that was added last.
  int last() const { return entries_.back().fd; }
  std::size_t size() const { return entries_.size(); }
  int change_error = 0; // of change(), as if a sandbox refused it

  // handle_all() calls it after each descriptor, whether or not the descriptor was ready.
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

// The transport of an adapter, with its reactor, clock, timers and a listener.
class Station final : private ListenerEvents {
 public:
  explicit Station(TcpOptions options = {});
  // Handles descriptors, timers and progress, each once.
  void turn();
  // Sets the clock of this station forward.
  void skip(Duration time) { time_.ahead += time; }
  // From here on only skip() moves the clock.
  void stop_clock() { time_.stop(); }
  void expire() { timers_.run(time_.now()); }
  // How often the transport has called Progress::wake_promptly().
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
  // Connects the two stations. On return each end knows that the other end is an own peer.
  std::unique_ptr<Line> connect();
  // Gives both stations turns until `done` returns true.
  void run_until(const std::function<bool()>& done);
  // Stops the clock of the near side, and posts until the transport has seen often enough that a
  // poll comes soon after a post. From then on a request waits for the requests that follow.
  void let_posters_come_back_soon(Line& line);
  ConnQual qualifier() const { return qualifier_; }

  Station near;
  Station far;

 private:
  ConnQual qualifier_ = far.listen();
};

Address loopback();
// Waits until octets, or the peer's end, have come to this socket.
void await_octets(int socket);
void await_end(int socket);

} // namespace datum::test

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "station.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <poll.h>
#include <stdexcept>

#include "base/clock.h"
#include "transport/host/host_address.h"

namespace datum::test {
namespace {

constexpr int kNotAtAll = 0;
constexpr int kForEver = -1; // a test that hangs is ended by its runner

} // namespace

// --- StepReactor ---------------------------------------------------------------------------------

StepReactor::Entry* StepReactor::find(int fd) {
  const auto at = std::find_if(entries_.begin(), entries_.end(),
                               [&](const Entry& each) { return each.fd == fd; });
  return at == entries_.end() ? nullptr : &*at;
}

Status StepReactor::add(int fd, std::uint32_t events, FdHandler& handler) {
  entries_.push_back({fd, events, &handler});
  return kOk;
}

int StepReactor::change(int fd, std::uint32_t events, FdHandler& handler) {
  if (change_error != 0) return change_error;
  *find(fd) = {fd, events, &handler};
  return 0;
}

void StepReactor::remove(int fd, FdHandler&) {
  std::erase_if(entries_, [&](const Entry& each) { return each.fd == fd; });
}

void StepReactor::handle(int fd, int timeout_ms) {
  const Entry* entry = find(fd);
  if (entry == nullptr) return;
  pollfd one{fd, static_cast<short>(entry->events), 0};
  if (::poll(&one, 1, timeout_ms) > 0)
    entry->handler->on_ready(static_cast<std::uint32_t>(one.revents));
}

void StepReactor::handle_all() {
  std::vector<int> all;
  for (const Entry& each : entries_) all.push_back(each.fd);
  for (const int fd : all) {
    handle(fd, kNotAtAll);
    if (after_turn_of) after_turn_of(fd);
  }
}

void StepReactor::handle_awaited(int fd) {
  handle(fd, kForEver);
}

// --- stations ------------------------------------------------------------------------------------

Instant RealTime::now() {
  return (stopped_ == kNever ? monotonic_now() : stopped_) + ahead;
}

Address loopback() {
  return write_address({AF_INET, {127, 0, 0, 1}});
}

void await_octets(int socket) {
  pollfd one{socket, POLLIN, 0};
  ::poll(&one, 1, kForEver);
}

void await_end(int socket) {
  pollfd one{socket, POLLRDHUP, 0};
  ::poll(&one, 1, kForEver);
}

Station::Station(TcpOptions options) {
  options.close_timeout = 0; // without a thread the other station could not answer
  auto made = TcpTransport::create(loopback(), reactor, options);
  if (!made) throw std::runtime_error("no transport");
  transport = std::move(*made);
  TransportHost host;
  host.progress = &time_;
  host.timers = &timers_;
  host.random = &random_;
  transport->attach(host);
}

void Station::turn() {
  reactor.handle_all();
  timers_.run(time_.now());
  transport->progress();
}

ConnQual Station::listen() {
  auto made = transport->listen_any(*this);
  if (!made) throw std::runtime_error("no listener");
  listener_ = std::move(*made);
  return listener_->qualifier();
}

// --- both ----------------------------------------------------------------------------------------

void TwoStations::let_posters_come_back_soon(Line& line) {
  near.stop_clock();
  WorkRequest work;
  work.opcode = Opcode::RdmaWrite;
  for (unsigned i = 0; i < waiting::kSoonInARow; ++i) {
    EXPECT_EQ(line.near.channel->start(work), StartResult::Started);
    run_until([&] { return !line.near.events.take_log().empty(); });
  }
  near.turn();
}

void TwoStations::run_until(const std::function<bool()>& done) {
  while (!done()) {
    near.turn();
    far.turn();
  }
}

std::unique_ptr<Line> TwoStations::connect() {
  auto line = std::make_unique<Line>();
  const ChannelOptions options{.reads_in = 4, .reads_out = 4};
  auto dialled = near.transport->connect(loopback(), qualifier_, {}, line->near.events, options);
  if (!dialled) throw std::runtime_error("no connection");
  line->near.channel = std::move(*dialled);
  line->near.socket = near.reactor.last();
  std::unique_ptr<IncomingConnection> request;
  run_until([&] { return (request = far.take_request()) != nullptr; });
  line->far.socket = far.reactor.last();
  line->far.channel = request->accept({}, line->far.events, options);
  // One message each way. The Hellos go in front of them.
  line->near.events.post_receive(1);
  line->far.events.post_receive(1);
  run_until([&] { return !line->near.events.log().empty() && !line->far.events.log().empty(); });
  const WorkRequest empty;
  line->near.channel->start(empty);
  line->far.channel->start(empty);
  const auto whole = [](const End& end) { return end.events.log().size() == 3; };
  run_until([&] { return whole(line->near) && whole(line->far); });
  for (End* end : {&line->near, &line->far}) end->events.take_log();
  return line;
}

} // namespace datum::test

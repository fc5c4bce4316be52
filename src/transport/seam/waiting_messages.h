// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/seam/waiting_messages.h: messages that wait for a Recv, in the order of their arrival.
// Lives here: for how long the first of them waits, and what counts behind each (iwarp and link).
// Not here:   what is kept of a message, and how much; what its Recv is (ChannelEvents).
// Threads:    the adapter's lock.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

#include "base/time.h"
#include "transport/seam/transport.h"

namespace datum {

// DATUM_RNR_TIMEOUT, as it was when the adapter was opened.
struct RecvPatience {
  // What strict mode allows where nothing is set, and what every wait has that must end.
  static constexpr Duration kUnlessSet = kSecond;

  std::optional<Duration> set = std::nullopt;

  Duration most() const { return set.value_or(kUnlessSet); }
  // A message that finds no Recv ends the connection at once.
  bool none() const { return set == Duration{0}; }
};

template <class Message>
class WaitingMessages {
 public:
  explicit WaitingMessages(const RecvPatience& patience) : patience_(patience) {}

  bool empty() const { return queue_.empty(); }
  std::size_t size() const { return queue_.size(); }
  Message& front() { return queue_.front().message; }
  const Message& front() const { return queue_.front().message; }
  Message& back() { return queue_.back().message; }
  const Message& back() const { return queue_.back().message; }
  bool may_wait() const { return !patience_.none(); }

  // Without memory for it nothing has changed. The first that waits has its time from now on.
  void push(Message&& message, Instant now) {
    assert(may_wait());
    queue_.push_back({std::move(message), 0});
    if (queue_.size() == 1) begin_wait(now);
  }
  // A Write has been carried out. False: it counts at once. Otherwise it counts behind the messages
  // that came before it.
  bool count_write() {
    if (queue_.empty()) return false;
    ++queue_.back().writes;
    return true;
  }
  // The first has its Recv: the next has its own time. Returns the Writes that count behind it.
  std::uint32_t pop(Instant now) {
    const std::uint32_t writes = queue_.front().writes;
    queue_.pop_front();
    if (!queue_.empty()) begin_wait(now);
    return writes;
  }
  // `take(message, writes)`: of each.
  template <class Take>
  void for_each(Take&& take) const {
    for (const Waiting& each : queue_) take(each.message, each.writes);
  }

  // When to ask is_over(); kNever: no wait ends by itself.
  Instant deadline() const { return queue_.empty() ? kNever : wait_ends_; }
  // The first has waited for too long. Where nothing is set the consumer's side decides, once for
  // each message.
  bool is_over(Instant now, ChannelEvents& events) {
    if (now < deadline()) return false;
    if (!must_end_ && events.may_wait_on(patience_.set.has_value())) {
      wait_ends_ = kNever;
      return false;
    }
    return true;
  }
  // The peer has ended: no message waits for ever from now on.
  void must_end(Instant now) {
    if (std::exchange(must_end_, true) || patience_.set) return;
    if (!queue_.empty() && wait_ends_ == kNever) begin_wait(now);
  }

 private:
  struct Waiting {
    Message message;
    std::uint32_t writes = 0; // carried out behind it, before the next message came
  };

  void begin_wait(Instant now) { wait_ends_ = now + patience_.most(); }

  const RecvPatience patience_;
  std::deque<Waiting> queue_;
  Instant wait_ends_ = kNever; // of the first
  bool must_end_ = false;
};

} // namespace datum

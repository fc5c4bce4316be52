// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/port/waiting_messages.h: messages that wait for a Recv, in the order of their arrival.
// Lives here: how long the first message waits, which messages have waited so long that they are
//             counted, and how many Writes came behind each message (iwarp and link).
// Not here:   what is kept of a message, and how much; which Recv the message gets (ChannelEvents).
// Threads:    the adapter's lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

#include "base/assertion.h"
#include "base/time.h"
#include "core/port/channel.h"

namespace datum {

// DATUM_RNR_TIMEOUT, as it was when the adapter was opened.
struct RecvPatience {
  // The time that strict mode allows if DATUM_RNR_TIMEOUT is not set, and the limit of every wait
  // that must end.
  static constexpr Duration kUnlessSet = kSecond;

  std::optional<Duration> set = std::nullopt;

  Duration most() const { return set.value_or(kUnlessSet); }
  // True: a message that finds no Recv ends the connection at once.
  bool none() const { return set == Duration{0}; }
  // True: the wait is longer than strict mode allows. A limit that is set is allowed in both modes.
  bool is_long(Instant arrived, Instant now) const { return !set && now - arrived >= kUnlessSet; }
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
  // True: the next message may wait.
  bool may_wait(ChannelEvents& events) const {
    if (patience_.none()) events.on_wait_over(Duration{0});
    return !patience_.none();
  }

  // A failure to allocate changes nothing. If the message is the first in the queue, its time runs
  // from now on. `begins` is false for a further piece of the message before. That message is not
  // counted again.
  void push(Message&& message, Instant now, bool begins = true) {
    DATUM_ASSERT(!patience_.none());
    queue_.push_back({std::move(message), now, begins, 0});
    if (queue_.size() == 1)
      begin_wait(now);
    else if (wait_ends_ == kNever)
      await_next_to_count();
  }
  // A Write has been placed. False: no message waits, and the caller acknowledges the Write at
  // once. True: the Write is acknowledged after the messages that came before it.
  bool count_write() {
    if (queue_.empty()) return false;
    ++queue_.back().writes;
    return true;
  }
  // The first message has its Recv, and the time of the next message begins. Returns how many
  // Writes came between the first message and the next.
  std::uint32_t pop(Instant now, ChannelEvents& events) {
    DATUM_ASSERT(!queue_.empty() && counted_ <= queue_.size());
    const std::uint32_t writes = queue_.front().writes;
    if (counted_ != 0)
      --counted_;
    else if (queue_.front().begins && patience_.is_long(queue_.front().arrived, now))
      events.count_long_waits(1);
    queue_.pop_front();
    if (counted_ != 0 && !must_end_)
      await_next_to_count();
    else if (!queue_.empty())
      begin_wait(now);
    return writes;
  }
  // Calls take(message, writes) for each message.
  template <class Take>
  void for_each(Take&& take) const {
    for (const Waiting& each : queue_) take(each.message, each.writes);
  }

  // When to call is_over(); kNever: no wait ends by itself.
  Instant deadline() const { return queue_.empty() ? kNever : wait_ends_; }
  // True: the first message has waited for too long. If DATUM_RNR_TIMEOUT is not set,
  // ChannelEvents::may_wait_on() decides.
  bool is_over(Instant now, ChannelEvents& events) {
    if (now < deadline()) return false;
    if (patience_.set) events.on_wait_over(*patience_.set);
    if (patience_.set || must_end_ || !events.may_wait_on()) return true;
    count_long(now, events);
    await_next_to_count();
    return false;
  }
  // The peer has ended: from now on no message waits for ever.
  void must_end(Instant now) {
    if (std::exchange(must_end_, true) || patience_.set) return;
    if (counted_ != 0) begin_wait(now);
  }

 private:
  struct Waiting {
    Message message;
    Instant arrived;
    bool begins;
    std::uint32_t writes = 0; // Writes placed after this message came, before the next one
  };

  void begin_wait(Instant now) { wait_ends_ = now + patience_.most(); }
  void count_long(Instant now, ChannelEvents& events) {
    std::size_t messages = 0;
    for (; counted_ < queue_.size() && patience_.is_long(queue_[counted_].arrived, now); ++counted_)
      if (queue_[counted_].begins) ++messages;
    events.count_long_waits(messages);
  }
  void await_next_to_count() {
    wait_ends_ =
        counted_ < queue_.size() ? queue_[counted_].arrived + RecvPatience::kUnlessSet : kNever;
  }

  const RecvPatience patience_;
  std::deque<Waiting> queue_;
  // When the wait of the first message ends. If that wait has no end: when the next message is
  // counted.
  Instant wait_ends_ = kNever;
  // Messages at the front that were counted as long waits. Their waits have no end.
  std::size_t counted_ = 0;
  bool must_end_ = false;
};

} // namespace datum

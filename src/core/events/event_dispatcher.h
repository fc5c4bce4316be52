// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/events/event_dispatcher.h: an EVD: a bounded queue of events, and the thread or CNO that it
// wakes.
// Lives here: queueing, overflow, waiting, the three state bands of dat_evd_query.
// Not here:   which streams may share an EVD (core/endpoint/attribute_rules.h).
// Threads:    the adapter's lock; wait() gives it up while the thread sleeps.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/assertion.h"
#include "base/status.h"
#include "core/events/event.h"
#include "core/events/notification_object.h"
#include "core/object/object.h"
#include "core/object/ref.h"
#include "core/object/tally.h"
#include "core/port/progress.h"

namespace datum {

// The values of DAT_EVD_FLAGS.
using EvdFlags = std::uint32_t;
inline constexpr EvdFlags kEvdSoftware = 0x001;
inline constexpr EvdFlags kEvdCr = 0x010;
inline constexpr EvdFlags kEvdDto = 0x020;
inline constexpr EvdFlags kEvdConnection = 0x040;
inline constexpr EvdFlags kEvdRmrBind = 0x080;
inline constexpr EvdFlags kEvdAsync = 0x100;
inline constexpr EvdFlags kEvdAll = 0x1f1;
inline constexpr EvdFlags kEvdExtension = 0x200; // since DAT 2.0: Datum has no use for it

struct EventServices;

class EventDispatcher final : public Object {
 public:
  EventDispatcher(EventServices& events, std::int32_t qlen, NotificationObject* cno,
                  EvdFlags flags);
  ~EventDispatcher() override;

  EvdFlags flags() const { return flags_; }
  std::int32_t qlen() const { return capacity_; }
  std::int32_t count() const { return static_cast<std::int32_t>(tail_ - head_); }
  bool full() const { return count() == capacity_; }
  const DispatcherTally& tally() const { return tally_; }
  NotificationObject* cno() const { return cno_.get(); }
  bool enabled() const { return enabled_; }
  // DAT_EVD_STATE_CONFIG_*: derived from the EPs that feed the EVD.
  bool consumer_notification() const { return unsignalled_users_ + solicited_users_ != 0; }
  std::uint32_t state_bits() const;

  void set_cno(NotificationObject* cno);
  void set_enabled(bool enabled) { enabled_ = enabled; }
  void set_unwaitable();
  void clear_unwaitable() { waitable_ = true; }

  // Adds an event. `notification`: true for a notification event (the DAT flags of the EP decide).
  // False: the queue is full; the event is lost and the caller decides what that means.
  bool push(const Event& event, bool notification = true) {
    if (full()) return false;
    ring_[tail_ & mask_] = event;
    ++tail_;
    if (notification && (waiter_ != nullptr || cno_)) notify();
    return true;
  }
  // A completion that does not fit causes one overflow event, and breaks every EP that feeds the
  // EVD with completions.
  void push_completion(const Event& event, bool notification) {
    ++tally_.completions;
    if (!push(event, notification)) [[unlikely]]
      lose_completion(event);
  }
  // A connection event that does not fit is lost, and causes one overflow event.
  bool push_connection(const Event& event);

  // Removes the pointer to `data` from the unreaped events of `object`: the private data are about
  // to be freed.
  void forget_data(Token object, const void* data);

  Status post_software(std::uint64_t pointer);
  // True: the thread that takes events should drive the transport. It does so if fewer than
  // `wanted` events are queued, and otherwise at one of kNowAndThen calls. So a queue that never
  // runs empty holds up no other endpoint (decision 312). Driving more often is costly: reading a
  // record while the peer writes it takes the cache line away from the peer. When every eighth call
  // drove the transport, the rate of small messages fell from 6.3 to 2.0 million a second.
  bool should_drive(std::int32_t wanted) {
    constexpr std::uint32_t kNowAndThen = 256;
    return count() < wanted || ++undriven_ % kNowAndThen == 0;
  }
  // Drives the transport once, which may bring more events.
  void drive();
  // Returns QueueEmpty, InvalidState if a thread waits, or Success. After Success the caller calls
  // front(), then pop().
  Status check_dequeue() {
    if (waiter_ != nullptr) return {Type::InvalidState, Detail::EvdWaiter};
    const bool empty = count() == 0;
    ++(empty ? tally_.empty : tally_.found);
    return empty ? Status(Type::QueueEmpty) : kOk;
  }
  const Event& front() const {
    DATUM_ASSERT(count() > 0);
    return ring_[head_ & mask_];
  }
  void pop() {
    const Event& event = front();
    ++head_;
    settle(event);
  }
  Status dequeue(Event& event) {
    const Status s = check_dequeue();
    if (s.ok()) take(event);
    return s;
  }
  Status wait(std::uint32_t timeout_us, std::int32_t threshold, Event& event, std::int32_t& left);
  Status resize(std::int32_t qlen);

  // Everything that feeds the EVD holds it: EPs, PSPs, RSPs, the IA (dat_evd_free).
  void hold() { ++streams_; }
  void release() {
    DATUM_ASSERT(streams_ != 0);
    --streams_;
  }
  bool has_streams() const { return streams_ != 0; }
  std::uint32_t streams() const { return streams_; }
  bool has_waiter() const { return waiter_ != nullptr; }
  // Ends a blocked wait with Abort: the IA is being closed.
  void abort_waiter();

  // Returns a flag that becomes false when the EVD is freed. EPs of another IA that feed the EVD
  // read the flag.
  std::shared_ptr<const std::atomic<bool>> alive();
  // Reports only one asynchronous event during the life of the EVD, however many events are lost.
  void report_overflow();

  void count_unsignalled(std::int32_t change) { unsignalled_users_ += change; }
  void count_solicited(std::int32_t change) { solicited_users_ += change; }

 private:
  struct Waiter;
  class Owning;
  WaitResult wait_as(Waiter& waiter, std::uint32_t timeout_us);
  // Out of line, so that a wait that ends at once does not pay for blocking.
  [[gnu::noinline]] WaitResult block_as(Waiter& waiter, std::uint32_t timeout_us);
  void notify();
  // By value, so that the event of a successful push needs no place in memory.
  [[gnu::cold]] void lose_completion(Event event);
  void take(Event& event) {
    event = front();
    pop();
  }
  // The event was reaped or lost. If a Recv of an SRQ completed, its slot in the SRQ is free again.
  static void settle(const Event& event) {
    if (event.receive && event.srq != nullptr) give_back(event);
  }
  static void give_back(const Event& event);
  void set_capacity(std::int32_t qlen);

  std::vector<Event> ring_;
  std::uint64_t head_ = 0;
  std::uint64_t tail_ = 0;
  std::uint64_t mask_ = 0;
  std::int32_t capacity_;
  EvdFlags flags_;
  bool enabled_ = true;
  bool waitable_ = true;
  bool overflowed_ = false;
  bool breaking_ = false; // the EPs that lost completions are being broken
  Waiter* waiter_ = nullptr;
  Ref<NotificationObject> cno_;
  std::uint32_t streams_ = 0;
  std::uint32_t undriven_ = 0;
  std::int32_t unsignalled_users_ = 0;
  std::int32_t solicited_users_ = 0;
  DispatcherTally tally_;
  std::shared_ptr<std::atomic<bool>> alive_; // null: never asked for
  EventServices& events_;
};

} // namespace datum

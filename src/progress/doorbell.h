// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// progress/doorbell.h: which thread listens for the outside world: the state machine that hands
// progress over.
// Lives here: which thread owns the doorbell (sleeps where the transport's descriptors wake it),
//             which other threads sleep, whether peers are told that a thread polls, and which
//             threads to wake when.
// Not here:   sleeping, waking, clocks, the transport (engine.h, places.h).
// Threads:    the adapter's lock. Nothing here is atomic except the word that a sleeper sleeps on.
//
// Whenever the lock is free, one of these holds, so that no work is left alone:
//   a waiter owns the doorbell; or the background thread owns it, is awake, or backs off for a time
//   of bounded length; or a waiter has been woken and has not yet looked.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "base/assertion.h"
#include "base/intrusive_list.h"

namespace datum {

struct SleeperTag;

// A thread inside wait(). Lives on its stack.
struct Sleeper : ListHook<SleeperTag> {
  std::atomic<std::uint32_t> word{0}; // 1: woken; for one that sleeps beside the doorbell
};

// The threads that the caller has to wake, now, while it holds the lock.
struct WakeUps {
  bool owner = false; // the waiter that owns the doorbell
  bool background = false;
  Sleeper* sleeper = nullptr; // sleeps on its word, which has been set
};

class Doorbell {
 public:
  enum class Background : std::uint8_t {
    Absent,     // not started, or stopped
    Awake,      // runs, or has been woken and is about to
    BackingOff, // sleeps for a bounded time, perhaps with an ear at the doorbell; counts polls
    AtDoorbell, // owns the doorbell
    Parked,     // a waiter owns the doorbell: nothing to do
  };

  // Peers have been told that a thread polls all the time.
  bool polling() const { return polling_; }
  bool waiter_owns() const { return owner_ != nullptr; }
  Background background() const { return background_; }

  // --- attention -------------------------------------------------------------------------------
  // Only with a background thread, which notices the end of polling.
  bool can_start_polling() const { return !polling_ && background_ != Background::Absent; }
  WakeUps start_polling() {
    DATUM_ASSERT(can_start_polling());
    polling_ = true;
    return wake_background();
  }
  // The caller is about to sleep, or to look after the doorbell.
  void stop_polling() { polling_ = false; }

  // --- a waiter: awake, then asleep at the doorbell or beside it, then awake again ---------------
  // Takes the doorbell, from the background thread if need be.
  WakeUps claim(Sleeper& me) {
    DATUM_ASSERT(owner_ == nullptr && !me.linked());
    owner_ = &me;
    owner_woken_ = false;
    return background_ == Background::AtDoorbell ? wake_background() : WakeUps{};
  }
  // Another waiter owns the doorbell.
  void line_up(Sleeper& me) {
    DATUM_ASSERT(owner_ != nullptr && owner_ != &me);
    me.word.store(0, std::memory_order_relaxed);
    line_.push_back(me);
  }
  // The caller holds the lock again. True: a wake-up was sent to the doorbell, and the caller takes
  // it back.
  bool woke(Sleeper& me) {
    me.unlink();
    if (owner_ != &me) return false;
    owner_ = nullptr;
    return std::exchange(owner_woken_, false);
  }
  // Leaves wait() for good. The next waiter gets the doorbell. The background thread gets it only
  // after a backoff, since this thread may want it back soon.
  WakeUps leave() {
    if (owner_ != nullptr || background_ == Background::AtDoorbell) return {};
    if (Sleeper* next = line_.pop_front()) return wake(*next);
    return background_ == Background::Parked ? wake_background() : WakeUps{};
  }

  // --- wake-ups ------------------------------------------------------------------------------
  WakeUps signal(Sleeper& sleeper) {
    if (owner_ == &sleeper) return wake_owner();
    if (!sleeper.linked()) return {}; // on its way already
    sleeper.unlink();
    return wake(sleeper);
  }
  // Some thread has to look. A thread that is awake or backs off does so by itself.
  WakeUps wake_any() { return owner_ != nullptr ? wake_owner() : wake_background(); }

  // --- the background thread -------------------------------------------------------------------
  void background_started() {
    DATUM_ASSERT(background_ == Background::Absent);
    background_ = Background::Awake;
  }
  void background_gone() {
    DATUM_ASSERT(background_ == Background::Awake);
    background_ = Background::Absent;
  }
  void back_off() {
    DATUM_ASSERT(background_ == Background::Awake);
    background_ = Background::BackingOff;
  }
  void take_doorbell() {
    DATUM_ASSERT(owner_ == nullptr && background_ == Background::Awake);
    background_ = Background::AtDoorbell;
  }
  void park() {
    DATUM_ASSERT(owner_ != nullptr && background_ == Background::Awake);
    background_ = Background::Parked;
  }
  // The caller holds the lock again. True: it was woken, and takes the wake-up back.
  bool background_woke() {
    DATUM_ASSERT(background_ != Background::Absent);
    background_ = Background::Awake;
    return std::exchange(background_woken_, false);
  }
  // A backoff ends at once, too: the adapter closes.
  WakeUps wake_for_stop() {
    if (background_ != Background::BackingOff) return wake_background();
    background_ = Background::Awake;
    background_woken_ = true;
    return {.background = true};
  }

 private:
  WakeUps wake_owner() { return {.owner = !std::exchange(owner_woken_, true)}; }
  WakeUps wake_background() {
    if (background_ != Background::AtDoorbell && background_ != Background::Parked) return {};
    background_ = Background::Awake;
    background_woken_ = true;
    return {.background = true};
  }
  static WakeUps wake(Sleeper& sleeper) {
    sleeper.word.store(1, std::memory_order_relaxed); // the lock orders what it was woken for
    return {.sleeper = &sleeper};
  }

  Sleeper* owner_ = nullptr;
  IntrusiveList<Sleeper, SleeperTag> line_;
  Background background_ = Background::Absent;
  bool polling_ = false;
  bool owner_woken_ = false;
  bool background_woken_ = false;
};

} // namespace datum

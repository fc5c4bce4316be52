// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// progress/doorbell.h: the state machine that decides which thread makes progress.
// Lives here: which thread owns the doorbell (sleeps where the transport's descriptors wake it),
//             which other threads sleep, whether peers are told that a thread polls, and when to
//             wake which threads.
// Not here:   sleeping, waking, clocks, the transport (engine.h, places.h).
// Threads:    the adapter's lock. Nothing here is atomic except the word that a sleeper sleeps on.
//
// Whenever the lock is free, one of the following is true, so that no work stays undone:
//   a waiter owns the doorbell; or
//   the background thread owns the doorbell, is awake, or backs off for a bounded time; or
//   a waiter has been woken and has not yet taken its turn, or takes turns before it sleeps again.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "base/assertion.h"
#include "base/intrusive_list.h"

namespace datum {

struct SleeperTag;

// A thread inside wait(). The object lives on the stack of that thread.
struct Sleeper : ListHook<SleeperTag> {
  std::atomic<std::uint32_t> word{0}; // 1: woken. Sleepers beside the doorbell sleep on it
};

// Which threads the caller has to wake before it gives up the lock.
struct WakeUps {
  bool owner = false; // the waiter that owns the doorbell
  bool background = false;
  Sleeper* sleeper = nullptr; // a sleeper whose word has been set
};

class Doorbell {
 public:
  enum class Background : std::uint8_t {
    Absent, // not started, or stopped
    Awake,  // runs, or has been woken and is about to
    // Sleeps for a bounded time, and watches the polls of other threads. A doorbell may end the
    // sleep, too.
    BackingOff,
    AtDoorbell, // owns the doorbell
    Parked,     // a waiter owns the doorbell, so this thread has nothing to do
  };

  // True: peers have been told that a thread polls all the time.
  bool polling() const { return polling_; }
  bool waiter_owns() const { return owner_ != nullptr; }
  Background background() const { return background_; }

  // --- attention -------------------------------------------------------------------------------
  // True: polling may start. It needs a background thread that notices the end of polling.
  bool can_start_polling() const { return !polling_ && background_ != Background::Absent; }
  WakeUps start_polling() {
    DATUM_ASSERT(can_start_polling());
    polling_ = true;
    return wake_background();
  }
  // As start_polling(), by a waiter between two sleeps or by the background thread. It stops polling
  // itself, so a parked background thread stays parked. leave() wakes it.
  WakeUps start_lingering() {
    if (background_ != Background::Parked) return start_polling();
    DATUM_ASSERT(can_start_polling() && owner_ == nullptr); // or leave() would wake no thread
    polling_ = true;
    return {};
  }
  // The caller is about to sleep, has lingered, or is about to take or leave the doorbell.
  void stop_polling() { polling_ = false; }

  // --- a waiter: awake, asleep at the doorbell or beside it, awake again ------------------------
  // Makes the waiter the owner of the doorbell. If the background thread owns it, that thread is
  // woken.
  WakeUps claim(Sleeper& me) {
    DATUM_ASSERT(owner_ == nullptr && !me.linked());
    owner_ = &me;
    owner_woken_ = false;
    return background_ == Background::AtDoorbell ? wake_background() : WakeUps{};
  }
  // Puts the waiter at the end of the line, since another waiter owns the doorbell.
  void line_up(Sleeper& me) {
    DATUM_ASSERT(owner_ != nullptr && owner_ != &me);
    me.word.store(0, std::memory_order_relaxed);
    line_.push_back(me);
  }
  // The waiter is awake and holds the lock again. True: the owner has been sent a wake-up, which
  // the caller has to take back.
  bool woke(Sleeper& me) {
    me.unlink();
    if (owner_ != &me) return false;
    owner_ = nullptr;
    return std::exchange(owner_woken_, false);
  }
  // The waiter returns from wait(). The next waiter in the line gets the doorbell. If there is
  // none, the background thread gets it, but only after a backoff, since this thread may soon wait
  // again.
  WakeUps leave() {
    if (owner_ != nullptr || background_ == Background::AtDoorbell) return {};
    if (Sleeper* next = line_.pop_front()) return wake(*next);
    return background_ == Background::Parked ? wake_background() : WakeUps{};
  }

  // --- wake-ups ------------------------------------------------------------------------------
  WakeUps signal(Sleeper& sleeper) {
    if (owner_ == &sleeper) return wake_owner();
    if (!sleeper.linked()) return {}; // has been woken already
    sleeper.unlink();
    return wake(sleeper);
  }
  // Wakes a thread to take a turn. A background thread that is awake or backs off needs no wake-up.
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
  // The background thread is awake and holds the lock again. True: it has been sent a wake-up,
  // which the caller has to take back.
  bool background_woke() {
    DATUM_ASSERT(background_ != Background::Absent);
    background_ = Background::Awake;
    return std::exchange(background_woken_, false);
  }
  // Called when the adapter closes. Ends even a backoff at once.
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
    sleeper.word.store(1, std::memory_order_relaxed); // relaxed, since the lock orders the data
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

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// progress/bell.h: which thread listens for the outside world: the state machine that hands
// progress over.
// Lives here: which thread owns the bell (sleeps where the transport's descriptors wake it), which
//             other threads sleep, whether peers are told that a thread polls, and which threads to
//             wake when.
// Not here:   sleeping, waking, clocks, the transport (engine.h, places.h).
// Threads:    the adapter's lock. Nothing here is atomic except the word that a sleeper sleeps on.
//
// Whenever the lock is free, one of these holds, so that no work is left alone:
//   a waiter owns the bell; or the background thread owns it, is awake, or takes a nap of
//   bounded length; or a waiter has been woken and has not yet looked.
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
  std::atomic<std::uint32_t> word{0}; // 1: woken; for one that sleeps beside the bell
};

// The threads that the caller has to wake, now, while it holds the lock.
struct Pokes {
  bool owner = false; // the waiter that owns the bell
  bool background = false;
  Sleeper* sleeper = nullptr; // sleeps on its word, which has been set
};

class Bell {
 public:
  enum class Background : std::uint8_t {
    Absent,  // not started, or stopped
    Awake,   // runs, or has been poked and is about to
    Napping, // sleeps for a bounded time, perhaps with an ear at the bell; counts polls
    AtBell,  // owns the bell
    Parked,  // a waiter owns the bell: nothing to do
  };

  // Peers have been told that a thread polls all the time.
  bool polling() const { return polling_; }
  bool waiter_owns() const { return owner_ != nullptr; }
  Background background() const { return background_; }

  // --- attention -------------------------------------------------------------------------------
  // Only with a background thread, which notices the end of polling.
  bool can_start_polling() const { return !polling_ && background_ != Background::Absent; }
  Pokes start_polling() {
    DATUM_ASSERT(can_start_polling());
    polling_ = true;
    return rouse_background();
  }
  // The caller is about to sleep, or to look after the bell.
  void stop_polling() { polling_ = false; }

  // --- a waiter: awake, then asleep at the bell or beside it, then awake again -------------------
  // Takes the bell, from the background thread if need be.
  Pokes claim(Sleeper& me) {
    DATUM_ASSERT(owner_ == nullptr && !me.linked());
    owner_ = &me;
    owner_poked_ = false;
    return background_ == Background::AtBell ? rouse_background() : Pokes{};
  }
  // Another waiter owns the bell.
  void line_up(Sleeper& me) {
    DATUM_ASSERT(owner_ != nullptr && owner_ != &me);
    me.word.store(0, std::memory_order_relaxed);
    line_.push_back(me);
  }
  // The caller holds the lock again. True: a poke was sent to the bell, and the caller takes it
  // back.
  bool woke(Sleeper& me) {
    me.unlink();
    if (owner_ != &me) return false;
    owner_ = nullptr;
    return std::exchange(owner_poked_, false);
  }
  // Leaves wait() for good. The next waiter gets the bell. The background thread gets it only after
  // a nap, since this thread may want it back soon.
  Pokes leave() {
    if (owner_ != nullptr || background_ == Background::AtBell) return {};
    if (Sleeper* next = line_.pop_front()) return wake(*next);
    return background_ == Background::Parked ? rouse_background() : Pokes{};
  }

  // --- wake-ups ------------------------------------------------------------------------------
  Pokes signal(Sleeper& sleeper) {
    if (owner_ == &sleeper) return poke_owner();
    if (!sleeper.linked()) return {}; // on its way already
    sleeper.unlink();
    return wake(sleeper);
  }
  // Some thread has to look. A thread that is awake or naps does so by itself.
  Pokes kick() { return owner_ != nullptr ? poke_owner() : rouse_background(); }

  // --- the background thread -------------------------------------------------------------------
  void background_started() {
    DATUM_ASSERT(background_ == Background::Absent);
    background_ = Background::Awake;
  }
  void background_gone() {
    DATUM_ASSERT(background_ == Background::Awake);
    background_ = Background::Absent;
  }
  void nap() {
    DATUM_ASSERT(background_ == Background::Awake);
    background_ = Background::Napping;
  }
  void take_bell() {
    DATUM_ASSERT(owner_ == nullptr && background_ == Background::Awake);
    background_ = Background::AtBell;
  }
  void park() {
    DATUM_ASSERT(owner_ != nullptr && background_ == Background::Awake);
    background_ = Background::Parked;
  }
  // The caller holds the lock again. True: it was poked, and takes the poke back.
  bool background_woke() {
    DATUM_ASSERT(background_ != Background::Absent);
    background_ = Background::Awake;
    return std::exchange(background_poked_, false);
  }
  // A nap ends at once, too: the adapter closes.
  Pokes rouse_for_stop() {
    if (background_ != Background::Napping) return rouse_background();
    background_ = Background::Awake;
    background_poked_ = true;
    return {.background = true};
  }

 private:
  Pokes poke_owner() { return {.owner = !std::exchange(owner_poked_, true)}; }
  Pokes rouse_background() {
    if (background_ != Background::AtBell && background_ != Background::Parked) return {};
    background_ = Background::Awake;
    background_poked_ = true;
    return {.background = true};
  }
  static Pokes wake(Sleeper& sleeper) {
    sleeper.word.store(1, std::memory_order_relaxed); // the lock orders what it was woken for
    return {.sleeper = &sleeper};
  }

  Sleeper* owner_ = nullptr;
  IntrusiveList<Sleeper, SleeperTag> line_;
  Background background_ = Background::Absent;
  bool polling_ = false;
  bool owner_poked_ = false;
  bool background_poked_ = false;
};

} // namespace datum

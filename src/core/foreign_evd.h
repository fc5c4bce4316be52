// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/foreign_evd.h: the way from an EP to a connect EVD that belongs to another open IA.
// Lives here: what the EP has told and the EVD has not got yet; who keeps the EVD from being freed.
// Not here:   taking the lock of the other IA (the facade does, once that of the EP's IA is free).
// Threads:    the lock of one of the two IAs, as each call says; its own is taken last.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/mutex.h"
#include "core/event.h"

namespace datum {

class EventDispatcher;

class ForeignEvd {
 public:
  // Holds the EVD for its maker; the lock of the EVD's IA is held. `key`: tells the EVD from one
  // that gets the same handle later.
  ForeignEvd(EventDispatcher& evd, std::uint64_t key);

  Token token() const { return token_; }
  std::uint64_t key() const { return key_; }
  // Its IA was closed, so that nobody can hear of anything any more.
  bool gone() const { return !alive_->load(std::memory_order_relaxed); }

  // Those for whom the EVD is held: its maker, then the EP. True: that was the last one, and the
  // next delivery lets go of the EVD.
  void hold();
  bool release();

  // --- by the EP, with the lock of its IA ---
  // False: lost, for which the EVD is told to have overflowed.
  bool push(const Event& event);
  // The memory that the EP's events point to is about to go; nothing is told after this.
  void forget_data(Token object, const void* data);
  // Whether it is among those that are to be delivered to: in a list of the EP's IA.
  bool awaits_delivery = false;

  // --- by whoever delivers, with the lock of the EVD's IA ---
  // The result: an EP whose connection was established, which was lost since the EVD is full.
  Token deliver(EventDispatcher& evd);

 private:
  // Each call that has something to tell delivers it before it returns, and an EP has two events
  // for each connection: more wait here only while several threads are held up in between.
  static constexpr std::size_t kMost = 8;
  struct Told {
    std::array<Event, kMost> events;
    std::size_t count = 0;
    bool lost = false;               // there were more
    const void* forgotten = nullptr; // the data of this EP
    Token object = nullptr;
    bool let_go = false;
  };

  const Token token_;
  const std::uint64_t key_;
  const std::shared_ptr<const std::atomic<bool>> alive_;
  Mutex mutex_;
  Told told_ DATUM_GUARDED_BY(mutex_);
  int holders_ DATUM_GUARDED_BY(mutex_) = 1;
};

} // namespace datum

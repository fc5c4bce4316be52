// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/events/foreign_evd.h: the way from the EPs of an IA to a connect EVD of another open IA.
// Lives here: what the EPs have told and the EVD has not got yet, in the order in which they told
//             it; who keeps the EVD from being freed.
// Not here:   taking the lock of the other IA (the facade does, once that of the EPs' IA is free).
// Threads:    the lock of one of the two IAs, as each call says; its own is taken last.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "core/events/event.h"

namespace datum {

class EventDispatcher;

class ForeignEvd {
 public:
  // Holds the EVD for its maker; the lock of the EVD's IA is held. `key`: tells the EVD from one
  // that gets the same handle later.
  ForeignEvd(EventDispatcher& evd, std::uint64_t key);

  Token token() const { return token_; }
  bool leads_to_same(const ForeignEvd& other) const {
    return token_ == other.token_ && key_ == other.key_;
  }
  std::uint64_t key() const { return key_; }
  // Its IA was closed, so that nobody can hear of anything any more.
  bool gone() const { return !alive_->load(std::memory_order_relaxed); }

  // The EVD is held for its maker and for EPs. True: no longer, so that the next delivery lets go
  // of it.
  bool release_by_maker();

  // --- by EPs, with the lock of their IA ---
  // For what one more tells.
  void make_room();
  // Precondition: there is room.
  void join();
  // True: no EP feeds it any more.
  bool leave();
  // `connection`: of the EP, which may have another one when this turns out to be lost. False:
  // lost, for which the EVD is told to have overflowed.
  bool push(const Event& event, std::uint32_t connection);
  // The memory that the EP's events point to is about to go; nothing about it is told after this.
  void forget_data(Token object, const void* data);
  // Whether it is among those that are to be delivered to: in a list of the EPs' IA.
  bool awaits_delivery = false;

  // --- by whoever delivers, with the lock of the EVD's IA ---
  struct Unheard {
    Token endpoint = nullptr;
    std::uint32_t connection = 0;
  };
  // Up to an EP whose connection was established, which was lost since the EVD is full: the rest
  // is to be delivered once that is ended.
  Unheard deliver(EventDispatcher& evd);

 private:
  // For each EP, at least. Each call that has something to tell delivers it before it returns, and
  // an EP has two events for each connection: more wait only while several threads are held up.
  static constexpr std::size_t kPlacesEach = 8;
  struct Told {
    Event event;
    std::uint32_t connection = 0;
    bool forget = false; // not an event: those before it point to memory that goes
  };
  Told& told(std::size_t index) DATUM_REQUIRES(mutex_) {
    return ring_[(first_ + index) % ring_.size()];
  }
  void let_go_if_unheld() DATUM_REQUIRES(mutex_);
  bool take(Told& next);

  const Token token_;
  const std::uint64_t key_;
  const std::shared_ptr<const std::atomic<bool>> alive_;
  Mutex mutex_;
  std::vector<Told> ring_ DATUM_GUARDED_BY(mutex_);
  std::size_t first_ DATUM_GUARDED_BY(mutex_) = 0;
  std::size_t count_ DATUM_GUARDED_BY(mutex_) = 0;
  std::size_t feeders_ DATUM_GUARDED_BY(mutex_) = 0;
  bool made_ DATUM_GUARDED_BY(mutex_) = true;  // and held by its maker
  bool lost_ DATUM_GUARDED_BY(mutex_) = false; // there were more
  bool let_go_ DATUM_GUARDED_BY(mutex_) = false;
};

} // namespace datum

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/events/foreign_evd.h: the way from the EPs of an IA to a connect EVD of another open IA.
// Lives here: the events that the EPs have reported and the EVD has not received yet, in the order
//             of the reports; the count that keeps the EVD from being freed.
// Not here:   taking the lock of the other IA (the facade does, once that of the EPs' IA is free).
// Threads:    the lock of one of the two IAs, as each call says; mutex_ is taken last.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/assertion.h"
#include "base/mutex.h"
#include "core/events/event.h"

namespace datum {

class EventDispatcher;

class ForeignEvd {
 public:
  // Holds the EVD on behalf of the caller, until release_by_maker(). The caller holds the lock of
  // the EVD's IA. `key` distinguishes the EVD from a later EVD with the same handle.
  ForeignEvd(EventDispatcher& evd, std::uint64_t key);

  Token token() const { return token_; }
  bool leads_to_same(const ForeignEvd& other) const {
    return token_ == other.token_ && key_ == other.key_;
  }
  std::uint64_t key() const { return key_; }
  // True: the EVD's IA was closed. No consumer can get the events.
  bool gone() const { return !alive_->load(std::memory_order_relaxed); }

  // The maker no longer holds the EVD. True: no EP feeds the EVD either, so the next delivery
  // releases the EVD.
  bool release_by_maker();

  // --- by EPs, with the lock of their IA ---
  // Makes room for the events of one more EP.
  void make_room();
  // After make_room().
  void join();
  // True: no EP feeds the EVD any more.
  bool leave();
  // `connection`: the number that the EP gives the connection. By the time the event turns out to
  // be lost, the EP may have another connection. False: the event is lost, and the EVD will report
  // an overflow.
  bool push(const Event& event, std::uint32_t connection);
  // The private data that events of `object` point to are about to be freed. Later deliveries do
  // not point to them.
  void forget_data(Token object, const void* data);
  // True: this object is in the list of deliveries of the EPs' IA.
  bool awaits_delivery = false;

  // --- by the thread that delivers, with the lock of the EVD's IA ---
  struct Unreported {
    Token endpoint = nullptr;
    std::uint32_t connection = 0;
  };
  // Delivers the events. If the EVD has no room for the event that an EP is connected, returns that
  // EP. The caller ends the connection and calls again for the rest. A null endpoint: all is
  // delivered.
  Unreported deliver(EventDispatcher& evd);

 private:
  // The ring has at least this many places for each EP. An EP has two events for each connection,
  // and every call delivers its events before it returns. So more events wait only while several
  // threads are delayed.
  static constexpr std::size_t kPlacesEach = 8;
  struct Told {
    Event event;
    std::uint32_t connection = 0;
    bool forget = false; // not an event: earlier events lose their pointer to event.data
  };
  Told& told(std::size_t index) DATUM_REQUIRES(mutex_) {
    DATUM_ASSERT(index < ring_.size());
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
  bool made_ DATUM_GUARDED_BY(mutex_) = true;  // its maker holds the EVD
  bool lost_ DATUM_GUARDED_BY(mutex_) = false; // more events came than there are places
  bool let_go_ DATUM_GUARDED_BY(mutex_) = false;
};

} // namespace datum

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/events/async_events.h: the asynchronous events of an open IA.
// Lives here: the EVD of this IA for asynchronous events, the events that wait for the EVDs of
//             other openers of the same IA, and the room that is kept for errors.
// Not here:   taking the locks of other openers (the facade does, once its own lock is free).
// Threads:    the adapter's lock.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/events/event.h"
#include "core/events/event_dispatcher.h"
#include "core/object/adapter_context.h"
#include "core/object/ref.h"

namespace datum {

class AsyncEvents {
 public:
  // An event for the EVD of another opener. Only the facade may take the lock of that opener.
  struct ForOpeners {
    Event event;
    Token evd = nullptr;
  };

  explicit AsyncEvents(AdapterContext& adapter) : adapter_(adapter) {}

  AdapterContext& adapter() const { return adapter_; }
  // The adapter's own EVD, made by dat_ia_open; may be null.
  EventDispatcher* evd() const { return evd_.get(); }
  // `for_errors`: how many places of the EVD are reserved for errors.
  void set_evd(EventDispatcher* evd, std::int32_t for_errors);
  void drop_evd() { set_evd(nullptr, 0); }
  void tell_openers_of(Token adapter) { openers_of_ = adapter; }

  void report(const Event& event);
  // The connection of an EP has ended, and the EP takes nothing more from its SRQ.
  void report_srq_left(Token endpoint);
  // Puts an event of report_srq_left() into `evd`, if that leaves room for errors. The EP of the
  // event may belong to another IA.
  void push_srq_left(EventDispatcher& evd, const Event& event);
  std::vector<ForOpeners> take_for_openers() { return std::exchange(for_openers_, {}); }

 private:
  void tell_openers(const Event& event);

  AdapterContext& adapter_;
  Ref<EventDispatcher> evd_;
  std::int32_t for_errors_ = 0;
  // The IA whose other openers get the events; nullptr: no facade can deliver them.
  Token openers_of_ = nullptr;
  std::vector<ForOpeners> for_openers_;
};

} // namespace datum

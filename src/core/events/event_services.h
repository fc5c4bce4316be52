// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/events/event_services.h: what the EVDs and CNOs of an open IA share with the objects that
// feed them.
// Threads:    the adapter's lock.
#pragma once

#include "core/events/async_events.h"
#include "core/events/foreign_evds.h"
#include "core/events/notification_object.h"
#include "core/object/adapter_context.h"

namespace datum {

// Finds the EPs that feed an EVD with completions.
class CompletionSources {
 public:
  // The EVD has lost completions. Breaks each EP that may have lost a completion (decision 16).
  virtual void break_sources_of(EventDispatcher& evd) = 0;

 protected:
  ~CompletionSources() = default;
};

struct EventServices {
  EventServices(AdapterContext& context, CompletionSources& completion_sources)
      : adapter(context), sources(completion_sources) {}

  AdapterContext& adapter;
  CompletionSources& sources;
  AsyncEvents async{adapter};
  ForeignEvds foreign{adapter};
  AgentCalls agents{adapter};
};

} // namespace datum

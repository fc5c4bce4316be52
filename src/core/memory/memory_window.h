// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/memory/memory_window.h: an RMR: a part of a region that is opened to peers by a bind.
#pragma once

#include "core/memory/memory_region.h"
#include "core/object/object.h"

namespace datum {

class MemoryWindow final : public Object {
 public:
  // The EPs through which peers may use the window: any EP of its zone, or only the EP of its bind
  // (DAT 2.0).
  enum class Scope : std::uint8_t { Zone, Endpoint };
  MemoryWindow(AdapterContext& adapter, ProtectionZone& zone, Scope scope);
  ~MemoryWindow() override;

  struct Binding {
    Stag stag = 0; // the context by which peers name the window
    LocalTriplet range;
    Access access = 0;
    bool zero_based = false;
    Ref<MemoryRegion> region;
  };

  ProtectionZone& zone() const { return *zone_; }
  bool for_endpoint() const { return scope_ == Scope::Endpoint; }
  bool bound() const { return binding_.stag != 0; }
  const Binding& binding() const { return binding_; }
  // A bind has completed: the old context becomes invalid, and the new context valid. An empty
  // binding unbinds.
  void take(Binding binding);

 private:
  Ref<ProtectionZone> zone_;
  Scope scope_;
  Binding binding_;
};

} // namespace datum

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "core/memory/memory_window.h"

#include "core/adapter/interface_adapter.h"

namespace datum {

MemoryWindow::MemoryWindow(InterfaceAdapter& adapter, ProtectionZone& zone, Scope scope)
    : Object(adapter, ObjectKind::MemoryWindow), zone_(&zone), scope_(scope) {}

MemoryWindow::~MemoryWindow() {
  // Binds that are still posted complete as if unbound (dat_rmr_free).
  adapter().for_each_endpoint([this](Endpoint& endpoint) { endpoint.forget_window(*this); });
  take({});
}

void MemoryWindow::take(Binding binding) {
  if (bound()) {
    adapter().regions().revoke(binding_.stag);
    adapter().regions().release(binding_.stag);
  }
  binding_ = std::move(binding);
}

} // namespace datum

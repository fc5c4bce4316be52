// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "core/memory/memory_window.h"

#include "base/assertion.h"
#include "core/object/adapter_context.h"

namespace datum {

MemoryWindow::MemoryWindow(AdapterContext& adapter, ProtectionZone& zone, Scope scope)
    : Object(adapter, ObjectKind::MemoryWindow), zone_(&zone), scope_(scope) {}

MemoryWindow::~MemoryWindow() {
  take({});
}

void MemoryWindow::take(Binding binding) {
  DATUM_ASSERT(!binding.region || binding.stag != 0);
  if (bound()) {
    adapter().regions().revoke(binding_.stag);
    adapter().regions().release(binding_.stag);
  }
  binding_ = std::move(binding);
}

} // namespace datum

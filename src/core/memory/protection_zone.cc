// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "core/memory/protection_zone.h"

#include "base/assertion.h"

namespace datum {

ProtectionZone::ProtectionZone(AdapterContext& adapter, std::uint32_t id)
    : Object(adapter, ObjectKind::ProtectionZone), id_(id) {
  DATUM_ASSERT(id != 0);
}

ProtectionZone::~ProtectionZone() {
  DATUM_ASSERT(!in_use());
}

} // namespace datum

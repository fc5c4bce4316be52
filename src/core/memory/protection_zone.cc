// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "core/memory/protection_zone.h"

namespace datum {

ProtectionZone::ProtectionZone(AdapterContext& adapter, std::uint32_t id)
    : Object(adapter, ObjectKind::ProtectionZone), id_(id) {}

} // namespace datum

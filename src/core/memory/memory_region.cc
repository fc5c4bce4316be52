// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "core/memory/memory_region.h"

#include "base/assertion.h"
#include "core/object/adapter_context.h"

namespace datum {

MemoryRegion::MemoryRegion(AdapterContext& adapter, ProtectionZone& zone,
                           const RegionRequest& request, Stag stag, SharedNames::Use name)
    : Object(adapter, ObjectKind::MemoryRegion), request_(request), name_(std::move(name)),
      zone_(&zone), stag_(stag) {}

MemoryRegion::~MemoryRegion() {
  DATUM_ASSERT(!in_use());
  adapter().regions().revoke(stag_);
  adapter().regions().release(stag_);
}

Stag MemoryRegion::remote_stag() const {
  return (request_.access & (kRemoteRead | kRemoteWrite | kRemoteAtomic)) != 0 ? stag_ : 0;
}

} // namespace datum

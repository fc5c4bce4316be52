// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/memory/memory_region.h: an LMR: consumer memory that DTOs and peers may use.
// Not here:   the memory itself. It belongs to the consumer; Datum never frees or unmaps it.
#pragma once

#include <optional>

#include "base/assertion.h"
#include "base/status.h"
#include "core/memory/protection_zone.h"
#include "core/memory/shared_names.h"
#include "core/object/object.h"
#include "core/port/types.h"

namespace datum {

// The values of DAT_MEM_TYPE.
enum class MemoryType : std::uint32_t { Virtual = 0, Region = 1, Shared = 2, StronglyOrdered = 3 };

struct RegionRequest {
  MemoryType type = MemoryType::Virtual;
  std::uint64_t address = 0;
  std::uint64_t length = 0;
  Access access = 0;
  Access implied = 0;      // rights that are granted in addition (DAT 2.0)
  bool zero_based = false; // addresses that the consumer and peers use begin at 0 (DAT 2.0)
  SharedCookie cookie{};   // Shared
  const void* described_by = nullptr; // Region: the token of the LMR that describes it
};

class MemoryRegion final : public Object {
 public:
  MemoryRegion(AdapterContext& adapter, ProtectionZone& zone, const RegionRequest& request,
               Stag stag, SharedNames::Use name);
  ~MemoryRegion() override;

  const RegionRequest& request() const { return request_; }
  Access rights() const { return request_.access | request_.implied; }
  ProtectionZone& zone() const { return *zone_; }
  Stag local_stag() const { return stag_; }
  // 0: no remote right was asked for (dat_lmr_create(3DAT), Description; decision 130).
  Stag remote_stag() const;

  // Bound windows hold their region (dat_lmr_free).
  void hold() { ++windows_; }
  void release() {
    DATUM_ASSERT(windows_ != 0);
    --windows_;
  }
  bool in_use() const { return windows_ != 0; }
  std::uint32_t windows() const { return windows_; }

 private:
  RegionRequest request_;
  SharedNames::Use name_; // Shared
  Ref<ProtectionZone> zone_;
  Stag stag_;
  std::uint32_t windows_ = 0;
};

} // namespace datum

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/memory/protection_zone.h: a PZ: which EPs may touch which memory.
#pragma once

#include "base/assertion.h"
#include "base/status.h"
#include "core/object/object.h"
#include "core/object/ref.h"

namespace datum {

class ProtectionZone final : public Object {
 public:
  ProtectionZone(AdapterContext& adapter, std::uint32_t id);
  ~ProtectionZone() override;
  // Names the zone inside region entries; never 0.
  std::uint32_t id() const { return id_; }
  // EPs, LMRs, RMRs and SRQs hold their zone (dat_pz_free(3DAT), Description; decision 5).
  void hold() { ++users_; }
  void release() {
    DATUM_ASSERT(users_ != 0);
    --users_;
  }
  bool in_use() const { return users_ != 0; }
  std::uint32_t users() const { return users_; }

 private:
  std::uint32_t id_;
  std::uint32_t users_ = 0;
};

} // namespace datum

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/provider_hook.h: what Datum's registry tells Datum's provider, for which DAT has no call.
// The table's `extension` points here. It belongs to the provider, so a registry reads the first
// word with care (it may be no pointer at all) and believes only the mark.
#pragma once

#include <cstdint>

namespace datum {

inline constexpr std::uint64_t kProviderHookMark = 0x314b4f4f48544144; // "DATHOOK1"

struct ProviderHook {
  std::uint64_t mark = kProviderHookMark;
  // The IA was opened with the prefix RO_AWARE_ (dat_ia_open). A provider's own IA handle.
  void (*relaxed_ordering)(void* ia) = nullptr;
};

} // namespace datum

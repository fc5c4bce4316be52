// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/provider_hook.h: what Datum's registry tells Datum's provider, for which DAT has no call.
// The table's `extension` points here. It belongs to the provider, so a registry reads the first
// word with care (it may be no pointer at all) and believes only the mark.
#pragma once

#include <cstdint>

namespace datum {

// Another one whenever the structure changes: registry and provider may be of different builds.
inline constexpr std::uint64_t kProviderHookMark = 0x324b4f4f48544144; // "DATHOOK2"

struct ProviderHook {
  std::uint64_t mark = kProviderHookMark;
  // The IA was opened with the prefix RO_AWARE_ (dat_ia_open). A provider's own IA handle.
  void (*relaxed_ordering)(void* ia) = nullptr;
  // How often the registry has used Leniency::ShortProviderList in this process: at each open, and
  // at each use.
  void (*short_provider_lists)(std::uint64_t uses) = nullptr;
};

} // namespace datum

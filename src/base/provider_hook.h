// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/provider_hook.h: calls from Datum's registry to Datum's provider for which DAT has no
// function.
// The `extension` of the provider's table points here. In the table of another provider,
// `extension` may hold anything, perhaps no pointer at all. So the registry reads the first word
// behind it with care, and trusts only the mark.
#pragma once

#include <cstdint>

namespace datum {

// The mark changes whenever the structure changes: registry and provider may be of different
// builds.
inline constexpr std::uint64_t kProviderHookMark = 0x324b4f4f48544144; // "DATHOOK2"

struct ProviderHook {
  std::uint64_t mark = kProviderHookMark;
  // The IA was opened with the prefix RO_AWARE_ (dat_ia_open). `ia` is the provider's own handle.
  void (*relaxed_ordering)(void* ia) = nullptr;
  // Tells how often the registry has used Leniency::ShortProviderList in this process. The registry
  // calls this at each open of an IA and at each use.
  void (*short_provider_lists)(std::uint64_t uses) = nullptr;
};

} // namespace datum

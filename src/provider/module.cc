// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// provider/module.cc: the names that libdatum1.so and libdatum2.so export.
#include "base/log.h"
#include "facade/provider.h"

namespace {

// No exception may leave an exported function. These functions return nothing, so the error goes to
// the log.
template <class F>
void shielded(const DAT_PROVIDER_INFO* info, F&& call) noexcept {
  if (info == nullptr) return;
  try {
    call();
  } catch (const std::exception& error) {
    datum::log(datum::LogLevel::Warn, "ia \"{}\": {}; free memory and open it again", info->ia_name,
               error.what());
  }
}

} // namespace

extern "C" {

__attribute__((visibility("default"))) void dat_provider_init(const DAT_PROVIDER_INFO* info,
                                                              const char* instance_data) {
  shielded(info, [&] { datum::provider_init(*info, instance_data); });
}

__attribute__((visibility("default"))) void dat_provider_fini(const DAT_PROVIDER_INFO* info) {
  shielded(info, [&] { datum::provider_fini(*info); });
}

#if DATUM_DAT_MAJOR >= 2
// Registries of other makers look for this name, and warn if it is missing.
__attribute__((visibility("default"))) extern const int dapl_extensions;
const int dapl_extensions = 1;
#endif
}

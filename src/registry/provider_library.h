// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// registry/provider_library.h: a provider library in this process.
// Lives here: finding and loading a library; calling its two entry points, one call at a time.
// Not here:   when the entry points are called (static_entry.h).
//
// A library is never unloaded, because handles of its objects still point into it, and a provider
// may leave threads running in it.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <tl/expected.hpp>

#include "registry/api.h"

namespace datum::registry {

// A library named without a slash is searched for in the folder of libdat, in the folder `datum`
// below that one, and in the folder that was set at build time (DATUM_PROVIDER_DIR). If it is in
// none of them, the loader searches for the name.
std::string provider_path(const std::string& name);

struct LoadFailure {
  std::string text; // which library failed to load, and why
  // True: this text was logged before, for this line of dat.conf or for another one. A dat.conf
  // names the same library for many IAs.
  bool told_before = false;
};

class ProviderLibrary {
 public:
  // Loads the library, at most once in this process.
  static tl::expected<ProviderLibrary*, LoadFailure> load(const std::string& name);

  // Providers expect the registry to make one call at a time. The lock is recursive, because a
  // provider may open an IA of its own library from its init.
  void init(const DAT_PROVIDER_INFO& info, const std::string& instance_data);
  void fini(const DAT_PROVIDER_INFO& info);

 private:
  ProviderLibrary(DAT_PROVIDER_INIT_FUNC init_of, DAT_PROVIDER_FINI_FUNC fini_of)
      : init_(init_of), fini_(fini_of) {}

  static tl::expected<std::unique_ptr<ProviderLibrary>, std::string>
  load_file(const std::string& path);

  std::recursive_mutex calls_;
  DAT_PROVIDER_INIT_FUNC init_;
  DAT_PROVIDER_FINI_FUNC fini_;
};

} // namespace datum::registry

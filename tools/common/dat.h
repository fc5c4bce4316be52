// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// common/dat.h: the DAT headers of version 2.0 if DATUM_DAT_MAJOR is 2, else of 1.2, and the names
// of the libraries for that version.
#pragma once

#if defined(DATUM_DAT_MAJOR) && DATUM_DAT_MAJOR == 2
#include <dat2/udat.h>
#else
#include <dat/udat.h>
#endif

namespace datum::tools {

#if defined(DATUM_DAT_MAJOR) && DATUM_DAT_MAJOR == 2
inline constexpr const char* kRegistryLibrary = "libdat2.so.2";
inline constexpr const char* kBuiltInLibrary = "libdatum2.so";
#else
inline constexpr const char* kRegistryLibrary = "libdat.so.1";
inline constexpr const char* kBuiltInLibrary = "libdatum1.so";
#endif

} // namespace datum::tools

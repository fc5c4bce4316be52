// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// registry/version.h: the DAT version that this build of the registry serves. Each source file is
// compiled once for libdat.so.1 and once for libdat2.so.2; DATUM_DAT_MAJOR tells the version.
// Lives here: the headers, and the values that differ between the two versions.
// Not here:   calls that only one version has (v1/, v2/).
#pragma once

#pragma GCC visibility push(default)
#if DATUM_DAT_MAJOR == 1
#include <dat/dat_registry.h>
#include <dat/udat.h>
#elif DATUM_DAT_MAJOR == 2
#include <dat2/dat_ib_extensions.h>
#include <dat2/dat_registry.h>
#else
#error "compile with DATUM_DAT_MAJOR=1 or =2"
#endif
#pragma GCC visibility pop

static_assert(DAT_VERSION_MAJOR == DATUM_DAT_MAJOR);

namespace datum::registry {

#if DATUM_DAT_MAJOR == 1
// Datum's own provider.
inline constexpr const char* kBuiltInLibrary = "libdatum1.so";
// The registries of the two versions, which export the same names.
inline constexpr const char* kThisRegistry = "libdat.so.1";
inline constexpr const char* kOtherRegistry = "libdat2.so.2";
inline constexpr const char* kThisLinkOption = "-ldat";
inline constexpr const char* kOtherLinkOption = "-ldat2";
inline constexpr DAT_UINT32 kOtherMajor = 2;
// What a call returns if the provider's table lacks it. In DAT 1.2 the constant (0xffff0000)
// contains the class bits already, and programs compare the whole return value with it. In DAT 2.0
// the class bits have to be added.
inline constexpr DAT_RETURN kNotImplemented = DAT_NOT_IMPLEMENTED;
#else
inline constexpr const char* kBuiltInLibrary = "libdatum2.so";
inline constexpr const char* kThisRegistry = "libdat2.so.2";
inline constexpr const char* kOtherRegistry = "libdat.so.1";
inline constexpr const char* kThisLinkOption = "-ldat2";
inline constexpr const char* kOtherLinkOption = "-ldat";
inline constexpr DAT_UINT32 kOtherMajor = 1;
inline constexpr DAT_RETURN kNotImplemented = DAT_CLASS_ERROR | DAT_NOT_IMPLEMENTED;
#endif

} // namespace datum::registry

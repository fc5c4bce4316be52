// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// registry/api.h: the DAT headers, included so that the functions of this library are visible to
// other libraries. Everything else in this library is compiled hidden. In the end libdat.map and
// libdat2.map decide what is exported.
#pragma once

#include "registry/version.h"

#pragma GCC visibility push(default)

// Translates the IA handle of a consumer to the provider's object, and the object to the handle.
// Providers need this function for the ia_handle members that their query functions fill, but no
// public header declares it.
extern "C" DAT_RETURN dats_get_ia_handle(DAT_IA_HANDLE handle, DAT_IA_HANDLE* other);
// Called by Datum's other libraries in this process (base/ignored_values.h).
extern "C" int datum_ignored_value_is_news(const char* variable, const char* value);
#pragma GCC visibility pop

namespace datum::registry {

inline DAT_RETURN failure(DAT_RETURN_TYPE type, DAT_RETURN_SUBTYPE subtype) {
  return DAT_CLASS_ERROR | static_cast<DAT_RETURN>(type) | static_cast<DAT_RETURN>(subtype);
}
inline DAT_RETURN invalid_handle(DAT_RETURN_SUBTYPE kind) {
  return failure(DAT_INVALID_HANDLE, kind);
}
inline DAT_RETURN invalid_argument(DAT_RETURN_SUBTYPE position) {
  return failure(DAT_INVALID_PARAMETER, position);
}

} // namespace datum::registry

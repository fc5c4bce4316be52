// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// registry/api.h: the DAT headers, with the functions of this library made visible to others.
// Everything else in the library is compiled hidden; libdat.map and libdat2.map have the last word.
#pragma once

#include "registry/version.h"

#pragma GCC visibility push(default)

// Translates between the IA handle of a consumer and the provider's object, either way. Providers
// need it for the ia_handle members that their query functions fill; no public header declares it.
extern "C" DAT_RETURN dats_get_ia_handle(DAT_IA_HANDLE handle, DAT_IA_HANDLE* other);
// Datum's other libraries in this process call it (base/ignored_values.h).
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

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/version.h: the DAT version of this build of the facade. Each source file is compiled once
// for libdatum1.so and once for libdatum2.so; DATUM_DAT_MAJOR tells the version.
#pragma once

#if DATUM_DAT_MAJOR == 1
#include "facade/v1/traits.h"
#elif DATUM_DAT_MAJOR == 2
#include "facade/v2/traits.h"
#else
#error "compile with DATUM_DAT_MAJOR=1 or =2"
#endif

namespace datum {

#if DATUM_DAT_MAJOR == 1
using Version = V1;
#else
using Version = V2;
#endif

} // namespace datum

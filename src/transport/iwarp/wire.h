// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/wire.h: octets of the stream, and the classes that read and write them.
#pragma once

#include <cstddef>
#include <span>

#include "base/wire.h"

namespace datum::iwarp {

using Octets = std::span<const std::byte>;
using datum::round_trips;
using datum::WireReader;
using datum::WireWriter;

} // namespace datum::iwarp

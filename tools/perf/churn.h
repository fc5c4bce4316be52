// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// perf/churn.h: connecting and disconnecting as fast as possible.
#pragma once

#include <cstdint>

#include "common/address.h"
#include "perf/control.h"
#include "perf/requests.h"

namespace datum::perf {

struct ChurnTarget {
  tools::Address address;
  DAT_CONN_QUAL port = 0;
  std::uint32_t at_once = 1; // connections in flight
};

// Each connection is established on both sides and closed, and both sides see its end. Returns the
// nanoseconds for all connections together.
double connect_churn(const tools::Interface& ia, const ChurnTarget& target, std::uint64_t count);

// The passive side, until the client says "stop".
void accept_churn(const tools::Interface& ia, Requests& requests, Control& control);

} // namespace datum::perf

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/datagrams/datagram_mark.h: the mark before the private data of a request between endpoints
// of datagrams, and of its answer (docs/design/ud.md). Octets on the wire, big-endian.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/port/types.h"

namespace datum {

struct DatagramMark {
  static constexpr std::size_t kWireSize = kPrivateDataMark;
  std::uint32_t number = 0; // the number of the sender's endpoint
  bool operator==(const DatagramMark&) const = default;
};

// Returns the mark, followed by the consumer's private data.
std::vector<std::byte> marked(const DatagramMark& mark, PrivateData data);
// False: there is no mark, and the request is for a connection.
bool decode(PrivateData data, DatagramMark& mark);

} // namespace datum

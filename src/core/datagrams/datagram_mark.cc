// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "core/datagrams/datagram_mark.h"

#include <algorithm>
#include <array>

#include "base/wire.h"

namespace datum {
namespace {

// Octets that no consumer sends by chance, then the version of the format, then reserved octets.
constexpr std::array<std::uint8_t, 12> kHead = {0xd7, 0x44, 0x61, 0x74, 0x75, 0x6d,
                                                0x55, 0x44, 1,    0,    0,    0};
static_assert(kHead.size() + sizeof(std::uint32_t) == DatagramMark::kWireSize);

} // namespace

std::vector<std::byte> marked(const DatagramMark& mark, PrivateData data) {
  std::vector<std::byte> whole;
  whole.reserve(DatagramMark::kWireSize + data.size());
  for (const std::uint8_t each : kHead) whole.push_back(std::byte{each});
  for (const std::byte each : octets_of(mark.number)) whole.push_back(each);
  whole.insert(whole.end(), data.begin(), data.end());
  return whole;
}

bool decode(PrivateData data, DatagramMark& mark) {
  if (data.size() < DatagramMark::kWireSize ||
      !std::equal(kHead.begin(), kHead.end(), data.begin(),
                  [](std::uint8_t mine, std::byte theirs) { return std::byte{mine} == theirs; }))
    return false;
  return WireReader(data.subspan(kHead.size())).u32(mark.number);
}

} // namespace datum

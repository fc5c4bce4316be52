// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/tcp/qualifier.h"

#include <algorithm>

#include "base/random.h"

namespace datum {
namespace {

template <class T>
std::byte* put(std::byte* to, T value) {
  for (std::size_t i = sizeof value; i-- != 0;) *to++ = static_cast<std::byte>(value >> (8 * i));
  return to;
}

} // namespace

Candidates candidate_ports(ConnQual qualifier, PortRange range) {
  // Programs often choose consecutive qualifiers (process ids, ranks). Random ports keep these from
  // competing for the same ones.
  SeededRandom mixed(qualifier);
  const std::uint32_t count = std::uint32_t{range.high} - range.low + 1;
  Candidates ports{};
  for (std::uint16_t& port : ports)
    port = static_cast<std::uint16_t>(range.low + mixed.next() % count);
  return ports;
}

void encode_prefix(ConnQual qualifier, std::byte* to) {
  to = put(to, QualifierPrefix::kMagic);
  to = put(to, QualifierPrefix::kVersion);
  to = std::fill_n(to, 3, std::byte{0});
  put(to, qualifier);
}

bool has_prefix(std::span<const std::byte> data) {
  std::array<std::byte, QualifierPrefix::kWireSize> like{};
  encode_prefix(0, like.data());
  const auto named = like.end() - sizeof(ConnQual);
  return data.size() >= like.size() && std::equal(like.begin(), named, data.begin());
}

bool has_prefix(std::span<const std::byte> data, ConnQual qualifier) {
  std::array<std::byte, QualifierPrefix::kWireSize> expected{};
  encode_prefix(qualifier, expected.data());
  return data.size() >= expected.size() &&
         std::equal(expected.begin(), expected.end(), data.begin());
}

} // namespace datum

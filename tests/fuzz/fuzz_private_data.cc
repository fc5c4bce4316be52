// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/fuzz/fuzz_private_data.cc: any octets as the private data of a request or a reject. The
// provider searches them for two things: the qualifier at the beginning of a request
// (docs/design/tcp.md), and the word of a refusal (docs/design/iwarp.md). It must read nothing
// beyond the octets and accept only what it would have written itself.
#include <algorithm>
#include <array>

#include "input.h"
#include "transport/iwarp/own_peer.h"
#include "transport/tcp/qualifier.h"

using namespace datum;
using datum::fuzz::Input;
using datum::fuzz::require;
using iwarp::Octets;

namespace {

using Prefix = std::array<std::byte, QualifierPrefix::kWireSize>;

Prefix prefix_of(ConnQual qualifier) {
  Prefix octets{};
  encode_prefix(qualifier, octets.data());
  return octets;
}

void try_written_prefix(ConnQual qualifier) {
  const Prefix octets = prefix_of(qualifier);
  require(has_prefix(octets) && has_prefix(octets, qualifier), "what we write is a prefix");
  require(!has_prefix(octets, ~qualifier), "and for no other qualifier");
  const Octets shorter = Octets(octets).first(octets.size() - 1);
  require(!has_prefix(shorter) && !has_prefix(shorter, qualifier), "all of it, or none");
  for (const std::uint16_t port : candidate_ports(qualifier, kMappedPorts))
    require(port >= kMappedPorts.low && port <= kMappedPorts.high, "ports are of the range");
}

void try_prefix(Octets octets) {
  const bool has = has_prefix(octets);
  const Octets looked_at = octets.first(std::min(octets.size(), Prefix{}.size()));
  require(has_prefix(looked_at) == has, "what stands behind it is the consumer's");
  ConnQual named = 0;
  for (std::size_t i = 8; i < looked_at.size(); ++i)
    named = named << 8U | static_cast<ConnQual>(looked_at[i]);
  require(has_prefix(octets, named) == has, "one names its qualifier");
  require(!has_prefix(octets, named ^ 1U), "and no other");
  if (has) require(std::ranges::equal(looked_at, prefix_of(named)), "it is what we would write");
}

void try_refusal(Octets octets) {
  iwarp::Refusal refusal{};
  if (!decode(octets, refusal)) return;
  require(octets.size() == iwarp::kRefusalSize, "a refusal is all there is");
  std::array<std::byte, iwarp::kRefusalSize> again;
  iwarp::WireWriter out(again.data());
  encode(refusal, out);
  require(std::ranges::equal(again, octets), "it is what we would write");
}

void try_written_refusal(iwarp::Refusal refusal) {
  std::array<std::byte, iwarp::kRefusalSize + 1> octets{};
  iwarp::WireWriter out(octets.data());
  encode(refusal, out);
  const Octets whole = Octets(octets).first(iwarp::kRefusalSize);
  iwarp::Refusal read{};
  require(decode(whole, read) && read == refusal, "what was written reads back equal");
  require(!decode(whole.first(whole.size() - 1), read) && !decode(octets, read),
          "no shorter and no longer");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Octets octets(reinterpret_cast<const std::byte*>(data), size);
  try_prefix(octets);
  try_refusal(octets);
  Input input(data, size);
  try_written_prefix(input.take<ConnQual>());
  try_written_refusal(static_cast<iwarp::Refusal>(input.take<std::uint32_t>()));
  return 0;
}

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/fuzz/fuzz_iwarp_terminate.cc: decode() of a Terminate's payload with any octets. It must
// read nothing beyond them, and what it has read must mean the same after encode() in the
// standard's form.
#include "input.h"
#include "transport/iwarp/terminate.h"

using namespace datum::iwarp;
using datum::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Octets octets(reinterpret_cast<const std::byte*>(data), size);
  Terminate terminate;
  require(decode(octets, terminate) == (size >= 4), "four octets say why");
  if (size < 4) return 0;
  require(terminate.has_header || !terminate.has_request, "a Read Request stands behind a header");
  std::array<std::byte, Terminate::kMostOctets> again;
  const std::size_t written = encode(terminate, again.data());
  require(written <= size, "it does not grow");
  // An unassigned code without any flag can also be read in siw's order of the fields.
  if (!is_assigned(terminate.error)) return 0;
  Terminate second;
  require(decode(Octets(again).first(written), second) && second.error == terminate.error,
          "what was written reads back equal");
  return 0;
}

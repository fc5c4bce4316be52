// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/fuzz/fuzz_handshake.cc: decode() of the shared-memory handshake with any bytes. It must
// read nothing beyond them, and a message that it accepts must have exactly one encoding.
#include <algorithm>
#include <array>
#include <memory>

#include "input.h"
#include "transport/shm/handshake_wire.h"

using namespace datum;
using datum::fuzz::require;

namespace {

template <class Message>
void try_decode(std::span<const std::byte> bytes) {
  Message message;
  if (!decode(bytes, message)) return;
  std::array<std::byte, Message::kWireSize> again{};
  encode(message, again);
  require(std::equal(bytes.begin(), bytes.end(), again.begin(), again.end()),
          "what was accepted is what would have been sent");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto* begin = reinterpret_cast<const std::byte*>(data);
  const std::span<const std::byte> bytes(begin, size);
  Preamble preamble;
  const bool any = decode(bytes, preamble);
  Greeting greeting;
  Agreement agreement;
  const bool greets = decode(bytes, greeting);
  const bool agrees = decode(bytes, agreement);
  require(!(greets && agrees), "a message is of one kind");
  require(any || !(greets || agrees), "every message has a preamble");
  try_decode<Greeting>(bytes);
  try_decode<Agreement>(bytes);
  return 0;
}

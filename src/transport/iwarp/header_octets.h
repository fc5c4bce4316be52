// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/header_octets.h: the octets in front of the payload of an FPDU that is built.
#pragma once

#include "transport/iwarp/rdmap.h"

namespace datum::iwarp {

// A DDP header, and a header of RDMAP behind it, as octets.
class HeaderOctets {
 public:
  template <class... Parts>
  explicit HeaderOctets(const Parts&... parts) {
    WireWriter out(octets_);
    (encode(parts, out), ...);
    size_ = static_cast<std::size_t>(out.at() - octets_);
  }
  operator Octets() const { return {octets_, size_}; }

 private:
  std::byte octets_[UntaggedHeader::kWireSize + AtomicRequest::kWireSize];
  std::size_t size_ = 0;
};

inline UntaggedHeader untagged(Rdmap opcode, std::uint32_t msn) {
  return {.control = {.last = true, .opcode = opcode}, .queue = queue_of(opcode), .msn = msn};
}

inline TaggedHeader tagged(Rdmap opcode, bool last, Stag stag, std::uint64_t offset) {
  return {
      .control = {.tagged = true, .last = last, .opcode = opcode}, .stag = stag, .offset = offset};
}

} // namespace datum::iwarp

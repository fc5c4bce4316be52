// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/tcp/fpdu_stream.h: FPDUs on the socket of a RawPeer: cut, sealed and judged (RFC 5044).
// Lives here: length, padding, CRC, markers of what comes; the CRC of what goes.
// Not here:   what is in an FPDU (known_peer.h).
#pragma once

#include <optional>

#include "raw_peer.h"

namespace datum::test {

// RFC 5044 section 4.4, octet for octet as slow as it can be.
std::uint32_t crc32c(const Octets& octets);

class FpduStream {
 public:
  explicit FpduStream(RawPeer peer) : peer_(std::move(peer)) {}

  RawPeer& peer() { return peer_; }
  // The startup frames are over. markers: we have demanded them, for what we receive.
  void begin(bool crc, bool markers);
  // An FPDU as raw_peer.h writes them.
  void say(Octets fpdu);
  // The ULPDU of the next one; nothing at the end of the stream between two. Whatever is wrong
  // with it fails the test.
  std::optional<Octets> hear();
  // How many octets of the stream the last FPDU took, markers included.
  std::size_t last_size() const { return last_size_; }
  std::size_t markers_heard() const { return markers_heard_; }

 private:
  bool take(std::size_t octets, Octets& into);
  bool take_unit(Octets& into, Octets& covered);

  RawPeer peer_;
  bool crc_ = false;
  bool markers_ = false;
  std::uint64_t offset_ = 0;           // of the next octet, from the first of full operation
  std::optional<std::uint64_t> start_; // of the FPDU's length field
  std::size_t last_size_ = 0;
  std::size_t markers_heard_ = 0;
};

} // namespace datum::test

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/tcp/fpdu_stream.h: FPDUs on the socket of a RawPeer: framed, sealed and checked (RFC 5044).
// Lives here: length, padding, CRC and markers of FPDUs that come; the CRC of those that go.
// Not here:   the contents of an FPDU (known_peer.h).
#pragma once

#include <optional>

#include "raw_peer.h"

namespace datum::test {

// RFC 5044 section 4.4, octet by octet.
std::uint32_t crc32c(const Octets& octets);

class FpduStream {
 public:
  explicit FpduStream(RawPeer peer) : peer_(std::move(peer)) {}

  RawPeer& peer() { return peer_; }
  // The startup frames are over. `markers`: this side has demanded markers in what it receives.
  void begin(bool crc, bool markers);
  // Sends an FPDU as raw_peer.h writes them.
  void say(Octets fpdu);
  // The ULPDU of the next FPDU; nothing at the end of the stream between two. Any fault fails the
  // test.
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
  std::optional<std::uint64_t> start_; // where the length field of the FPDU is
  std::size_t last_size_ = 0;
  std::size_t markers_heard_ = 0;
};

} // namespace datum::test

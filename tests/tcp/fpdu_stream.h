// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/tcp/fpdu_stream.h: FPDUs on the socket of a RawPeer: framed, sealed and checked (RFC 5044).
// Lives here: length, padding, CRC and markers of received FPDUs; the CRC of sent FPDUs.
// Not here:   the contents of an FPDU (known_peer.h).
#pragma once

#include <optional>

#include "raw_peer.h"

namespace datum::test {

// The CRC of RFC 5044 section 4.4, computed octet by octet.
std::uint32_t crc32c(const Octets& octets);

class FpduStream {
 public:
  explicit FpduStream(RawPeer peer) : peer_(std::move(peer)) {}

  RawPeer& peer() { return peer_; }
  // Called when the startup frames are over. `markers`: this side has demanded markers in what it
  // receives.
  void begin(bool crc, bool markers);
  // Sends an FPDU in the form in which raw_peer.h makes it.
  void say(Octets fpdu);
  // The ULPDU of the next FPDU. Nothing if the stream ends before the next FPDU begins. Any fault
  // fails the test.
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
  // of the next octet, counted from the first octet of full operation
  std::uint64_t offset_ = 0;
  std::optional<std::uint64_t> start_; // where the length field of the FPDU is
  std::size_t last_size_ = 0;
  std::size_t markers_heard_ = 0;
};

} // namespace datum::test

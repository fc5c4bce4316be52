// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/fpdu_decoder.h: the received stream, cut into FPDUs.
// Lives here: where an FPDU's parts begin and end, its CRC; putting payload where the sink says:
//             feed() copies it there, or the caller reads it from the socket straight to places().
// Not here:   the meaning of headers (inbound.h). Markers: Datum never asks the peer for them.
#pragma once

#include <array>

#include "transport/iwarp/crc32c.h"
#include "transport/iwarp/fpdu.h"
#include "transport/iwarp/rdmap.h"

namespace datum::iwarp {

struct FpduHead {
  std::uint16_t ulpdu = 0;
  Control control{};
};

enum class Step : std::uint8_t {
  Go,      // the payload goes to the sink's places; then on_end() is called
  Discard, // as Go, but the payload is dropped
  Done,    // the sink has taken the whole FPDU
  Wait,    // the next feed() calls on_header() again
  Stop,    // nothing more is read
};

class FpduSink {
 public:
  // The first four octets have come. Returns how many octets of the ULPDU on_header() wants; 0:
  // stop.
  virtual std::size_t on_head(const FpduHead& head) = 0;
  // `payload`: the octets behind the wanted ones, if all of them are there and the CRC is good;
  // otherwise nullptr. Only with a payload may the sink return Done.
  virtual Step on_header(Octets header, const Octets* payload) = 0;
  // Writes to `out` where the payload from `done` on belongs, for at most `length` octets. Returns
  // the number of segments. 0: the payload has to wait, or the decoder was stopped.
  virtual std::size_t places(std::uint64_t done, std::uint64_t length, std::span<Segment> out) = 0;
  // True: the caller of FpduDecoder::places() may put octets to the places itself.
  virtual bool may_be_placed_for() const = 0;
  // The FPDU is whole and its CRC good. False: stop.
  virtual bool on_end() = 0;
  virtual void on_bad_crc() = 0;

 protected:
  ~FpduSink() = default;
};

class FpduDecoder {
 public:
  // The most octets that on_head() may ask for. A Terminate with all its echoes, and an Atomic
  // Request, have so many.
  static constexpr std::size_t kMostHeader = UntaggedHeader::kWireSize + AtomicRequest::kWireSize;

  explicit FpduDecoder(FpduSink& sink) : sink_(sink) {}
  void begin(bool crc) { crc_on_ = crc; }
  // Nothing is read any more.
  void stop() { phase_ = Phase::Stopped; }

  // Returns how many octets were taken: not all of them if the sink waits or has stopped.
  std::size_t feed(Octets in);
  // Writes to `out` where the next octets of the stream belong, in their order, up to the end of
  // the FPDU. Returns the number of places. 0: the caller has to feed() the octets.
  std::size_t places(std::span<Segment> out);
  // The caller has put this many octets to the places.
  void placed(std::uint64_t octets);

  bool at_boundary() const { return phase_ == Phase::Head && have_ == 0; }
  bool at_header() const { return phase_ == Phase::Head || phase_ == Phase::Header; }
  // The payload size of the FPDU that is being read, or else of the last one.
  std::uint64_t payload_size() const { return payload_size_; }

 private:
  enum class Phase : std::uint8_t { Head, Header, Asking, Payload, Trailer, Stopped };
  enum class Crc : std::uint8_t { Running, Good, Bad };

  static constexpr std::size_t kHeadSize = kLengthSize + Control::kWireSize;

  void take(Octets& in, std::size_t upto);
  void on_head();
  void ask(const Octets* payload);
  void take_step(Step step);
  void take_payload(Octets& in);
  void take_trailer(Octets& in);
  void try_whole(Octets& in);
  void begin_payload();
  void begin_trailer();
  void end();
  void reset();
  bool running() const { return crc_on_ && checked_ == Crc::Running; }
  std::uint16_t ulpdu() const {
    return static_cast<std::uint16_t>(std::to_integer<unsigned>(buffer_[0]) << 8U |
                                      std::to_integer<unsigned>(buffer_[1]));
  }

  FpduSink& sink_;
  bool crc_on_ = true;
  Phase phase_ = Phase::Head;
  Crc checked_ = Crc::Running;
  bool discard_ = false;
  std::size_t wanted_ = 0; // octets of length field and header
  std::size_t have_ = 0;
  std::uint64_t payload_size_ = 0;
  std::uint64_t payload_done_ = 0;
  std::size_t trailer_size_ = 0;
  std::size_t trailer_have_ = 0;
  Crc32c crc_;
  std::array<std::byte, kLengthSize + kMostHeader> buffer_{};
  std::array<std::byte, 3 + kCrcSize> trailer_{};
};

} // namespace datum::iwarp

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/inbound.h: FPDUs that arrive: the checks of decision 410 in their order, and
// placement.
// Not here: where an FPDU ends (fpdu_decoder.h); the completion of a message (delivery.h); messages
//           that wait for a Recv (unexpected_messages.h); serving Reads (responder.h), this side's
//           requests (outbound.h).
#pragma once

#include <optional>

#include "transport/iwarp/delivery.h"
#include "transport/iwarp/fpdu_decoder.h"
#include "transport/iwarp/outbound.h"
#include "transport/iwarp/stream.h"
#include "transport/iwarp/unexpected_messages.h"

namespace datum::iwarp {

class Inbound final : public FpduSink {
 public:
  Inbound(Stream& stream, Outbound& outbound, StreamControl& control, const RecvPatience& patience)
      : stream_(stream), outbound_(outbound), control_(control),
        delivery_(stream, control, outbound.responder()),
        unexpected_(stream, control, delivery_, patience) {}
  Inbound(const Inbound&) = delete;
  Inbound& operator=(const Inbound&) = delete;

  void begin(std::uint32_t first_msn) {
    for (std::uint32_t& msn : next_msn_) msn = first_msn;
  }
  // The peer's first FPDU is the RTR Send, which is no message of its consumer.
  void expect_rtr_send() { rtr_send_ = true; }
  // Responder: until an FPDU of the peer was valid, this side may send nothing (RFC 5044 section
  // 7.1.2), not even a Terminate about the first one. So the first FPDU is read to its end, and
  // only a good CRC makes it valid.
  void judge_first_at_its_end() { judges_late_ = true; }
  void on_receive_posted();
  // When the message that waits longest will have waited too long.
  Instant deadline() const { return unexpected_.deadline(); }
  // The peer sends no more.
  void must_end() { unexpected_.must_end(); }
  void on_time() {
    if (!stream_.ended) unexpected_.on_time();
  }
  // Access rights are checked again before more octets are placed, since they may change between
  // two turns.
  void end_of_turn() { checked_ = false; }
  bool message_under_way() const {
    return send_open_ || write_open_ || outbound_.reads().response_open();
  }

  // --- FpduSink --------------------------------------------------------------------------------
  std::size_t on_head(const FpduHead& head) override;
  Step on_header(Octets header, const Octets* payload) override;
  std::size_t places(std::uint64_t done, std::uint64_t length, std::span<Segment> out) override;
  bool may_be_placed_for() const override;
  bool on_end() override;
  void on_bad_crc() override;

 private:
  // The functions that return a Step return Stop after they have ended the connection.
  Step on_tagged(Octets header, const Octets* payload);
  Step on_untagged(Octets header, const Octets* payload);
  Step on_write(const Octets* payload);
  Step on_read_response(const Octets* payload);
  Step on_send(const Octets* payload);
  Step on_immediate();
  Step on_read_request();
  Step on_atomic_request();
  Step on_atomic_response();
  bool check_queue(); // checks 7 and 8
  bool check_message();
  Step check_receive(bool& waits);
  Step stage();

  std::size_t places_now(std::uint64_t done, std::uint64_t length, std::span<Segment> out);
  std::size_t write_places(std::uint64_t done, std::uint64_t length, std::span<Segment> out);
  std::size_t places_to_throw_away(std::uint64_t length, std::span<Segment> out);
  std::size_t send_places(std::uint64_t done, std::uint64_t length, std::span<Segment> out);
  bool check_write();
  bool check_source(Stag stag, std::uint64_t address, std::uint64_t length, Access right,
                    bool is_read, std::uint64_t& memory);

  std::uint64_t tail_size() const;
  bool place_tail();
  bool end_first();
  void end_write();
  void end_read_response();
  void end_atomic_response();
  void end_terminate();
  void end_send();
  void end_immediate();
  void end_read_request();
  bool is_last_carrier() const;
  void end_carrier();
  void count_write();

  Step refuse(const Terminate& terminate);
  Step refuse(ErrorCode error);         // without an echo
  Step refuse_segment(ErrorCode error); // echoes the header of the current segment
  Step refuse_request(ErrorCode error); // echoes that header and the Read Request behind it
  Octets current_header() const;

  Stream& stream_;
  Outbound& outbound_;
  StreamControl& control_;
  bool first_ = true;
  bool rtr_send_ = false;
  bool swallow_ = false; // the current FPDU is the RTR Send
  bool judges_late_ = false;
  std::optional<Terminate> verdict_; // the error of the first FPDU, until its end has come
  bool checked_ = false;             // the rights to the current places were checked in this turn

  // The current FPDU.
  std::uint16_t ulpdu_ = 0;
  Control control_octets_;
  TaggedHeader tagged_;
  UntaggedHeader untagged_;
  std::uint64_t payload_ = 0; // octets behind the DDP header
  std::uint64_t memory_ = 0;  // address of a Write's payload
  std::array<std::byte, FpduDecoder::kMostHeader> header_{};
  std::size_t header_size_ = 0;
  std::array<std::byte, 64> tail_{}; // the end of a Write, until its CRC is known to be good

  // Messages whose last segment has not come.
  bool send_open_ = false;
  bool write_open_ = false;
  UntaggedHeader send_first_;
  std::uint16_t send_ulpdu_ = 0;
  std::uint64_t send_received_ = 0;
  std::uint32_t next_msn_[4] = {kFirstMsn, kFirstMsn, kFirstMsn, kFirstMsn};

  Delivery delivery_;
  UnexpectedMessages unexpected_;
};

} // namespace datum::iwarp

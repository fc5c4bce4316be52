// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/inbound.h: FPDUs that arrive: the checks of decision 410 in their order,
// placement, delivery, messages that wait for a Recv.
// Not here: where an FPDU ends (fpdu_decoder.h); serving Reads (responder.h), our own requests
//           (outbound.h).
#pragma once

#include <optional>
#include <vector>

#include "core/port/waiting_messages.h"
#include "transport/iwarp/fpdu_decoder.h"
#include "transport/iwarp/outbound.h"
#include "transport/iwarp/stream.h"

namespace datum::iwarp {

class Inbound final : public FpduSink {
 public:
  Inbound(Stream& stream, Outbound& outbound, StreamControl& control, const RecvPatience& patience)
      : stream_(stream), outbound_(outbound), control_(control), staged_(patience) {}

  void begin(std::uint32_t first_msn) {
    for (std::uint32_t& msn : next_msn_) msn = first_msn;
  }
  // The peer's first FPDU is the Send that shows that it is ready: no consumer's message.
  void expect_rtr_send() { rtr_send_ = true; }
  // Responder: until an FPDU of the peer was valid we may say nothing (RFC 5044 section 7.1), not
  // even what is wrong with the first. So it is read to its end, and judged by its CRC before that.
  void judge_first_at_its_end() { judges_late_ = true; }
  // The connection has ended: what is under way does nothing more.
  void end() { over_ = true; }
  void on_receive_posted();
  // When a message will have waited too long.
  Instant deadline() const { return staged_.deadline(); }
  // The peer has ended.
  void must_end() { staged_.must_end(stream_.now); }
  void on_time();
  // Rights are checked again before more octets are placed: others may have run meanwhile.
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
  struct Staged {
    UntaggedHeader header; // of its first segment
    std::uint16_t ulpdu = 0;
    bool whole = false;
    std::vector<std::byte> octets;
  };

  // Each returns Stop after it has ended the connection.
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
  std::size_t send_places(std::uint64_t done, std::uint64_t length, std::span<Segment> out);
  std::size_t staged_places(std::uint64_t done, std::uint64_t length, std::span<Segment> out);
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
  void drain_staged();
  bool move_front();
  bool deliver(const UntaggedHeader& header, std::uint16_t ulpdu, std::uint64_t length);
  void deliver_immediate(Octets data, std::uint32_t msn, bool solicited);
  bool may_invalidate(const UntaggedHeader& header, std::uint16_t ulpdu, const MessageNote& note);
  void count_placed(std::uint32_t count);
  void count_write();
  std::size_t staged_cost() const;

  Step refuse(const Terminate& terminate);
  Step refuse(ErrorCode error);         // without an echo
  Step refuse_segment(ErrorCode error); // with the header of the current one
  Step refuse_request(ErrorCode error); // and the Read Request in it
  Octets current_header() const;

  Stream& stream_;
  Outbound& outbound_;
  StreamControl& control_;
  bool first_ = true;
  bool rtr_send_ = false;
  bool swallow_ = false; // the current FPDU is that Send
  bool judges_late_ = false;
  std::optional<Terminate> verdict_; // on the first FPDU, whose end has not come
  bool over_ = false;
  bool checked_ = false; // rights to the current places, in this turn

  // The current FPDU.
  std::uint16_t ulpdu_ = 0;
  Control control_octets_;
  TaggedHeader tagged_;
  UntaggedHeader untagged_;
  std::uint64_t payload_ = 0; // octets behind the DDP header
  std::uint64_t memory_ = 0;  // of a Write: where its payload belongs
  std::array<std::byte, FpduDecoder::kMostHeader> header_{};
  std::size_t header_size_ = 0;
  std::array<std::byte, 64> tail_{}; // of a Write, until its CRC was good

  // Messages whose last segment has not come.
  bool send_open_ = false;
  bool write_open_ = false;
  UntaggedHeader send_first_;
  std::uint16_t send_ulpdu_ = 0;
  std::uint64_t send_received_ = 0;
  std::uint32_t next_msn_[4] = {kFirstMsn, kFirstMsn, kFirstMsn, kFirstMsn};

  WaitingMessages<Staged> staged_;
  std::size_t staged_octets_ = 0;
};

} // namespace datum::iwarp

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/outbound.h: FPDUs that leave: our own requests, responses to the peer's Reads and
// Atomics, acknowledgements; and our requests until they end.
// Not here: how FPDUs wait for TCP (output_queue.h).
#pragma once

#include "transport/iwarp/fifo.h"
#include "transport/iwarp/output_queue.h"
#include "transport/iwarp/rdmap.h"
#include "transport/iwarp/stream.h"

namespace datum::iwarp {

// A request as the wire knows it: what the seam's WorkRequest says, and masks.
struct Request {
  Rdmap opcode = Rdmap::Send;
  const WorkRequest* work = nullptr; // Immediate Data has none
  Stag invalidate = 0;
  std::uint64_t immediate = 0;
  AtomicRequest atomic; // its answer goes to the eight octets of work->local
};

// A Read or an Atomic of ours on its way.
struct OutstandingRead {
  const WorkRequest* work = nullptr; // nullptr: the RTR Read, or the question to a silent peer
  std::uint32_t msn = 0;
  bool atomic = false;
  std::uint64_t length = 0;
  std::uint64_t done = 0;
  Stag sink_stag() const { return 1; }
  // Names the Read, and leaves room for every offset in it: a Read is shorter than 2^32.
  std::uint64_t sink_offset() const { return work == nullptr ? 0 : std::uint64_t{msn} << 32U; }
  // What is left of a Read that is served in part begins further on in the same sink.
  bool has_sink_at(std::uint64_t offset) const { return ((offset ^ sink_offset()) >> 32U) == 0; }
};

class Outbound {
 public:
  Outbound(Stream& stream, OutputQueue& queue, StreamControl& control)
      : stream_(stream), queue_(queue), control_(control) {}

  // The first MSN of every queue; messages that are acknowledged are counted in step.
  void begin(std::uint32_t first_msn);
  // The memory that the first FPDUs need. False: there is none now.
  bool ready() { return queue_.ready() && reads_.make_room(); }
  // Nothing may leave before the peer's first FPDU (RFC 5044 section 7.1).
  void hold() { held_ = true; }
  void release() { held_ = false; }
  // Nothing is built any more.
  void end() { ended_ = true; }

  StartResult start(const Request& request, bool within_call);
  // FPDUs for what is due, as far as there is room.
  void fill();
  // As far as they can be from memory of ours, the peer's Reads are answered; nothing of our own is
  // begun.
  void answer_before_the_end();
  // Something other than an acknowledgement is due.
  bool has_work() const;
  bool owes_ack() const { return stream_.peer == PeerKind::Own && stream_.placed != stream_.told; }
  // There was no memory: fill() again soon.
  bool starved() const { return starved_; }
  // Whoever was told Later may come again.
  void give_room();
  // All that waits for TCP may still be read; what TCP has a part of may.
  bool sources_hold() const;
  bool begun_source_holds() const;
  // What waits for TCP may not be read any more: fails the oldest of our requests of which that is
  // so.
  void fail_without_memory();

  void send_rtr(Rtr form, const Hello* hello);
  void send_hello(const Hello& hello);
  // A Write of nothing for one that may have overlooked our first FPDU.
  void send_to_silent_peer();
  // Whoever is sent a Read has to answer: one of nothing, when the message that is under way has
  // ended. Where a Read is outstanding already it may have been overlooked, too.
  void ask_silent_peer();
  void send_last(const Terminate& terminate);
  void send_last_ack();
  void send_close();

  // TCP has taken so many more Sends and Writes.
  void on_sent(std::uint32_t count) { sent_ += count; }
  // A peer that says nothing of them has them by that.
  void tell_sent();
  // The peer has placed so many, all in all. False: it cannot have.
  bool on_ack(std::uint32_t placed);
  std::uint32_t acknowledged() const { return acked_; }
  void on_peer_decided();

  // --- Reads of ours ---------------------------------------------------------------------------
  OutstandingRead* oldest_read() { return reads_.empty() ? nullptr : &reads_.front(); }
  bool response_open() const { return !reads_.empty() && reads_[0].done != 0; }
  // Of the consumer's; one of nothing that it knows nothing of is none.
  std::size_t consumer_reads() const { return reads_.size() - (own_read_ ? 1 : 0); }
  // Requests of ours that have been built, or begun, and have not ended.
  std::size_t outstanding() const { return unfinished_.size() + reads_.size(); }
  void end_read();

  // --- Reads of the peer -----------------------------------------------------------------------
  bool can_serve() {
    return served_.size() < std::max<std::size_t>(stream_.terms.reads_in, rtr_read_ ? 1 : 0) &&
           served_.make_room();
  }
  // The read form of RTR needs a place even if the consumer serves none.
  void expect_rtr_read() { rtr_read_ = true; }
  // Not before the messages in front of MSN `after` have been delivered.
  void serve(const ReadRequest& request, std::uint32_t msn, std::uint32_t after);
  void serve(const AtomicRequest& request, std::uint32_t msn, std::uint32_t after);
  void on_delivered(std::uint32_t next_msn) { delivered_ = next_msn; }

  // --- a Terminate names one of our requests -----------------------------------------------------
  struct Named {
    RequestClass kind = RequestClass::Placed;
    std::uint32_t before = 0;
    bool atomic = false;
  };
  std::optional<Named> find(const Terminate& terminate) const;

 private:
  struct Own {
    Request request;
    bool active = false;
    std::uint64_t done = 0;
    std::uint32_t msn = 0;
  };
  // A Send or Write that has not ended.
  struct Unfinished {
    const WorkRequest* work = nullptr; // named by sources that wait; not to be followed
    bool write = false;
    bool built = false; // to its last FPDU
    std::uint32_t msn = 0;
    Stag stag = 0;
    std::uint64_t address = 0;
    std::uint64_t length = 0;
    std::uint32_t last = 0; // its last message, counted as acknowledgements count
  };
  struct Served {
    ReadRequest read;
    AtomicRequest atomic;
    bool is_atomic = false;
    std::uint32_t msn = 0;
    std::uint32_t after = 0;
    std::uint64_t done = 0;
  };
  enum class Current : std::uint8_t { None, Own, Response };
  struct Failure {
    RequestClass kind = RequestClass::Placed;
    DtoStatus status = DtoStatus::Success;
  };

  StartResult later();
  void report_failure();
  // False: it cannot be carried out, and fails from fill().
  bool accept(const Request& request);
  StartResult build_within_call(const Request& request);
  bool build_next();
  bool build_own();
  bool build_send();
  bool build_write();
  bool build_immediate();
  bool build_read_request();
  bool build_atomic_request();
  bool copies(std::uint64_t left) const;
  // How much of `left` the next FPDU carries; nullopt: none for now.
  std::optional<std::size_t> next_payload(std::size_t header, std::size_t segments,
                                          std::uint64_t left, bool copied) const;
  bool build_response();
  bool build_read_response(Served& served);
  bool may_answer_before_the_end() const;
  bool answers_whole(const Served& served) const;
  bool build_atomic_response(const Served& served);
  bool build_ack();
  bool build_question();
  void send_read_of_nothing();
  void build_carrier(Stag stag, std::uint64_t offset, bool last_words);
  bool response_ready() const;
  bool holds(const Source& source) const;
  bool peer_refuses(const Request& request) const;
  bool own_blocked() const;
  bool own_turn() const;
  bool starve();
  void record(const Request& request);
  void end_own();
  void report(std::uint32_t upto);

  Stream& stream_;
  OutputQueue& queue_;
  StreamControl& control_;
  bool held_ = false;
  bool ended_ = false;
  bool starved_ = false;
  bool wants_room_ = false;
  bool within_call_ = false;
  bool rtr_read_ = false;
  bool answering_ = false; // for the last time
  std::optional<Failure> failure_;
  Current current_ = Current::None;
  unsigned responses_in_a_row_ = 0; // since the last message of our own
  Own own_;
  std::uint32_t next_send_msn_ = kFirstMsn;
  std::uint32_t next_read_msn_ = kFirstMsn;
  std::uint32_t next_atomic_msn_ = kFirstMsn;

  Fifo<Unfinished> unfinished_;
  std::uint32_t built_ = 0; // messages of Sends and Writes
  std::uint32_t sent_ = 0;
  std::uint32_t acked_ = 0;

  Fifo<OutstandingRead> reads_;
  bool own_read_ = false; // one of them is of nothing, and not the consumer's
  bool asks_ = false;
  Fifo<Served> served_;
  std::uint32_t delivered_ = kFirstMsn; // the MSN that is delivered next
};

} // namespace datum::iwarp

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/tcp/known_peer.h: peers that behave as known stacks do (siw, cxgb4, irdma), from the first
// octet to the last: what they ask for, choose and send, and what would break them.
// Lives here: startup in both roles, one region, Sends, Writes and Reads both ways, ends. All of
//             it is modelled on what those stacks do (decision 420).
// Not here:   code of the product. A message that would break such a stack fails the test.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <iosfwd>
#include <string>
#include <string_view>

#include "fpdu_stream.h"

namespace datum::test {

// The forms of the RTR, in the order of their bits in the frame (RFC 6581).
enum class Forms : std::uint16_t { None = 0, Read = 0x4000, Write = 0x8000, Both = 0xc000 };

struct Stack {
  const char* name;
  const char* our_crc; // DATUM_CRC of the IA: all of this runs on loopback
  std::uint8_t revision;
  bool crc;               // it demands a CRC
  bool markers;           // it demands markers in what it receives
  bool peer_to_peer;      // both of its consumers may send first: it sends an RTR and needs one
  Forms offers;           // in its request
  Forms chooses;          // in its reply, or if a reply leaves it the choice
  std::uint16_t reads;    // IRD and ORD
  int segment;            // of its TCP; zero: as the path allows
  std::size_t most_fpdu;  // the longest FPDU that it takes; zero: whatever fits in a segment
  bool one_segment;       // it needs a startup frame in one segment
  bool rtr_in_revision_1; // it sends an RTR without RFC 6581
  bool swapped_terminate; // it has the bit fields in the order of a little-endian host
};
std::ostream& operator<<(std::ostream& out, const Stack& stack);

extern const Stack kSiw, kSiwWithoutCrc, kCxgb4, kCxgb4Revision1, kIrdma, kIrdmaOutOfOrder;

class KnownPeer {
 public:
  static constexpr unsigned kRevision1Reads = 4; // if the frames do not say how many
  static constexpr std::size_t kRegionSize = 256 * 1024;
  static constexpr std::uint32_t kRegionStag = 0x00c0de01;
  static constexpr std::uint64_t kRegionBase = 0x00007f0011223000;

  KnownPeer(const Stack& stack, RawPeer peer);

  // The peer is the initiator. hear_answer() returns the private data of the reply. A reject ends
  // the stream.
  struct Answer {
    bool rejected = false;
    std::string private_data;
  };
  void ask(std::string_view private_data);
  Answer hear_answer();
  void begin(); // sends the RTR, if this stack has one
  // The peer is the responder. Returns the private data of the request.
  std::string hear_question();
  void accept(std::string_view private_data);
  void reject(std::string_view private_data); // and ends the stream in the same segment

  // Takes the first FPDU of the initiator. The responder may send nothing before it.
  void hear_first() { EXPECT_TRUE(step()) << "no first FPDU"; }

  // The IA must send nothing before the peer has.
  void expect_silence();

  void send(const Octets& message);
  void write(std::uint32_t stag, std::uint64_t to, const Octets& data);
  Octets read(std::uint32_t stag, std::uint64_t from, std::size_t size);
  // Serves FPDUs until there is a Send. Returns its message.
  Octets hear_send();
  // Takes this many Read Requests and must get no more, although more are posted. Then serves them.
  void expect_reads_held_back(unsigned reads);
  Octets& region() { return region_; }
  // The next FPDU must be a Read Request. Refuses it with this stack's Terminate, which ends the
  // connection.
  void refuse_read();
  // Sends a Terminate of its own accord.
  void give_up();
  // Ends its own direction, and serves the other direction until that ends.
  void finish();
  void reset() { stream_.peer().reset(); }
  // Serves until the stream ends. Returns "layer/type/code" of the Terminate, or "none".
  std::string hear_the_end();
  std::size_t markers_heard() const { return stream_.markers_heard(); }

 private:
  struct Placing { // the message that is arriving
    int opcode = -1;
    std::uint32_t stag = 0;
    std::uint64_t next = 0;
  };
  struct Sought { // a Read of this peer
    std::uint32_t stag;
    std::uint64_t to;
    std::uint32_t size;
  };

  std::size_t most_ulpdu() const;
  void read_request_out(std::uint32_t stag, std::uint64_t from, std::uint32_t size);
  void say_startup(bool reply, std::uint8_t flags, std::uint16_t ird_word, std::uint16_t ord_word,
                   std::string_view private_data);
  Octets hear_startup(bool reply);
  void enter_full(bool crc);

  bool step(); // takes the next FPDU; false: there is none
  void judge_form(const Octets& ulpdu) const;
  void on_tagged(const Octets& ulpdu);
  void on_untagged(const Octets& ulpdu);
  void on_write(std::uint32_t stag, std::uint64_t to, const Octets& payload);
  void on_response(std::uint32_t stag, std::uint64_t to, const Octets& payload, bool last);
  void on_send(std::uint32_t offset, const Octets& payload, bool last);
  void on_terminate(const Octets& payload);
  void answer(const Octets& request);

  const Stack stack_;
  FpduStream stream_;
  bool read_form_ = false;     // form of the RTR that it sends
  bool waits_for_rtr_ = false; // the first FPDU has to be an RTR
  bool asked_crc_ = false;     // by its request
  unsigned asked_ord_ = kRevision1Reads;
  unsigned peer_ird_ = kRevision1Reads;
  Octets region_;
  std::uint32_t next_send_ = 1, next_read_ = 1;
  std::uint32_t expected_send_ = 1, expected_read_ = 1;
  Placing placing_;
  Octets arriving_;             // of a Send
  std::deque<Octets> messages_; // whole messages
  std::deque<Sought> sought_;
  Octets response_;
  bool holds_requests_ = false;
  std::deque<Octets> requests_; // not answered yet
  std::string end_ = "none";
};

} // namespace datum::test

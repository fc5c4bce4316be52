// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/tcp/known_peer.h: peers that are as known stacks are (siw, cxgb4, irdma): what they ask
// for, choose and send, and what they would not survive, from the first octet to the last.
// Lives here: startup in both roles, one region, Sends, Writes and Reads both ways, ends. All of it
//             is written from what those stacks do (decision 420).
// Not here:   anything of the product. What such a stack would die of fails the test.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <iosfwd>
#include <string>
#include <string_view>

#include "fpdu_stream.h"

namespace datum::test {

// What opens a connection of RFC 6581, in the order in which it stands in the words.
enum class Forms : std::uint16_t { None = 0, Read = 0x4000, Write = 0x8000, Both = 0xc000 };

struct Stack {
  const char* name;
  const char* our_crc; // what we are set to (DATUM_CRC), since all this is on loopback
  std::uint8_t revision;
  bool crc;               // demands it
  bool markers;           // demands them in what it receives
  bool peer_to_peer;      // its consumers may both speak first: it sends an RTR, and needs one
  Forms offers;           // in a request
  Forms chooses;          // in a reply, or of a reply that leaves it the choice
  std::uint16_t reads;    // IRD and ORD
  int segment;            // of TCP; zero for what the way allows
  std::size_t most_fpdu;  // that it takes; zero: what fits in a segment
  bool one_segment;       // startup frames have to come in one
  bool rtr_in_revision_1; // a convention of its own
  bool swapped_terminate; // bit fields in the order of a little-endian host
};
std::ostream& operator<<(std::ostream& out, const Stack& stack);

extern const Stack kSiw, kSiwWithoutCrc, kCxgb4, kCxgb4Revision1, kIrdma, kIrdmaOutOfOrder;

class KnownPeer {
 public:
  static constexpr unsigned kRevision1Reads = 4; // where the wire does not tell
  static constexpr std::size_t kRegionSize = 256 * 1024;
  static constexpr std::uint32_t kRegionStag = 0x00c0de01;
  static constexpr std::uint64_t kRegionBase = 0x00007f0011223000;

  KnownPeer(const Stack& stack, RawPeer peer);

  // As the initiator. The reply's private data; a reject ends there.
  struct Answer {
    bool rejected = false;
    std::string private_data;
  };
  void ask(std::string_view private_data);
  Answer hear_answer();
  void begin(); // sends the RTR, if this stack has one
  // As the responder: the request's private data.
  std::string hear_question();
  void accept(std::string_view private_data);
  void reject(std::string_view private_data); // and ends the stream in the same segment

  // The first FPDU of whoever asked; nothing may be sent before it.
  void hear_first() { EXPECT_TRUE(step()) << "no first FPDU"; }

  // Nothing may come from a side that has not been spoken to.
  void expect_silence();

  void send(const Octets& message);
  void write(std::uint32_t stag, std::uint64_t to, const Octets& data);
  Octets read(std::uint32_t stag, std::uint64_t from, std::size_t size);
  // Serves what comes until there is a Send, and returns it.
  Octets hear_send();
  // Takes so many Read Requests and no more, though more are wanted; then serves them.
  void expect_reads_held_back(unsigned reads);
  Octets& region() { return region_; }
  // The next thing must be a Read Request: it is refused with this stack's Terminate, and all ends.
  void refuse_read();
  // The Terminate with which it ends on its own account.
  void give_up();
  // Ends its own direction, and serves the other one to its end.
  void finish();
  void reset() { stream_.peer().reset(); }
  // Serves to the end of the stream; "layer/type/code" of the Terminate before it, or "none".
  std::string hear_the_end();
  std::size_t markers_heard() const { return stream_.markers_heard(); }

 private:
  struct Placing { // of the message that is under way
    int opcode = -1;
    std::uint32_t stag = 0;
    std::uint64_t next = 0;
  };
  struct Sought { // a Read of ours
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

  bool step(); // the next FPDU; false: there is none
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
  bool read_form_ = false;     // of the RTR that it sends
  bool waits_for_rtr_ = false; // the first FPDU has to be one
  bool asked_crc_ = false;     // by a request
  unsigned asked_ord_ = kRevision1Reads;
  unsigned peer_ird_ = kRevision1Reads;
  Octets region_;
  std::uint32_t next_send_ = 1, next_read_ = 1;
  std::uint32_t expected_send_ = 1, expected_read_ = 1;
  Placing placing_;
  Octets arriving_;             // of a Send
  std::deque<Octets> messages_; // that are whole
  std::deque<Sought> sought_;
  Octets response_;
  bool holds_requests_ = false;
  std::deque<Octets> requests_; // not answered yet
  std::string end_ = "none";
};

} // namespace datum::test

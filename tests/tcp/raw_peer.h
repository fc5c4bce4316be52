// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/tcp/raw_peer.h: a peer that says what it likes: a socket, and frames written by hand; one
// that waits for us to connect.
// Lives here: octets of startup frames and FPDUs (RFC 5044, 5041, 5040), without a CRC; what came
//             back. Not here:   anything of the product: these octets are the test's own.
#pragma once

#include "dat.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace datum::test {

using Octets = std::vector<std::uint8_t>;

Octets from_hex(std::string_view hex);
Octets operator+(Octets first, const Octets& second);

// A request of revision 1, and one as peers of our own kind send it, with 16 Reads each way.
Octets plain_request(const Octets& private_data = {});
Octets own_request();

enum class Opcode : std::uint8_t {
  Write = 0,
  ReadRequest = 1,
  ReadResponse = 2,
  Send = 3,
  Terminate = 7,
};
// FPDUs, the last of their message unless said.
Octets tagged(Opcode opcode, std::uint32_t stag, std::uint64_t to, std::size_t payload);
Octets tagged(Opcode opcode, std::uint32_t stag, std::uint64_t to, const Octets& payload,
              bool last = true);
Octets untagged(Opcode opcode, std::uint32_t queue, std::uint32_t msn, std::uint32_t offset,
                const Octets& payload, bool last = true);
Octets send_message(std::uint32_t msn, std::size_t payload);
constexpr std::uint32_t kSinkStag = 0x77; // where it wants them
constexpr std::uint64_t kSinkOffset = 0x1000;
Octets read_request(std::uint32_t msn, std::uint32_t size, std::uint32_t stag, std::uint64_t from,
                    std::uint32_t sink_stag = kSinkStag, std::uint64_t sink_offset = kSinkOffset);
// The Terminate for the last FPDU of what was said, with as much of that as RFC 5040 section 4.8
// wants: nothing, its DDP header, or that and the Read Request. `code` is "layer/type/code".
enum class Echo { Nothing, Header, Request };
Octets terminate(std::string_view code, Echo echo = Echo::Nothing, const Octets& said = {});
// What a Write of nothing says between peers of our own kind.
Octets carrier(std::uint32_t stag, std::uint64_t to);

class RawPeer {
 public:
  // segment: the largest TCP segment that either side sends, zero for what the way allows.
  RawPeer(DAT_IA_ADDRESS_PTR host, DAT_CONN_QUAL port, int receive_buffer = 0, int segment = 0);
  RawPeer(RawPeer&& other) noexcept;
  RawPeer(const RawPeer&) = delete;
  RawPeer& operator=(const RawPeer&) = delete;
  RawPeer& operator=(RawPeer&&) = delete;
  ~RawPeer();

  // All of it, as long as somebody takes it. False: nobody does any more.
  bool say(const Octets& octets);
  // What is taken without waiting: how many octets that were.
  std::size_t say_at_most(const Octets& octets);
  // Nothing more will be said. After reset() nothing is heard, either: what was said is lost.
  void finish();
  void reset();
  // Both in one segment.
  void say_and_finish(const Octets& octets);
  // The reply to a request, whole; or a request.
  Octets hear_reply();
  Octets hear_request() { return hear_reply(); }
  // So many octets of what comes behind that.
  Octets hear(std::size_t octets);
  // Reads to the end: "layer/type/code" of the Terminate before it, "none" if there was none.
  std::string hear_the_end();
  // And that end was none in order.
  bool was_reset() const { return was_reset_; }
  // All octets so far but for the reply.
  const Octets& heard() const { return heard_; }
  // The other side has ended: looked at now, without waiting.
  bool is_ended() const;
  int socket() const { return socket_; }

 private:
  friend class RawListener;
  explicit RawPeer(int socket);
  int socket_;
  Octets heard_;
  bool was_reset_ = false;
};

class RawListener {
 public:
  explicit RawListener(DAT_IA_ADDRESS_PTR host, int segment = 0);
  RawListener(const RawListener&) = delete;
  RawListener& operator=(const RawListener&) = delete;
  ~RawListener();

  DAT_CONN_QUAL qualifier() const { return port_; }
  RawPeer accept();
  // Of what those who connect from now on say, nothing comes here, as if each segment with octets
  // were lost on its way; or it does again. Who has connected before keeps what was so then.
  bool lose_octets(); // false: the kernel lets no ordinary user
  void lose_no_more();
  void stop(); // whoever connects is refused, and who waits to be accepted is reset

 private:
  int socket_;
  DAT_CONN_QUAL port_ = 0;
};

} // namespace datum::test

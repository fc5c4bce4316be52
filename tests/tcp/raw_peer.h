// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/tcp/raw_peer.h: a peer that can send any octets, by a socket and frames written by hand,
// and a peer that waits for a connect.
// Lives here: octets of startup frames and FPDUs (RFC 5044, 5041, 5040), without a CRC; the octets
//             that came back.
// Not here:   anything of the product: these octets are the test's own.
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

// A request of revision 1, and a request as own peers send it, with IRD and ORD 16.
Octets plain_request(const Octets& private_data = {});
Octets own_request();

enum class Opcode : std::uint8_t {
  Write = 0,
  ReadRequest = 1,
  ReadResponse = 2,
  Send = 3,
  Terminate = 7,
};
// FPDUs. Each is the last of its message unless its name says otherwise.
Octets tagged(Opcode opcode, std::uint32_t stag, std::uint64_t to, std::size_t payload);
Octets tagged(Opcode opcode, std::uint32_t stag, std::uint64_t to, const Octets& payload,
              bool last = true);
Octets untagged(Opcode opcode, std::uint32_t queue, std::uint32_t msn, std::uint32_t offset,
                const Octets& payload, bool last = true);
Octets send_message(std::uint32_t msn, std::size_t payload);
constexpr std::uint32_t kSinkStag = 0x77; // the sink of the Read
constexpr std::uint64_t kSinkOffset = 0x1000;
Octets read_request(std::uint32_t msn, std::uint32_t size, std::uint32_t stag, std::uint64_t from,
                    std::uint32_t sink_stag = kSinkStag, std::uint64_t sink_offset = kSinkOffset);
// The Terminate for the last FPDU of `said`. It repeats as much of that FPDU as RFC 5040 section
// 4.8 requires: nothing, the DDP header, or the header and the Read Request. `code` is
// "layer/type/code".
enum class Echo { Nothing, Header, Request };
Octets terminate(std::string_view code, Echo echo = Echo::Nothing, const Octets& said = {});
// An empty Write. Between own peers its STag and its offset carry a message.
Octets carrier(std::uint32_t stag, std::uint64_t to);

class RawPeer {
 public:
  // `segment`: the largest TCP segment that either side sends; zero: as the path allows.
  RawPeer(DAT_IA_ADDRESS_PTR host, DAT_CONN_QUAL port, int receive_buffer = 0, int segment = 0);
  RawPeer(RawPeer&& other) noexcept;
  RawPeer(const RawPeer&) = delete;
  RawPeer& operator=(const RawPeer&) = delete;
  RawPeer& operator=(RawPeer&&) = delete;
  ~RawPeer();

  // Sends all octets, for as long as the peer reads. False: the peer has stopped reading.
  bool say(const Octets& octets);
  // Sends the octets that the kernel takes without waiting. Returns their number.
  std::size_t say_at_most(const Octets& octets);
  // finish() ends this direction. reset() ends both directions; octets that were not acknowledged
  // are lost.
  void finish();
  void reset();
  // Sends the octets and the end in one segment.
  void say_and_finish(const Octets& octets);
  // Reads a reply, or a request, to its end.
  Octets hear_reply();
  Octets hear_request() { return hear_reply(); }
  // Reads `octets` more octets.
  Octets hear(std::size_t octets);
  // Reads to the end. Returns "layer/type/code" of the Terminate, or "none" if there was none.
  std::string hear_the_end();
  // True: the stream ended by a reset.
  bool was_reset() const { return was_reset_; }
  // All octets that have come behind the reply.
  const Octets& heard() const { return heard_; }
  // True: the other side has ended. Does not wait.
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
  // lose_octets(): from now on segments with data of new connections are lost. lose_no_more() ends
  // that for connections that come later. An earlier connection keeps the state that it began with.
  bool lose_octets(); // false: an ordinary user may not do that
  void lose_no_more();
  void stop(); // later connects are refused, and connections in the backlog are reset

 private:
  int socket_;
  DAT_CONN_QUAL port_ = 0;
};

} // namespace datum::test

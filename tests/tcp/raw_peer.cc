// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "raw_peer.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <utility>

namespace datum::test {
namespace {

constexpr int kPatienceSeconds = 20;

template <typename Number>
void append(Octets& to, Number value) {
  for (std::size_t i = sizeof value; i-- > 0;)
    to.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}

Octets filled(std::size_t size) {
  return Octets(size, 0xee);
}

// Puts the MPA length before the ULPDU. After the ULPDU come padding and a CRC of zeros. Datum does
// not check that CRC: both ends are on this host, and neither demands a CRC.
Octets fpdu(const Octets& ulpdu) {
  Octets out;
  append(out, static_cast<std::uint16_t>(ulpdu.size()));
  out.insert(out.end(), ulpdu.begin(), ulpdu.end());
  out.resize((out.size() + 3) / 4 * 4 + 4);
  return out;
}

// The size of the FPDU that begins at `at`.
std::size_t fpdu_size(const Octets& stream, std::size_t at) {
  const std::size_t ulpdu = stream[at] * 256U + stream[at + 1];
  return (2 + ulpdu + 3) / 4 * 4 + 4;
}

Octets control(std::uint8_t ddp, Opcode opcode) {
  return {ddp, static_cast<std::uint8_t>(0x40U | static_cast<unsigned>(opcode))};
}

// Limits the segments that this side announces and sends.
void limit_segments(int socket, int segment) {
  if (segment == 0) return;
  EXPECT_EQ(::setsockopt(socket, IPPROTO_TCP, TCP_MAXSEG, &segment, sizeof segment), 0);
}

// The socket address of an IA, with this port.
class Name {
 public:
  Name(DAT_IA_ADDRESS_PTR host, DAT_CONN_QUAL port) {
    std::memcpy(&address_, host, sizeof(sockaddr_in6));
    const auto number = htons(static_cast<std::uint16_t>(port));
    if (address_.ss_family == AF_INET6)
      reinterpret_cast<sockaddr_in6&>(address_).sin6_port = number;
    else
      reinterpret_cast<sockaddr_in&>(address_).sin_port = number;
  }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address_); }
  socklen_t length() const {
    return address_.ss_family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
  }

 private:
  sockaddr_storage address_{};
};

} // namespace

Octets from_hex(std::string_view hex) {
  Octets out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    out.push_back(
        static_cast<std::uint8_t>(std::stoul(std::string(hex.substr(i, 2)), nullptr, 16)));
  return out;
}

Octets operator+(Octets first, const Octets& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

Octets plain_request(const Octets& private_data) {
  Octets out = from_hex("4d504120494420526571204672616d650001");
  append(out, static_cast<std::uint16_t>(private_data.size()));
  return std::move(out) + private_data;
}

Octets own_request() {
  return from_hex("4d504120494420526571204672616d65100200048010c010");
}

Octets tagged(Opcode opcode, std::uint32_t stag, std::uint64_t to, std::size_t payload) {
  return tagged(opcode, stag, to, filled(payload));
}

Octets tagged(Opcode opcode, std::uint32_t stag, std::uint64_t to, const Octets& payload,
              bool last) {
  Octets out = control(last ? 0xc1 : 0x81, opcode);
  append(out, stag);
  append(out, to);
  return fpdu(std::move(out) + payload);
}

Octets untagged(Opcode opcode, std::uint32_t queue, std::uint32_t msn, std::uint32_t offset,
                const Octets& payload, bool last) {
  Octets out = control(last ? 0x41 : 0x01, opcode);
  for (const std::uint32_t field : {std::uint32_t{0}, queue, msn, offset}) append(out, field);
  return fpdu(std::move(out) + payload);
}

Octets send_message(std::uint32_t msn, std::size_t payload) {
  return untagged(Opcode::Send, 0, msn, 0, filled(payload));
}

Octets read_request(std::uint32_t msn, std::uint32_t size, std::uint32_t stag, std::uint64_t from,
                    std::uint32_t sink_stag, std::uint64_t sink_offset) {
  Octets fields;
  append(fields, sink_stag);
  append(fields, sink_offset);
  append(fields, size);
  append(fields, stag);
  append(fields, from);
  return untagged(Opcode::ReadRequest, 1, msn, 0, fields);
}

Octets terminate(std::string_view code, Echo echo, const Octets& said) {
  Octets out = from_hex(std::string{code[0], code[2], code[4], code[5]});
  constexpr std::uint8_t kFlags[] = {0x00, 0xc0, 0xe0}; // M, D and R
  out.push_back(kFlags[static_cast<std::size_t>(echo)]);
  out.push_back(0);
  if (echo != Echo::Nothing) {
    std::size_t last = 0;
    for (std::size_t next = 0; next < said.size(); next += fpdu_size(said, next)) last = next;
    const bool is_tagged = (said[last + 2] & 0x80U) != 0;
    // 2 octets of length and the DDP/RDMAP header (14 or 18): a Terminate repeats both.
    std::size_t size = is_tagged ? 16 : 20;
    if (echo == Echo::Request) size += 28;
    const auto from = said.begin() + static_cast<std::ptrdiff_t>(last);
    out.insert(out.end(), from, from + static_cast<std::ptrdiff_t>(size));
  }
  return untagged(Opcode::Terminate, 2, 1, 0, out);
}

Octets carrier(std::uint32_t stag, std::uint64_t to) {
  return tagged(Opcode::Write, stag, to, 0);
}

RawPeer::RawPeer(DAT_IA_ADDRESS_PTR host, DAT_CONN_QUAL port, int receive_buffer, int segment)
    : RawPeer(::socket(host->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  limit_segments(socket_, segment);
  if (receive_buffer != 0)
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
  const Name name(host, port);
  EXPECT_EQ(::connect(socket_, name.get(), name.length()), 0) << std::strerror(errno);
}

RawPeer::RawPeer(int socket) : socket_(socket) {
  const timeval patience{kPatienceSeconds, 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
}

RawPeer::RawPeer(RawPeer&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)), heard_(std::move(other.heard_)) {}

RawPeer::~RawPeer() {
  if (socket_ >= 0) ::close(socket_);
}

bool RawPeer::say(const Octets& octets) {
  std::size_t said = 0;
  while (said < octets.size()) {
    const ssize_t sent = ::send(socket_, octets.data() + said, octets.size() - said, MSG_NOSIGNAL);
    if (sent <= 0) return false;
    said += static_cast<std::size_t>(sent);
  }
  return true;
}

std::size_t RawPeer::say_at_most(const Octets& octets) {
  const ssize_t sent = ::send(socket_, octets.data(), octets.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  return sent < 0 ? 0 : static_cast<std::size_t>(sent);
}

void RawPeer::finish() {
  ::shutdown(socket_, SHUT_WR);
}

void RawPeer::say_and_finish(const Octets& octets) {
  EXPECT_EQ(::send(socket_, octets.data(), octets.size(), MSG_NOSIGNAL | MSG_MORE),
            static_cast<ssize_t>(octets.size()));
  finish();
}

void RawPeer::reset() {
  const linger none{1, 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &none, sizeof none);
  ::close(std::exchange(socket_, -1));
}

Octets RawPeer::hear_reply() {
  Octets reply(20);
  if (::recv(socket_, reply.data(), reply.size(), MSG_WAITALL) != 20) return {};
  Octets rest(reply[18] * 256U + reply[19]);
  if (!rest.empty() && ::recv(socket_, rest.data(), rest.size(), MSG_WAITALL) <= 0) return {};
  return std::move(reply) + rest;
}

Octets RawPeer::hear(std::size_t octets) {
  Octets out(octets);
  const ssize_t got = ::recv(socket_, out.data(), out.size(), MSG_WAITALL);
  out.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  heard_.insert(heard_.end(), out.begin(), out.end());
  return out;
}

std::string RawPeer::hear_the_end() {
  Octets all;
  std::array<std::uint8_t, 65536> piece;
  ssize_t got = 0;
  while ((got = ::recv(socket_, piece.data(), piece.size(), 0)) > 0)
    all.insert(all.end(), piece.begin(), piece.begin() + got);
  EXPECT_FALSE(got < 0 && errno == EAGAIN) << "it does not end";
  was_reset_ = got < 0;
  heard_.insert(heard_.end(), all.begin(), all.end());
  std::string code = "none";
  for (std::size_t at = 0; at + 24 <= all.size();) {
    if ((all[at + 2] & 0x80U) == 0 && (all[at + 3] & 0xfU) == 7) {
      char text[16];
      std::snprintf(text, sizeof text, "%x/%x/%02x", all[at + 20] >> 4U, all[at + 20] & 0xfU,
                    unsigned{all[at + 21]});
      code = text;
    }
    at += fpdu_size(all, at);
  }
  return code;
}

bool RawPeer::is_ended() const {
  std::uint8_t octet = 0;
  const ssize_t got = ::recv(socket_, &octet, 1, MSG_DONTWAIT | MSG_PEEK);
  return got == 0 || (got < 0 && errno != EAGAIN);
}

RawListener::RawListener(DAT_IA_ADDRESS_PTR host, int segment)
    : socket_(::socket(host->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  limit_segments(socket_, segment);
  const Name name(host, 0);
  EXPECT_EQ(::bind(socket_, name.get(), name.length()), 0) << std::strerror(errno);
  EXPECT_EQ(::listen(socket_, 8), 0);
  sockaddr_storage bound{};
  socklen_t length = sizeof bound;
  EXPECT_EQ(::getsockname(socket_, reinterpret_cast<sockaddr*>(&bound), &length), 0);
  // Both families have the port at the same place.
  port_ = ntohs(reinterpret_cast<const sockaddr_in&>(bound).sin_port);
  const timeval patience{kPatienceSeconds, 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
}

RawListener::~RawListener() {
  ::close(socket_);
}

void RawListener::stop() {
  ::shutdown(socket_, SHUT_RDWR);
}

// Lets a segment pass only if it is as long as its TCP header, that is, without data. The upper
// four bits of the header's thirteenth octet give its length in words.
bool RawListener::lose_octets() {
  std::array<sock_filter, 8> program{{
      {BPF_LD | BPF_B | BPF_ABS, 0, 0, 12},
      {BPF_ALU | BPF_RSH | BPF_K, 0, 0, 4},
      {BPF_ALU | BPF_LSH | BPF_K, 0, 0, 2},
      {BPF_MISC | BPF_TAX, 0, 0, 0},
      {BPF_LD | BPF_W | BPF_LEN, 0, 0, 0},
      {BPF_JMP | BPF_JEQ | BPF_X, 1, 0, 0},
      {BPF_RET | BPF_K, 0, 0, 0},
      {BPF_RET | BPF_K, 0, 0, 0xffff'ffff},
  }};
  const sock_fprog filter{program.size(), program.data()};
  const bool attached =
      ::setsockopt(socket_, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter) == 0;
  EXPECT_TRUE(attached || errno == EPERM);
  return attached;
}

void RawListener::lose_no_more() {
  constexpr int kUnused = 0;
  EXPECT_EQ(::setsockopt(socket_, SOL_SOCKET, SO_DETACH_FILTER, &kUnused, sizeof kUnused), 0);
}

RawPeer RawListener::accept() {
  const int accepted = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
  EXPECT_GE(accepted, 0) << "nobody connects";
  return RawPeer(accepted);
}

} // namespace datum::test

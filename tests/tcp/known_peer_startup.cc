// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/tcp/known_peer_startup.cc: the known stacks, and their startup frames.
#include <gtest/gtest.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <ostream>

#include "known_peer.h"

namespace datum::test {
namespace {

constexpr int kSegment = 1460; // as on Ethernet
constexpr int kQuietMs = 20;   // how long expect_silence() waits
constexpr std::uint8_t kMarkers = 0x80;
constexpr std::uint8_t kCrc = 0x40;
constexpr std::uint8_t kRejected = 0x20;
constexpr std::uint8_t kEnhanced = 0x10;
constexpr unsigned kPeerToPeer = 0x8000; // A
constexpr unsigned kSendForm = 0x4000;   // B
constexpr unsigned kNumber = 0x3fff;

constexpr unsigned bits(Forms forms) {
  return static_cast<unsigned>(forms);
}
unsigned word(const Octets& frame, std::size_t at) {
  return frame[at] * 256U + frame[at + 1];
}

// The number of segments with data that have come. A startup frame must come in one segment.
unsigned segments_heard(int socket) {
  constexpr std::size_t kDataSegmentsIn = 152; // <linux/tcp.h>, which glibc's header excludes
  std::array<std::uint8_t, 256> info{};
  socklen_t length = sizeof info;
  EXPECT_EQ(::getsockopt(socket, IPPROTO_TCP, TCP_INFO, info.data(), &length), 0);
  std::uint32_t segments = 0;
  std::memcpy(&segments, info.data() + kDataSegmentsIn, sizeof segments);
  return segments;
}

// A copy of `stack` in which some members are changed.
template <typename Change>
constexpr Stack like(Stack stack, const char* name, Change change) {
  stack.name = name;
  change(stack);
  return stack;
}

} // namespace

// Linux's siw: client-server whatever its consumers want, no CRC unless a peer asks for it, large
// segments.
constexpr Stack kSiw = {.name = "Siw",
                        .our_crc = "on",
                        .revision = 2,
                        .crc = false,
                        .markers = false,
                        .peer_to_peer = false,
                        .offers = Forms::None,
                        .chooses = Forms::Write,
                        .reads = 128,
                        .segment = 0,
                        .most_fpdu = 65544,
                        .one_segment = false,
                        .rtr_in_revision_1 = false,
                        .swapped_terminate = true};
constexpr Stack kSiwWithoutCrc =
    like(kSiw, "SiwWithoutCrc", [](Stack& siw) { siw.our_crc = "off"; });
// Chelsio's stack: offers and answers the Read form alone, and loses octets that come early.
constexpr Stack kCxgb4 = {.name = "Cxgb4",
                          .our_crc = "on",
                          .revision = 2,
                          .crc = true,
                          .markers = false,
                          .peer_to_peer = true,
                          .offers = Forms::Read,
                          .chooses = Forms::Read,
                          .reads = 32,
                          .segment = kSegment,
                          .most_fpdu = 16384,
                          .one_segment = false,
                          .rtr_in_revision_1 = true,
                          .swapped_terminate = false};
// Chelsio's stack with mpa_rev=1: it does not know RFC 6581, but still sends its empty Read as RTR.
constexpr Stack kCxgb4Revision1 = like(kCxgb4, "Cxgb4Revision1", [](Stack& cxgb4) {
  cxgb4.revision = 1;
  cxgb4.peer_to_peer = false;
  cxgb4.offers = Forms::None;
  cxgb4.chooses = Forms::Write;
});
// Intel's stack: demands the peer-to-peer model and takes a startup frame only in one segment.
constexpr Stack kIrdma = {.name = "Irdma",
                          .our_crc = "on",
                          .revision = 2,
                          .crc = true,
                          .markers = false,
                          .peer_to_peer = true,
                          .offers = Forms::Both,
                          .chooses = Forms::Read,
                          .reads = 16,
                          .segment = kSegment,
                          .most_fpdu = 0,
                          .one_segment = true,
                          .rtr_in_revision_1 = false,
                          .swapped_terminate = false};
// Intel's stack with placement of segments out of order, for which it demands markers.
constexpr Stack kIrdmaOutOfOrder =
    like(kIrdma, "IrdmaOutOfOrder", [](Stack& irdma) { irdma.markers = true; });

std::ostream& operator<<(std::ostream& out, const Stack& stack) {
  return out << stack.name;
}

void KnownPeer::expect_silence() {
  pollfd waits{stream_.peer().socket(), POLLIN, 0};
  EXPECT_EQ(::poll(&waits, 1, kQuietMs), 0) << "it speaks too early";
}

void KnownPeer::say_startup(bool reply, std::uint8_t flags, std::uint16_t ird_word,
                            std::uint16_t ord_word, std::string_view private_data) {
  Octets frame =
      from_hex(reply ? "4d504120494420526570204672616d65" : "4d504120494420526571204672616d65");
  const bool enhanced = (flags & kEnhanced) != 0;
  const std::size_t length = private_data.size() + (enhanced ? 4 : 0);
  for (const std::size_t each :
       {std::size_t{flags}, std::size_t{stack_.revision}, length >> 8U, length & 0xffU})
    frame.push_back(static_cast<std::uint8_t>(each));
  if (enhanced) {
    for (const unsigned each : {unsigned{ird_word}, unsigned{ord_word}}) {
      frame.push_back(static_cast<std::uint8_t>(each >> 8U));
      frame.push_back(static_cast<std::uint8_t>(each & 0xffU));
    }
  }
  frame.insert(frame.end(), private_data.begin(), private_data.end());
  if (reply && (flags & kRejected) != 0)
    stream_.peer().say_and_finish(frame);
  else
    EXPECT_TRUE(stream_.peer().say(frame));
}

// Checks what every stack checks. Also checks that no octet follows the frame.
Octets KnownPeer::hear_startup(bool reply) {
  Octets frame = stream_.peer().hear_reply();
  if (frame.size() < 20) {
    ADD_FAILURE() << "no startup frame";
    return {};
  }
  if (stack_.one_segment) {
    EXPECT_EQ(segments_heard(stream_.peer().socket()), 1U);
  }
  const Octets key(frame.begin(), frame.begin() + 16);
  EXPECT_EQ(key, from_hex(reply ? "4d504120494420526570204672616d65"
                                : "4d504120494420526571204672616d65"));
  EXPECT_EQ(frame[16] & 0x0f, 0) << "reserved bits";
  EXPECT_EQ(frame[16] & kMarkers, 0) << "no stack of these likes to send markers";
  EXPECT_EQ(frame[17], stack_.revision);
  EXPECT_EQ((frame[16] & kEnhanced) != 0, stack_.revision == 2);
  EXPECT_LE(frame.size(), 20U + 256U) << "more private data than rdma_cm takes";
  if (stack_.revision == 2) {
    EXPECT_GE(frame.size(), 24U);
  }
  return testing::Test::HasFailure() ? Octets() : frame;
}

void KnownPeer::enter_full(bool crc) {
  stream_.begin(crc, stack_.markers);
}

void KnownPeer::ask(std::string_view private_data) {
  const unsigned flags = (stack_.markers ? kMarkers : 0U) | (stack_.crc ? kCrc : 0U) |
                         (stack_.revision == 2 ? kEnhanced : 0U);
  say_startup(false, static_cast<std::uint8_t>(flags),
              static_cast<std::uint16_t>((stack_.peer_to_peer ? kPeerToPeer : 0U) | stack_.reads),
              static_cast<std::uint16_t>(bits(stack_.offers) | stack_.reads), private_data);
}

KnownPeer::Answer KnownPeer::hear_answer() {
  const Octets frame = hear_startup(true);
  if (frame.empty()) return {};
  Answer answer;
  answer.rejected = (frame[16] & kRejected) != 0;
  const bool enhanced = stack_.revision == 2;
  answer.private_data.assign(frame.begin() + (enhanced ? 24 : 20), frame.end());
  const bool crc = (frame[16] & kCrc) != 0;
  if (stack_.crc) {
    EXPECT_TRUE(crc) << "it had asked for a CRC";
  }
  if (enhanced) {
    const unsigned forms = word(frame, 22) & bits(Forms::Both);
    EXPECT_EQ(word(frame, 20) & (kPeerToPeer | kSendForm), stack_.peer_to_peer ? kPeerToPeer : 0U);
    EXPECT_LE(word(frame, 22) & kNumber, stack_.reads) << "ORD above its IRD";
    peer_ird_ = word(frame, 20) & kNumber;
    // cxgb4 first checks for a Write and gives up if it finds one. An initiator that asks for
    // client-server gets no RTR form.
    if (stack_.offers == Forms::Both)
      EXPECT_TRUE(forms == bits(Forms::Read) || forms == bits(Forms::Write)) << forms;
    else
      EXPECT_EQ(forms, bits(stack_.offers));
    if (forms == bits(Forms::Read)) {
      EXPECT_GE(peer_ird_, 1);
    }
    read_form_ = (forms & bits(Forms::Read)) != 0;
  } else {
    read_form_ = stack_.rtr_in_revision_1;
  }
  if (!answer.rejected) enter_full(crc);
  return answer;
}

void KnownPeer::begin() {
  expect_silence();
  if (read_form_)
    read(1, 0, 0);
  else if (stack_.peer_to_peer)
    write(1, 0, {});
}

std::string KnownPeer::hear_question() {
  const Octets frame = hear_startup(false);
  if (frame.empty()) return {};
  expect_silence();
  asked_crc_ = (frame[16] & kCrc) != 0;
  if (stack_.revision == 1) return std::string(frame.begin() + 20, frame.end());
  const unsigned forms = word(frame, 22) & bits(Forms::Both);
  EXPECT_EQ(word(frame, 20) & kPeerToPeer, kPeerToPeer);
  EXPECT_NE(forms & bits(stack_.chooses), 0U) << "this form is not offered";
  EXPECT_GE(word(frame, 22) & kNumber, 1U) << "no place for a Read of nothing";
  peer_ird_ = word(frame, 20) & kNumber;
  asked_ord_ = word(frame, 22) & kNumber;
  return std::string(frame.begin() + 24, frame.end());
}

void KnownPeer::accept(std::string_view private_data) {
  const bool crc = asked_crc_ || stack_.crc;
  const unsigned flags = (stack_.markers ? kMarkers : 0U) | (crc ? kCrc : 0U) |
                         (stack_.revision == 2 ? kEnhanced : 0U);
  const unsigned ird = std::min<unsigned>(stack_.reads, asked_ord_);
  const unsigned ord = std::min<unsigned>(stack_.reads, peer_ird_);
  say_startup(true, static_cast<std::uint8_t>(flags), static_cast<std::uint16_t>(kPeerToPeer | ird),
              static_cast<std::uint16_t>(bits(stack_.chooses) | ord), private_data);
  enter_full(crc);
  waits_for_rtr_ = true;
}

void KnownPeer::reject(std::string_view private_data) {
  const unsigned flags =
      kRejected | (asked_crc_ || stack_.crc ? kCrc : 0U) | (stack_.revision == 2 ? kEnhanced : 0U);
  say_startup(true, static_cast<std::uint8_t>(flags), static_cast<std::uint16_t>(kPeerToPeer | 1U),
              static_cast<std::uint16_t>(bits(stack_.chooses) | 1U), private_data);
}

} // namespace datum::test

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/tcp/known_peer.cc: the FPDUs that a known stack sends and takes in full operation.
#include "known_peer.h"

#include <gtest/gtest.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdio>

namespace datum::test {
namespace {

template <typename Number>
Number number_at(const Octets& octets, std::size_t at) {
  Number value = 0;
  for (std::size_t i = 0; i < sizeof value; ++i)
    value = static_cast<Number>(value << 8U | octets.at(at + i));
  return value;
}
std::uint32_t u32(const Octets& octets, std::size_t at) {
  return number_at<std::uint32_t>(octets, at);
}

constexpr int kTerminate = static_cast<int>(Opcode::Terminate);
constexpr std::size_t kTaggedHeader = 14;
constexpr std::size_t kUntaggedHeader = 18;
constexpr std::size_t kRequestUlpdu = 46;

bool is_tagged(int opcode) {
  return opcode == 0 || opcode == 2;
}

} // namespace

KnownPeer::KnownPeer(const Stack& stack, RawPeer peer)
    : stack_(stack), stream_(std::move(peer)), region_(kRegionSize) {
  const int at_once = 1; // all of these stacks do so
  EXPECT_EQ(
      ::setsockopt(stream_.peer().socket(), IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once), 0);
}

// The largest ULPDU that fits in a segment of this side's TCP. No stack sends larger ULPDUs. siw
// rounds this size down to a multiple of 8.
std::size_t KnownPeer::most_ulpdu() const {
  int segment = 0;
  socklen_t length = sizeof segment;
  EXPECT_EQ(::getsockopt(const_cast<FpduStream&>(stream_).peer().socket(), IPPROTO_TCP, TCP_MAXSEG,
                         &segment, &length),
            0);
  return static_cast<std::size_t>(segment) / 8 * 8 - 6;
}

// --- what it sends -------------------------------------------------------------------------------

void KnownPeer::send(const Octets& message) {
  const std::size_t most = most_ulpdu() - kUntaggedHeader;
  std::size_t at = 0;
  do {
    const std::size_t piece = std::min(most, message.size() - at);
    const auto from = message.begin() + static_cast<std::ptrdiff_t>(at);
    stream_.say(untagged(Opcode::Send, 0, next_send_, static_cast<std::uint32_t>(at),
                         Octets(from, from + static_cast<std::ptrdiff_t>(piece)),
                         at + piece == message.size()));
    at += piece;
  } while (at < message.size());
  ++next_send_;
}

void KnownPeer::write(std::uint32_t stag, std::uint64_t to, const Octets& data) {
  const std::size_t most = most_ulpdu() - kTaggedHeader;
  std::size_t at = 0;
  do {
    const std::size_t piece = std::min(most, data.size() - at);
    const auto from = data.begin() + static_cast<std::ptrdiff_t>(at);
    stream_.say(tagged(Opcode::Write, stag, to + at,
                       Octets(from, from + static_cast<std::ptrdiff_t>(piece)),
                       at + piece == data.size()));
    at += piece;
  } while (at < data.size());
}

void KnownPeer::read_request_out(std::uint32_t stag, std::uint64_t from, std::uint32_t size) {
  EXPECT_LT(sought_.size(), peer_ird_) << "more Reads than the other side serves";
  // Each Read has another sink: an answer counts only if it brings the sink back unchanged.
  const Sought sink{0xabcdef00U + next_read_, 0x0102030405060000U + 64 * next_read_, size};
  stream_.say(read_request(next_read_++, size, stag, from, sink.stag, sink.to));
  sought_.push_back(sink);
  response_.clear();
}

Octets KnownPeer::read(std::uint32_t stag, std::uint64_t from, std::size_t size) {
  read_request_out(stag, from, static_cast<std::uint32_t>(size));
  while (!sought_.empty() && step()) {
  }
  EXPECT_EQ(response_.size(), size);
  return response_;
}

void KnownPeer::give_up() {
  // A Terminate for local trouble (0/0/ff), which repeats no header of the peer's. It is the same
  // in both orders of bit fields.
  stream_.say(untagged(Opcode::Terminate, 2, 1, 0, {0x00, 0xff, 0x00, 0x00}));
  stream_.peer().finish();
}

void KnownPeer::refuse_read() {
  auto ulpdu = stream_.hear();
  while (ulpdu && ulpdu->size() == kTaggedHeader) ulpdu = stream_.hear(); // a Write of nothing
  ASSERT_TRUE(ulpdu && ulpdu->size() == kRequestUlpdu && (ulpdu->at(1) & 0xfU) == 1)
      << "no Read Request";
  Octets header(ulpdu->begin(), ulpdu->begin() + kUntaggedHeader);
  const Octets rest(ulpdu->begin() + kUntaggedHeader, ulpdu->end());
  Octets says;
  if (stack_.swapped_terminate) {
    // The octets are: type and layer, then D, R and M in reverse order, then the length of the
    // segment's payload. The size takes the place of the MSN.
    says = {0x10, 0x00, 0x07, 0x00, 0, 28};
    std::copy_n(rest.begin() + 12, 4, header.begin() + 10);
  } else {
    says = {0x01, 0x00, 0xe0, 0x00, 0, kRequestUlpdu};
  }
  stream_.say(untagged(Opcode::Terminate, 2, 1, 0, says + header + rest));
  stream_.peer().finish();
}

void KnownPeer::answer(const Octets& request) {
  const auto size = u32(request, 30);
  Octets data;
  if (size > 0) {
    const std::uint64_t at = number_at<std::uint64_t>(request, 38) - kRegionBase;
    EXPECT_EQ(u32(request, 34), kRegionStag);
    ASSERT_TRUE(at <= kRegionSize && size <= kRegionSize - at) << "a Read outside of the region";
    const auto from = region_.begin() + static_cast<std::ptrdiff_t>(at);
    data.assign(from, from + size);
  }
  const std::size_t most = most_ulpdu() - kTaggedHeader;
  std::size_t at = 0;
  do {
    const std::size_t piece = std::min(most, data.size() - at);
    const auto from = data.begin() + static_cast<std::ptrdiff_t>(at);
    stream_.say(
        tagged(Opcode::ReadResponse, u32(request, 18), number_at<std::uint64_t>(request, 22) + at,
               Octets(from, from + static_cast<std::ptrdiff_t>(piece)), at + piece == data.size()));
    at += piece;
  } while (at < data.size());
}

// --- what it takes -------------------------------------------------------------------------------

Octets KnownPeer::hear_send() {
  while (messages_.empty() && step()) {
  }
  if (messages_.empty()) {
    ADD_FAILURE() << "no Send";
    return {};
  }
  Octets message = std::move(messages_.front());
  messages_.pop_front();
  return message;
}

void KnownPeer::expect_reads_held_back(unsigned reads) {
  holds_requests_ = true;
  while (requests_.size() < reads && step()) {
  }
  expect_silence();
  holds_requests_ = false;
  for (const Octets& request : requests_) answer(request);
  requests_.clear();
}

void KnownPeer::finish() {
  stream_.peer().finish();
  EXPECT_EQ(hear_the_end(), "none");
}

std::string KnownPeer::hear_the_end() {
  while (step()) {
  }
  return end_;
}

bool KnownPeer::step() {
  const auto ulpdu = stream_.hear();
  if (!ulpdu) return false;
  EXPECT_EQ(end_, "none") << "something behind a Terminate";
  EXPECT_LE(stream_.last_size(), stack_.most_fpdu != 0 ? stack_.most_fpdu : most_ulpdu() + 6);
  judge_form(*ulpdu);
  if (testing::Test::HasFailure()) return false;
  if (is_tagged(ulpdu->at(1) & 0xf))
    on_tagged(*ulpdu);
  else
    on_untagged(*ulpdu);
  waits_for_rtr_ = false;
  return !testing::Test::HasFailure();
}

// Checks the versions and reserved bits, and whether T and the queue fit the opcode.
void KnownPeer::judge_form(const Octets& ulpdu) const {
  ASSERT_GE(ulpdu.size(), kTaggedHeader);
  const int opcode = ulpdu[1] & 0xf;
  EXPECT_EQ(ulpdu[0] & 0x3f, 1) << "DDP version and reserved bits";
  EXPECT_EQ(ulpdu[1] & 0xf0, 0x40) << "RDMAP version and reserved bits";
  EXPECT_LE(opcode, kTerminate) << "no such stack has that";
  EXPECT_EQ((ulpdu[0] & 0x80) != 0, is_tagged(opcode));
  // A message must end before the next one begins.
  if (placing_.opcode >= 0) {
    EXPECT_EQ(opcode, placing_.opcode);
  }
  if (!waits_for_rtr_) return;
  if (stack_.chooses == Forms::Read)
    EXPECT_TRUE(opcode == 1 && u32(ulpdu, 30) == 0) << "the first FPDU is no Read of nothing";
  else
    EXPECT_TRUE(opcode == 0 && ulpdu.size() == kTaggedHeader && (ulpdu[0] & 0x40) != 0)
        << "the first FPDU is no Write of nothing";
}

void KnownPeer::on_tagged(const Octets& ulpdu) {
  const int opcode = ulpdu[1] & 0xf;
  const bool last = (ulpdu[0] & 0x40) != 0;
  const auto stag = u32(ulpdu, 2);
  const auto to = number_at<std::uint64_t>(ulpdu, 6);
  const Octets payload(ulpdu.begin() + kTaggedHeader, ulpdu.end());
  if (placing_.opcode >= 0) {
    EXPECT_EQ(stag, placing_.stag);
    EXPECT_EQ(to, placing_.next) << "a gap within a message";
  }
  if (opcode == 0)
    on_write(stag, to, payload);
  else
    on_response(stag, to, payload, last);
  placing_ = {last ? -1 : opcode, stag, to + payload.size()};
}

void KnownPeer::on_write(std::uint32_t stag, std::uint64_t to, const Octets& payload) {
  if (payload.empty()) return; // no stack looks at the STag of an empty Write
  EXPECT_EQ(stag, kRegionStag);
  const std::uint64_t at = to - kRegionBase;
  ASSERT_TRUE(at <= kRegionSize && payload.size() <= kRegionSize - at)
      << "a Write outside of the region";
  std::copy(payload.begin(), payload.end(), region_.begin() + static_cast<std::ptrdiff_t>(at));
}

void KnownPeer::on_response(std::uint32_t stag, std::uint64_t to, const Octets& payload,
                            bool last) {
  ASSERT_FALSE(sought_.empty()) << "a response to no Read";
  const Sought& sink = sought_.front();
  EXPECT_EQ(stag, sink.stag);
  EXPECT_EQ(to, sink.to + response_.size());
  response_.insert(response_.end(), payload.begin(), payload.end());
  EXPECT_EQ(last, response_.size() == sink.size) << "of a response of " << sink.size;
  if (last) sought_.pop_front();
}

void KnownPeer::on_untagged(const Octets& ulpdu) {
  ASSERT_GE(ulpdu.size(), kUntaggedHeader);
  const int opcode = ulpdu[1] & 0xf;
  const bool last = (ulpdu[0] & 0x40) != 0;
  const auto queue = u32(ulpdu, 6);
  const auto msn = u32(ulpdu, 10);
  const auto offset = u32(ulpdu, 14);
  const Octets payload(ulpdu.begin() + kUntaggedHeader, ulpdu.end());
  if (opcode == 1) {
    EXPECT_EQ(queue, 1U);
    EXPECT_EQ(msn, expected_read_++);
    EXPECT_EQ(offset, 0U);
    EXPECT_TRUE(last);
    ASSERT_EQ(ulpdu.size(), kRequestUlpdu);
    if (holds_requests_)
      requests_.push_back(ulpdu);
    else
      answer(ulpdu);
    EXPECT_LE(requests_.size(), stack_.reads) << "more Reads than it serves";
  } else if (opcode == kTerminate) {
    EXPECT_EQ(queue, 2U);
    EXPECT_EQ(msn, 1U);
    on_terminate(payload);
  } else {
    EXPECT_EQ(queue, 0U);
    EXPECT_EQ(msn, expected_send_);
    on_send(offset, payload, last);
    placing_ = {last ? -1 : opcode, 0, 0};
  }
}

void KnownPeer::on_send(std::uint32_t offset, const Octets& payload, bool last) {
  EXPECT_EQ(offset, arriving_.size());
  arriving_.insert(arriving_.end(), payload.begin(), payload.end());
  if (!last) return;
  ++expected_send_;
  messages_.push_back(std::move(arriving_));
  arriving_.clear();
}

void KnownPeer::on_terminate(const Octets& payload) {
  ASSERT_GE(payload.size(), 4U);
  char text[16];
  std::snprintf(text, sizeof text, "%x/%x/%02x", payload[0] >> 4U, payload[0] & 0xfU,
                unsigned{payload[1]});
  end_ = text;
}

} // namespace datum::test

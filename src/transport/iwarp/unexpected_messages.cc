// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/iwarp/unexpected_messages.h"

#include <algorithm>
#include <new>

#include "core/port/copy.h"
#include "transport/iwarp/header_octets.h"

namespace datum::iwarp {
namespace {

// Counted for each waiting message in addition to its octets, to limit empty messages, too.
constexpr std::size_t kUnexpectedOverhead = 128;

} // namespace

std::size_t UnexpectedMessages::cost() const {
  return octets_ + messages_.size() * kUnexpectedOverhead;
}

UnexpectedMessages::Begun UnexpectedMessages::begin(const UntaggedHeader& header,
                                                    std::uint16_t ulpdu) {
  if (cost() + kUnexpectedOverhead > stream_.most_unexpected) return Begun::Full;
  try {
    Unexpected message;
    if (is_immediate(header.control.opcode)) message.octets.reserve(kImmediateSize);
    message.header = header;
    message.ulpdu = ulpdu;
    messages_.push(std::move(message), stream_.now);
  } catch (const std::bad_alloc&) {
    // If no other message waits, none will time out, so nothing would end the wait.
    return messages_.empty() ? Begun::NoMemory : Begun::Full;
  }
  return Begun::Yes;
}

std::size_t UnexpectedMessages::places(std::uint64_t offset, std::uint64_t length,
                                       std::span<Segment> out) {
  const std::size_t now = cost();
  if (now >= stream_.most_unexpected) return 0;
  std::vector<std::byte>& octets = messages_.back().octets;
  const auto at = static_cast<std::size_t>(offset);
  const auto piece =
      static_cast<std::size_t>(std::min<std::uint64_t>(length, stream_.most_unexpected - now));
  try {
    octets.resize(at + piece);
  } catch (const std::bad_alloc&) {
    return 0; // held by TCP until a Recv is posted
  }
  octets_ += piece;
  out[0] = {octets.data() + at, piece};
  return 1;
}

void UnexpectedMessages::end_immediate(Octets data) {
  messages_.back().octets.assign(data.begin(), data.end());
  octets_ += data.size();
  messages_.back().whole = true;
}

void UnexpectedMessages::deliver(const std::optional<LastSegment>& last) {
  while (!stream_.ended && !messages_.empty() && deliver_first(last)) {
  }
}

// False: the oldest message is too long for its Recv, and the connection ends.
bool UnexpectedMessages::fits(std::uint64_t length, std::uint64_t capacity) {
  if (length <= capacity) return true;
  const Unexpected& first = messages_.front();
  const Terminate words = make_terminate(error::kTooLong, first.ulpdu, HeaderOctets(first.header));
  stream_.events->fail_receive(DtoStatus::LocalLength);
  if (!stream_.ended) control_.fail(words);
  return false;
}

// Moves the oldest message, or as much of it as has come, to its Recv. False: the message has to
// keep waiting, or the connection has ended.
bool UnexpectedMessages::deliver_first(const std::optional<LastSegment>& last) {
  std::span<const LocalTriplet> into;
  std::uint64_t capacity = 0;
  switch (stream_.events->take_receive(into, capacity)) {
  case TakeResult::NoReceive: return false;
  case TakeResult::Protection:
    if (!stream_.ended) control_.fail(make_terminate(error::kDdpLocal));
    return false;
  case TakeResult::Taken: break;
  }
  const Unexpected& first = messages_.front();
  const UntaggedHeader header = first.header;
  const std::uint16_t ulpdu = first.ulpdu;
  const bool immediate = is_immediate(header.control.opcode);
  // The rest of the FPDU under way has to fit, too: it goes straight to the Recv from now on.
  std::uint64_t length = first.octets.size();
  if (!first.whole && last && last->msn == header.msn) length = std::max(length, last->end);
  if (!immediate && !fits(length, capacity)) return false;
  if (!immediate) scatter(into, 0, first.octets.data(), first.octets.size());
  const bool whole = first.whole;
  const std::vector<std::byte> octets = std::move(messages_.front().octets);
  octets_ -= octets.size();
  const std::uint32_t writes = messages_.pop(stream_.now, *stream_.events);
  if (!whole) return true;
  if (immediate) {
    delivery_.complete_immediate(octets, header.msn, is_solicited(header.control.opcode));
  } else if (!delivery_.complete(header, ulpdu, octets.size())) {
    return false;
  }
  if (!stream_.ended) stream_.placed += writes;
  return !stream_.ended;
}

void UnexpectedMessages::on_time() {
  if (messages_.empty() || !messages_.is_over(stream_.now, *stream_.events)) return;
  const Unexpected& first = messages_.front();
  control_.fail(make_terminate(error::kNoBuffer, first.ulpdu, HeaderOctets(first.header)));
}

} // namespace datum::iwarp

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "session/heard.h"

#include "input.h"
#include "session/situations.h"
#include "transport/iwarp/crc32c.h"

namespace datum::fuzz {

using namespace iwarp;

void Heard::hear(Octets octets, const Session& session) {
  hear_startup(octets);
  if (!started_) return;
  const Terms& terms = session.terms();
  for (const std::byte octet : octets)
    if (position_++ % kMarkerSpacing >= kMarkerSize || !terms.markers) stream_.push_back(octet);
  Octets left = stream_;
  while (left.size() >= kLengthSize) {
    const std::size_t ulpdu =
        std::to_integer<std::size_t>(left[0]) << 8U | std::to_integer<std::size_t>(left[1]);
    const std::size_t size = fpdu_size(ulpdu);
    if (left.size() < size) break;
    hear_fpdu(left.first(size), ulpdu, session);
    left = left.subspan(size);
  }
  stream_.erase(stream_.begin(), stream_.end() - static_cast<std::ptrdiff_t>(left.size()));
}

void Heard::hear_startup(Octets& octets) {
  if (started_) return;
  StartupFrame frame;
  frame.reply = !initiator_;
  startup_.insert(startup_.end(), octets.begin(), octets.end());
  std::size_t size = 0;
  const StartupProgress progress = decode(startup_, frame, size);
  require(progress != StartupProgress::Bad, "our startup frame is one");
  octets = {};
  if (progress != StartupProgress::Complete) return;
  started_ = true;
  if (!frame.private_data.empty() && !frame.rejected) saw(Situation::PrivateData, initiator_);
  octets = Octets(startup_).subspan(size);
}

void Heard::hear_fpdu(Octets fpdu, std::size_t ulpdu, const Session& session) {
  const Terms& terms = session.terms();
  require(session.peer_is_own() || ulpdu <= most_, "no FPDU is longer than TCP's segments allow");
  if (!terms.markers) { // a CRC covers markers, too
    const std::uint32_t crc = terms.crc ? crc32c(fpdu.first(fpdu.size() - kCrcSize)) : 0;
    for (unsigned i = 0; i < kCrcSize; ++i)
      require(fpdu[fpdu.size() - kCrcSize + i] == static_cast<std::byte>(crc >> (8 * i) & 0xffU),
              "the CRC of what we send is right");
  } else if (position_ > 2 * kMarkerSpacing) {
    saw(Situation::Markers, initiator_);
  }
  const bool rtr = initiator_ && fpdus_ == 0;
  if (++fpdus_ > 1 && !terms.crc) saw(Situation::NoCrc, initiator_);
  if (session.peer_is_own() && ulpdu == hello_ulpdu_) saw(Situation::LargestUlpdu, initiator_);
  const Octets segment = fpdu.subspan(kLengthSize, ulpdu);
  const bool tagged = !segment.empty() && (segment[0] & std::byte{0x80}) != std::byte{0};
  const std::size_t header = tagged ? TaggedHeader::kWireSize : UntaggedHeader::kWireSize;
  require(ulpdu >= header, "an FPDU has a whole header");
  look_at_payload(ulpdu - header, tagged && (segment[1] & std::byte{0xf}) == std::byte{2}, terms);
  if (tagged)
    hear_tagged(segment, rtr, session);
  else
    hear_untagged(segment, rtr);
}

void Heard::look_at_payload(std::size_t size, bool response, const Terms& terms) {
  if (!terms.crc || terms.markers || size <= 4096) return;
  if (size <= 8192 || response)
    saw(Situation::SummedCopy, initiator_);
  else
    saw(Situation::SummedInPlace, initiator_);
}

void Heard::hear_tagged(Octets ulpdu, bool rtr, const Session& session) {
  TaggedHeader header;
  WireReader in(ulpdu);
  require(decode(in, header), "a tagged header is one");
  if (header.control.opcode == Rdmap::ReadResponse) {
    if (header.control.last && !in.left().empty()) saw(Situation::ReadServed, initiator_);
    return;
  }
  require(header.control.opcode == Rdmap::Write, "what is tagged is a Write or a Read Response");
  if (rtr || !header.control.last) return;
  if (in.left().empty()) {
    if (header.stag == kAckStag && !session.peer_is_own()) silent_written = true;
    if (silent_written) saw(Situation::SilentPeer, initiator_);
    if (header.stag != kHelloStag || header.offset != 0) return;
  }
  ++placed;
  last_request.assign(ulpdu.begin(), ulpdu.begin() + TaggedHeader::kWireSize);
}

void Heard::hear_untagged(Octets ulpdu, bool rtr) {
  UntaggedHeader header;
  WireReader in(ulpdu);
  require(decode(in, header), "an untagged header is one");
  require(header.queue == queue_of(header.control.opcode), "a message is on its queue");
  require(header.msn == next_msn_[header.queue], "messages of a queue are counted one by one");
  if (!header.control.last) return;
  if (next_msn_[header.queue]++ == 0) saw(Situation::MsnWraps, initiator_);
  Read read{.msn = header.msn};
  switch (header.control.opcode) {
  case Rdmap::ReadRequest: {
    ReadRequest request;
    require(decode(in, request), "a Read Request is whole");
    read.sink_stag = request.sink_stag;
    read.sink_offset = request.sink_offset;
    read.size = request.size;
    reads.push_back(read);
    return;
  }
  case Rdmap::AtomicRequest:
    read.atomic = true;
    reads.push_back(read);
    return;
  case Rdmap::AtomicResponse: saw(Situation::AtomicServed, initiator_); return;
  case Rdmap::Terminate: hear_terminate(in.left()); return;
  default: break;
  }
  if (rtr) return;
  ++placed;
  last_request.assign(ulpdu.begin(), ulpdu.begin() + UntaggedHeader::kWireSize);
}

void Heard::hear_terminate(Octets payload) {
  Terminate terminate;
  require(decode(payload, terminate), "a Terminate says why");
  if (terminate.has_request && terminate.error.layer == kLayerRdmap &&
      terminate.error.type == kRemoteProtection)
    saw(Situation::ReadRefused, initiator_);
}

} // namespace datum::fuzz

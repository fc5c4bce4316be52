// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/fuzz/fuzz_iwarp_startup.cc: decode() of an MPA request or reply with any octets. It must
// read nothing beyond them. A frame that it accepts must mean the same after encode(). The terms on
// which the two sides agree must keep to what the frames say.
#include <algorithm>
#include <memory>

#include "input.h"
#include "transport/iwarp/negotiation.h"

using namespace datum::iwarp;
using datum::fuzz::require;

namespace {

void negotiate(const StartupFrame& frame) {
  const Wishes wishes{.reads_in = 4, .reads_out = 4};
  if (!frame.reply) {
    if (!is_acceptable(frame)) return;
    const Terms terms = answer_terms(frame, wishes);
    require(terms.reads_in == 4, "as many Reads are served as we wished");
    require(terms.reads_out <= 4, "no more Reads are sent than we wished");
    const StartupFrame reply = make_reply(frame, terms, {});
    require(reply.enhanced.has_value() == frame.enhanced.has_value(), "a reply is as its request");
    if (!reply.enhanced) return;
    const int forms =
        reply.enhanced->rtr_send + reply.enhanced->rtr_write + reply.enhanced->rtr_read;
    require(forms == (frame.enhanced->peer_to_peer ? 1 : 0), "exactly one form of RTR");
    require(conclude(frame, reply, wishes).verdict != ReplyVerdict::Unusable,
            "our own replies are usable");
    return;
  }
  const StartupFrame request = make_request(wishes, {});
  const Conclusion result = conclude(request, frame, wishes);
  require(result.verdict != ReplyVerdict::Agreed || result.terms.reads_in == 4,
          "as many Reads are served as we wished");
}

void try_decode(Octets octets, bool reply) {
  StartupFrame frame;
  frame.reply = reply;
  std::size_t size = 0;
  if (decode(octets, frame, size) != StartupProgress::Complete) return;
  require(size <= octets.size(), "a complete frame has arrived");
  require(frame.wire_size() == size, "all of it is accounted for");
  std::array<std::byte, StartupFrame::kMostSize> again;
  encode(frame, again.data());
  StartupFrame second;
  second.reply = reply;
  std::size_t second_size = 0;
  require(decode(Octets(again).first(size), second, second_size) == StartupProgress::Complete &&
              second.markers == frame.markers && second.crc == frame.crc &&
              second.rejected == frame.rejected && second.revision == frame.revision &&
              second.enhanced == frame.enhanced &&
              std::ranges::equal(second.private_data, frame.private_data),
          "what was written reads back equal");
  StartupFrame shorter;
  shorter.reply = reply;
  require(decode(octets.first(size - 1), shorter, second_size) == StartupProgress::Incomplete,
          "a frame is not complete before its last octet");
  negotiate(frame);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Octets octets(reinterpret_cast<const std::byte*>(data), size);
  try_decode(octets, false);
  try_decode(octets, true);
  return 0;
}

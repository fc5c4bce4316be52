// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/endpoint/evd_sharing.cc: which completion streams of endpoints may share an EVD.
#include <algorithm>

#include "base/refusal.h"
#include "core/endpoint/attribute_rules.h"
#include "core/endpoint/endpoint.h"

namespace datum {
namespace {

constexpr EvdFlags kCompletionStreams = kEvdDto | kEvdRmrBind;

// The completions of one kind, requests or Recvs, that an EP puts into an EVD.
struct Stream {
  const EventDispatcher* evd = nullptr;
  CompletionFlags flags = 0; // as normal() returns them
  CompletionFlags given = 0; // as the attributes have them
  bool recv = false;
};

struct Streams {
  Stream items[2];
};

// DEFAULT and EVD_THRESHOLD notify alike (decision 15). Whether a completion is suppressed depends
// on its post.
CompletionFlags normal(CompletionFlags flags) {
  return flags & ~(kEvdThreshold | kSuppress);
}

Streams streams_of(const EventDispatcher* recv, const EventDispatcher* request,
                   const EndpointAttributes& attributes) {
  const CompletionFlags of_recv = attributes.recv_completion_flags;
  const CompletionFlags of_request = attributes.request_completion_flags;
  return {
      {{recv, normal(of_recv), of_recv, true}, {request, normal(of_request), of_request, false}}};
}

std::string_view name_of(const Stream& stream) {
  return stream.recv ? "recv_completion_flags" : "request_completion_flags";
}

// A stream must not have completion flags if its EVD also takes other events than completions.
bool fits_evd(const Stream& stream) {
  if (stream.evd == nullptr || stream.flags == 0) return true;
  const bool only_completions = (stream.evd->flags() & ~kCompletionStreams) == 0;
  if (!only_completions)
    note_bits(name_of(stream), stream.flags,
              "DEFAULT 0x0 or EVD_THRESHOLD 0x10, since the EVD takes other events as well",
              "SHARE.4");
  return only_completions;
}

// True: one stream has requests that do not notify, and the other stream has Recvs that do. Even
// then each completion notifies as its post asked. So the only harm is that a program may wait for
// a completion for which it asked no notification.
bool mixed(const Stream& a, const Stream& b) {
  const Stream& recv = a.recv ? a : b;
  const Stream& request = a.recv ? b : a;
  return a.recv != b.recv && recv.given == kDefaultCompletion && request.given == kUnsignalled;
}

Sharing fit_together(const Stream& mine, const Stream& other, bool equal_attributes) {
  if (mine.evd == nullptr || mine.evd != other.evd || mine.flags == other.flags)
    return Sharing::Allowed;
  if (equal_attributes && mixed(mine, other)) return Sharing::Lenient;
  if (refusals_are_told())
    note_cause({name_of(mine), text("{:#x}", mine.given),
                text("{:#x}, as the {} of what shares the EVD", other.given, name_of(other)),
                mine.recv != other.recv ? "SHARE.5"
                : mine.recv             ? "SHARE.2"
                                        : "SHARE.1"});
  return Sharing::Refused;
}

// Few EPs have completion flags. Without flags on these EVDs, the streams fit every other stream.
bool no_flags_steer(const Streams& mine) {
  return std::all_of(std::begin(mine.items), std::end(mine.items), [](const Stream& stream) {
    return stream.flags == 0 && (stream.evd == nullptr || !stream.evd->consumer_notification());
  });
}

} // namespace

Sharing evd_sharing(ObjectList& endpoints, const EndpointParts& parts,
                    const EndpointAttributes& attributes, const Endpoint* self) {
  const Streams mine = streams_of(parts.recv_evd, parts.request_evd, attributes);
  if (!fits_evd(mine.items[0]) || !fits_evd(mine.items[1])) return Sharing::Refused;
  Sharing sharing = fit_together(mine.items[0], mine.items[1], true);
  if (no_flags_steer(mine)) return sharing;
  endpoints.for_each([&](const Object& object) {
    const auto& other = static_cast<const Endpoint&>(object);
    if (&other == self || sharing == Sharing::Refused) return;
    const Streams theirs = streams_of(other.recv_evd(), other.request_evd(), other.attributes());
    const bool equal = mine.items[0].given == theirs.items[0].given &&
                       mine.items[1].given == theirs.items[1].given;
    for (const Stream& a : mine.items)
      for (const Stream& b : theirs.items)
        if (sharing != Sharing::Refused) sharing = std::min(sharing, fit_together(a, b, equal));
  });
  return sharing;
}

} // namespace datum

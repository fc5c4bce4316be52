// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "core/evd_sharing.h"

#include "core/interface_adapter.h"

namespace datum {
namespace {

constexpr EvdFlags kCompletionStreams = kEvdDto | kEvdRmrBind;

// One way in which an EP feeds an EVD.
struct Stream {
  const EventDispatcher* evd = nullptr;
  CompletionFlags flags = 0;
};

struct Streams {
  Stream items[2];
};

Streams streams_of(const EventDispatcher* recv, const EventDispatcher* request,
                   const EndpointAttributes& attributes) {
  return {
      {{recv, attributes.recv_completion_flags}, {request, attributes.request_completion_flags}}};
}

// DEFAULT and EVD_THRESHOLD notify alike (D-15).
CompletionFlags normal(CompletionFlags flags) {
  return flags & ~kEvdThreshold;
}

// An EVD that is fed by other kinds of streams, too, must not be steered by completion flags.
bool fits_evd(const Stream& stream) {
  if (stream.evd == nullptr || normal(stream.flags) == 0) return true;
  const bool only_completions = (stream.evd->flags() & ~kCompletionStreams) == 0;
  return only_completions;
}

bool fit_together(const Stream& a, const Stream& b) {
  if (a.evd == nullptr || a.evd != b.evd) return true;
  return normal(a.flags) == normal(b.flags);
}

} // namespace

bool evd_sharing_allowed(InterfaceAdapter& adapter, const EndpointParts& parts,
                         const EndpointAttributes& attributes, const SharedReceiveQueue*,
                         const Endpoint* self) {
  const Streams mine = streams_of(parts.recv_evd, parts.request_evd, attributes);
  if (!fits_evd(mine.items[0]) || !fits_evd(mine.items[1]) ||
      !fit_together(mine.items[0], mine.items[1]))
    return false;
  // Most EVDs are steered by nobody; then there is nothing to compare with.
  const auto steered = [](const EventDispatcher* evd) {
    return evd != nullptr && evd->consumer_notification();
  };
  if (normal(attributes.recv_completion_flags) == 0 &&
      normal(attributes.request_completion_flags) == 0 && !steered(parts.recv_evd) &&
      !steered(parts.request_evd))
    return true;
  bool allowed = true;
  adapter.for_each_endpoint([&](const Endpoint& other) {
    if (&other == self) return;
    const Streams theirs = streams_of(other.recv_evd(), other.request_evd(), other.attributes());
    for (const Stream& a : mine.items)
      for (const Stream& b : theirs.items) allowed = allowed && fit_together(a, b);
  });
  return allowed;
}

} // namespace datum

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/delivery.h: completes the Recv of a message that has come whole.
// Lives here: the completion, and the counters that are raised before it.
// Not here:   checks and placement (inbound.h), messages that wait for a Recv
//             (unexpected_messages.h).
// Threads:    the adapter's lock.
#pragma once

#include "transport/iwarp/responder.h"
#include "transport/iwarp/stream.h"

namespace datum::iwarp {

class Delivery {
 public:
  Delivery(Stream& stream, StreamControl& control, Responder& responder)
      : stream_(stream), control_(control), responder_(responder) {}

  // `header` and `ulpdu` are those of the message's first segment. False: the connection has ended.
  bool complete(const UntaggedHeader& header, std::uint16_t ulpdu, std::uint64_t length);
  void complete_immediate(Octets data, std::uint32_t msn, bool solicited);

 private:
  bool may_invalidate(const UntaggedHeader& header, std::uint16_t ulpdu, const MessageNote& note);
  void count(std::uint32_t msn);

  Stream& stream_;
  StreamControl& control_;
  Responder& responder_;
};

} // namespace datum::iwarp

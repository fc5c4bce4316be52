// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/iwarp/delivery.h"

#include "transport/iwarp/header_octets.h"

namespace datum::iwarp {

// The counters are raised before the completion, which may end the connection.
void Delivery::count(std::uint32_t msn) {
  ++stream_.placed;
  responder_.on_delivered(msn + 1);
}

bool Delivery::may_invalidate(const UntaggedHeader& header, std::uint16_t ulpdu,
                              const MessageNote& note) {
  const AccessFault fault = stream_.events->check_note(note);
  if (fault == AccessFault::None) return true;
  const ErrorCode error =
      fault == AccessFault::WrongZone ? error::kProtectionInvalidate : error::kCannotInvalidate;
  stream_.events->fail_receive(DtoStatus::LocalProtection);
  if (!stream_.ended) control_.fail(make_terminate(error, ulpdu, HeaderOctets(header))); // 38
  return false;
}

bool Delivery::complete(const UntaggedHeader& header, std::uint16_t ulpdu, std::uint64_t length) {
  const bool invalidates = is_invalidating(header.control.opcode);
  const MessageNote note{Opcode::SendInvalidate, header.invalidate, 0};
  if (invalidates && !may_invalidate(header, ulpdu, note)) return false;
  count(header.msn);
  const bool solicited = is_solicited(header.control.opcode);
  if (invalidates)
    stream_.events->complete_noted(length, solicited, note);
  else
    stream_.events->complete_receive(length, solicited);
  return !stream_.ended;
}

void Delivery::complete_immediate(Octets data, std::uint32_t msn, bool solicited) {
  std::uint64_t number = 0;
  WireReader in(data);
  if (!in.u64(number)) return;
  count(msn);
  stream_.events->complete_noted(0, solicited, decode_immediate(number));
}

} // namespace datum::iwarp

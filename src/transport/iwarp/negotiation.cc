// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/iwarp/negotiation.h"

#include <algorithm>

namespace datum::iwarp {
namespace {

// C before D before B: a zero-length Write consumes nothing at this side. The reply names exactly
// one form: some initiators end the connection if it leaves them the choice.
Rtr choose_rtr(const EnhancedData& offer) {
  if (!offer.peer_to_peer) return Rtr::None;
  if (offer.rtr_write) return Rtr::Write;
  if (offer.rtr_read) return Rtr::Read;
  if (offer.rtr_send) return Rtr::Send;
  return Rtr::Write; // nothing offered: the reply still names a form (RFC 6581 section 9.2)
}

Rtr rtr_of(const EnhancedData& reply) {
  if (reply.rtr_write) return Rtr::Write;
  if (reply.rtr_read) return Rtr::Read;
  return reply.rtr_send ? Rtr::Send : Rtr::None;
}

std::uint16_t at_most(std::uint16_t wish, std::uint16_t limit) {
  return limit == kNotNegotiated ? wish : std::min(wish, limit);
}

// Revision 1 does not say how many Reads the peer serves. If the consumer chose reads_out, its
// choice counts. Otherwise this side has at most one Read outstanding: a peer that serves Reads
// serves one.
std::uint16_t unnegotiated(const Wishes& wishes) {
  return wishes.reads_out_chosen ? wishes.reads_out : std::min<std::uint16_t>(wishes.reads_out, 1);
}

EnhancedData say(const Terms& terms) {
  EnhancedData data;
  data.peer_to_peer = terms.peer_to_peer;
  data.rtr_send = terms.rtr == Rtr::Send;
  data.rtr_write = terms.rtr == Rtr::Write;
  data.rtr_read = terms.rtr == Rtr::Read;
  // One side's IRD goes with the other side's ORD. Where the peer leaves its half of such a pair to
  // the consumers, this side leaves its own half to them, too, by the same value (RFC 6581 section
  // 9.1).
  data.ird = terms.peer_ord == kNotNegotiated ? kNotNegotiated : terms.reads_in;
  data.ord = terms.peer_ird == kNotNegotiated ? kNotNegotiated : terms.reads_out;
  // The RTR Read needs a place, though the session itself answers it.
  if (terms.rtr == Rtr::Read) data.ird = std::max<std::uint16_t>(data.ird, 1);
  return data;
}

} // namespace

StartupFrame make_request(const Wishes& wishes, Octets private_data) {
  StartupFrame request;
  request.crc = wishes.crc;
  request.revision = wishes.revision;
  request.private_data = private_data;
  if (wishes.revision < 2) return request;
  // The Read form of RTR needs a place among this side's Reads (RFC 6581 section 9.1).
  request.enhanced = EnhancedData{.peer_to_peer = true,
                                  .rtr_send = false,
                                  .rtr_write = true,
                                  .rtr_read = true,
                                  .ird = wishes.reads_in,
                                  .ord = std::max<std::uint16_t>(wishes.reads_out, 1)};
  return request;
}

bool is_acceptable(const StartupFrame& request) {
  return request.revision == 1 || request.revision == 2;
}

Terms answer_terms(const StartupFrame& request, const Wishes& wishes) {
  Terms terms;
  terms.crc = request.crc || wishes.crc;
  terms.markers = request.markers;
  terms.reads_in = wishes.reads_in;
  terms.reads_out = unnegotiated(wishes);
  if (!request.enhanced) return terms;
  const EnhancedData& offer = *request.enhanced;
  terms.enhanced = true;
  terms.peer_to_peer = offer.peer_to_peer;
  terms.rtr = choose_rtr(offer);
  terms.peer_ird = offer.ird;
  terms.peer_ord = offer.ord;
  terms.reads_out = at_most(wishes.reads_out, offer.ird);
  return terms;
}

StartupFrame make_reply(const StartupFrame& request, const Terms& terms, Octets private_data) {
  StartupFrame reply;
  reply.reply = true;
  reply.crc = terms.crc;
  reply.revision = request.revision;
  reply.private_data = private_data;
  if (terms.enhanced) reply.enhanced = say(terms);
  return reply;
}

StartupFrame make_reject(const StartupFrame& request, const Wishes& wishes, Octets private_data) {
  StartupFrame reply = make_reply(request, answer_terms(request, wishes), private_data);
  reply.rejected = true;
  return reply;
}

Conclusion conclude(const StartupFrame& request, const StartupFrame& reply, const Wishes& wishes) {
  if (reply.revision != request.revision ||
      reply.enhanced.has_value() != request.enhanced.has_value())
    return {};
  Conclusion result;
  if (reply.rejected) {
    result.verdict = ReplyVerdict::Rejected;
    return result;
  }
  Terms& terms = result.terms;
  terms.crc = request.crc || reply.crc;
  terms.markers = reply.markers;
  terms.reads_in = wishes.reads_in;
  terms.reads_out = unnegotiated(wishes);
  result.verdict = ReplyVerdict::Agreed;
  if (!reply.enhanced) return result;
  const EnhancedData& answer = *reply.enhanced;
  terms.enhanced = true;
  terms.peer_to_peer = answer.peer_to_peer;
  terms.peer_ird = answer.ird;
  terms.peer_ord = answer.ord;
  terms.reads_out = at_most(wishes.reads_out, answer.ird);
  // Without the peer-to-peer model the RTR flags mean nothing.
  terms.rtr = answer.peer_to_peer ? rtr_of(answer) : Rtr::None;
  const bool too_many = answer.ord != kNotNegotiated && answer.ord > terms.reads_in;
  const bool no_place = terms.rtr == Rtr::Read && answer.ird == 0;
  if (too_many || no_place) {
    result.verdict = ReplyVerdict::Terminate;
    result.error = error::kInsufficientIrd;
  } else if (answer.peer_to_peer && terms.rtr == Rtr::None) {
    result.verdict = ReplyVerdict::Terminate;
    result.error = error::kNoMatchingRtr;
  }
  return result;
}

} // namespace datum::iwarp

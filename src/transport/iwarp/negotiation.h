// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/negotiation.h: what the two sides of a connection agree on at its start.
// Lives here: CRC, markers, IRD and ORD, which RTR frame (RFC 5044 section 7.1, RFC 6581).
#pragma once

#include "transport/iwarp/startup_frame.h"
#include "transport/iwarp/terminate.h"

namespace datum::iwarp {

// The wishes and offers of this side.
struct Wishes {
  std::uint8_t revision = 2; // of a request; 1: a second try with a peer that closed on revision 2
  bool crc = true;
  std::uint16_t reads_in = 0;   // IRD: how many Reads the EP serves at a time
  std::uint16_t reads_out = 0;  // ORD: how many Reads the EP will have outstanding
  bool reads_out_chosen = true; // the consumer chose reads_out, perhaps knowing the peer's IRD
  // The qualifier has several candidate ports: only an own peer can answer the request.
  bool for_own_kind = false;
};

// RFC 6581 section 9.2: the frame that the initiator sends first.
enum class Rtr : std::uint8_t {
  None,  // client-server, or revision 1: nothing is agreed
  Send,  // B
  Write, // C
  Read,  // D
};

struct Terms {
  bool crc = true;
  bool markers = false; // the peer wants markers in the octets that this side sends
  bool enhanced = false;
  bool peer_to_peer = false;
  Rtr rtr = Rtr::None;
  std::uint16_t reads_in = 0; // how many Reads this side serves
  std::uint16_t reads_out = 0;
  std::uint16_t peer_ird = kNotNegotiated; // as the peer sent it
  std::uint16_t peer_ord = kNotNegotiated;
  bool operator==(const Terms&) const = default;
};

StartupFrame make_request(const Wishes& wishes, Octets private_data);

// For the responder. False: send no reply, and close.
bool is_acceptable(const StartupFrame& request);
Terms answer_terms(const StartupFrame& request, const Wishes& wishes);
StartupFrame make_reply(const StartupFrame& request, const Terms& terms, Octets private_data);
StartupFrame make_reject(const StartupFrame& request, const Wishes& wishes, Octets private_data);

// For the initiator.
enum class ReplyVerdict : std::uint8_t {
  Agreed,
  Rejected,  // the peer's consumer has refused
  Unusable,  // the reply contradicts itself or the request: close
  Terminate, // send a Terminate with `error` as the first FPDU, then close
};
struct Conclusion {
  ReplyVerdict verdict = ReplyVerdict::Unusable;
  Terms terms;
  ErrorCode error;
};
Conclusion conclude(const StartupFrame& request, const StartupFrame& reply, const Wishes& wishes);

} // namespace datum::iwarp

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Transfers between connected parties.
#include <algorithm>

#include "failure.h"
#include "search.h"

namespace datum::test {

void Search::transfer(Party& party) {
  Party* peer = party.peer();
  require(peer != nullptr, "party {} is connected with nobody", party.number());
  // it drains, or its end has not been reaped yet
  if (party.ep().state() != EpState::Connected) return;
  const std::uint64_t length = some_length();
  const std::uint64_t source = below(kSourceBytes - length + 1);
  switch (below(gentle_ ? 18 : 23)) {
  case 0:
  case 1:
  case 2:
  case 3: return receive(party, std::max(some_length(), party.owed_receive().value_or(0)));
  case 4:
  case 5:
  case 6: return send(party, source, length);
  case 7:
  case 8:
  case 9:
    if (party.has_room()) party.post_write(source, length, some_segments(), chance(20));
    return;
  case 10:
  case 11:
    if (party.has_room()) party.post_read(source, length, chance(20));
    return;
  case 12:
    if (chance(15)) {
      // A graceful end lets the requests of this side finish, not those of the peer.
      if (gentle_) finish_transfers();
      party.disconnect(chance(60));
    }
    return;
  case 13:
  case 14: return bind(party);
  case 15:
  case 16: return go_through(party);
  case 17:
    if (chance(20)) set_watermarks(party);
    return;
  case 18:
  case 19:
  case 20: return trespass(party);
  default: return misbehave(party);
  }
}

void Search::receive(Party& party, std::uint64_t capacity) {
  if (party.shared() != nullptr) {
    // In a gentle play each Recv must be long enough for any message.
    capacity = gentle_ ? kSharedMessage : std::min(capacity, kSharedMessage);
  }
  if (party.has_receive_room(capacity)) party.post_receive(capacity, some_segments());
}

void Search::send(Party& party, std::uint64_t source, std::uint64_t length) {
  if (!party.has_room()) return;
  switch (party.reception(length)) {
  case Party::Reception::Fits: break;
  case Party::Reception::TooLong:
    if (gentle_ || chance(70)) return;
    break;
  case Party::Reception::Waits:
    // In a gentle play the message waits up to a second, and run() posts its Recv within that time.
    if (chance(50)) return;
  }
  // To a party with an SRQ no message is longer than kSharedMessage. Some get nearly that length, so
  // that they have several pieces.
  if (party.peer()->shared() != nullptr && (length > kSharedMessage || chance(20)))
    length = kSharedMessage - below(2000);
  source = std::min(source, kSourceBytes - length);
  party.post_send(source, length, some_segments(), chance(20));
  if (gentle_) return;
  if (party.peer()->may_overflow() && chance(30)) flood(party);
  if (chance(8)) interrupt(*party.peer());
}

// Sends more messages than the EVD has places, if the EVD may overflow.
void Search::flood(Party& party) {
  for (int i = 0; i < 12 && party.has_room(); ++i) {
    if (is_connected(*party.peer())) receive(*party.peer(), 100);
    party.post_send(0, below(100), 1, false);
  }
}

// Frees an RMR while its bind waits for its turn.
void Search::bind_in_vain(Party& party) {
  for (int i = 0; i < 4 && party.has_room(); ++i) party.post_read(0, 9000, false);
  if (party.has_room()) party.post_bind(Party::bind_of_pane(0, 0));
  party.renew_rmr();
}

// Interrupts a message in the middle, if it has several pieces.
void Search::interrupt(Party& party) {
  for (std::uint64_t steps = below(6); steps != 0; --steps) {
    time_.step();
    time_.advance(world_.now() + network_.longest_delay / 2);
  }
  if (is_connected(party)) party.disconnect(false);
}

void Search::pay_receives(bool all) {
  for (const auto& party : parties_) {
    if (party->node().dead() || party->ep().state() != EpState::Connected) continue;
    while (const std::optional<std::uint64_t> owed = party->owed_receive()) {
      const std::uint64_t capacity = party->shared() != nullptr ? kSharedMessage : *owed;
      if (!party->has_receive_room(capacity) || (!all && chance(70))) break;
      party->post_receive(capacity, some_segments());
    }
  }
}

void Search::bind(Party& party) {
  // No request of the peer may use the window that this bind shuts.
  if (!party.has_room() || (gentle_ && party.peer()->requests() != 0)) return;
  if (!gentle_ && chance(10)) return bind_in_vain(party);
  Party::Bind wanted;
  if (const std::uint64_t kind = below(5); kind < 2) {
    wanted = Party::bind_of_pane(kind, below(3000));
  } else if (kind < 4) {
    wanted.length = 1000 + below(40'000);
    wanted.at = below(kSourceBytes - wanted.length);
  }
  wanted.zero_based = chance(30);
  wanted.suppress = chance(20);
  party.post_bind(wanted);
}

// Uses the context that the peer bound last, within its rights.
void Search::go_through(Party& party) {
  Party& owner = *party.peer();
  const Opening* opening = owner.panes().newest();
  if (opening == nullptr || !party.has_room() || (gentle_ && !owner.panes().settled())) return;
  Party::Through through{opening, &owner};
  through.write = opening->write;
  through.length = 1 + below(opening->write ? kPaneRing / 2 : opening->length);
  through.source = below(kSourceBytes - through.length);
  if (!through.write) through.skip = below(opening->length - through.length + 1);
  through.suppress = chance(20);
  party.post_through(through);
}

// Uses a context that is shut, or that is another party's, or exceeds the rights of a context.
void Search::trespass(Party& party) {
  Party& peer = *party.peer();
  if (!party.has_room()) return;
  Party::Through through;
  through.owner = &peer;
  through.length = 2 + below(62);
  through.source = below(kSourceBytes - through.length);
  through.opening = peer.panes().newest();
  if (through.opening != nullptr) through.write = through.opening->write;
  switch (below(6)) {
  case 0: through.out_of_bounds = true; break;
  case 1: through.write = !through.write; break;
  case 2:
    through.owner = &some_party();
    // Our requests arrive at the EP of our peer. That EP may not use the owner's RMR if the owner is
    // in another zone, or if the RMR is for the owner's EP only. In all other cases the request would
    // not be refused.
    if (through.owner == &peer || &through.owner->node() != &peer.node() ||
        !through.owner->is_shut_off_from(peer))
      return;
    through.opening = through.owner->panes().newest();
    break;
  default: through.opening = peer.panes().stale(random_.next());
  }
  if (through.opening == nullptr) return;
  if (chance(80)) through.write = through.opening->write;
  through.suppress = chance(20);
  party.post_through(through);
}

void Search::misbehave(Party& party) {
  switch (below(4)) {
  case 0:
    if (party.has_room() && chance(30)) party.post_bad_write();
    return;
  case 1:
    if (chance(30)) party.close_window();
    return;
  case 2: return party.open_window();
  default:
    // Leaves messages without a Recv for a while.
    if (chance(20)) time_.run_for(static_cast<Duration>(below(1'200'000'000)));
    return;
  }
}

void Search::set_watermarks(Party& party) {
  harvest(); // takes the notices of earlier watermarks
  if (party.node().dead()) return;
  const auto some = [&](std::int32_t least) {
    return chance(30) ? kWatermarkInfinite : least + static_cast<std::int32_t>(below(6));
  };
  // A party never holds more Recvs than this.
  constexpr std::int32_t kNeverExceeded = 24;
  party.set_watermarks(some(0), some(gentle_ || chance(60) ? kNeverExceeded : 1));
}

void Search::tend(SharedReceives& shared) {
  if (chance(50)) {
    harvest(); // takes the notice of the earlier watermark
    shared.set_low_watermark(static_cast<std::int32_t>(below(6)));
  } else {
    shared.resize(static_cast<std::int32_t>(4 + below(28)));
  }
}

} // namespace datum::test

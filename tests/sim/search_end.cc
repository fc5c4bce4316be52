// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The end of a play: everything comes to rest, and no object or memory is left.
#include <algorithm>

#include "failure.h"
#include "search.h"

namespace datum::test {

// Runs until every message has found its Recv and nothing is on its way.
void Search::finish_transfers() {
  const auto waits = [](const auto& party) {
    const std::optional<std::uint64_t> owed = party->owed_receive();
    return owed && party->ep().state() == EpState::Connected && party->has_receive_room(*owed);
  };
  do {
    time_.settle();
    harvest();
    pay_receives(true);
    time_.settle();
    harvest();
  } while (std::ranges::any_of(parties_, waits));
}

void Search::check_nobody_starves() {
  time_.settle();
  harvest();
  time_.settle(); // the requests have been answered by now
  harvest();
  for (const auto& party : parties_)
    require(!party->starves(), "party {}: a message waits, and there is a Recv for it",
            party->number());
}

void Search::disconnect_all() {
  for (const auto& party : parties_)
    if (!party->node().dead() && party->life() == Party::Life::Up && !party->disconnected_by_us)
      party->disconnect(chance(50));
}

void Search::finish() {
  // Within seconds every wait for a Recv has ended, and every death and cut has been noticed.
  if (gentle_) finish_transfers();
  check_nobody_starves();
  closing_ = true;
  const Instant give_up = world_.now() + 5 * kSecond;
  do {
    time_.exhaust();
    harvest();
    disconnect_all();
    time_.exhaust(); // only now the answers to requests are on their way
  } while (time_.advance(give_up));
}

void Search::check_at_rest() {
  for (const auto& party : parties_) {
    if (party->node().dead()) continue;
    require(party->life() == Party::Life::Fresh || party->life() == Party::Life::Over,
            "party {}: no last event after five seconds (EP state {}, life {})", party->number(),
            static_cast<int>(party->ep().state()), static_cast<int>(party->life()));
    const std::uint64_t lefts = party->shared() != nullptr && hears_of_srqs_ ? party->ups() : 0;
    require(party->srq_lefts() == lefts, "party {}: has left its SRQ {} times of {}",
            party->number(), party->srq_lefts(), lefts);
  }
  for (const Place& place : places_)
    if (place.shared && !place.node->dead()) place.shared->check_at_rest();
}

// Sends long messages, which fill a Recv of an SRQ piece by piece.
void Search::leave_messages_under_way() {
  for (const auto& party : parties_) {
    if (party->life() != Party::Life::Up || !is_connected(*party) || !party->has_room() ||
        party->peer()->shared() == nullptr || !is_connected(*party->peer()))
      continue;
    receive(*party->peer(), kSharedMessage);
    party->post_send(0, kSharedMessage, 1, false);
  }
  for (std::uint64_t steps = below(8); steps != 0; --steps) {
    time_.step();
    time_.advance(world_.now() + network_.longest_delay / 2);
  }
}

// Frees every object as a program does that cleans up. The EPs may still be connected.
void Search::free_everything() {
  for (const auto& listener : listeners_)
    if (!listener->node().dead()) listener->free_all();
  for (const auto& party : parties_)
    if (!party->node().dead()) party->free_endpoint();
  for (const auto& party : parties_)
    if (!party->node().dead()) party->free_all();
  for (Place& place : places_) {
    if (place.node->dead()) continue;
    if (place.shared) place.shared->check_at_rest();
    if (place.shared) place.shared->free_all();
    InterfaceAdapter& adapter = *place.node->adapter;
    place.node->with_lock([&] {
      require(place.zone == nullptr || adapter.free(*place.zone).ok(), "a PZ cannot be freed");
      require(adapter.idle(), "an IA is not idle after everything was freed");
      require(place.node->handles.count == 1, "{} handles are left", place.node->handles.count);
    });
  }
}

// Does what dat_ia_close() does, with whatever objects exist.
void Search::close_adapters() {
  time_.settle();
  for (Place& place : places_) {
    SimNode& node = *place.node;
    node.close();
    require(node.handles.count == 0, "{} handles are left of a closed IA", node.handles.count);
    require(node.adapter->regions().used() == 0, "{} STags are left of a closed IA",
            node.adapter->regions().used());
  }
  for (Place& place : places_) place.node.reset();
  time_.settle();
  require(world_.links() == 0, "{} links are left after every IA was closed", world_.links());
}

} // namespace datum::test

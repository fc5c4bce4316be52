// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/sim/search.h: a random play of a few adapters under one seed. The play checks the
// invariants of decision 320.
// Lives here: which steps happen when (search.cc), transfers (search_transfers.cc), connections
//             (search_connect.cc), the end (search_end.cc).
// Not here:   the checks of what happens (party.h, shared_receives.h, listener.h).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "listener.h"
#include "party.h"

namespace datum::test {

class Search {
 public:
  explicit Search(std::uint64_t seed);
  ~Search();
  // Throws InvariantBroken if a check fails.
  void run();
  // The kind of world that the seed chose.
  std::string description() const;

 private:
  // An adapter, with the objects that belong to no single party.
  struct Place {
    std::unique_ptr<SimNode> node;
    std::unique_ptr<SharedReceives> shared; // may be null
    EventDispatcher* notices = nullptr;     // asynchronous events
    // shared by all its parties; null: each party has its own
    ProtectionZone* zone = nullptr;
  };

  std::uint64_t below(std::uint64_t bound) { return random_.next() % bound; }
  bool chance(std::uint64_t in_hundred) { return below(100) < in_hundred; }
  std::uint64_t some_length();
  std::uint32_t some_segments() { return 1 + static_cast<std::uint32_t>(below(3)); }
  Party& some_party() { return *parties_[below(parties_.size())]; }
  static bool is_connected(Party& party) {
    return !party.node().dead() && party.ep().state() == EpState::Connected;
  }

  void open_adapter(const LinkOptions& options);
  void open_party(std::uint32_t number);
  void act();
  void act_on(Party& party);
  void act_after_the_end(Party& party);
  void act_on_adapter(Place& place);
  void fault();
  void let_time_pass();
  void harvest();
  void harvest_notices(Place& place);

  // --- search_transfers.cc -----------------------------------------------------------------------
  void transfer(Party& party);
  void receive(Party& party, std::uint64_t capacity);
  void send(Party& party, std::uint64_t source, std::uint64_t length);
  void interrupt(Party& party);
  void flood(Party& party);
  // Posts Recvs for messages that wait. `all`: one for every such message.
  void pay_receives(bool all);
  void bind(Party& party);
  void bind_in_vain(Party& party);
  void go_through(Party& party);
  void trespass(Party& party);
  void misbehave(Party& party);
  void set_watermarks(Party& party);
  void tend(SharedReceives& shared);

  // --- search_connect.cc -------------------------------------------------------------------------
  void connect(Party& party);
  void listen_or_stop(Place& place);
  Listener* some_listener(const SimNode& node);
  void answer_requests();
  void answer(Listener& listener, ConnectionRequest& request);
  bool hand_off(Listener& listener, ConnectionRequest& request);
  Party* free_party(const SimNode& node, bool without_receives);
  Party* choose_acceptor(Listener& listener);
  void accept(Party& acceptor, Party& requester, std::uint32_t life, ConnectionRequest& request);

  // --- search_end.cc -----------------------------------------------------------------------------
  void finish_transfers();
  void check_nobody_starves();
  void disconnect_all();
  void finish();
  void check_at_rest();
  void leave_messages_under_way();
  void free_everything();
  void close_adapters();

  SeededRandom random_;
  SimOptions network_;
  bool gentle_; // no fault happens: every request must succeed
  bool closing_ = false;
  SimWorld world_;
  VirtualTime time_;
  bool hears_of_srqs_; // the adapters report when an EP has left its SRQ
  ConnQual next_qualifier_;
  std::vector<Place> places_;
  std::vector<std::unique_ptr<Listener>> listeners_;
  std::vector<std::unique_ptr<Party>> parties_;
};

} // namespace datum::test

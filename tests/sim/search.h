// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/sim/search.h: a random play of a few adapters under one seed, and the invariants of
// design 9.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "party.h"

namespace datum::test {

class Search {
 public:
  explicit Search(std::uint64_t seed);
  ~Search();
  // Throws InvariantBroken.
  void run();
  // What kind of world the seed has made.
  std::string description() const;

 private:
  struct Listener {
    SimNode* node = nullptr;
    EventDispatcher* evd = nullptr;
    ServicePoint* point = nullptr;
    std::vector<ConnectionRequest*> waiting;
  };

  std::uint64_t below(std::uint64_t bound) { return random_.next() % bound; }
  bool chance(std::uint64_t in_hundred) { return below(100) < in_hundred; }
  std::uint64_t some_length();
  std::uint32_t some_segments() { return 1 + static_cast<std::uint32_t>(below(3)); }
  Party& some_party() { return *parties_[below(parties_.size())]; }

  void act();
  void act_on(Party& party);
  void transfer(Party& party);
  void receive(Party& party, std::uint64_t capacity);
  void send(Party& party, std::uint64_t source, std::uint64_t length);
  // Posts Recvs for messages that wait; `all`: every one of them.
  void pay_receives(bool all);
  void misbehave(Party& party);
  void connect(Party& party);
  void answer(Listener& listener, ConnectionRequest& request);
  Party* free_party(SimNode& node);
  void fault();
  void let_time_pass();
  void harvest();
  void finish_transfers();
  void disconnect_all();
  void finish();
  void check_nothing_left();

  SeededRandom random_;
  SimOptions network_;
  bool gentle_; // nothing goes wrong: every request must succeed
  bool closing_ = false;
  SimWorld world_;
  VirtualTime time_;
  std::vector<std::unique_ptr<SimNode>> nodes_;
  std::vector<Listener> listeners_;
  std::vector<std::unique_ptr<Party>> parties_;
};

} // namespace datum::test

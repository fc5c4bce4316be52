// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "search.h"

#include <algorithm>

#include "failure.h"

namespace datum::test {
namespace {

constexpr ConnQual kFirstQualifier = 2000;

SimOptions network_for(std::uint64_t seed) {
  SeededRandom random(~seed);
  SimOptions options;
  options.seed = seed;
  options.direct = random.next() % 2 == 0;
  options.share = random.next() % 2 == 0;
  options.wire = random.next() % 4 != 0;
  options.shortest_delay = static_cast<Duration>(random.next() % 1000);
  options.longest_delay =
      options.shortest_delay +
      static_cast<Duration>(random.next() % (random.next() % 4 == 0 ? 5'000'000 : 50'000));
  return options;
}

} // namespace

Search::Search(std::uint64_t seed)
    : random_(seed * 0x9e3779b97f4a7c15U), network_(network_for(seed)), gentle_(below(3) == 0),
      world_(network_), time_(world_), hears_of_srqs_(chance(50)),
      next_qualifier_(kFirstQualifier) {
  LinkOptions options;
  options.receive_timeout = chance(10) ? 0 : kSecond;
  if (gentle_) options.receive_timeout = kSecond;
  if (!gentle_ && seed % 5 == 2) options.receive_timeout.reset(); // messages wait without a limit
  for (std::size_t adapters = 1 + below(3); adapters != 0; --adapters) open_adapter(options);
  const std::uint32_t parties = 2 + static_cast<std::uint32_t>(below(5));
  for (std::uint32_t number = 1; number <= parties; ++number) open_party(number);
  if (!gentle_ && chance(50)) {
    SimFaults faults;
    faults.refused = static_cast<std::uint32_t>(below(200));
    faults.unreachable = static_cast<std::uint32_t>(below(100));
    faults.out_of_resources = static_cast<std::uint32_t>(below(100));
    world_.set_faults(faults);
  }
}

Search::~Search() = default;

void Search::open_adapter(const LinkOptions& options) {
  Place& place = places_.emplace_back();
  place.node = std::make_unique<SimNode>(world_, time_, options, hears_of_srqs_);
  SimNode& node = *place.node;
  node.memory.mapped = chance(30);
  node.with_lock([&] {
    place.notices = node.adapter->create_evd(256, nullptr, kEvdAsync).value();
    node.adapter->events().async.set_evd(place.notices, 8);
    if (chance(50)) place.zone = node.adapter->create_zone().value();
  });
  using EpSource = ServicePoint::EpSource;
  for (const EpSource source : {EpSource::Consumer, EpSource::Provider})
    listeners_.push_back(std::make_unique<Listener>(node, next_qualifier_++, source));
  if (chance(50))
    place.shared = std::make_unique<SharedReceives>(node, static_cast<std::int32_t>(8 + below(24)));
}

void Search::open_party(std::uint32_t number) {
  Place& place = places_[(number - 1) % places_.size()];
  PartySetup setup;
  setup.zone = place.zone;
  if (place.shared && chance(60)) setup.shared = place.shared.get();
  if (!gentle_ && chance(25)) setup.events = static_cast<std::int32_t>(2 + below(10));
  if (chance(50)) setup.scope = MemoryWindow::Scope::Endpoint;
  parties_.push_back(std::make_unique<Party>(*place.node, number, setup));
}

std::string Search::description() const {
  return text("{} adapters, {} parties, direct={:d} share={:d} wire={:d} gentle={:d}",
              places_.size(), parties_.size(), network_.direct, network_.share, network_.wire,
              gentle_);
}

std::uint64_t Search::some_length() {
  switch (below(8)) {
  case 0: return below(3);
  case 1: return below(60);
  case 2: return below(300);
  case 3: return below(9000);
  case 4: return 8192 - 2 + below(4);
  case 5: return below(kSourceBytes);
  default: return below(2000);
  }
}

void Search::run() {
  const std::uint64_t acts = 20 + below(150);
  for (std::uint64_t i = 0; i < acts; ++i) {
    act();
    let_time_pass();
    if (chance(40)) harvest();
    // Recvs are posted far more often than once in the second for which a message waits.
    if (gentle_ && chance(30)) pay_receives(false);
  }
  // Mostly everything comes to rest before the end. Otherwise the end comes in the middle of the
  // work.
  const std::uint64_t end = below(10);
  if (end < 7) finish();
  if (end == 7) leave_messages_under_way();
  closing_ = end < 9; // false: requests remain without an answer
  harvest();
  if (end < 7) check_at_rest();
  if (end < 9) free_everything();
  close_adapters();
}

void Search::act() {
  if (!gentle_ && chance(2)) return fault();
  if (chance(8)) {
    Place& place = places_[below(places_.size())];
    if (!place.node->dead()) act_on_adapter(place);
    return;
  }
  act_on(some_party());
}

void Search::act_on_adapter(Place& place) {
  SimNode& node = *place.node;
  switch (below(4)) {
  case 0: return listen_or_stop(place);
  case 1:
    if (place.shared) tend(*place.shared);
    return;
  default:
    node.with_lock(
        [&] { node.stand.set_attention(chance(50) ? Attention::Asleep : Attention::Polling); });
  }
}

void Search::act_on(Party& party) {
  if (party.node().dead()) return;
  switch (party.life()) {
  case Party::Life::Fresh:
    if (chance(10)) set_watermarks(party);
    if (chance(30))
      receive(party, some_length());
    else if (party.is_free())
      connect(party);
    return;
  case Party::Life::Pending:
    if (!gentle_ && chance(5)) party.disconnect(chance(50));
    return;
  case Party::Life::Up:
    for (std::uint64_t i = 1 + below(4); i != 0; --i) transfer(party);
    return;
  case Party::Life::Over: return act_after_the_end(party);
  }
}

// A request that is posted after the end is flushed at once.
void Search::act_after_the_end(Party& party) {
  harvest();
  if (chance(10) && party.has_room()) party.post_send(0, 10, 1, chance(20));
  if (chance(10) && party.has_room())
    party.post_bind(Party::bind_of_pane(below(kPanes), below(3000)));
  harvest();
  if (chance(50)) party.reset();
}

void Search::fault() {
  if (chance(70)) {
    trace("a link is cut");
    world_.cut_any(random_.next());
    return;
  }
  SimNode& node = *places_[below(places_.size())].node;
  if (!node.dead() && places_.size() > 1) {
    trace("adapter {} dies", node.stand.id());
    node.kill();
  }
}

void Search::let_time_pass() {
  switch (below(8)) {
  case 0: return;
  case 1: time_.settle(); return;
  case 2:
    time_.step();
    time_.advance(world_.now() + static_cast<Duration>(below(100'000)));
    return;
  default: time_.step();
  }
}

void Search::harvest() {
  for (Place& place : places_)
    if (!place.node->dead()) harvest_notices(place);
  for (const auto& party : parties_) {
    party->harvest();
    if (!party->node().dead()) party->check_notices();
  }
  answer_requests();
}

void Search::harvest_notices(Place& place) {
  Event event;
  while (place.notices->dequeue(event).ok()) {
    if (place.shared && place.shared->is_about(event)) {
      place.shared->on_notice();
      continue;
    }
    const bool known =
        std::ranges::any_of(parties_, [&](const auto& party) { return party->on_notice(event); });
    require(known, "an asynchronous event of kind {} about nobody", static_cast<int>(event.kind));
  }
  if (place.shared) place.shared->check();
}

} // namespace datum::test

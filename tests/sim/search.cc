// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "search.h"

#include <algorithm>
#include <cstring>

#include "failure.h"

namespace datum::test {
namespace {

constexpr ConnQual kFirstQualifier = 2000;
constexpr std::uint32_t kForEver = 0xffffffff;

// The private data of a request.
struct Requester {
  std::uint32_t number = 0;
  std::uint32_t life = 0;
};

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
      world_(network_), time_(world_) {
  LinkOptions options;
  options.receive_timeout = chance(10) ? 0 : kSecond;
  if (gentle_) options.receive_timeout = kSecond;
  const std::size_t nodes = 1 + below(3);
  for (std::size_t i = 0; i < nodes; ++i) {
    nodes_.push_back(std::make_unique<SimNode>(world_, time_, options));
    SimNode& node = *nodes_.back();
    node.memory.mapped = chance(30);
    Listener listener;
    listener.node = &node;
    node.with_lock([&] {
      const ConnQual qualifier = kFirstQualifier + i;
      listener.evd = node.adapter->create_evd(8, nullptr, kEvdCr).value();
      listener.point =
          node.adapter->create_psp(&qualifier, *listener.evd, ServicePoint::EpSource::Consumer)
              .value();
    });
    listeners_.push_back(listener);
  }
  const std::size_t parties = 2 + below(5);
  for (std::size_t i = 0; i < parties; ++i)
    parties_.push_back(
        std::make_unique<Party>(*nodes_[i % nodes_.size()], static_cast<std::uint32_t>(i + 1)));
  if (!gentle_ && chance(50)) {
    SimFaults faults;
    faults.refused = static_cast<std::uint32_t>(below(200));
    faults.unreachable = static_cast<std::uint32_t>(below(100));
    faults.out_of_resources = static_cast<std::uint32_t>(below(100));
    world_.set_faults(faults);
  }
}

Search::~Search() = default;

std::string Search::description() const {
  return text("{} adapters, {} parties, direct={:d} share={:d} wire={:d} gentle={:d}",
              nodes_.size(), parties_.size(), network_.direct, network_.share, network_.wire,
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
    // Far more often than once in the second that a message waits.
    if (gentle_ && chance(30)) pay_receives(false);
  }
  finish();
  check_nothing_left();
}

void Search::act() {
  if (!gentle_ && chance(2)) return fault();
  if (chance(4)) {
    SimNode& node = *nodes_[below(nodes_.size())];
    if (!node.dead())
      node.with_lock(
          [&] { node.stand.set_attention(chance(50) ? Attention::Asleep : Attention::Polling); });
    return;
  }
  act_on(some_party());
}

void Search::act_on(Party& party) {
  if (party.node().dead()) return;
  switch (party.life()) {
  case Party::Life::Fresh:
    if (chance(30) && party.ep().state() == EpState::Unconnected)
      receive(party, some_length());
    else
      connect(party);
    return;
  case Party::Life::Pending:
    if (!gentle_ && chance(5)) party.disconnect(chance(50));
    return;
  case Party::Life::Up:
    for (std::uint64_t i = 1 + below(4); i != 0; --i) transfer(party);
    return;
  case Party::Life::Over:
    harvest();
    if (chance(10) && party.has_room()) party.post_send(0, 10, 1, chance(20));
    harvest();
    if (chance(50)) party.reset();
    return;
  }
}

void Search::connect(Party& party) {
  // Mostly to where somebody is free to answer; else anywhere, even where nobody listens.
  std::size_t to = below(nodes_.size() + (gentle_ ? 0 : 1));
  Party& other = some_party();
  if (chance(80)) {
    if (&other == &party || other.life() != Party::Life::Fresh) return;
    to = static_cast<std::size_t>(
        std::find_if(nodes_.begin(), nodes_.end(),
                     [&](const auto& node) { return node.get() == &other.node(); }) -
        nodes_.begin());
  }
  const ConnQual qualifier = kFirstQualifier + to;
  const std::uint32_t timeout =
      !gentle_ && chance(20) ? static_cast<std::uint32_t>(1 + below(100)) : kForEver;
  const Requester name{party.number(), party.lives()};
  std::byte data[sizeof name];
  std::memcpy(data, &name, sizeof name);
  const Status status = party.node().with_lock([&] {
    return party.ep().connect(party.node().address(), qualifier, timeout, {data, sizeof data});
  });
  if (status.ok())
    party.begin();
  else
    require(!gentle_ && status.type() == Type::InsufficientResources,
            "party {}: dat_ep_connect fails with type {}", party.number(),
            static_cast<int>(status.type()));
}

Party* Search::free_party(SimNode& node) {
  for (const auto& party : parties_)
    if (&party->node() == &node && party->life() == Party::Life::Fresh) return party.get();
  return nullptr;
}

void Search::answer(Listener& listener, ConnectionRequest& request) {
  Requester name;
  require(request.private_data().size() == sizeof name, "a CR has {} bytes of private data",
          request.private_data().size());
  std::memcpy(&name, request.private_data().data(), sizeof name);
  require(name.number >= 1 && name.number <= parties_.size(), "a CR has another's private data");
  Party& requester = *parties_[name.number - 1];
  Party* acceptor = closing_ || chance(10) ? nullptr : free_party(*listener.node);
  listener.node->with_lock([&] {
    if (acceptor == nullptr) {
      request.reject({});
    } else {
      require(request.accept(&acceptor->ep(), {}).ok(), "dat_cr_accept fails");
      acceptor->begin();
      // Answered too late, a request connects nobody: the requester has given up.
      if (requester.lives() != name.life) return;
      acceptor->join(requester);
      requester.join(*acceptor);
      acceptor->lossless = gentle_;
      requester.lossless = gentle_;
    }
  });
  listener.node->with_lock([&] { listener.node->adapter->consume(request); });
}

void Search::transfer(Party& party) {
  Party* peer = party.peer();
  require(peer != nullptr, "party {} is connected with nobody", party.number());
  if (party.ep().state() != EpState::Connected) return; // it drains, or its end is not reaped yet
  const std::uint64_t length = some_length();
  const std::uint64_t source = below(kSourceBytes - length + 1);
  switch (below(gentle_ ? 13 : 15)) {
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
      // A graceful end lets our own requests finish, not the peer's.
      if (gentle_) finish_transfers();
      party.disconnect(chance(60));
    }
    return;
  default: return misbehave(party);
  }
}

void Search::receive(Party& party, std::uint64_t capacity) {
  if (party.has_receive_room(capacity)) party.post_receive(capacity, some_segments());
}

void Search::send(Party& party, std::uint64_t source, std::uint64_t length) {
  if (!party.has_room()) return;
  switch (party.reception(length)) {
  case Party::Reception::Fits: break;
  case Party::Reception::TooLong:
    if (gentle_ || chance(70)) return;
    break;
  case Party::Reception::Waits: // a second, and the Recv that it needs is posted before
    if (chance(50)) return;
  }
  party.post_send(source, length, some_segments(), chance(20));
}

void Search::pay_receives(bool all) {
  for (const auto& party : parties_) {
    if (party->node().dead() || party->ep().state() != EpState::Connected) continue;
    while (const std::optional<std::uint64_t> owed = party->owed_receive()) {
      if (!party->has_receive_room(*owed) || (!all && chance(70))) break;
      party->post_receive(*owed, some_segments());
    }
  }
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
    // Leaves messages waiting for a Recv for a while.
    if (chance(20)) time_.run_for(static_cast<Duration>(below(1'200'000'000)));
    return;
  }
}

void Search::fault() {
  if (chance(70)) {
    trace("a link is cut");
    world_.cut_any(random_.next());
    return;
  }
  SimNode& node = *nodes_[below(nodes_.size())];
  if (!node.dead() && nodes_.size() > 1) {
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
  for (Listener& listener : listeners_) {
    if (listener.node->dead()) continue;
    Event event;
    while (listener.evd->dequeue(event).ok()) {
      require(event.kind == EventKind::ConnectionRequest && event.object == listener.point,
              "a CR EVD has an event of kind {}", static_cast<int>(event.kind));
      auto* object = static_cast<Object*>(const_cast<void*>(event.data));
      listener.waiting.push_back(static_cast<ConnectionRequest*>(object));
    }
    while (!listener.waiting.empty() && (closing_ || chance(70))) {
      ConnectionRequest* request = listener.waiting.back();
      listener.waiting.pop_back();
      answer(listener, *request);
    }
  }
  for (const auto& party : parties_) party->harvest();
}

// Until every message has found its Recv and nothing is on its way.
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
  } while (std::any_of(parties_.begin(), parties_.end(), waits));
}

void Search::disconnect_all() {
  for (const auto& party : parties_)
    if (!party->node().dead() && party->life() == Party::Life::Up && !party->disconnected_by_us)
      party->disconnect(chance(50));
}

void Search::finish() {
  // Every message that waits for a Recv, every death and every cut comes to an end within seconds.
  if (gentle_) finish_transfers();
  harvest();
  closing_ = true;
  const Instant give_up = world_.now() + 5 * kSecond;
  do {
    time_.exhaust();
    harvest();
    disconnect_all();
    time_.exhaust(); // answers to requests are on their way only now
  } while (time_.advance(give_up));
  harvest();
  for (const auto& party : parties_) {
    if (party->node().dead()) continue;
    require(party->life() == Party::Life::Fresh || party->life() == Party::Life::Over,
            "party {}: no last event after five seconds (EP state {}, life {})", party->number(),
            static_cast<int>(party->ep().state()), static_cast<int>(party->life()));
  }
}

void Search::check_nothing_left() {
  for (const auto& party : parties_)
    if (!party->node().dead()) party->free_all();
  for (Listener& listener : listeners_) {
    SimNode& node = *listener.node;
    if (node.dead()) continue;
    node.with_lock([&] {
      require(node.adapter->free(*listener.point).ok(), "a PSP cannot be freed");
      require(node.adapter->free(*listener.evd).ok(), "a CR EVD cannot be freed");
      require(node.adapter->idle(), "an IA is not idle after everything was freed");
      require(node.handles.count == 0, "{} handles are left", node.handles.count);
      require(node.adapter->regions().used() == 0, "{} STags are left",
              node.adapter->regions().used());
    });
  }
  time_.settle();
  if (!network_.share) require(world_.links() == 0, "{} links are left", world_.links());
  nodes_.clear();
  time_.settle();
  require(world_.links() == 0, "{} links are left after every IA was closed", world_.links());
}

} // namespace datum::test

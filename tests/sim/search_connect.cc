// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// How parties connect: PSPs, RSPs and the answers to requests.
#include <algorithm>
#include <cstring>

#include "failure.h"
#include "search.h"

namespace datum::test {
namespace {

constexpr ConnQual kNobody = 1999;
constexpr std::uint32_t kForEver = 0xffffffff;

// The private data of a request: the party that made it.
struct Requester {
  std::uint32_t number = 0;
  std::uint32_t life = 0;
};

Requester requester_of(const ConnectionRequest& request) {
  Requester name;
  require(request.private_data().size() == sizeof name, "a CR has {} bytes of private data",
          request.private_data().size());
  std::memcpy(&name, request.private_data().data(), sizeof name);
  return name;
}

} // namespace

Listener* Search::some_listener(const SimNode& node) {
  std::vector<Listener*> here;
  for (const auto& listener : listeners_)
    if (&listener->node() == &node) here.push_back(listener.get());
  return here[below(here.size())]; // every node has at least one PSP
}

void Search::connect(Party& party) {
  // Mostly connects to a qualifier at which a party is free to answer. Otherwise connects to any
  // qualifier, even if nothing listens there.
  ConnQual qualifier = kNobody;
  if (Party& other = some_party(); chance(80)) {
    if (&other == &party || other.life() != Party::Life::Fresh) return;
    qualifier = some_listener(other.node())->qualifier();
  } else if (gentle_ || chance(80)) {
    qualifier = some_listener(*places_[below(places_.size())].node)->qualifier();
  }
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

// Frees an idle RSP, or makes an RSP.
void Search::listen_or_stop(Place& place) {
  const auto idle = std::ranges::find_if(listeners_, [&](const auto& listener) {
    return &listener->node() == place.node.get() && listener->reserved() && !listener->waits();
  });
  if (idle != listeners_.end() && chance(50)) {
    harvest();          // its request may have come
    (*idle)->harvest(); // or another request may have been handed off to it
    if ((*idle)->waits()) return;
    trace("RSP {} is freed", (*idle)->qualifier());
    (*idle)->free_all();
    listeners_.erase(idle);
    return;
  }
  Party* party = chance(60) ? free_party(*place.node, false) : nullptr;
  listeners_.push_back(std::make_unique<Listener>(*place.node, next_qualifier_++, party));
  trace("RSP {} for party {}", listeners_.back()->qualifier(),
        party != nullptr ? party->number() : 0);
}

Party* Search::free_party(const SimNode& node, bool without_receives) {
  for (const auto& party : parties_)
    if (&party->node() == &node && party->is_free() &&
        !(without_receives && (party->receives() != 0 || party->shared() != nullptr)))
      return party.get();
  return nullptr;
}

void Search::answer_requests() {
  for (const auto& listener : listeners_)
    if (!listener->node().dead()) listener->harvest();
  // A request that is handed off to another point is answered there, at the latest in the next
  // turn.
  for (const auto& listener : listeners_)
    while (!listener->node().dead() && listener->waits() && (closing_ || chance(70)))
      answer(*listener, listener->take_newest());
}

Party* Search::choose_acceptor(Listener& listener) {
  if (closing_ || chance(10)) return nullptr;
  if (listener.party() != nullptr) return listener.party();
  return free_party(listener.node(), listener.brings_endpoint());
}

void Search::answer(Listener& listener, ConnectionRequest& request) {
  const Requester name = requester_of(request);
  require(name.number >= 1 && name.number <= parties_.size(), "a CR has another's private data");
  if (!closing_ && chance(15) && hand_off(listener, request)) return;
  Party* acceptor = choose_acceptor(listener);
  if (acceptor != nullptr && listener.brings_endpoint()) {
    ++tally.provided;
    acceptor->adopt(*request.endpoint());
  }
  if (listener.party() != nullptr && acceptor != nullptr) ++tally.reserved;
  SimNode& node = listener.node();
  if (acceptor == nullptr)
    node.with_lock([&] { request.reject({}); });
  else
    accept(*acceptor, *parties_[name.number - 1], name.life, request);
  node.with_lock([&] { node.adapter->consume(request); });
}

bool Search::hand_off(Listener& listener, ConnectionRequest& request) {
  SimNode& node = listener.node();
  Listener& other = *some_listener(node);
  const ConnQual qualifier = chance(10) || other.spent() ? kNobody : other.qualifier();
  if (qualifier != kNobody) {
    trace("qualifier {} hands a request off to {}", listener.qualifier(), qualifier);
    Listener::hand_off(request, other);
    return true;
  }
  node.with_lock(
      [&] { require(!request.handoff(qualifier).ok(), "dat_cr_handoff to nobody succeeds"); });
  return false;
}

void Search::accept(Party& acceptor, Party& requester, std::uint32_t life,
                    ConnectionRequest& request) {
  Endpoint* endpoint = request.endpoint() == nullptr ? &acceptor.ep() : nullptr;
  acceptor.node().with_lock(
      [&] { require(request.accept(endpoint, {}).ok(), "dat_cr_accept fails"); });
  acceptor.begin();
  // If the requester has given up, this accept came too late and connects no EP.
  if (requester.lives() != life) return;
  acceptor.join(requester);
  requester.join(acceptor);
  acceptor.lossless = gentle_;
  requester.lossless = gentle_;
}

} // namespace datum::test

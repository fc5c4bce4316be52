// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "play.h"

namespace datum::test {
namespace {

SimOptions options_of(std::uint64_t seed, bool direct) {
  SimOptions options;
  options.seed = seed;
  options.direct = direct;
  options.wire = seed % 4 != 0;
  options.share = seed % 2 == 0;
  return options;
}

// A message waits one second for its Recv.
LinkOptions a_second() {
  LinkOptions options;
  options.receive_timeout = kSecond;
  return options;
}

} // namespace

Play::Play(std::uint64_t seed, bool direct)
    : options(options_of(seed, direct)), world(options), active_node(world, time, a_second()),
      passive_node(world, time, a_second()), active(active_node, 1), passive(passive_node, 2) {
  passive_node.with_lock([&] {
    InterfaceAdapter& adapter = *passive_node.adapter;
    const ConnQual qualifier = kQualifier;
    requests = adapter.create_evd(8, nullptr, kEvdCr).value();
    adapter.create_psp(&qualifier, *requests, ServicePoint::EpSource::Consumer).value();
  });
}

void Play::request(std::uint32_t timeout_us) {
  active_node.with_lock([&] {
    ASSERT_TRUE(active.ep().connect(active_node.address(), kQualifier, timeout_us, {}).ok());
  });
  active.begin();
}

void Play::accept() {
  Event event;
  ASSERT_TRUE(requests->dequeue(event).ok());
  auto* object = static_cast<Object*>(const_cast<void*>(event.data));
  auto& request = *static_cast<ConnectionRequest*>(object);
  passive_node.with_lock([&] {
    ASSERT_TRUE(request.accept(&passive.ep(), {}).ok());
    passive_node.adapter->consume(request);
  });
  passive.begin();
  passive.join(active);
  active.join(passive);
}

void Play::connect() {
  request();
  settle();
  accept();
  settle();
  ASSERT_EQ(active.life(), Party::Life::Up);
  ASSERT_EQ(passive.life(), Party::Life::Up);
}

void Play::pass(Duration span) {
  time.run_for(span);
  active.harvest();
  passive.harvest();
}

void Play::settle() {
  time.settle();
  active.harvest();
  passive.harvest();
}

} // namespace datum::test

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The promises of decision 312 in virtual time, over the link protocol and a network that takes at
// most 50 us.
// unit/progress/schedule_test.cc tests that the engine notices the end of polling. Here the adapter
// falls asleep when the test says so.
#include <algorithm>
#include <array>
#include <cstring>

#include "play.h"

namespace datum::test {
namespace {

// One EP with memory. Peers may write to it and it writes to theirs.
class Corner {
 public:
  explicit Corner(SimNode& node) : node_(node), memory_(kWords) {
    InterfaceAdapter& adapter = *node_.adapter;
    node_.with_lock([&] {
      zone_ = adapter.create_zone().value();
      dtos_ = adapter.create_evd(256, nullptr, kEvdDto).value();
      connections_ = adapter.create_evd(8, nullptr, kEvdConnection).value();
      ep_ =
          adapter.create_endpoint({zone_, dtos_, dtos_, {connections_}}, nullptr, nullptr).value();
      RegionRequest request;
      request.address = address(0);
      request.length = memory_.size() * sizeof memory_[0];
      request.access = kAllAccess;
      region_ = adapter.create_region(request, *zone_).value();
    });
  }
  Endpoint& ep() const { return *ep_; }
  // The memory in words. Peers write to the first half; this side writes from the second half.
  static constexpr std::size_t kHalf = 64 * 1024;
  static constexpr std::size_t kWords = 2 * kHalf;
  std::uint64_t word(std::size_t at) const { return memory_[at]; }
  void fill(std::size_t at, std::size_t words, std::uint64_t value) {
    std::fill_n(memory_.begin() + static_cast<std::ptrdiff_t>(kHalf + at), words, value);
  }
  // Writes the words from `at` in the second half to the first words of the peer's memory.
  void write(const Corner& peer, std::size_t at, std::size_t words, std::size_t to = 0) {
    const LocalTriplet from{region_->local_stag(), address(kHalf + at), words * 8};
    const RemoteTriplet target{peer.region_->remote_stag(), peer.address(to), words * 8};
    node_.with_lock([&] {
      ASSERT_TRUE(ep_->post_rdma(Opcode::RdmaWrite, {&from, 1}, words, target, 0).ok());
    });
  }
  // Does what dat_evd_dequeue() does on the EVD of this side.
  bool dequeue(Event& event) {
    return node_.with_lock([&] {
      node_.stand.progress().poll();
      return dtos_->dequeue(event).ok();
    });
  }

 private:
  std::uint64_t address(std::size_t at) const {
    return reinterpret_cast<std::uint64_t>(memory_.data() + at);
  }
  SimNode& node_;
  std::vector<std::uint64_t> memory_;
  ProtectionZone* zone_ = nullptr;
  EventDispatcher* dtos_ = nullptr;
  EventDispatcher* connections_ = nullptr;
  Endpoint* ep_ = nullptr;
  MemoryRegion* region_ = nullptr;
};

SimOptions options_of(std::uint64_t seed, bool direct) {
  SimOptions options;
  options.seed = seed;
  options.direct = direct;
  options.share = seed % 2 == 0;
  return options;
}

// Two connections between two adapters.
struct Scene {
  explicit Scene(std::uint64_t seed, bool direct = false)
      : world(options_of(seed, direct)), active(world, time, LinkOptions{}),
        passive(world, time, LinkOptions{}) {
    active.memory.mapped = passive.memory.mapped = direct && seed % 4 < 2;
    for (std::size_t i = 0; i < 2; ++i) {
      from.push_back(std::make_unique<Corner>(active));
      to.push_back(std::make_unique<Corner>(passive));
      join(*from[i], *to[i], kQualifier + i);
    }
  }
  ~Scene() {
    for (SimNode* node : {&active, &passive}) node->with_lock([&] { node->adapter->close(); });
  }
  void join(Corner& requester, Corner& accepter, ConnQual qualifier) {
    accept(requester, accepter, qualifier);
    time.settle();
    ASSERT_EQ(requester.ep().state(), EpState::Connected);
  }
  // Accepts the request. The answer is on its way when this returns.
  void accept(Corner& requester, Corner& accepter, ConnQual qualifier) {
    EventDispatcher* requests = nullptr;
    passive.with_lock([&] {
      requests = passive.adapter->create_evd(8, nullptr, kEvdCr).value();
      passive.adapter->create_psp(&qualifier, *requests, ServicePoint::EpSource::Consumer).value();
    });
    active.with_lock([&] {
      ASSERT_TRUE(requester.ep().connect(active.address(), qualifier, 0xffffffff, {}).ok());
    });
    time.settle();
    Event event;
    ASSERT_TRUE(requests->dequeue(event).ok());
    auto* object = static_cast<Object*>(const_cast<void*>(event.data));
    auto& request = *static_cast<ConnectionRequest*>(object);
    passive.with_lock([&] {
      ASSERT_TRUE(request.accept(&accepter.ep(), {}).ok());
      passive.adapter->consume(request);
    });
  }
  // Lets time pass, in which only the active adapter does anything.
  void run_active_until_connected(const Corner& requester) {
    const Instant end = world.now() + 10 * kMillisecond;
    while (requester.ep().state() != EpState::Connected && world.now() < end) {
      world.run_due();
      active.with_lock([&] { active.stand.progress().poll(); });
      world.advance_to(world.now() + kMicrosecond);
    }
  }
  Duration chance(Duration below) {
    return static_cast<Duration>(world.random() % static_cast<std::uint64_t>(below));
  }
  // Returns the time until the first word at `target` has the value, at most 10 ms. Neither side
  // makes a call meanwhile.
  Duration until_seen(const Corner& target, std::uint64_t value, std::size_t at = 0) {
    const Instant start = world.now();
    while (target.word(at) != value && world.now() - start < 10 * kMillisecond)
      time.run_for(kMicrosecond);
    return world.now() - start;
  }

  SimWorld world;
  VirtualTime time{world};
  SimNode active;
  SimNode passive;
  std::vector<std::unique_ptr<Corner>> from;
  std::vector<std::unique_ptr<Corner>> to;
};

// Rules: PATH.17
SIM_TEST(Promise, AnAccepterThatSeesDataMayPost) {
  Scene scene{seed, true};
  Corner requester(scene.active);
  Corner accepter(scene.passive);
  scene.accept(requester, accepter, kQualifier + 7);
  scene.run_active_until_connected(requester);
  ASSERT_EQ(requester.ep().state(), EpState::Connected);
  // the post itself copies this much, whether or not the memory is mapped
  constexpr std::size_t kWords = 2048;
  requester.fill(0, kWords, seed);
  requester.write(accepter, 0, kWords);
  ASSERT_EQ(accepter.word(kWords - 1), seed);
  ASSERT_EQ(accepter.ep().state(), EpState::CompletionPending) << "its adapter has not run";
  accepter.write(requester, 0, 1);
  EXPECT_EQ(accepter.ep().state(), EpState::Connected);
}

SIM_TEST(Promise, P2AfterTheLastDequeueAWriteIsSeenWithin200us) {
  Scene scene{seed};
  Event none;
  for (std::uint64_t value = 1; value <= 20; ++value) {
    scene.passive.stand.set_attention(Attention::Polling);
    EXPECT_FALSE(scene.to[0]->dequeue(none));
    scene.time.run_for(scene.chance(100 * kMicrosecond));
    scene.passive.stand.set_attention(Attention::Asleep);
    scene.time.run_for(scene.chance(100 * kMicrosecond));
    scene.from[0]->fill(0, 1, value);
    scene.from[0]->write(*scene.to[0], 0, 1);
    EXPECT_LE(scene.until_seen(*scene.to[0], value), 200 * kMicrosecond);
    scene.time.settle();
  }
}

SIM_TEST(Promise, P3AThreadThatPollsOneEvdDelaysNoOtherEndpointByMoreThan1ms) {
  Scene scene{seed};
  Event event;
  for (std::uint64_t value = 1; value <= 20; ++value) {
    // The first endpoint has more under way than the ring holds.
    scene.from[0]->fill(0, Corner::kHalf, value);
    scene.from[0]->write(*scene.to[0], 0, Corner::kHalf);
    scene.from[1]->fill(0, 1, value);
    scene.from[1]->write(*scene.to[1], 0, 1);
    const Instant start = scene.world.now();
    while (scene.to[1]->word(0) != value && scene.world.now() - start < 10 * kMillisecond) {
      static_cast<void>(scene.to[0]->dequeue(event));
      scene.time.run_for(kMicrosecond);
    }
    EXPECT_LE(scene.world.now() - start, kMillisecond);
    scene.time.settle();
    while (scene.from[0]->dequeue(event)) EXPECT_EQ(event.status, DtoStatus::Success);
    while (scene.from[1]->dequeue(event)) EXPECT_EQ(event.status, DtoStatus::Success);
  }
}

// Small Writes go through the ring while the target polls. Large Writes go by direct access, and so
// do all Writes to a sleeping target. The target falls asleep and wakes between the Writes.
SIM_TEST(Promise, P4WritesThatAlternateBetweenPathsStayInOrder) {
  Scene scene{seed, true};
  constexpr std::array<std::size_t, 5> kSizes{1, 9, 4000, 2, 1024};
  constexpr std::size_t kStep = 4096;
  constexpr std::size_t kWatched[] = {0, 1, 8, 1000, 3999};
  std::array<std::uint64_t, 5> last{};
  Event event;
  std::uint64_t posted = 0;
  std::uint64_t completed = 0;
  for (int turn = 0; turn < 3000 && completed < 200; ++turn) {
    if (posted < 200 && posted < completed + 12) {
      ++posted;
      const std::size_t at = posted % 16 * kStep;
      scene.from[0]->fill(at, kStep, posted);
      scene.from[0]->write(*scene.to[0], at, kSizes[scene.world.random() % kSizes.size()]);
    }
    if (scene.world.random() % 4 == 0) {
      const bool polls = scene.world.random() % 2 == 0;
      scene.passive.stand.set_attention(polls ? Attention::Polling : Attention::Asleep);
    }
    scene.time.run_for(scene.chance(20 * kMicrosecond));
    for (std::size_t i = 0; i < last.size(); ++i) {
      ASSERT_GE(scene.to[0]->word(kWatched[i]), last[i]) << "word " << kWatched[i];
      last[i] = scene.to[0]->word(kWatched[i]);
    }
    while (scene.from[0]->dequeue(event)) {
      ASSERT_EQ(event.status, DtoStatus::Success);
      ++completed;
      ASSERT_GE(scene.to[0]->word(0), completed) << "each writes the first word";
    }
  }
  EXPECT_EQ(completed, 200U);
}

SIM_TEST(Promise, P5TheLastPostedOperationLeavesThoughItsPosterDoesNothingMore) {
  Scene scene{seed};
  scene.active.stand.set_attention(Attention::Asleep);
  for (std::uint64_t value = 1; value <= 20; ++value) {
    scene.from[0]->fill(0, 1, value);
    scene.from[0]->write(*scene.to[0], 0, 1);
    // Of the 150 us the network takes 50.
    EXPECT_LE(scene.until_seen(*scene.to[0], value), 150 * kMicrosecond);
    scene.time.run_for(scene.chance(200 * kMicrosecond));
  }
  // Far more than the ring holds. The rest leaves when there is room again.
  scene.from[0]->fill(0, Corner::kHalf, 99);
  for (int i = 0; i < 4; ++i) scene.from[0]->write(*scene.to[0], 0, Corner::kHalf);
  scene.from[0]->fill(0, 1, 100);
  scene.from[0]->write(*scene.to[0], 0, 1, 1);
  scene.time.run_for(100 * kMillisecond);
  EXPECT_EQ(scene.to[0]->word(1), 100U);
}

} // namespace
} // namespace datum::test

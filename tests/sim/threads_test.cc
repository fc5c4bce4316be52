// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A simulated world with real threads, as the conformance tests use it. ThreadSanitizer checks this
// test.
#include <atomic>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "sim_node.h"

namespace datum::test {
namespace {

class RealLock final : public LockOwner {
 public:
  void acquire() override DATUM_NO_TSA { mutex_.lock(); }
  void relinquish() override DATUM_NO_TSA {
    if (adapter != nullptr) adapter->destroy_retired();
    mutex_.unlock();
  }
  InterfaceAdapter* adapter = nullptr;

 private:
  Mutex mutex_;
};

SimWorldPlace world_of_all_stations;

// An adapter and one end of a connection.
class Station {
 public:
  explicit Station(const SimOptions& options)
      : stand_(shared_sim_world(world_of_all_stations, options), lock_, LinkOptions{}),
        memory_(64 * 1024) {
    lock_.acquire();
    AdapterEnvironment environment;
    environment.handles = &handles_;
    environment.progress = &stand_.progress();
    environment.timers = &stand_.timers();
    environment.random = &stand_.random();
    environment.memory = &probe_;
    adapter_ = std::make_unique<InterfaceAdapter>(environment, stand_.transport());
    lock_.adapter = adapter_.get();
    stand_.start();
    zone_ = adapter_->create_zone().value();
    dtos_ = adapter_->create_evd(64, nullptr, kEvdDto).value();
    connections_ = adapter_->create_evd(8, nullptr, kEvdConnection).value();
    requests_ = adapter_->create_evd(8, nullptr, kEvdCr).value();
    ep_ =
        adapter_->create_endpoint({zone_, dtos_, dtos_, {connections_}}, nullptr, nullptr).value();
    RegionRequest request;
    request.address = reinterpret_cast<std::uint64_t>(memory_.data());
    request.length = memory_.size();
    request.access = kAllAccess;
    region_ = adapter_->create_region(request, *zone_).value();
    lock_.relinquish();
  }
  ~Station() {
    stand_.stop();
    lock_.acquire();
    adapter_->close();
    lock_.adapter = nullptr;
    lock_.relinquish();
    adapter_.reset();
  }

  void listen(ConnQual qualifier) {
    lock_.acquire();
    adapter_->create_psp(&qualifier, *requests_, ServicePoint::EpSource::Consumer).value();
    lock_.relinquish();
  }
  void connect(ConnQual qualifier) {
    lock_.acquire();
    EXPECT_TRUE(ep_->connect(stand_.transport().address(), qualifier, 0xffffffff, {}).ok());
    lock_.relinquish();
    EXPECT_EQ(next(*connections_).kind, EventKind::Established);
  }
  void accept() {
    const Event event = next(*requests_);
    lock_.acquire();
    auto* object = static_cast<Object*>(const_cast<void*>(event.data));
    auto& request = *static_cast<ConnectionRequest*>(object);
    EXPECT_TRUE(request.accept(ep_, {}).ok());
    adapter_->consume(request);
    lock_.relinquish();
    EXPECT_EQ(next(*connections_).kind, EventKind::Established);
  }
  void receive(std::uint64_t cookie) {
    lock_.acquire();
    const LocalTriplet local{region_->local_stag(), address(32 * 1024), 1024};
    EXPECT_TRUE(ep_->post_recv({&local, 1}, cookie, 0).ok());
    lock_.relinquish();
  }
  void send(std::uint64_t cookie, CompletionFlags flags = kSuppress) {
    lock_.acquire();
    const LocalTriplet local{region_->local_stag(), address(0), 1024};
    EXPECT_EQ(ep_->post_send({&local, 1}, cookie, flags), kOk);
    lock_.relinquish();
  }
  Event next_dto() { return next(*dtos_); }
  // Like next_dto(), but polls.
  Event poll_dto() {
    Event event;
    for (bool found = false; !found;) {
      lock_.acquire();
      stand_.progress().poll();
      found = dtos_->dequeue(event).ok();
      lock_.relinquish();
    }
    return event;
  }

 private:
  std::uint64_t address(std::uint64_t offset) const {
    return reinterpret_cast<std::uint64_t>(memory_.data()) + offset;
  }
  Event next(EventDispatcher& evd) {
    Event event;
    std::int32_t left = 0;
    lock_.acquire();
    EXPECT_TRUE(evd.wait(0xffffffff, 1, event, left).ok());
    lock_.relinquish();
    return event;
  }

  RealLock lock_;
  CountedHandles handles_;
  AnyMemory probe_;
  SimAdapter stand_;
  std::unique_ptr<InterfaceAdapter> adapter_;
  std::vector<std::byte> memory_;
  ProtectionZone* zone_ = nullptr;
  EventDispatcher* dtos_ = nullptr;
  EventDispatcher* connections_ = nullptr;
  EventDispatcher* requests_ = nullptr;
  Endpoint* ep_ = nullptr;
  MemoryRegion* region_ = nullptr;
};

class SharedWorld : public testing::TestWithParam<const char*> {
 protected:
  SimOptions options_ = *parse_sim_options(GetParam());
};

// Two threads converse. The passive side answers each message and takes its completions by `next`.
template <typename Next>
void converse(const SimOptions& options, int rounds, Next next) {
  Station active(options);
  Station passive(options);
  passive.listen(3000);
  passive.receive(0);
  active.receive(0);
  std::thread answerer([&] {
    passive.accept();
    for (int i = 0; i < rounds; ++i) {
      EXPECT_EQ(next(passive).status, DtoStatus::Success);
      passive.receive(0);
      passive.send(0);
    }
  });
  active.connect(3000);
  for (int i = 0; i < rounds; ++i) {
    active.send(0);
    EXPECT_EQ(active.next_dto().status, DtoStatus::Success);
    active.receive(0);
  }
  answerer.join();
}

TEST_P(SharedWorld, TwoThreadsTalkByWaiting) {
  converse(options_, 200, [](Station& passive) { return passive.next_dto(); });
}

TEST_P(SharedWorld, OneThreadPollsWhatTheOtherWaitsFor) {
  converse(options_, 100, [](Station& passive) { return passive.poll_dto(); });
}

TEST_P(SharedWorld, OneThreadDrivesBothEnds) {
  Station active(options_);
  Station passive(options_);
  passive.listen(3000);
  std::thread accepter([&] { passive.accept(); });
  active.connect(3000);
  accepter.join();
  for (int i = 0; i < 50; ++i) {
    passive.receive(0);
    active.send(0, kDefaultCompletion);
    EXPECT_EQ(passive.next_dto().status, DtoStatus::Success);
    EXPECT_EQ(active.next_dto().status, DtoStatus::Success);
  }
}

INSTANTIATE_TEST_SUITE_P(Networks, SharedWorld,
                         testing::Values("seed=1", "seed=2 share=1", "seed=3 wire=0",
                                         "seed=4 wire=0 share=1 direct=1"));

} // namespace
} // namespace datum::test

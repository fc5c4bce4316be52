// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Atomic operations that several endpoints, adapters and threads, and the processor itself, carry
// out at the same time.
#include "dat.h"

#include <dat2/dat_ib_extensions.h>

#include <atomic>
#include <functional>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "fixture.h"

namespace {

using namespace datum::test;

// Each endpoint has an adapter of its own, so that the adapters share only the memory.
constexpr std::size_t kEndpoints = 3;

class Dat2Atomics : public testing::Test {
 protected:
  struct Client {
    Client(Side& server, Buffer& shared) : target(shared) {
      passive = server.another_ep();
      establish(side.ep(), side.connect_evd(), passive, server.connect_evd(), server.ia());
    }
    // Posts, and waits for the completion. Threads that share the client also take each other's
    // completions.
    void carry_out(std::size_t thread, const std::function<DAT_RETURN()>& post) {
      done[thread] = false;
      EXPECT_DAT_OK(post());
      while (!done[thread]) {
        DAT_EVENT event{};
        if (dat_evd_dequeue(side.request_evd(), &event) != DAT_SUCCESS) {
          std::this_thread::yield();
          continue;
        }
        const DAT_DTO_COMPLETION_EVENT_DATA& dto = event.event_data.dto_completion_event_data;
        EXPECT_EQ(dto.status, DAT_DTO_SUCCESS);
        done[dto.user_cookie.as_64] = true;
      }
    }
    // Adds, and returns the value that was there before.
    std::uint64_t add(std::size_t thread, std::uint64_t value) {
      DAT_LMR_TRIPLET sink = results.segment(8 * thread, 8);
      DAT_RMR_TRIPLET word = target.remote(0, 8);
      carry_out(thread, [&] {
        return dat_ib_post_fetch_and_add(side.ep(), value, &sink, cookie(thread), &word,
                                         DAT_COMPLETION_DEFAULT_FLAG);
      });
      return result(thread);
    }
    std::uint64_t swap(std::uint64_t expected, std::uint64_t value) {
      DAT_LMR_TRIPLET sink = results.segment(0, 8);
      DAT_RMR_TRIPLET word = target.remote(0, 8);
      carry_out(0, [&] {
        return dat_ib_post_cmp_and_swap(side.ep(), expected, value, &sink, cookie(0), &word,
                                        DAT_COMPLETION_DEFAULT_FLAG);
      });
      return result(0);
    }
    std::uint64_t result(std::size_t thread) {
      return __atomic_load_n(reinterpret_cast<std::uint64_t*>(results.bytes().data() + 8 * thread),
                             __ATOMIC_SEQ_CST);
    }

    Ia ia = open_ia();
    Side side{ia};
    Buffer results = side.buffer(64);
    Buffer& target;
    Ep passive;
    std::atomic<bool> done[8] = {};
  };

  void SetUp() override {
    for (std::size_t i = 0; i != kEndpoints; ++i)
      clients.push_back(std::make_unique<Client>(server, shared));
  }
  std::uint64_t* word(std::size_t offset) {
    return reinterpret_cast<std::uint64_t*>(shared.bytes().data() + offset);
  }

  static constexpr auto kWithAtomic = static_cast<DAT_MEM_PRIV_FLAGS>(
      static_cast<int>(DAT_MEM_PRIV_ALL_FLAG) | static_cast<int>(DAT_IB_MEM_PRIV_REMOTE_ATOMIC));
  Ia ia = open_ia();
  Side server{ia};
  Buffer shared = server.buffer(64, kWithAtomic);
  std::vector<std::unique_ptr<Client>> clients;
};

// Calls `once` again and again while the clients work. times() ends the loop and returns the number
// of calls.
class Meanwhile {
 public:
  explicit Meanwhile(const std::function<void()>& once)
      : thread_([this, once] {
          for (; !stop_; ++times_) once();
        }) {}
  ~Meanwhile() { times(); }
  Meanwhile(const Meanwhile&) = delete;
  Meanwhile& operator=(const Meanwhile&) = delete;
  std::uint64_t times() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
    return times_;
  }

 private:
  std::atomic<bool> stop_ = false;
  std::uint64_t times_ = 0;
  std::thread thread_;
};

// Rules: DAT2.72
TEST_F(Dat2Atomics, EveryAddCountsAndEachGetsAnotherOldValue) {
  constexpr std::size_t kThreads = 3; // for each endpoint
  constexpr std::size_t kAdds = 300;
  std::vector<std::vector<std::uint64_t>> seen(kEndpoints * kThreads);
  Meanwhile own([this] { __atomic_fetch_add(word(0), 1, __ATOMIC_SEQ_CST); });
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i != seen.size(); ++i) {
    threads.emplace_back([&, i] {
      for (std::size_t n = 0; n != kAdds; ++n)
        seen[i].push_back(clients[i / kThreads]->add(i % kThreads, 1));
    });
  }
  for (std::thread& each : threads) each.join();
  const std::uint64_t own_adds = own.times();
  EXPECT_EQ(__atomic_load_n(word(0), __ATOMIC_SEQ_CST), 2700 + own_adds);
  std::set<std::uint64_t> all;
  for (const auto& one : seen) all.insert(one.begin(), one.end());
  EXPECT_EQ(all.size(), 2700U);
  EXPECT_LT(*all.rbegin(), 2700 + own_adds);
}

// Rules: DAT2.72
TEST_F(Dat2Atomics, CompareAndSwapExcludesAsALockDoes) {
  constexpr std::size_t kTurns = 60;
  // The first word is the lock. Its holder reads and writes the second word without atomic
  // operations.
  const auto as_client = [&](std::size_t i) {
    Client& client = *clients[i];
    Buffer copy = client.side.buffer(8);
    DAT_LMR_TRIPLET here = copy.segment();
    const DAT_RMR_TRIPLET there = shared.remote(8, 8);
    for (std::size_t n = 0; n != kTurns; ++n) {
      while (client.swap(0, i + 1) != 0) std::this_thread::yield();
      client.carry_out(0, [&] { return post_read(client.side.ep(), {here}, there, 0); });
      auto* number = reinterpret_cast<std::uint64_t*>(copy.bytes().data());
      ++*number;
      client.carry_out(0, [&] { return post_write(client.side.ep(), {here}, there, 0); });
      EXPECT_EQ(client.swap(i + 1, 0), i + 1) << "somebody else has unlocked it";
    }
  };
  std::uint64_t turns = 0;
  Meanwhile own([this, &turns] {
    std::uint64_t free = 0;
    if (!__atomic_compare_exchange_n(word(0), &free, 77, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
      return;
    ++*word(8);
    ++turns;
    __atomic_store_n(word(0), 0, __ATOMIC_SEQ_CST);
  });
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i != kEndpoints; ++i) threads.emplace_back(as_client, i);
  for (std::thread& each : threads) each.join();
  own.times();
  EXPECT_EQ(*word(8), 180 + turns);
  EXPECT_EQ(*word(0), 0U);
}

} // namespace

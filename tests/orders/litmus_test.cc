// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Tests the checker against C++20 and the known behaviour of processors. It must find each possible
// outcome, and no impossible outcome. The names are those of the literature (SB: store buffering,
// MP: message passing, LB: load buffering, IRIW: independent reads of independent writes ...):
// https://www.cl.cam.ac.uk/~pes20/ppc-supplemental/test7.pdf
// O. Lahav and others, Repairing sequential consistency in C/C++11, PLDI 2017.
#include <gtest/gtest.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <set>

#include "explorer.h"

namespace datum::test {
namespace {

constexpr auto rlx = std::memory_order_relaxed;
constexpr auto acq = std::memory_order_acquire;
constexpr auto rel = std::memory_order_release;
constexpr auto sc = std::memory_order_seq_cst;

// The words that the threads share, and the registers of each thread.
struct Words {
  std::atomic<std::uint32_t> x{0}, y{0}, z{0};
  std::uint32_t data = 0;
};
struct Registers {
  std::uint32_t a = 0, b = 0, c = 0, d = 0;
};
using Outcome = std::array<std::uint32_t, 4>;
using Body = void (*)(Words&, Registers&);

void fence(std::memory_order order) {
  std::atomic_thread_fence(order);
}
void light() {
  std::atomic_signal_fence(sc);
}
void heavy() {
  ::syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}

class Litmus final : public Scene {
 public:
  Litmus(std::initializer_list<Body> bodies, bool finals) : bodies_(bodies), finals_(finals) {}
  void begin(Machine& machine) override {
    new (&words_) Words;
    registers_ = {};
    machine.share(&words_, sizeof words_, "words");
    for (const Body body : bodies_) machine.add([this, body] { body(words_, registers_); });
  }
  void end(Machine&, bool finished) override {
    if (!finished) ++asleep;
    const Registers& r = registers_;
    if (finals_)
      outcomes.insert({words_.x.load(), words_.y.load(), r.a, r.b});
    else
      outcomes.insert({r.a, r.b, r.c, r.d});
  }
  std::set<Outcome> outcomes;
  int asleep = 0;

 private:
  const std::vector<Body> bodies_;
  const bool finals_;
  Words words_;
  Registers registers_;
};

struct Result {
  std::set<Outcome> outcomes;
  std::string failure;
  int asleep = 0;
};

Result play(std::initializer_list<Body> bodies, bool finals = false, bool promises = true) {
  Litmus litmus(bodies, finals);
  const Found found = search_all(litmus, {.promises = promises});
  EXPECT_TRUE(found.all || !found.failure.empty());
  return {litmus.outcomes, found.failure, litmus.asleep};
}

// Whether some execution ends with this outcome. The outcome consists of the registers, or with
// `finals` of the words x, y, a, b at the end.
bool may(std::initializer_list<Body> bodies, Outcome outcome, bool finals = false) {
  const Result result = play(bodies, finals);
  EXPECT_EQ(result.failure, "");
  return result.outcomes.contains(outcome);
}

#define THREAD [](Words & w, Registers & r)
#define WRITER [](Words & w, Registers&)

template <std::memory_order kStore, std::memory_order kLoad>
bool store_buffering() {
  return may({THREAD {
                w.x.store(1, kStore);
                r.a = w.y.load(kLoad);
}
, THREAD {
  w.y.store(1, kStore);
  r.b = w.x.load(kLoad);
}
},
             {0, 0, 0, 0});
}

TEST(Litmus, StoreBuffering) {
  EXPECT_TRUE((store_buffering<rlx, rlx>()));
  EXPECT_TRUE((store_buffering<rel, acq>()));
  EXPECT_FALSE((store_buffering<sc, sc>()));
  EXPECT_TRUE((store_buffering<sc, acq>()));
  EXPECT_TRUE((store_buffering<rel, sc>()));
}

template <std::memory_order kFirst, std::memory_order kSecond>
bool store_buffering_with_fences() {
  return may({THREAD {
                w.x.store(1, rlx);
                fence(kFirst);
                r.a = w.y.load(rlx);
}
, THREAD {
  w.y.store(1, rlx);
  fence(kSecond);
  r.b = w.x.load(rlx);
}
},
             {0, 0, 0, 0});
}

TEST(Litmus, StoreBufferingWithFences) {
  constexpr auto acq_rel = std::memory_order_acq_rel;
  EXPECT_FALSE((store_buffering_with_fences<sc, sc>()));
  EXPECT_TRUE((store_buffering_with_fences<sc, acq_rel>()));
  EXPECT_TRUE((store_buffering_with_fences<acq_rel, sc>()));
  EXPECT_TRUE((store_buffering_with_fences<acq_rel, acq_rel>()));
}

template <void (*kFirst)(), void (*kSecond)()>
bool store_buffering_with_calls() {
  return may({THREAD {
                w.x.store(1, rlx);
                kFirst();
                r.a = w.y.load(rlx);
}
, THREAD {
  w.y.store(1, rlx);
  kSecond();
  r.b = w.x.load(rlx);
}
},
             {0, 0, 0, 0});
}

void nothing() {}
void full() {
  fence(sc);
}

// When one side calls membarrier(2), the kernel makes both sides fence.
TEST(Litmus, StoreBufferingWithMembarrier) {
  EXPECT_FALSE((store_buffering_with_calls<light, heavy>()));
  EXPECT_FALSE((store_buffering_with_calls<heavy, heavy>()));
  EXPECT_FALSE((store_buffering_with_calls<full, heavy>()));
  EXPECT_TRUE((store_buffering_with_calls<nothing, heavy>()));
  EXPECT_TRUE((store_buffering_with_calls<light, light>()));
  EXPECT_TRUE((store_buffering_with_calls<light, full>()));
}

// A light fence orders only the writes before it with the reads after it.
TEST(Litmus, MembarrierOrdersNothingBetweenTwoLightFences) {
  EXPECT_TRUE(may({THREAD {
                     light();
                     w.x.store(1, rlx);
                     r.a = w.y.load(rlx);
                     light();
}
, THREAD {
  w.y.store(1, rlx);
  heavy();
  r.b = w.x.load(rlx);
}
},
                  {0, 0, 0, 0}));
}

template <std::memory_order kStore, std::memory_order kLoad>
bool message_passing() {
  return may({WRITER {
                w.x.store(1, rlx);
                w.y.store(1, kStore);
}
, THREAD {
  r.a = w.y.load(kLoad);
  r.b = w.x.load(rlx);
}
},
             {1, 0, 0, 0});
}

TEST(Litmus, MessagePassing) {
  EXPECT_TRUE((message_passing<rlx, rlx>()));
  EXPECT_TRUE((message_passing<rel, rlx>()));
  EXPECT_TRUE((message_passing<rlx, acq>()));
  EXPECT_FALSE((message_passing<rel, acq>()));
  EXPECT_FALSE((message_passing<sc, sc>()));
}

template <std::memory_order kStore, std::memory_order kLoad>
bool message_passing_with_fences() {
  return may({WRITER {
                w.x.store(1, rlx);
                fence(kStore);
                w.y.store(1, rlx);
}
, THREAD {
  r.a = w.y.load(rlx);
  fence(kLoad);
  r.b = w.x.load(rlx);
}
},
             {1, 0, 0, 0});
}

TEST(Litmus, MessagePassingWithFences) {
  EXPECT_FALSE((message_passing_with_fences<rel, acq>()));
  EXPECT_FALSE((message_passing_with_fences<sc, sc>()));
  EXPECT_TRUE((message_passing_with_fences<acq, acq>()));
  EXPECT_TRUE((message_passing_with_fences<rel, rel>()));
}

// A release store does not order the stores before it with the stores after it.
TEST(Litmus, AReleaseStoreIsNoFence) {
  EXPECT_TRUE(may({WRITER {
                     w.x.store(1, rlx);
                     w.z.store(1, rel);
                     w.y.store(1, rlx);
}
, THREAD {
  r.a = w.y.load(acq);
  r.b = w.x.load(rlx);
}
},
                  {1, 0, 0, 0}));
}

template <std::memory_order kLoad, std::memory_order kStore>
bool load_buffering() {
  return may({THREAD {
                r.a = w.x.load(kLoad);
                w.y.store(1, kStore);
}
, THREAD {
  r.b = w.y.load(kLoad);
  w.x.store(1, kStore);
}
},
             {1, 1, 0, 0});
}

TEST(Litmus, LoadBuffering) {
  EXPECT_TRUE((load_buffering<rlx, rlx>()));
  EXPECT_TRUE((load_buffering<acq, rlx>()));
  EXPECT_TRUE((load_buffering<rlx, rel>()));
  EXPECT_FALSE((load_buffering<acq, rel>()));
  EXPECT_FALSE((load_buffering<sc, sc>()));
}

TEST(Litmus, LoadBufferingWithFences) {
  EXPECT_FALSE(may({THREAD {
                      r.a = w.x.load(rlx);
                      fence(sc);
                      w.y.store(1, rlx);
}
, THREAD {
  r.b = w.y.load(rlx);
  fence(sc);
  w.x.store(1, rlx);
}
},
                   {1, 1, 0, 0}));
  EXPECT_FALSE(may({THREAD {
                      r.a = w.x.load(rlx);
                      fence(rel);
                      w.y.store(1, rlx);
  }
  , THREAD {
    r.b = w.y.load(rlx);
    fence(acq);
    w.x.store(1, rlx);
  }
  },
                   {1, 1, 0, 0}));
  EXPECT_TRUE(may({THREAD {
                     r.a = w.x.load(rlx);
                     fence(sc);
                     w.y.store(1, rlx);
  }
  , THREAD {
    r.b = w.y.load(rlx);
    w.x.store(1, rlx);
  }
  },
                  {1, 1, 0, 0}));
  }

  // No value comes out of thin air.
  TEST(Litmus, LoadBufferingWithDependencies) {
  const Result copied = play({THREAD {
                                r.a = w.x.load(rlx);
                                w.y.store(r.a, rlx);
  }
  , THREAD {
    r.b = w.y.load(rlx);
    w.x.store(r.b, rlx);
  }
  });
  EXPECT_EQ(copied.outcomes, (std::set<Outcome>{{0, 0, 0, 0}}));
  const Result decided = play({THREAD {
                                 r.a = w.x.load(rlx);
                                 if (r.a == 1) w.y.store(1, rlx);
  }
  , THREAD {
    r.b = w.y.load(rlx);
    if (r.b == 1) w.x.store(1, rlx);
  }
  });
  EXPECT_EQ(decided.outcomes, (std::set<Outcome>{{0, 0, 0, 0}}));
  }

  template <std::memory_order kStore, std::memory_order kLoad, std::memory_order kFence = rlx>
  bool independent_reads() {
  return may({WRITER { w.x.store(1, kStore);
  }
  , WRITER {
    w.y.store(1, kStore);
  }
  , THREAD {
    r.a = w.x.load(kLoad);
    if (kFence != rlx) fence(kFence);
    r.b = w.y.load(kLoad);
  }
  , THREAD {
    r.c = w.y.load(kLoad);
    if (kFence != rlx) fence(kFence);
    r.d = w.x.load(kLoad);
  }
  },
             {1, 0, 1, 0});
  }

  TEST(Litmus, IndependentReadsOfIndependentWrites) {
    EXPECT_TRUE((independent_reads<rlx, rlx>()));
    EXPECT_TRUE((independent_reads<rel, acq>()));
    EXPECT_FALSE((independent_reads<sc, sc>()));
    EXPECT_FALSE((independent_reads<rlx, rlx, sc>()));
    EXPECT_TRUE((independent_reads<rlx, rlx, acq>()));
  }

  template <std::memory_order kFirst, std::memory_order kSecond, std::memory_order kFence = rlx>
  bool two_plus_two_writes() {
  return may({WRITER {
                w.x.store(1, kFirst);
                if (kFence != rlx) fence(kFence);
                w.y.store(2, kSecond);
  }
  , WRITER {
    w.y.store(1, kFirst);
    if (kFence != rlx) fence(kFence);
    w.x.store(2, kSecond);
  }
  },
             {1, 1, 0, 0}, true);
  }

  TEST(Litmus, TwoPlusTwoWrites) {
    EXPECT_TRUE((two_plus_two_writes<rlx, rlx>()));
    EXPECT_TRUE((two_plus_two_writes<rlx, rel>()));
    EXPECT_FALSE((two_plus_two_writes<sc, sc>()));
    EXPECT_FALSE((two_plus_two_writes<rlx, rlx, sc>()));
  }

  template <std::memory_order kFirst, std::memory_order kSecond>
  bool r_shape() {
  return may({WRITER {
                w.x.store(1, rlx);
                if (kFirst != rlx) fence(kFirst);
                w.y.store(1, rlx);
  }
  , THREAD {
    w.y.store(2, rlx);
    if (kSecond != rlx) fence(kSecond);
    r.a = w.x.load(rlx);
  }
  },
             {1, 2, 0, 0}, true);
  }

  TEST(Litmus, R) {
    EXPECT_TRUE((r_shape<rlx, rlx>()));
    EXPECT_TRUE((r_shape<rel, sc>()));
    EXPECT_TRUE((r_shape<sc, acq>()));
    EXPECT_FALSE((r_shape<sc, sc>()));
  }

  template <std::memory_order kStore, std::memory_order kLoad>
  bool s_shape() {
  return may({WRITER {
                w.x.store(2, rlx);
                w.y.store(1, kStore);
  }
  , THREAD {
    r.a = w.y.load(kLoad);
    w.x.store(1, rlx);
  }
  },
             {2, 1, 1, 0}, true);
  }

  TEST(Litmus, S) {
    EXPECT_TRUE((s_shape<rlx, rlx>()));
    EXPECT_TRUE((s_shape<rel, rlx>()));
    EXPECT_TRUE((s_shape<rlx, acq>()));
    EXPECT_FALSE((s_shape<rel, acq>()));
  }

  TEST(Litmus, CoherenceOfOneWord) {
    // CoRR: two reads of one thread never go back in time.
  EXPECT_FALSE(may({WRITER { w.x.store(1, rlx);
  }
  , THREAD {
    r.a = w.x.load(rlx);
    r.b = w.x.load(rlx);
  }
  },
                   {1, 0, 0, 0}));
  // Nor do two threads see two writes in different orders.
  const Result both = play({WRITER { w.x.store(1, rlx);
  }
  , WRITER {
    w.x.store(2, rlx);
  }
  , THREAD {
    r.a = w.x.load(rlx);
    r.b = w.x.load(rlx);
  }
  , THREAD {
    r.c = w.x.load(rlx);
    r.d = w.x.load(rlx);
  }
  },
                           false, false);
  EXPECT_FALSE(both.outcomes.contains({1, 2, 2, 1}));
  EXPECT_TRUE(both.outcomes.contains({1, 2, 1, 2}));
  // CoWW and CoWR: the writes of one thread are in order, and the thread reads its own last write.
  EXPECT_EQ(play({THREAD {
                    w.x.store(1, rlx);
                    r.a = w.x.load(rlx);
                    w.x.store(2, rlx);
  }
  },
                 true)
                .outcomes,
            (std::set<Outcome>{{2, 0, 1, 0}}));
  // CoRW: a thread does not read what it writes later.
  EXPECT_FALSE(may({THREAD {
                      r.a = w.x.load(rlx);
                      w.x.store(1, rlx);
  }
  , WRITER {
    w.x.store(2, rlx);
  }
  },
                   {2, 0, 2, 0}, true));
  }

  template <std::memory_order kStore, std::memory_order kLoad>
  bool write_to_read_causality() {
  return may({WRITER { w.x.store(1, rlx);
  }
  , THREAD {
    r.a = w.x.load(rlx);
    w.y.store(1, kStore);
  }
  , THREAD {
    r.b = w.y.load(kLoad);
    r.c = w.x.load(rlx);
  }
  },
             {1, 1, 0, 0});
  }

  TEST(Litmus, WriteToReadCausality) {
    EXPECT_TRUE((write_to_read_causality<rlx, rlx>()));
    EXPECT_FALSE((write_to_read_causality<rel, acq>()));
  }

  TEST(Litmus, AnUpdateReadsTheLastAndNothingComesBetween) {
  EXPECT_EQ(play({THREAD { r.a = w.x.fetch_add(1, rlx);
  }
  , THREAD {
    r.b = w.x.fetch_add(1, rlx);
  }
  })
                .outcomes,
            (std::set<Outcome>{{0, 1, 0, 0}, {1, 0, 0, 0}}));
  EXPECT_EQ(play({THREAD {
                    std::uint32_t expected = 0;
                    r.a = w.x.compare_exchange_strong(expected, 1, rlx) ? 1 : 0;
  }
  , THREAD {
    std::uint32_t expected = 0;
    r.b = w.x.compare_exchange_strong(expected, 1, rlx) ? 1 : 0;
  }
  })
                .outcomes,
            (std::set<Outcome>{{0, 1, 0, 0}, {1, 0, 0, 0}}));
  }

  // An update continues a release sequence. Since C++20 a store of the same thread does not.
  TEST(Litmus, ReleaseSequences) {
  EXPECT_FALSE(may({WRITER {
                      w.x.store(1, rlx);
                      w.y.store(1, rel);
  }
  , WRITER {
    w.y.fetch_add(1, rlx);
  }
  , THREAD {
    r.a = w.y.load(acq);
    r.b = w.x.load(rlx);
  }
  },
                   {2, 0, 0, 0}));
  EXPECT_TRUE(may({WRITER {
                     w.x.store(1, rlx);
                     w.y.store(1, rel);
                     w.y.store(2, rlx);
  }
  , THREAD {
    r.a = w.y.load(acq);
    r.b = w.x.load(rlx);
  }
  },
                  {2, 0, 0, 0}));
  }

  template <std::memory_order kStore, std::memory_order kLoad>
  std::string plain_data() {
  return play({WRITER {
                 w.data = 1;
                 w.y.store(1, kStore);
  }
  , THREAD {
    if (w.y.load(kLoad) == 1) r.a = w.data;
  }
  })
      .failure;
  }

  TEST(Litmus, PlainDataRaceUnlessOrdered) {
    EXPECT_NE((plain_data<rlx, acq>()), "");
    EXPECT_NE((plain_data<rel, rlx>()), "");
    EXPECT_EQ((plain_data<rel, acq>()), "");
  }

  long futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value) {
    return ::syscall(SYS_futex, &word, operation, value, nullptr, nullptr, 0);
  }

  TEST(Litmus, NobodySleepsOnAFutexForEver) {
  EXPECT_EQ(play({WRITER {
                    w.x.store(1, rlx);
                    futex(w.x, FUTEX_WAKE_PRIVATE, 1);
  }
  , WRITER {
    while (w.x.load(rlx) == 0) futex(w.x, FUTEX_WAIT_PRIVATE, 0);
  }
  })
                .asleep,
            0);
  // If the waker first checks whether a thread sleeps, both sides need a fence.
  const auto waker_looks =
                 [](bool fenced) {
                   return fenced
                       ? play({WRITER{w.x.store(1, rlx); fence(sc);
                                      if (w.y.load(rlx) != 0) futex(w.x, FUTEX_WAKE_PRIVATE, 1);
                 },
             WRITER {
    w.y.store(1, rlx);
    fence(sc);
    while (w.x.load(rlx) == 0) futex(w.x, FUTEX_WAIT_PRIVATE, 0);
  }
  })
                        .asleep
                  : play({WRITER {
                            w.x.store(1, rlx);
                            if (w.y.load(rlx) != 0) futex(w.x, FUTEX_WAKE_PRIVATE, 1);
  }
  , WRITER {
    w.y.store(1, rlx);
    fence(sc);
    while (w.x.load(rlx) == 0) futex(w.x, FUTEX_WAIT_PRIVATE, 0);
  }
  })
                        .asleep;
  }
  ;
  EXPECT_EQ(waker_looks(true), 0);
  EXPECT_GT(waker_looks(false), 0);
  }

  TEST(Litmus, ASpinSeesWhatComesLater) {
  EXPECT_EQ(play({WRITER { w.x.store(1, rel);
  }
  , THREAD {
    while (w.x.load(acq) == 0) {
    }
    r.a = 1;
  }
  })
                .outcomes,
            (std::set<Outcome>{{1, 0, 0, 0}}));
  // A spin with a bound also ends without the value.
  EXPECT_TRUE(may({WRITER { w.x.store(1, rel);
  }
  , THREAD {
    for (int i = 0; i < 100 && r.a == 0; ++i) r.a = w.x.load(acq);
  }
  },
                  {0, 0, 0, 0}));
  }

  } // namespace
  } // namespace datum::test

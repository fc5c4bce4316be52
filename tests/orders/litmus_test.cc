// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Tests the checker against C++20 and the known behaviour of processors. It must find each possible
// outcome, and no impossible outcome. The names are those of the literature (SB: store buffering,
// MP: message passing, LB: load buffering, IRIW: independent reads of independent writes ...):
// https://www.cl.cam.ac.uk/~pes20/ppc-supplemental/test7.pdf
// O. Lahav and others, Repairing sequential consistency in C/C++11, PLDI 2017.
// Here: two threads and two words, which are read after a write or written after a read.
#include <gtest/gtest.h>

#include <set>

#include "litmus.h"

namespace datum::test {
namespace {

template <std::memory_order kStore, std::memory_order kLoad>
bool store_buffering() {
  return may({[](Words& w, Registers& r) {
                w.x.store(1, kStore);
                r.a = w.y.load(kLoad);
              },
              [](Words& w, Registers& r) {
                w.y.store(1, kStore);
                r.b = w.x.load(kLoad);
              }},
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
  return may({[](Words& w, Registers& r) {
                w.x.store(1, rlx);
                fence(kFirst);
                r.a = w.y.load(rlx);
              },
              [](Words& w, Registers& r) {
                w.y.store(1, rlx);
                fence(kSecond);
                r.b = w.x.load(rlx);
              }},
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
  return may({[](Words& w, Registers& r) {
                w.x.store(1, rlx);
                kFirst();
                r.a = w.y.load(rlx);
              },
              [](Words& w, Registers& r) {
                w.y.store(1, rlx);
                kSecond();
                r.b = w.x.load(rlx);
              }},
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
  EXPECT_TRUE(may({[](Words& w, Registers& r) {
                     light();
                     w.x.store(1, rlx);
                     r.a = w.y.load(rlx);
                     light();
                   },
                   [](Words& w, Registers& r) {
                     w.y.store(1, rlx);
                     heavy();
                     r.b = w.x.load(rlx);
                   }},
                  {0, 0, 0, 0}));
}

template <std::memory_order kStore, std::memory_order kLoad>
bool message_passing() {
  return may({[](Words& w, Registers&) {
                w.x.store(1, rlx);
                w.y.store(1, kStore);
              },
              [](Words& w, Registers& r) {
                r.a = w.y.load(kLoad);
                r.b = w.x.load(rlx);
              }},
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
  return may({[](Words& w, Registers&) {
                w.x.store(1, rlx);
                fence(kStore);
                w.y.store(1, rlx);
              },
              [](Words& w, Registers& r) {
                r.a = w.y.load(rlx);
                fence(kLoad);
                r.b = w.x.load(rlx);
              }},
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
  EXPECT_TRUE(may({[](Words& w, Registers&) {
                     w.x.store(1, rlx);
                     w.z.store(1, rel);
                     w.y.store(1, rlx);
                   },
                   [](Words& w, Registers& r) {
                     r.a = w.y.load(acq);
                     r.b = w.x.load(rlx);
                   }},
                  {1, 0, 0, 0}));
}

template <std::memory_order kLoad, std::memory_order kStore>
bool load_buffering() {
  return may({[](Words& w, Registers& r) {
                r.a = w.x.load(kLoad);
                w.y.store(1, kStore);
              },
              [](Words& w, Registers& r) {
                r.b = w.y.load(kLoad);
                w.x.store(1, kStore);
              }},
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
  EXPECT_FALSE(may({[](Words& w, Registers& r) {
                      r.a = w.x.load(rlx);
                      fence(sc);
                      w.y.store(1, rlx);
                    },
                    [](Words& w, Registers& r) {
                      r.b = w.y.load(rlx);
                      fence(sc);
                      w.x.store(1, rlx);
                    }},
                   {1, 1, 0, 0}));
  EXPECT_FALSE(may({[](Words& w, Registers& r) {
                      r.a = w.x.load(rlx);
                      fence(rel);
                      w.y.store(1, rlx);
                    },
                    [](Words& w, Registers& r) {
                      r.b = w.y.load(rlx);
                      fence(acq);
                      w.x.store(1, rlx);
                    }},
                   {1, 1, 0, 0}));
  EXPECT_TRUE(may({[](Words& w, Registers& r) {
                     r.a = w.x.load(rlx);
                     fence(sc);
                     w.y.store(1, rlx);
                   },
                   [](Words& w, Registers& r) {
                     r.b = w.y.load(rlx);
                     w.x.store(1, rlx);
                   }},
                  {1, 1, 0, 0}));
}

// No value comes out of thin air.
TEST(Litmus, LoadBufferingWithDependencies) {
  const Result copied = play({[](Words& w, Registers& r) {
                                r.a = w.x.load(rlx);
                                w.y.store(r.a, rlx);
                              },
                              [](Words& w, Registers& r) {
                                r.b = w.y.load(rlx);
                                w.x.store(r.b, rlx);
                              }});
  EXPECT_EQ(copied.outcomes, (std::set<Outcome>{{0, 0, 0, 0}}));
  const Result decided = play({[](Words& w, Registers& r) {
                                 r.a = w.x.load(rlx);
                                 if (r.a == 1) w.y.store(1, rlx);
                               },
                               [](Words& w, Registers& r) {
                                 r.b = w.y.load(rlx);
                                 if (r.b == 1) w.x.store(1, rlx);
                               }});
  EXPECT_EQ(decided.outcomes, (std::set<Outcome>{{0, 0, 0, 0}}));
}

} // namespace
} // namespace datum::test

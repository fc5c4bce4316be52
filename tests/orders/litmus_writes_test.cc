// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// More litmus tests (litmus_test.cc): several writers of one word, or several readers of what they
// write; updates, and data that need an order.
#include <gtest/gtest.h>

#include <set>

#include "litmus.h"

namespace datum::test {
namespace {

template <std::memory_order kStore, std::memory_order kLoad, std::memory_order kFence = rlx>
bool independent_reads() {
  return may({[](Words& w, Registers&) { w.x.store(1, kStore); },
              [](Words& w, Registers&) { w.y.store(1, kStore); },
              [](Words& w, Registers& r) {
                r.a = w.x.load(kLoad);
                if (kFence != rlx) fence(kFence);
                r.b = w.y.load(kLoad);
              },
              [](Words& w, Registers& r) {
                r.c = w.y.load(kLoad);
                if (kFence != rlx) fence(kFence);
                r.d = w.x.load(kLoad);
              }},
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
  return may({[](Words& w, Registers&) {
                w.x.store(1, kFirst);
                if (kFence != rlx) fence(kFence);
                w.y.store(2, kSecond);
              },
              [](Words& w, Registers&) {
                w.y.store(1, kFirst);
                if (kFence != rlx) fence(kFence);
                w.x.store(2, kSecond);
              }},
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
  return may({[](Words& w, Registers&) {
                w.x.store(1, rlx);
                if (kFirst != rlx) fence(kFirst);
                w.y.store(1, rlx);
              },
              [](Words& w, Registers& r) {
                w.y.store(2, rlx);
                if (kSecond != rlx) fence(kSecond);
                r.a = w.x.load(rlx);
              }},
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
  return may({[](Words& w, Registers&) {
                w.x.store(2, rlx);
                w.y.store(1, kStore);
              },
              [](Words& w, Registers& r) {
                r.a = w.y.load(kLoad);
                w.x.store(1, rlx);
              }},
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
  EXPECT_FALSE(may({[](Words& w, Registers&) { w.x.store(1, rlx); },
                    [](Words& w, Registers& r) {
                      r.a = w.x.load(rlx);
                      r.b = w.x.load(rlx);
                    }},
                   {1, 0, 0, 0}));
  // Nor do two threads see two writes in different orders.
  const Result both = play({[](Words& w, Registers&) { w.x.store(1, rlx); },
                            [](Words& w, Registers&) { w.x.store(2, rlx); },
                            [](Words& w, Registers& r) {
                              r.a = w.x.load(rlx);
                              r.b = w.x.load(rlx);
                            },
                            [](Words& w, Registers& r) {
                              r.c = w.x.load(rlx);
                              r.d = w.x.load(rlx);
                            }},
                           false, false);
  EXPECT_FALSE(both.outcomes.contains({1, 2, 2, 1}));
  EXPECT_TRUE(both.outcomes.contains({1, 2, 1, 2}));
  // CoWW and CoWR: the writes of one thread are in order, and the thread reads its own last write.
  EXPECT_EQ(play({[](Words& w, Registers& r) {
                   w.x.store(1, rlx);
                   r.a = w.x.load(rlx);
                   w.x.store(2, rlx);
                 }},
                 true)
                .outcomes,
            (std::set<Outcome>{{2, 0, 1, 0}}));
  // CoRW: a thread does not read what it writes later.
  EXPECT_FALSE(may({[](Words& w, Registers& r) {
                      r.a = w.x.load(rlx);
                      w.x.store(1, rlx);
                    },
                    [](Words& w, Registers&) { w.x.store(2, rlx); }},
                   {2, 0, 2, 0}, true));
}

template <std::memory_order kStore, std::memory_order kLoad>
bool write_to_read_causality() {
  return may({[](Words& w, Registers&) { w.x.store(1, rlx); },
              [](Words& w, Registers& r) {
                r.a = w.x.load(rlx);
                w.y.store(1, kStore);
              },
              [](Words& w, Registers& r) {
                r.b = w.y.load(kLoad);
                r.c = w.x.load(rlx);
              }},
             {1, 1, 0, 0});
}

TEST(Litmus, WriteToReadCausality) {
  EXPECT_TRUE((write_to_read_causality<rlx, rlx>()));
  EXPECT_FALSE((write_to_read_causality<rel, acq>()));
}

TEST(Litmus, AnUpdateReadsTheLastAndNothingComesBetween) {
  EXPECT_EQ(play({[](Words& w, Registers& r) { r.a = w.x.fetch_add(1, rlx); },
                  [](Words& w, Registers& r) { r.b = w.x.fetch_add(1, rlx); }})
                .outcomes,
            (std::set<Outcome>{{0, 1, 0, 0}, {1, 0, 0, 0}}));
  EXPECT_EQ(play({[](Words& w, Registers& r) {
                    std::uint32_t expected = 0;
                    r.a = w.x.compare_exchange_strong(expected, 1, rlx) ? 1 : 0;
                  },
                  [](Words& w, Registers& r) {
                    std::uint32_t expected = 0;
                    r.b = w.x.compare_exchange_strong(expected, 1, rlx) ? 1 : 0;
                  }})
                .outcomes,
            (std::set<Outcome>{{0, 1, 0, 0}, {1, 0, 0, 0}}));
}

// An update continues a release sequence. Since C++20 a store of the same thread does not.
TEST(Litmus, ReleaseSequences) {
  EXPECT_FALSE(may({[](Words& w, Registers&) {
                      w.x.store(1, rlx);
                      w.y.store(1, rel);
                    },
                    [](Words& w, Registers&) { w.y.fetch_add(1, rlx); },
                    [](Words& w, Registers& r) {
                      r.a = w.y.load(acq);
                      r.b = w.x.load(rlx);
                    }},
                   {2, 0, 0, 0}));
  EXPECT_TRUE(may({[](Words& w, Registers&) {
                     w.x.store(1, rlx);
                     w.y.store(1, rel);
                     w.y.store(2, rlx);
                   },
                   [](Words& w, Registers& r) {
                     r.a = w.y.load(acq);
                     r.b = w.x.load(rlx);
                   }},
                  {2, 0, 0, 0}));
}

template <std::memory_order kStore, std::memory_order kLoad>
std::string plain_data() {
  return play({[](Words& w, Registers&) {
                 w.data = 1;
                 w.y.store(1, kStore);
               },
               [](Words& w, Registers& r) {
                 if (w.y.load(kLoad) == 1) r.a = w.data;
               }})
      .failure;
}

TEST(Litmus, PlainDataRaceUnlessOrdered) {
  EXPECT_NE((plain_data<rlx, acq>()), "");
  EXPECT_NE((plain_data<rel, rlx>()), "");
  EXPECT_EQ((plain_data<rel, acq>()), "");
}

} // namespace
} // namespace datum::test

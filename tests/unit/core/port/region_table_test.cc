// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "core/port/region_table.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <vector>

namespace datum {
namespace {

class Regions : public testing::Test {
 protected:
  Stag add(const RegionTable::Description& description) {
    const Stag stag = table.reserve();
    table.publish(stag, description);
    return stag;
  }
  AccessFault check(Stag stag, std::uint64_t address, std::uint64_t length,
                    Access right = kRemoteWrite, std::uint32_t zone = 7,
                    std::uint32_t endpoint = 3) const {
    return table.check(stag, address, length, right, zone, endpoint);
  }
  static RegionTable::Description usual() {
    RegionTable::Description description;
    description.access = kRemoteWrite | kLocalRead;
    description.base = 0x1000;
    description.length = 0x100;
    description.zone = 7;
    return description;
  }

  std::unique_ptr<RegionEntry[]> entries{new RegionEntry[131072]};
  RegionTable table{{entries.get(), 131072}, 5};
};

TEST_F(Regions, TheWholeRangeAndNothingBesideIt) {
  const Stag stag = add(usual());
  EXPECT_EQ(check(stag, 0x1000, 0x100), AccessFault::None);
  EXPECT_EQ(check(stag, 0x10ff, 1), AccessFault::None);
  EXPECT_EQ(check(stag, 0x1100, 0), AccessFault::None);
  EXPECT_EQ(check(stag, 0x1000, 0x101), AccessFault::OutOfBounds);
  EXPECT_EQ(check(stag, 0x10ff, 2), AccessFault::OutOfBounds);
  EXPECT_EQ(check(stag, 0x0fff, 1), AccessFault::OutOfBounds);
  EXPECT_EQ(check(stag, 0x1101, 0), AccessFault::OutOfBounds);
  EXPECT_EQ(check(stag, 0xffffffffffffff00, 0x200), AccessFault::Wraps);
  EXPECT_EQ(check(stag, 0x1000, 0xffffffffffffffff), AccessFault::Wraps);
}

TEST_F(Regions, FaultsAreFoundInTheOrderOfTheChecks) {
  const Stag stag = add(usual());
  constexpr std::uint64_t kFar = 0xffffffffffffff00;
  EXPECT_EQ(check(stag + 1, kFar, 0x200, kRemoteRead, 8), AccessFault::BadStag);
  EXPECT_EQ(check(0, kFar, 0x200, kRemoteRead, 8), AccessFault::BadStag);
  EXPECT_EQ(check(0xffffffff, kFar, 0x200, kRemoteRead, 8), AccessFault::BadStag);
  EXPECT_EQ(check(stag, kFar, 0x200, kRemoteRead, 8), AccessFault::WrongZone);
  EXPECT_EQ(check(stag, kFar, 0x200, kRemoteRead, 7), AccessFault::NoRight);
  EXPECT_EQ(check(stag, kFar, 0x200, kRemoteWrite, 7), AccessFault::Wraps);
}

TEST_F(Regions, AWindowOfOneEndpointServesNoOther) {
  RegionTable::Description window = usual();
  window.window = true;
  window.endpoint = 3;
  const Stag stag = add(window);
  EXPECT_EQ(check(stag, 0x1000, 1), AccessFault::None);
  EXPECT_EQ(check(stag, 0x1000, 1, kRemoteWrite, 7, 4), AccessFault::WrongZone);
  EXPECT_FALSE(table.covers(stag, 0x1000, 1, kLocalRead, 7)) << "local DTOs may not name it";
}

TEST_F(Regions, LocalDtosNeedTheZoneTheRightAndTheRange) {
  const Stag stag = add(usual());
  EXPECT_TRUE(table.covers(stag, 0x1000, 0x100, kLocalRead, 7));
  EXPECT_FALSE(table.covers(stag, 0x1000, 0x100, kLocalWrite, 7));
  EXPECT_FALSE(table.covers(stag, 0x1000, 0x100, kLocalRead, 8));
  EXPECT_FALSE(table.covers(stag, 0x1001, 0x100, kLocalRead, 7));
  EXPECT_FALSE(table.covers(stag, 0x0fff, 1, kLocalRead, 7));
  EXPECT_FALSE(table.covers(stag ^ 1U, 0x1000, 1, kLocalRead, 7));
  EXPECT_FALSE(table.covers(0, 0x1000, 1, kLocalRead, 7));
}

TEST_F(Regions, WhatIsReservedNamesNothingYet) {
  const Stag stag = table.reserve();
  EXPECT_NE(stag, 0U);
  EXPECT_EQ(table.find(stag), nullptr);
  EXPECT_EQ(check(stag, 0, 0), AccessFault::BadStag);
}

class Watchman final : public DirectAccessGate {
 public:
  explicit Watchman(const RegionTable& table) : table_(table) {}
  void quiesce(Stag stag) override {
    asked.push_back(stag);
    EXPECT_EQ(table_.find(stag), nullptr) << "peers are waited for after it was taken away";
  }
  std::vector<Stag> asked;

 private:
  const RegionTable& table_;
};

TEST_F(Regions, RevokingTakesItAwayAndThenWaitsForPeersOnce) {
  Watchman gate(table);
  table.set_gate(&gate);
  const Stag stag = add(usual());
  const std::uint64_t epoch = table.epoch();
  EXPECT_NE(table.find(stag), nullptr);
  table.revoke(stag);
  EXPECT_EQ(table.find(stag), nullptr);
  EXPECT_EQ(check(stag, 0x1000, 1), AccessFault::BadStag);
  EXPECT_EQ(table.epoch(), epoch + 1);
  table.revoke(stag);
  EXPECT_EQ(gate.asked, std::vector<Stag>{stag});
  EXPECT_EQ(table.epoch(), epoch + 1);
}

TEST_F(Regions, AnIndexIsReusedLateAndUnderAnotherKey) {
  const Stag first = add(usual());
  table.revoke(first);
  table.release(first);
  // An STag is given out again only after 1024 others have been given back.
  for (int i = 0; i < 1024; ++i) {
    const Stag other = table.reserve();
    ASSERT_NE(other >> 8U, first >> 8U) << i;
    table.release(other);
  }
  Stag again = 0;
  for (int i = 0; i < 2 && again >> 8U != first >> 8U; ++i) {
    again = table.reserve();
    table.release(again);
  }
  EXPECT_EQ(again >> 8U, first >> 8U);
  EXPECT_NE(again & 0xffU, first & 0xffU);
}

// A peer knows some STags of a zone and guesses the others (RFC 5042 section 6.1.1).
TEST_F(Regions, SomeStagsDoNotTellTheNext) {
  std::vector<Stag> given;
  std::set<Stag> keys;
  for (int i = 0; i < 255; ++i) {
    given.push_back(table.reserve());
    keys.insert(given.back() & 0xffU);
  }
  int neighbours = 0;
  int same_keys = 0;
  for (std::size_t i = 1; i < given.size(); ++i) {
    neighbours += (given[i] >> 8U) == (given[i - 1] >> 8U) + 1 ? 1 : 0;
    same_keys += (given[i] & 0xffU) == (given[i - 1] & 0xffU) ? 1 : 0;
  }
  EXPECT_LE(neighbours, 8);
  EXPECT_LE(same_keys, 8);
  EXPECT_GE(keys.size(), 128U);

  std::unique_ptr<RegionEntry[]> other_entries(new RegionEntry[131072]);
  RegionTable other({other_entries.get(), 131072}, 6);
  int alike = 0;
  for (const Stag stag : given) alike += other.reserve() == stag ? 1 : 0;
  EXPECT_LE(alike, 2) << "another seed, other STags";
}

TEST_F(Regions, AllDifferUntilTheTableIsFull) {
  std::set<Stag> given;
  for (int i = 1; i < 131072; ++i) {
    const Stag stag = table.reserve();
    ASSERT_NE(stag, 0U) << i;
    given.insert(stag);
  }
  EXPECT_EQ(given.size(), 131071U);
  EXPECT_EQ(table.used(), 131071U);
  EXPECT_EQ(table.reserve(), 0U);
  table.release(*given.begin());
  const Stag last = table.reserve();
  EXPECT_EQ(last >> 8U, *given.begin() >> 8U);
  EXPECT_NE(last, *given.begin());
  EXPECT_EQ(table.reserve(), 0U);
}

} // namespace
} // namespace datum

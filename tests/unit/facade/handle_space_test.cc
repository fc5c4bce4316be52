// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <atomic>
#include <functional>
#include <gtest/gtest.h>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "facade/handle_space.h"

namespace datum {
namespace {

TEST(HandleSpace, NullAndForeignAddressesAreNoHandles) {
  HandleSlot* slot = HandleSpace::allocate();
  ASSERT_NE(slot, nullptr);
  int elsewhere = 0;
  EXPECT_EQ(HandleSpace::find(nullptr), nullptr);
  EXPECT_EQ(HandleSpace::find(&elsewhere), nullptr);
  EXPECT_EQ(HandleSpace::find(reinterpret_cast<void*>(1)), nullptr);
  EXPECT_EQ(HandleSpace::find(reinterpret_cast<void*>(~std::uintptr_t{0})), nullptr);
  EXPECT_EQ(HandleSpace::find(reinterpret_cast<char*>(slot) + 8), nullptr) << "inside a slot";
  EXPECT_EQ(HandleSpace::find(reinterpret_cast<char*>(slot) + (std::size_t{1} << 29U)), nullptr)
      << "reserved, but never used: reading it would crash";
  EXPECT_EQ(HandleSpace::find(slot), slot);
  HandleSpace::release(*slot);
  EXPECT_EQ(HandleSpace::find(slot), slot) << "a freed slot can still be looked at";
}

TEST(HandleSpace, ASlotIsUsedAgainOnlyAfter65536OtherFrees) {
  HandleSlot* first = HandleSpace::allocate();
  HandleSpace::release(*first);
  std::size_t others = 0;
  for (;; ++others) {
    HandleSlot* slot = HandleSpace::allocate();
    if (slot == first) break;
    HandleSpace::release(*slot);
    ASSERT_LE(others, 200000U) << "it is never used again";
  }
  EXPECT_GE(others, 65536U);
  HandleSpace::release(*first);
}

// Runs `look` in a forked child, and returns the exit status: 0 if the check succeeded.
int look_from_a_child(const std::function<int()>& look) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(look());
  int status = -1;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(HandleSpace, AForkedChildFindsNobodyBehindItsParentsHandles) {
  const int table = 1;
  HandleSlot* slot = HandleSpace::allocate();
  slot->table = &table;
  slot->key = 7;
  EXPECT_EQ(look_from_a_child([&] { return slot->table == nullptr && slot->key == 0U ? 0 : 1; }),
            0);
  EXPECT_EQ(slot->table, &table);
  EXPECT_EQ(slot->key, 7U);
  slot->table = nullptr;
  slot->key = 0;
  HandleSpace::release(*slot);
}

TEST(HandleSpace, AForkedChildGetsSlotsOfItsOwn) {
  std::vector<HandleSlot*> freed(70000);
  for (HandleSlot*& slot : freed) slot = HandleSpace::allocate();
  for (HandleSlot* slot : freed) HandleSpace::release(*slot);
  EXPECT_EQ(look_from_a_child([] {
              std::set<HandleSlot*> mine;
              for (int i = 0; i < 5000; ++i) mine.insert(HandleSpace::allocate());
              return mine.size() == 5000U && mine.count(nullptr) == 0 ? 0 : 1;
            }),
            0);
}

TEST(HandleSpace, ThreadsNeverGetTheSameSlot) {
  constexpr int kThreads = 4;
  constexpr int kSlots = 2000;
  std::vector<std::vector<HandleSlot*>> taken(kThreads);
  std::vector<std::thread> threads;
  for (auto& mine : taken)
    threads.emplace_back([&mine] {
      for (int i = 0; i < kSlots; ++i) mine.push_back(HandleSpace::allocate());
    });
  for (std::thread& thread : threads) thread.join();
  std::set<HandleSlot*> all;
  for (const auto& mine : taken) all.insert(mine.begin(), mine.end());
  EXPECT_EQ(all.size(), 8000U);
  EXPECT_EQ(all.count(nullptr), 0U);
  for (HandleSlot* slot : all) HandleSpace::release(*slot);
}

TEST(HandleSpace, ReplaceTableChangesOnlySlotsOfThatTable) {
  const int one = 1;
  const int two = 2;
  const int tombstone = 3;
  HandleSlot* a = HandleSpace::allocate();
  HandleSlot* b = HandleSpace::allocate();
  a->table = &one;
  b->table = &two;
  HandleSpace::replace_table(&one, &tombstone);
  EXPECT_EQ(a->table, &tombstone);
  EXPECT_EQ(b->table, &two);
  a->table = nullptr;
  b->table = nullptr;
  HandleSpace::release(*a);
  HandleSpace::release(*b);
}

} // namespace
} // namespace datum

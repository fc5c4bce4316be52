// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/intrusive_list.h"

#include <algorithm>
#include <deque>
#include <gtest/gtest.h>
#include <numeric>
#include <vector>

namespace datum {
namespace {

struct Tag;
struct Element : ListHook<Tag> {
  explicit Element(int given) : value(given) {}
  const int value;
};
using List = IntrusiveList<Element, Tag>;

std::vector<int> values(List& list) {
  std::vector<int> found;
  list.for_each([&](const Element& each) { found.push_back(each.value); });
  return found;
}

// Every arrangement of up to seven elements, some of them equal.
TEST(IntrusiveListTest, SortsAndKeepsTheOrderOfEquals) {
  for (int count = 0; count <= 7; ++count) {
    std::vector<int> given(static_cast<std::size_t>(count));
    std::iota(given.begin(), given.end(), 0);
    do {
      List list;
      std::deque<Element> elements;
      for (const int value : given) list.push_back(elements.emplace_back(value));
      const auto half = [](int value) { return value / 2; };
      list.sort([&](const Element& one, const Element& other) {
        return half(one.value) < half(other.value);
      });
      std::vector<int> expected = given;
      std::ranges::stable_sort(expected, {}, half);
      ASSERT_EQ(values(list), expected);
      List backwards;
      while (Element* next = list.pop_front()) backwards.push_back(*next);
      ASSERT_EQ(values(backwards), expected) << "linked both ways";
    } while (std::ranges::next_permutation(given).found);
  }
}

TEST(IntrusiveListTest, SortsManyInFewSteps) {
  constexpr int kMany = 10'000;
  for (const bool falling : {false, true}) {
    std::deque<Element> elements;
    List list;
    for (int i = 0; i < kMany; ++i)
      list.push_back(elements.emplace_back(falling ? kMany - i : (i * 7919) % kMany));
    long steps = 0;
    list.sort([&](const Element& one, const Element& other) {
      ++steps;
      return one.value < other.value;
    });
    EXPECT_TRUE(std::ranges::is_sorted(values(list)));
    EXPECT_LE(steps, 14L * kMany);
  }
}

TEST(IntrusiveListTest, HoldsOnly) {
  Element one(1);
  Element two(2);
  List list;
  EXPECT_FALSE(list.holds_only(one));
  EXPECT_FALSE(list.holds_others(one));
  list.push_back(one);
  EXPECT_TRUE(list.holds_only(one));
  EXPECT_FALSE(list.holds_others(one));
  EXPECT_TRUE(list.holds_others(two));
  list.push_back(two);
  EXPECT_FALSE(list.holds_only(one));
  EXPECT_FALSE(list.holds_only(two));
  EXPECT_TRUE(list.holds_others(one));
  one.unlink();
  EXPECT_TRUE(list.holds_only(two));
}

TEST(IntrusiveListTest, AnElementThatIsDestroyedLeaves) {
  List list;
  Element one(1);
  {
    Element two(2);
    list.push_back(one);
    list.push_back(two);
  }
  EXPECT_EQ(values(list), (std::vector{1}));
  one.unlink();
  EXPECT_TRUE(list.empty());
}

} // namespace
} // namespace datum

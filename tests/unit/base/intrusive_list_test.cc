// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/intrusive_list.h"

#include <gtest/gtest.h>
#include <vector>

namespace datum {
namespace {

struct Tag;
struct Element : ListHook<Tag> {
  explicit Element(int given) : value(given) {}
  const int value;
};
using List = IntrusiveList<Element, Tag>;

void insert(List& list, Element& one) {
  list.insert_before_later(one, [&](const Element& other) { return other.value > one.value; });
}

std::vector<int> values(List& list) {
  std::vector<int> found;
  list.for_each([&](const Element& each) { found.push_back(each.value); });
  return found;
}

TEST(IntrusiveListTest, InsertsByOrder) {
  Element two(2);
  Element four(4);
  Element one(1);
  Element three(3);
  List list;
  insert(list, two);
  insert(list, four);
  insert(list, one);
  insert(list, three);
  EXPECT_EQ(values(list), (std::vector{1, 2, 3, 4}));
}

TEST(IntrusiveListTest, HoldsOnly) {
  Element one(1);
  Element two(2);
  List list;
  EXPECT_FALSE(list.holds_only(one));
  list.push_back(one);
  EXPECT_TRUE(list.holds_only(one));
  list.push_back(two);
  EXPECT_FALSE(list.holds_only(one));
  EXPECT_FALSE(list.holds_only(two));
  one.unlink();
  EXPECT_TRUE(list.holds_only(two));
}

TEST(IntrusiveListTest, InsertsBehindItsEquals) {
  Element first(1);
  Element second(1);
  Element last(2);
  List list;
  insert(list, last);
  insert(list, first);
  insert(list, second);
  EXPECT_EQ(list.pop_front(), &first);
  EXPECT_EQ(list.pop_front(), &second);
  EXPECT_EQ(list.pop_front(), &last);
  EXPECT_TRUE(list.empty());
}

TEST(IntrusiveListTest, AnElementThatIsDestroyedLeaves) {
  List list;
  Element one(1);
  {
    Element two(2);
    insert(list, one);
    insert(list, two);
  }
  EXPECT_EQ(values(list), (std::vector{1}));
  one.unlink();
  EXPECT_TRUE(list.empty());
}

} // namespace
} // namespace datum

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// PostsInTurn: whether the requests of a connection are posted one by one, between two turns.
#include "transport/tcp/posts_in_turn.h"

#include <gtest/gtest.h>

namespace datum::test {
namespace {

// Rules: tcp.S1
TEST(PostsInTurn, TheFirstInATurnIsAlone) {
  PostsInTurn posts;
  EXPECT_TRUE(posts.add(1));
  EXPECT_TRUE(posts.add(2));
  EXPECT_TRUE(posts.add(5));
}

// Rules: tcp.S2
TEST(PostsInTurn, AfterATurnWithSeveralNoneIs) {
  PostsInTurn posts;
  EXPECT_TRUE(posts.add(1));
  EXPECT_FALSE(posts.add(1));
  EXPECT_FALSE(posts.add(2)) << "there were two the last time";
  EXPECT_TRUE(posts.add(3)) << "there was one the last time";
}

} // namespace
} // namespace datum::test

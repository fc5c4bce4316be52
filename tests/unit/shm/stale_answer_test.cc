// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// ShmFabric as dialler: what the dialler does if a listener's answers are late, wrong or
// contradictory.
#include <gtest/gtest.h>

#include "tests/unit/shm/stranger.h"

namespace datum::test {
namespace {

class StaleAnswer : public testing::Test {
 protected:
  void link_by(Dialled& dial) {
    start_dial(a, "127.0.0.1", qualifier, dial);
    socket = listener.accept();
    listener.answer(socket, DialVerdict::Fresh);
    ASSERT_EQ(listener.hear(socket), MessageKind::Offer);
    listener.say_ready(socket, DialVerdict::Fresh);
    ASSERT_TRUE(world.run_until([&] { return dial.over(); }));
    ASSERT_NE(dial.port, nullptr);
  }
  const ConnQual qualifier = (ConnQual{1} << 42U) + static_cast<ConnQual>(::getpid());
  World world;
  Adapter a{world, "127.0.0.1"};
  StrangeListener listener{world, qualifier};
  UniqueFd socket; // of the first link
  Dialled first;
  Dialled second;
};

TEST_F(StaleAnswer, ASecondDialDoesNotOfferWhileTheFirstDoes) {
  start_dial(a, "127.0.0.1", qualifier, first);
  start_dial(a, "127.0.0.1", qualifier, second);
  const UniqueFd one = listener.accept();
  const UniqueFd two = listener.accept();
  listener.answer(one, DialVerdict::Fresh);
  EXPECT_EQ(listener.hear(one), MessageKind::Offer);
  listener.answer(two, DialVerdict::Fresh);
  EXPECT_EQ(listener.hear(two), std::nullopt);
  EXPECT_FALSE(second.over());
}

TEST_F(StaleAnswer, APeerThatForgotTheLinkIsNotOfferedAnother) {
  link_by(first);
  start_dial(a, "127.0.0.1", qualifier, second);
  const UniqueFd two = listener.accept();
  listener.answer(two, DialVerdict::Fresh);
  EXPECT_EQ(listener.hear(two), std::nullopt);
  // Once the dialler has seen the end of the first link, it makes a new one.
  socket.reset();
  UniqueFd three = listener.accept();
  listener.answer(three, DialVerdict::Fresh);
  EXPECT_EQ(listener.hear(three), MessageKind::Offer);
  EXPECT_EQ(a.lost, 1);
}

TEST_F(StaleAnswer, ALinkThatOnlyThePeerKnowsIsAskedForAgain) {
  start_dial(a, "127.0.0.1", qualifier, first);
  const UniqueFd one = listener.accept();
  listener.answer(one, DialVerdict::Existing);
  EXPECT_EQ(listener.hear(one), std::nullopt);
  const UniqueFd two = listener.accept();
  listener.answer(two, DialVerdict::Fresh);
  EXPECT_EQ(listener.hear(two), MessageKind::Offer);
  EXPECT_FALSE(first.over());
}

TEST_F(StaleAnswer, ARefusedOfferIsMadeAgain) {
  start_dial(a, "127.0.0.1", qualifier, first);
  const UniqueFd one = listener.accept();
  listener.answer(one, DialVerdict::Fresh);
  EXPECT_EQ(listener.hear(one), MessageKind::Offer);
  listener.say_ready(one, DialVerdict::Again);
  link_by(second);
}

TEST_F(StaleAnswer, AListenerThatAlwaysHangsUpRefuses) {
  start_dial(a, "127.0.0.1", qualifier, first);
  int hangups = 0;
  while (!first.over() && hangups < 20) {
    listener.accept();
    ++hangups;
    for (int i = 0; i < 3; ++i) world.turn(0);
  }
  EXPECT_EQ(hangups, 9);
  EXPECT_EQ(first.failure, DialFailure::Refused);
}

TEST_F(StaleAnswer, AFullPeerIsUnreachable) {
  start_dial(a, "127.0.0.1", qualifier, first);
  const UniqueFd one = listener.accept();
  listener.answer(one, DialVerdict::Full);
  ASSERT_TRUE(world.run_until([&] { return first.over(); }));
  EXPECT_EQ(first.failure, DialFailure::Unreachable);
}

TEST_F(StaleAnswer, APeerOfAnotherVersionRefuses) {
  start_dial(a, "127.0.0.1", qualifier, first);
  const UniqueFd one = listener.accept();
  listener.answer(one, DialVerdict::WrongVersion, 9);
  ASSERT_TRUE(world.run_until([&] { return first.over(); }));
  EXPECT_EQ(first.failure, DialFailure::Refused);
}

// In another version the other fields may have another meaning.
TEST_F(StaleAnswer, NothingElseOfAnAnswerInAnotherVersionIsBelieved) {
  start_dial(a, "127.0.0.1", qualifier, first);
  const UniqueFd one = listener.accept();
  listener.answer(one, DialVerdict::Fresh, 9);
  ASSERT_TRUE(world.run_until([&] { return first.over(); }));
  EXPECT_EQ(first.failure, DialFailure::Refused);
}

} // namespace
} // namespace datum::test

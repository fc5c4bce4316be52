// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// UntoldEvents: what a connection has found out and has not told its owner yet.
#include "transport/tcp/untold_events.h"

#include <gtest/gtest.h>

#include "../iwarp/stand_in.h"

namespace datum::test {
namespace {

using Log = std::vector<std::string>;

class NotingOwner final : public TcpOwner {
 public:
  void on_asked() override { log.emplace_back("asked"); }
  void on_request() override {
    log.emplace_back("request");
    if (leaves_from != nullptr) leaves_from->set_owner(nullptr);
  }
  void on_no_reply(iwarp::NoReply, int error) override {
    log.push_back("no reply " + std::to_string(error));
  }
  void on_over() override { log.emplace_back("over"); }
  Log log;
  UntoldEvents* leaves_from = nullptr;
};

class Untold : public ::testing::Test {
 protected:
  Untold() { untold_.set_owner(&owner_); }
  NotingOwner owner_;
  UntoldEvents untold_;
  iwarp::test::StandIn events_;
};

// Rules: tcp.O3
TEST_F(Untold, ARequestIsToldOnceWhenItsTurnHasCome) {
  EXPECT_FALSE(untold_.has_request());
  untold_.on_request();
  EXPECT_EQ(owner_.log, Log{"asked"});
  EXPECT_TRUE(untold_.has_request());
  untold_.tell_request();
  untold_.tell_request();
  untold_.tell_late();
  EXPECT_EQ(owner_.log, (Log{"asked", "request"}));
  EXPECT_FALSE(untold_.has_request());
}

TEST_F(Untold, ThatThereIsNoReplyIsToldWithTheErrorOfTheSocket) {
  untold_.tell_no_reply(5);
  EXPECT_EQ(owner_.log, Log{});
  EXPECT_TRUE(untold_.on_no_reply(iwarp::NoReply::Nothing));
  EXPECT_EQ(owner_.log, Log{}) << "not from within the session";
  untold_.tell_no_reply(5);
  untold_.tell_no_reply(5);
  EXPECT_EQ(owner_.log, Log{"no reply 5"});
}

TEST_F(Untold, WithoutAnOwnerNobodyAsksAgain) {
  untold_.set_owner(nullptr);
  EXPECT_FALSE(untold_.on_no_reply(iwarp::NoReply::Nothing));
  untold_.on_request();
  EXPECT_FALSE(untold_.has_request());
  untold_.tell_late();
  untold_.tell_over();
  EXPECT_EQ(owner_.log, Log{});
}

// An owner may leave within each call by which it is told something.
TEST_F(Untold, WhoHasLeftIsToldNothingMore) {
  owner_.leaves_from = &untold_;
  untold_.on_request();
  EXPECT_TRUE(untold_.on_no_reply(iwarp::NoReply::Nothing));
  untold_.tell_request();
  untold_.tell_no_reply(0);
  untold_.tell_over();
  EXPECT_EQ(owner_.log, (Log{"asked", "request"}));
}

// Rules: tcp.O1
TEST_F(Untold, TheConsumerIsToldOfTheEndLate) {
  EXPECT_FALSE(untold_.has_end());
  untold_.on_end(events_, CloseReason::Disconnected);
  untold_.defer(7);
  EXPECT_TRUE(untold_.has_end());
  EXPECT_EQ(untold_.found_in(), 7U);
  EXPECT_EQ(events_.log(), Log{});
  untold_.tell_late();
  EXPECT_EQ(events_.log(), Log{"disconnected"});
}

} // namespace
} // namespace datum::test

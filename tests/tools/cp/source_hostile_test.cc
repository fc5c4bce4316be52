// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp::Source against a sink that breaks the rules.
#include <gtest/gtest.h>

#include "cp/source.h"
#include "folder.h"
#include "loop_link.h"

namespace datum::cp {
namespace {

class HostileSink : public testing::Test {
 protected:
  std::string run(Mode mode = Mode::Copy) {
    folder_.write("f", "0123456789");
    std::vector<Root> roots;
    roots.push_back({std::make_shared<const UniqueFd>(folder_.open()), "f", "f", "f"});
    try {
      Source(link_, {Method::Write, mode, 4096, 2, true, compare_}, std::move(roots), reporter_)
          .run();
    } catch (const tools::ToolError& error) {
      return error.what();
    }
    return "";
  }
  void expect_protocol_error(const std::string& what, Mode mode = Mode::Copy) {
    const std::string text = run(mode);
    EXPECT_TRUE(text.starts_with("protocol error")) << text;
    EXPECT_NE(text.find(what), std::string::npos) << text;
  }

  bool compare_ = false;
  test::Folder folder_;
  test::ScriptedLink link_{4096, 2};
  Reporter reporter_;
};

TEST_F(HostileSink, TheWellBehavedOneIsServed) {
  link_.say(Want{1, 4});
  link_.say(SlotFree{0});
  link_.say(Result{1, Outcome::Copied, ""});
  link_.say(Bye{});
  EXPECT_EQ(run(), "");
  ASSERT_EQ(link_.said().size(), 6U);
  EXPECT_EQ(link_.said()[2], Message(Load{0, 6}));
  EXPECT_EQ(link_.said()[3], Message(Chunk{1, 4, 6}));
}

// The sink may leave while a large tree is counted, or the user may interrupt.
TEST_F(HostileSink, ATreeThatIsCountedCanBeGivenUp) {
  link_.leave_at_tick();
  EXPECT_EQ(run(), "left");
  EXPECT_TRUE(link_.said().empty());
}

TEST_F(HostileSink, AWantForNothingEndsTheSession) {
  link_.say(Want{2, 0});
  expect_protocol_error("an unknown id");
}

TEST_F(HostileSink, AWantForTheIdBeforeTheFirstEndsTheSession) {
  link_.say(Want{0, 0});
  expect_protocol_error("an unknown id");
}

TEST_F(HostileSink, AWantPastTheEndEndsTheSession) {
  link_.say(Want{1, 11});
  expect_protocol_error("a Want that does not fit");
}

// The sink of a dry run may learn which files there are. It may not learn their contents.
TEST_F(HostileSink, AWantInADryRunEndsTheSession) {
  link_.say(Want{1, 0});
  expect_protocol_error("a Want that does not fit", Mode::DryRun);
}

TEST_F(HostileSink, AWantInADryRunEndsTheSessionAlsoIfItIsForNoData) {
  link_.say(Want{1, 10});
  expect_protocol_error("a Want that does not fit", Mode::DryRun);
}

// The sink of a comparison has its own contents, and may not learn the source's.
TEST_F(HostileSink, AWantForDataInAComparisonEndsTheSession) {
  link_.say(Want{1, 9});
  expect_protocol_error("a Want that does not fit", Mode::Verify);
}

TEST_F(HostileSink, AComparisonIsAnsweredWithADigest) {
  link_.say(Want{1, 10});
  link_.say(Result{1, Outcome::Unchanged, ""});
  link_.say(Bye{});
  EXPECT_EQ(run(Mode::Verify), "");
  ASSERT_EQ(link_.said().size(), 4U);
  EXPECT_TRUE(std::holds_alternative<End>(link_.said()[2]));
}

// A source that copies has agreed to send contents, but not to compute any number of checksums.
TEST_F(HostileSink, ACompareThatWasNotAgreedEndsTheSession) {
  link_.say(Compare{1});
  expect_protocol_error("a Compare that does not fit");
}

TEST_F(HostileSink, TwoComparesEndTheSession) {
  compare_ = true;
  link_.say(Compare{1});
  link_.say(Compare{1});
  expect_protocol_error("a Compare that does not fit");
}

TEST_F(HostileSink, ACompareInAnotherModeEndsTheSession) {
  compare_ = true;
  link_.say(Compare{1});
  expect_protocol_error("a Compare that does not fit", Mode::DryRun);
}

TEST_F(HostileSink, AFileThatWasNotSentIsNotReportedAsCopied) {
  link_.say(Result{1, Outcome::Copied, ""});
  expect_protocol_error("a Result that does not fit");
  EXPECT_EQ(reporter_.summary.copied, 0U);
}

TEST_F(HostileSink, AFileThatWasNotReadIsNotReportedAsTheSame) {
  link_.say(Result{1, Outcome::Unchanged, ""});
  expect_protocol_error("a Result that does not fit", Mode::Verify);
}

TEST_F(HostileSink, OutcomesOfAnotherModeEndTheSession) {
  link_.say(Result{1, Outcome::Differs, ""});
  link_.say(Result{1, Outcome::WouldCopy, ""});
  expect_protocol_error("a Result that does not fit");
}

TEST_F(HostileSink, TwoWantsEndTheSession) {
  link_.say(Want{1, 0});
  link_.say(Want{1, 0});
  expect_protocol_error("a Want that does not fit");
}

TEST_F(HostileSink, TwoResultsEndTheSession) {
  link_.say(Want{1, 0});
  link_.say(Result{1, Outcome::Copied, ""});
  link_.say(Result{1, Outcome::Copied, ""});
  expect_protocol_error("");
}

TEST_F(HostileSink, ASlotFreedTwiceEndsTheSession) {
  link_.say(SlotFree{0});
  expect_protocol_error("a SlotFree");
}

TEST_F(HostileSink, ASlotThatDoesNotExistEndsTheSession) {
  link_.say(SlotFree{4'000'000'000});
  expect_protocol_error("a SlotFree");
}

TEST_F(HostileSink, MessagesForASinkEndTheSession) {
  link_.say(Offer{});
  expect_protocol_error("Offer to the source");
}

TEST_F(HostileSink, AnAbortIsObeyedAndQuoted) {
  link_.say(Abort{1, "disk full"});
  EXPECT_EQ(run(), "the other side stopped: disk full");
}

} // namespace
} // namespace datum::cp

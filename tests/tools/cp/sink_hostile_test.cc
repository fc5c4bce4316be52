// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp::Sink against a source that breaks the rules.
#include <sys/stat.h>

#include <gtest/gtest.h>

#include "cp/sink.h"
#include "folder.h"
#include "loop_link.h"

namespace datum::cp {
namespace {

Offer file_offer(std::uint64_t id, std::uint64_t size, const std::string& path = "f") {
  return {id, Kind::File, 0644, {1, 0}, size, path, ""};
}

class HostileSource : public testing::Test {
 protected:
  // Runs the sink on the messages said before. Returns the text that it threw, or "".
  std::string run(Mode mode = Mode::Copy, Method method = Method::Write) {
    try {
      Sink(link_, {method, mode, 4096, 2}, {folder_.open(), "", true, requested_}, reporter_).run();
    } catch (const tools::ToolError& error) {
      return error.what();
    }
    return "";
  }
  // A slot with these octets of a file, and nothing else.
  void say_data(std::uint64_t id, std::uint64_t offset, std::uint32_t length, std::uint32_t slot) {
    link_.say(Load{slot, length});
    link_.say(Chunk{id, offset, length});
  }
  void expect_protocol_error(const std::string& what) {
    const std::string text = run();
    EXPECT_TRUE(text.starts_with("protocol error")) << text;
    EXPECT_NE(text.find(what), std::string::npos) << text;
    EXPECT_FALSE(folder_.exists("f"));
  }

  Requested requested_;
  test::Folder folder_;
  test::ScriptedLink link_{4096, 2};
  Reporter reporter_;
};

TEST_F(HostileSource, AnEndOfAFolderThatWasNotOfferedEndsTheCopy) {
  std::filesystem::create_directory(folder_ / "here");
  chmod((folder_ / "here").c_str(), 0700);
  link_.say(DirectoryEnd{1, 0777, {0, 0}, "here"});
  link_.say(Done{});
  EXPECT_EQ(run(),
            "the other side offered \"here\": it is the end of a folder that was not offered; "
            "the copy ends here");
  struct stat st = {};
  ASSERT_EQ(stat((folder_ / "here").c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 07777, 0700U);
}

TEST_F(HostileSource, ANameThatWasNotAskedForEndsTheCopyBeforeItIsTouched) {
  requested_ = {{"f"}};
  folder_.write(".bashrc", "mine");
  link_.say(file_offer(1, 0, ".bashrc"));
  link_.say(End{1, {}, ""});
  link_.say(Done{});
  EXPECT_EQ(run(), "the other side offered \".bashrc\": it was not asked for; the copy ends here");
  EXPECT_EQ(folder_.read(".bashrc"), "mine");
  EXPECT_TRUE(link_.said().empty());
}

TEST_F(HostileSource, NothingBelowARefusedFolderIsTouched) {
  folder_.write("d/x", "mine");
  link_.say(Offer{1, Kind::Directory, 04755, {1, 0}, 0, "d", ""});
  link_.say(file_offer(2, 0, "d/x"));
  link_.say(DirectoryEnd{3, 0, {0, 0}, "d"});
  link_.say(Done{});
  EXPECT_EQ(run(), "");
  EXPECT_EQ(reporter_.summary.failed, 2U);
  EXPECT_EQ(folder_.read("d/x"), "mine");
}

TEST_F(HostileSource, MoreStepsThanFitBehindARunningReadEndTheSession) {
  link_.hold_reads();
  link_.say(file_offer(1, 1 << 20));
  say_data(1, 0, 1, 0);
  for (std::uint64_t at = 1; at <= 2 * 1024 + 2 * 1024; ++at) link_.say(Hole{1, at, 1});
  const std::string text = run(Mode::Copy, Method::Read);
  EXPECT_TRUE(text.starts_with("protocol error: the other side sent more than fits")) << text;
}

TEST_F(HostileSource, IdsOutOfOrderEndTheSession) {
  link_.say(file_offer(2, 1));
  link_.say(file_offer(2, 1, "g"));
  expect_protocol_error("an id out of order");
}

TEST_F(HostileSource, MoreOffersThanTheWindowEndTheSession) {
  for (std::uint64_t id = 1; id <= 1025; ++id) link_.say(file_offer(id, 1, std::to_string(id)));
  expect_protocol_error("more offers");
}

TEST_F(HostileSource, AChunkOfNoFileEndsTheSession) {
  say_data(1, 0, 1, 0);
  expect_protocol_error("data for a file nobody wanted");
}

TEST_F(HostileSource, AChunkPastTheEndOfTheFileEndsTheSession) {
  link_.say(file_offer(1, 10));
  say_data(1, 0, 11, 0);
  expect_protocol_error("data beside the place");
}

TEST_F(HostileSource, AChunkWithAGapEndsTheSession) {
  link_.say(file_offer(1, 10));
  say_data(1, 1, 9, 0);
  expect_protocol_error("data beside the place");
}

TEST_F(HostileSource, AHoleWhoseLengthWrapsEndsTheSession) {
  link_.say(file_offer(1, 10));
  say_data(1, 0, 5, 0);
  link_.say(Hole{1, 5, UINT64_MAX - 2});
  expect_protocol_error("data beside the place");
}

TEST_F(HostileSource, AnEmptyChunkEndsTheSession) {
  link_.say(file_offer(1, 10));
  link_.say(Load{0, 1});
  link_.say(Chunk{1, 0, 0});
  expect_protocol_error("data beside the place");
}

TEST_F(HostileSource, ALoadLargerThanASlotEndsTheSession) {
  link_.say(file_offer(1, 10000));
  say_data(1, 0, 4097, 0);
  expect_protocol_error("a Load of a slot");
}

TEST_F(HostileSource, AnEmptyLoadEndsTheSession) {
  link_.say(Load{0, 0});
  expect_protocol_error("a Load of a slot");
}

TEST_F(HostileSource, ALoadBeforeTheChunksOfTheLastOneEndsTheSession) {
  link_.say(file_offer(1, 10));
  link_.say(Load{0, 10});
  link_.say(Chunk{1, 0, 9});
  link_.say(Load{1, 1});
  expect_protocol_error("a Load of a slot");
}

TEST_F(HostileSource, ALoadOfASlotThatIsInUseEndsTheSession) {
  link_.hold_reads();
  link_.say(file_offer(1, 10));
  say_data(1, 0, 5, 0);
  say_data(1, 5, 5, 0);
  const std::string text = run(Mode::Copy, Method::Read);
  EXPECT_TRUE(text.starts_with("protocol error: the other side sent a Load of a slot")) << text;
}

TEST_F(HostileSource, AChunkWithoutALoadEndsTheSession) {
  link_.say(file_offer(1, 10));
  link_.say(Chunk{1, 0, 1});
  expect_protocol_error("a Chunk in a slot");
}

TEST_F(HostileSource, AChunkLongerThanItsLoadEndsTheSession) {
  link_.say(file_offer(1, 10));
  link_.say(Load{0, 5});
  link_.say(Chunk{1, 0, 6});
  expect_protocol_error("a Chunk in a slot");
}

TEST_F(HostileSource, MoreFilesThatCanBeResumedThanAgreedEndTheSession) {
  for (std::uint64_t id = 1; id <= 65; ++id)
    link_.say(file_offer(id, (4ULL << 20U) + 1, std::to_string(1000 + id)));
  expect_protocol_error("more offers");
}

TEST_F(HostileSource, MoreEndsOfFoldersThanAgreedEndTheSession) {
  // A read that never ends delays everything that comes after it.
  link_.hold_reads();
  link_.say(Offer{1, Kind::Directory, 0755, {1, 0}, 0, "a", ""});
  link_.say(file_offer(2, 1, "a/f"));
  say_data(2, 0, 1, 0);
  for (std::uint64_t id = 3; id <= 130; id += 2) {
    const std::string name = "a/g" + std::to_string(1000 + id);
    link_.say(Offer{id, Kind::Directory, 0755, {1, 0}, 0, name, ""});
    link_.say(DirectoryEnd{id + 1, 0755, {1, 0}, name});
  }
  link_.say(DirectoryEnd{132, 0755, {1, 0}, "a"});
  const std::string text = run(Mode::Copy, Method::Read);
  EXPECT_TRUE(text.starts_with("protocol error: the other side sent more offers")) << text;
}

TEST_F(HostileSource, AChecksumThatWasNotAskedForEndsTheSession) {
  link_.say(file_offer(1, 10));
  link_.say(Compared{1, {}});
  expect_protocol_error("the checksum of a file that was not asked for");
}

TEST_F(HostileSource, ASlotThatDoesNotExistEndsTheSession) {
  link_.say(file_offer(1, 10));
  say_data(1, 0, 1, 2);
  expect_protocol_error("a Load of a slot");
}

TEST_F(HostileSource, AnEndBeforeTheEndEndsTheSession) {
  link_.say(file_offer(1, 10));
  say_data(1, 0, 9, 0);
  link_.say(End{1, {}, ""});
  expect_protocol_error("before its end");
}

TEST_F(HostileSource, TwoEndsEndTheSession) {
  link_.say(file_offer(1, 0));
  link_.say(End{1, {}, "unreadable"});
  link_.say(End{1, {}, ""});
  expect_protocol_error("the End of a file nobody wanted");
}

TEST_F(HostileSource, DoneTooEarlyEndsTheSession) {
  link_.say(file_offer(1, 10));
  link_.say(Done{});
  expect_protocol_error("Done before everything was");
}

TEST_F(HostileSource, ARequestedNameThatDoesNotComeIsAFailure) {
  requested_ = {{"a", "f", "z"}};
  link_.say(Offer{1, Kind::Symlink, 0777, {1, 0}, 0, "f", "x"});
  link_.say(Done{});
  EXPECT_EQ(run(), "");
  EXPECT_EQ(reporter_.summary.copied, 1U);
  EXPECT_EQ(reporter_.summary.failed, 2U);
}

TEST_F(HostileSource, ARequestedNameThatTheSourceCannotGiveIsOneFailure) {
  requested_ = {{"f"}};
  link_.say(Problem{Severity::Error, "cannot open \"f\""});
  link_.say(Done{});
  EXPECT_EQ(run(), "");
  EXPECT_EQ(reporter_.summary.failed, 1U);
}

TEST_F(HostileSource, AFolderWithoutAnEndEndsTheCopy) {
  link_.say(Offer{1, Kind::Directory, 0755, {1, 0}, 0, "d", ""});
  link_.say(Done{});
  EXPECT_EQ(run(),
            "the other side offered \"d\": the end of that folder never came; the copy ends here");
}

TEST_F(HostileSource, MessagesForASourceEndTheSession) {
  link_.say(Want{1, 0});
  expect_protocol_error("Want to the sink");
}

TEST_F(HostileSource, DataThatWasNotReadEndsTheSession) {
  link_.say(SlotArrived{0});
  expect_protocol_error("data nobody asked for");
}

TEST_F(HostileSource, ImpossibleModesSizesAndTimesAreRefused) {
  Offer offer = file_offer(1, 1);
  offer.mode = 04755;
  link_.say(offer);
  offer = file_offer(2, UINT64_MAX, "g");
  link_.say(offer);
  offer = file_offer(3, 1, "h");
  offer.mtime.nanoseconds = 1'000'000'000;
  link_.say(offer);
  offer = file_offer(4, 0, "i");
  offer.kind = Kind::Symlink;
  link_.say(offer);
  offer.id = 5;
  offer.path = "j";
  offer.target = std::string("a\0b", 3);
  link_.say(offer);
  link_.say(Done{});
  EXPECT_EQ(run(), "");
  EXPECT_EQ(reporter_.summary.failed, 5U);
}

TEST_F(HostileSource, AHugeOfferReservesNothing) {
  link_.say(file_offer(1, 1ULL << 60));
  link_.say(End{1, {}, "changed my mind"});
  link_.say(Done{});
  EXPECT_EQ(run(), "");
  EXPECT_EQ(folder_.leftovers(), 0);
}

TEST_F(HostileSource, ALostConnectionInTheMiddleLeavesNoFinalFile) {
  link_.say(file_offer(1, 10));
  say_data(1, 0, 9, 0);
  EXPECT_EQ(run(), "end of script");
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

} // namespace
} // namespace datum::cp

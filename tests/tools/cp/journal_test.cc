// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cp/journal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <string>
#include <sys/mman.h>
#include <utility>

#include "cp/file_error.h"
#include "folder.h"

namespace datum::cp {
namespace {

const Identity kIdentity = {"a/name", 3 * test::kFourMiB, {100, 5}};

Digest digest(int fill) {
  Digest d;
  d.fill(static_cast<std::byte>(fill));
  return d;
}

class JournalTest : public testing::Test {
 protected:
  Journal open() {
    return Journal(UniqueFd(::open((folder_ / "j").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)));
  }
  test::Folder folder_;
};

TEST_F(JournalTest, RemembersBlocksInOrder) {
  Journal journal = open();
  journal.start(kIdentity, {});
  journal.append(digest(1));
  journal.append(digest(2));
  EXPECT_EQ(open().load(kIdentity), (std::vector{digest(1), digest(2)}));
}

TEST_F(JournalTest, StartForgetsWhatIsNotPassedOn) {
  Journal journal = open();
  journal.start(kIdentity, {});
  journal.append(digest(1));
  journal.append(digest(2));
  const std::vector keep = {digest(1)};
  journal.start(kIdentity, keep);
  journal.append(digest(3));
  EXPECT_EQ(open().load(kIdentity), (std::vector{digest(1), digest(3)}));
}

TEST_F(JournalTest, IsWorthlessForAnotherVersionOfTheFile) {
  Journal journal = open();
  journal.start(kIdentity, {});
  journal.append(digest(1));
  for (const Identity& other : {Identity{"a/other", 3 * test::kFourMiB, {100, 5}},
                                Identity{"a/name", 3 * test::kFourMiB + 1, {100, 5}},
                                Identity{"a/name", 3 * test::kFourMiB, {101, 5}},
                                Identity{"a/name", 3 * test::kFourMiB, {100, 6}}})
    EXPECT_TRUE(open().load(other).empty());
}

TEST_F(JournalTest, DoesNotCareWhereTheFileIsSeenFrom) {
  open().start(kIdentity, std::vector{digest(1)});
  EXPECT_EQ(open().load({"elsewhere/name", 3 * test::kFourMiB, {100, 5}}).size(), 1U);
}

TEST_F(JournalTest, ATornLastDigestDoesNotCount) {
  open().start(kIdentity, std::vector{digest(1), digest(2)});
  const std::string all = folder_.read("j");
  folder_.write("j", all.substr(0, all.size() - 1));
  EXPECT_EQ(open().load(kIdentity), (std::vector{digest(1)}));
}

TEST_F(JournalTest, NeverHasMoreBlocksThanTheFile) {
  open().start(kIdentity, std::vector<Digest>(1000, digest(1)));
  EXPECT_EQ(open().load(kIdentity).size(), 3U);
}

TEST_F(JournalTest, GarbageIsNoJournal) {
  for (std::size_t size : {0U, 1U, 67U, 68U, 84U, 4096U}) {
    folder_.write("j", test::noise(size));
    EXPECT_TRUE(open().load(kIdentity).empty()) << size;
  }
}

TEST_F(JournalTest, EveryByteOfTheHeaderCounts) {
  open().start(kIdentity, std::vector{digest(1)});
  const std::string good = folder_.read("j");
  ASSERT_EQ(good.size(), 68U + 16U);
  for (std::size_t i = 0; i < 68; ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 4);
    folder_.write("j", bad);
    EXPECT_TRUE(open().load(kIdentity).empty()) << i;
  }
}

// Where there is no room for it, the user learns which file is concerned: the journal is not theirs.
TEST_F(JournalTest, AWriteThatFailsNamesTheFileWhoseJournalItIs) {
  UniqueFd fixed(::memfd_create("journal", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(::fcntl(fixed.get(), F_ADD_SEALS, F_SEAL_GROW), 0);
  Journal journal(std::move(fixed));
  try {
    journal.start(kIdentity, {});
    FAIL() << "a sealed file grew";
  } catch (const FileError& error) {
    EXPECT_EQ(std::string(error.what()).find("cannot write the journal of \"" + kIdentity.path), 0U)
        << error.what();
  }
}

} // namespace
} // namespace datum::cp

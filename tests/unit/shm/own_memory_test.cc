// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The parts of direct access (ProcessMemory, LifeToken, MapCache), applied to this process itself.
// Every address exists here, so only the checks of identity prevent a copy from the wrong memory.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <vector>

#include "tests/unit/shm/child.h"
#include "transport/shm/direct_access.h"
#include "transport/shm/sealed_memory.h"
#include "transport/shm/vm_copy.h"

namespace datum::test {
namespace {

constexpr std::uint64_t kNonce = 0x1234567890abcdef;

std::uint64_t address_of_value(const void* value) {
  return reinterpret_cast<std::uintptr_t>(value);
}

struct OwnAdapter {
  SealedMemory table = make_sealed_memory("test-regions", RegionTable::kStorageBytes);
  LifeToken life = LifeToken::make();
  std::uint64_t nonce = kNonce;

  DirectTerms terms() const {
    struct stat table_status {};
    struct stat life_status {};
    ::fstat(table.file.get(), &table_status);
    ::fstat(life.file(), &life_status);
    DirectTerms terms;
    terms.nonce = kNonce;
    terms.nonce_address = address_of_value(&nonce);
    terms.device = table_status.st_dev;
    terms.table_inode = table_status.st_ino;
    terms.life_inode = life_status.st_ino;
    terms.table_fd = table.file.get();
    terms.life_fd = life.file();
    return terms;
  }
};

class OwnMemory : public testing::Test {
 protected:
  std::unique_ptr<ProcessMemory> open(const DirectTerms& terms) {
    return ProcessMemory::open({::getpid(), ::geteuid()}, terms, reason);
  }
  OwnAdapter adapter;
  std::string reason;
  std::uint64_t target = 5;
  std::uint64_t value = 6;
  Segment source{reinterpret_cast<std::byte*>(&value), sizeof value};
  // The ways of longer copies. Shorter copies go through the file of the process's memory.
  std::byte large[8192] = {};
  std::byte other[8192] = {std::byte{1}};
  Segment larger_than_a_word{other, 9};
  Segment larger_than_a_page{other, 4097};
};

TEST_F(OwnMemory, IsOpenedOnItsOwnTerms) {
  const auto memory = open(adapter.terms());
  ASSERT_NE(memory, nullptr) << reason;
  EXPECT_TRUE(memory->write(address_of_value(&target), std::span(&source, 1)));
  EXPECT_EQ(target, 6U);
}

TEST_F(OwnMemory, AProcessWithoutTheNumberIsNotThePeer) {
  DirectTerms terms = adapter.terms();
  terms.nonce ^= 1;
  EXPECT_EQ(open(terms), nullptr);
  EXPECT_EQ(reason, "the process is not the peer");
}

TEST_F(OwnMemory, AnotherFileUnderThePeersNumberIsNotUsed) {
  DirectTerms table = adapter.terms();
  ++table.table_inode;
  EXPECT_EQ(open(table), nullptr);
  EXPECT_EQ(reason, "its region table cannot be opened");
  DirectTerms life = adapter.terms();
  ++life.life_inode;
  EXPECT_EQ(open(life), nullptr);
  EXPECT_EQ(reason, "its life token cannot be opened");
}

// Hides /proc in a new mount namespace. False: this process may not have one.
bool hide_proc() {
  if (::unshare(CLONE_NEWNS) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  return ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("none", "/proc", "tmpfs", 0, nullptr) == 0;
}

TEST_F(OwnMemory, WithoutProcItSaysThatProcIsMissing) {
  constexpr std::uint64_t kAsExpected = 1, kOtherwise = 2, kHasProc = 3;
  Child child([&](Numbers& numbers) {
    if (!hide_proc()) return numbers.put(kHasProc);
    const OwnAdapter own;
    const bool refused = open(own.terms()) == nullptr;
    numbers.put(refused && reason == "/proc is not mounted, through which its life token is opened"
                    ? kAsExpected
                    : kOtherwise);
  });
  const std::uint64_t said = child.numbers().get();
  if (said == kHasProc) GTEST_SKIP() << "no mount namespace can be had here";
  EXPECT_EQ(said, kAsExpected);
}

TEST_F(OwnMemory, ATableOfAnotherSizeIsNotUsed) {
  adapter.table = make_sealed_memory("test-regions", 4096);
  EXPECT_EQ(open(adapter.terms()), nullptr);
  EXPECT_EQ(reason, "its region table cannot be opened");
}

TEST_F(OwnMemory, ALifeThatHasEndedIsNotWritten) {
  const auto memory = open(adapter.terms());
  ASSERT_NE(memory, nullptr) << reason;
  adapter.life = LifeToken();
  EXPECT_FALSE(memory->write(address_of_value(large), std::span(&larger_than_a_word, 1)));
  EXPECT_EQ(large[0], std::byte{0});
}

TEST_F(OwnMemory, WhatIsReadAfterALifeHasEndedDoesNotCount) {
  const auto memory = open(adapter.terms());
  ASSERT_NE(memory, nullptr) << reason;
  adapter.life = LifeToken();
  EXPECT_FALSE(memory->read(address_of_value(large), std::span(&larger_than_a_page, 1)));
}

TEST(LifeTokenTest, AChildDoesNotProlongIt) {
  LifeToken token = LifeToken::make();
  const PeerLife life(UniqueFd(::fcntl(token.file(), F_DUPFD_CLOEXEC, 0)));
  EXPECT_TRUE(life.lives());
  const Child child([](Numbers&) {
    for (;;) ::pause();
  });
  EXPECT_TRUE(life.lives());
  token = LifeToken();
  EXPECT_FALSE(life.lives());
}

// Sealed files of this process, described as regions.
class Maps : public testing::Test {
 protected:
  static constexpr std::uint64_t kSize = 8192;
  void add_file() {
    files.push_back(make_sealed_memory("test-file", kSize));
    files.back().mapping.data()[0] = static_cast<std::byte>(files.size());
  }
  std::byte* map(std::size_t file, bool writable = false) {
    entry.base = 0x10000;
    entry.length = kSize;
    entry.backing_fd = files[file].file.get();
    entry.backing_offset = 0;
    return cache.map(entry, static_cast<Stag>((file + 1) << 8U), writable);
  }
  std::vector<SealedMemory> files;
  RegionEntry entry;
  MapCache cache{::getpid()};
};

TEST_F(Maps, AreBoundedAndTheOldestGoFirst) {
  for (std::size_t i = 0; i < 80; ++i) {
    add_file();
    std::byte* at = map(i);
    ASSERT_NE(at, nullptr);
    EXPECT_EQ(at[0], static_cast<std::byte>(i + 1));
  }
  EXPECT_EQ(cache.mappings(), 64U);
  EXPECT_EQ(cache.mapped_bytes(), 64U * 8192U);
  // The cache has dropped the mapping of the first file, so it maps the file anew.
  EXPECT_EQ(map(0)[0], std::byte{1});
  EXPECT_EQ(cache.mappings(), 64U);
}

TEST_F(Maps, OfFilesThatWereClosedGoWithTheNextOne) {
  add_file();
  add_file();
  add_file();
  ASSERT_NE(map(0), nullptr);
  ASSERT_NE(map(1), nullptr);
  files[0].file.reset();
  ASSERT_NE(map(2), nullptr);
  EXPECT_EQ(cache.mappings(), 2U);
}

TEST_F(Maps, RegionsOfOneFileShareOneMapping) {
  add_file();
  std::byte* whole = map(0);
  ASSERT_NE(whole, nullptr);
  RegionEntry part;
  part.base = 0x999000;
  part.length = 100;
  part.backing_fd = files[0].file.get();
  part.backing_offset = 5000;
  EXPECT_EQ(cache.map(part, 0xff01, false), whole + 5000);
  EXPECT_EQ(cache.mappings(), 1U);
}

TEST_F(Maps, ARangeThatWrapsIsNotMapped) {
  add_file();
  entry.base = 0x10000;
  entry.length = ~std::uint64_t{0};
  entry.backing_fd = files[0].file.get();
  entry.backing_offset = 4096;
  EXPECT_EQ(cache.map(entry, 0x101, false), nullptr);
  entry.length = 0;
  EXPECT_EQ(cache.map(entry, 0x101, false), nullptr);
}

} // namespace
} // namespace datum::test

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// ShmFabric::quiesce() waits until no peer accesses memory that is about to be given away. It
// isolates the memory if a peer does not leave it in time.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <thread>

#include "tests/unit/shm/remote_adapter.h"

namespace datum::test {
namespace {

constexpr Stag kStag = 0x205;
constexpr Stag kNeighbour = 0x306;
constexpr Stag kFarAway = 0x407;

class Quiesce : public testing::Test {
 protected:
  static ShmOptions brief() {
    ShmOptions options;
    options.quiesce_limit = 5 * kMillisecond;
    return options;
  }
  void SetUp() override {
    dial_now(world, peer, "127.0.0.1", name->qualifier(), dialled);
    ASSERT_NE(dialled.port, nullptr);
    file = ::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    ASSERT_EQ(::ftruncate(file, 8 * kPage), 0);
    ::fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK);
    memory = map();
    peers_view = map();
    std::memset(memory, 0x10, 8 * kPage);
  }
  void TearDown() override {
    ::munmap(memory, 8 * kPage);
    ::munmap(peers_view, 8 * kPage);
    ::close(file);
  }
  std::byte* map() const {
    return static_cast<std::byte*>(
        ::mmap(nullptr, 8 * kPage, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
  }
  RegionEntry& describe(Stag stag, std::size_t offset, std::size_t length,
                        Access access = kAllAccess) {
    RegionEntry& entry = owner.fabric->region_storage()[stag >> 8U];
    entry.access = access;
    entry.base = reinterpret_cast<std::uintptr_t>(memory) + offset;
    entry.length = length;
    entry.backing_fd = file;
    entry.backing_offset = offset;
    entry.stag.store(stag);
    return entry;
  }
  void mark(Stag stag) { dialled.port->segment().side[0].mark.store(stag); }
  bool owner_lost() {
    for (int i = 0; i < 20; ++i) world.turn(0);
    return owner.lost != 0;
  }

  World world;
  Adapter owner{world, "127.0.0.1", brief()};
  Adapter peer{world, "127.0.0.1"};
  std::unique_ptr<PublishedName> name = publish_any(owner);
  Dialled dialled;
  int file = -1;
  std::byte* memory = nullptr;
  std::byte* peers_view = nullptr; // the peer's mapping of the file
};

TEST_F(Quiesce, NobodyInsideIsNotWaitedFor) {
  describe(kStag, 0, kPage).stag.store(0);
  mark(kNeighbour);
  owner.fabric->quiesce(kStag);
  EXPECT_FALSE(owner_lost());
}

TEST(QuiesceWaits, UntilThePeerHasLeft) {
  World world;
  Adapter owner(world, "127.0.0.1"); // has the usual limit of a second
  Adapter peer(world, "127.0.0.1");
  const auto name = publish_any(owner);
  Dialled dialled;
  dial_now(world, peer, "127.0.0.1", name->qualifier(), dialled);
  ASSERT_NE(dialled.port, nullptr);
  SharedAtomic<std::uint32_t>& mark = dialled.port->segment().side[0].mark;
  mark.store(kStag);
  std::thread copying([&mark] {
    std::this_thread::yield();
    mark.store(0);
  });
  owner.fabric->quiesce(kStag);
  EXPECT_EQ(mark.load(), 0U);
  copying.join();
  for (int i = 0; i < 20; ++i) world.turn(0);
  EXPECT_EQ(owner.lost, 0);
}

// The limit is an hour. So this test ends only if quiesce() does not wait for a dead peer.
TEST(QuiesceDoesNotWait, ForAPeerThatDiedInside) {
  ShmOptions patient;
  patient.quiesce_limit = 3600 * kSecond;
  RemoteAdapter remote{RemoteScript{}};
  World world;
  Adapter owner(world, "127.0.0.1", patient);
  Dialled dialled;
  dial_now(world, owner, "127.0.0.1", remote.qualifier(), dialled);
  ASSERT_NE(dialled.port, nullptr);
  dialled.port->segment().side[1].mark.store(kStag);
  remote.child().kill();
  owner.fabric->quiesce(kStag);
  EXPECT_TRUE(world.run_until([&] { return owner.lost == 1; }));
}

TEST_F(Quiesce, APeerThatStaysLosesItsLink) {
  describe(kStag, 0, kPage).stag.store(0);
  mark(kStag);
  owner.fabric->quiesce(kStag);
  EXPECT_TRUE(owner_lost());
}

TEST_F(Quiesce, WhatAStoppedPeerWritesLaterIsNotSeen) {
  describe(kStag, kPage, 2 * kPage).stag.store(0);
  mark(kStag);
  owner.fabric->quiesce(kStag);
  std::memset(peers_view, 0x66, 8 * kPage);
  EXPECT_EQ(memory[kPage - 1], std::byte{0x66});
  EXPECT_EQ(memory[kPage], std::byte{0x10});
  EXPECT_EQ(memory[3 * kPage - 1], std::byte{0x10});
  EXPECT_EQ(memory[3 * kPage], std::byte{0x66});
}

TEST_F(Quiesce, ThePagesAtTheEdgesAreMovedAsAWhole) {
  describe(kStag, kPage + 100, kPage).stag.store(0);
  mark(kStag);
  owner.fabric->quiesce(kStag);
  std::memset(peers_view, 0x66, 8 * kPage);
  EXPECT_EQ(memory[kPage], std::byte{0x10});
  EXPECT_EQ(memory[3 * kPage - 1], std::byte{0x10});
  EXPECT_EQ(memory[3 * kPage], std::byte{0x66});
}

TEST_F(Quiesce, TheMemoryStaysTheProgramsToWrite) {
  describe(kStag, 0, kPage).stag.store(0);
  mark(kStag);
  owner.fabric->quiesce(kStag);
  memory[5] = std::byte{0x44};
  EXPECT_EQ(memory[5], std::byte{0x44});
  EXPECT_EQ(peers_view[5], std::byte{0x10});
}

TEST_F(Quiesce, RegionsOnTheSamePagesAreNoLongerMapped) {
  describe(kStag, 0, kPage + 10).stag.store(0);
  const RegionEntry& neighbour = describe(kNeighbour, kPage + 20, 100);
  const RegionEntry& far_away = describe(kFarAway, 4 * kPage, kPage);
  mark(kStag);
  owner.fabric->quiesce(kStag);
  EXPECT_EQ(neighbour.backing_fd, -1);
  EXPECT_EQ(neighbour.stag.load(), kNeighbour);
  EXPECT_EQ(far_away.backing_fd, file);
}

TEST_F(Quiesce, IsolatedMemoryIsRemembered) {
  describe(kStag, kPage, kPage).stag.store(0);
  mark(kStag);
  owner.fabric->quiesce(kStag);
  const auto base = reinterpret_cast<std::uintptr_t>(memory);
  EXPECT_TRUE(owner.fabric->is_isolated(base + kPage + 5, 1));
  EXPECT_TRUE(owner.fabric->is_isolated(base, 8 * kPage));
  EXPECT_FALSE(owner.fabric->is_isolated(base, kPage));
  EXPECT_FALSE(owner.fabric->is_isolated(base + 2 * kPage, kPage));
}

TEST_F(Quiesce, MemoryThatNobodyMayWriteStaysWhereItIs) {
  describe(kStag, 0, kPage, kRemoteRead).stag.store(0);
  mark(kStag);
  owner.fabric->quiesce(kStag);
  EXPECT_TRUE(owner_lost());
  peers_view[0] = std::byte{0x66};
  EXPECT_EQ(memory[0], std::byte{0x66});
}

// The program has closed the descriptor of the memory, and the number now names another file.
TEST_F(Quiesce, AnotherFileIsNeverPutInTheMemorysPlace) {
  describe(kStag, 0, kPage).stag.store(0);
  const int other = ::memfd_create("other", MFD_CLOEXEC);
  ASSERT_EQ(::ftruncate(other, 8 * kPage), 0);
  const int kept = ::dup(file);
  ASSERT_EQ(::dup2(other, file), file);
  mark(kStag);
  owner.fabric->quiesce(kStag);
  EXPECT_EQ(memory[0], std::byte{0x10});
  ::close(other);
  ::close(kept);
}

TEST_F(Quiesce, AMarkWithoutDirectAccessIsNoise) {
  ShmOptions off;
  off.allow_direct = false;
  Adapter stranger(world, "127.0.0.1", off);
  Dialled other;
  dial_now(world, stranger, "127.0.0.1", name->qualifier(), other);
  ASSERT_NE(other.port, nullptr);
  other.port->segment().side[0].mark.store(kStag);
  owner.fabric->quiesce(kStag);
  EXPECT_FALSE(owner_lost());
}

constexpr const char* kMaps =
    "7f0000000000-7f0000002000 rw-s 00001000 00:01 77 /memfd:x (deleted)\n"
    "7f0000002000-7f0000003000 rw-s 00003000 00:01 77 /memfd:x (deleted)\n"
    "7f0000003000-7f0000004000 r--s 00004000 00:01 77 /memfd:x (deleted)\n"
    "7f0000005000-7f0000006000 rw-p 00006000 00:01 77 /memfd:x (deleted)\n";

TEST(IsMappedFrom, FollowsTheFileAcrossNeighbouringMappings) {
  EXPECT_TRUE(is_mapped_from(kMaps, {0x7f0000000000, 0x3000}, 77, 0x1000));
  EXPECT_TRUE(is_mapped_from(kMaps, {0x7f0000001000, 0x1000}, 77, 0x2000));
  EXPECT_FALSE(is_mapped_from(kMaps, {0x7f0000001000, 0x1000}, 77, 0x1000));
  EXPECT_FALSE(is_mapped_from(kMaps, {0x7f0000000000, 0x1000}, 78, 0x1000));
  EXPECT_FALSE(is_mapped_from(kMaps, {0x7f0000002000, 0x2000}, 77, 0x3000));
  EXPECT_FALSE(is_mapped_from(kMaps, {0x7f0000004000, 0x1000}, 77, 0x5000));
  EXPECT_FALSE(is_mapped_from(kMaps, {0x7f0000005000, 0x1000}, 77, 0x6000));
  EXPECT_FALSE(is_mapped_from(kMaps, {0x7f0000009000, 0x1000}, 77, 0x9000));
}

} // namespace
} // namespace datum::test

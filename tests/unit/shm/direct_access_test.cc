// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// DirectAccess to the memory of another process: it reaches the right bytes of the right process,
// or none.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "tests/unit/shm/remote_adapter.h"
#include "transport/shm/peer_file.h"
#include "transport/shm/vm_copy.h"

namespace datum::test {
namespace {

constexpr std::size_t kRegionSize = 4 * kPage;
constexpr Stag kPrivateStag = 0x101; // memory that only process_vm_* reaches
constexpr Stag kSharedStag = 0x202;  // memory in a sealed memfd
constexpr Stag kUnsealedStag = 0x303;
constexpr Stag kShortStag = 0x404;

enum Command : std::uint64_t {
  kPrivateByte = 1 << 16U, // + index: asks for the byte at that index
  kSharedByte = 2 << 16U,
  kReplaceShared = 3 << 16U, // another file under the same number and STag, filled with 0x77
  kCloseShared = 4 << 16U,
  kForkAndExec = 5 << 16U,
  kPeerHasDirect = 6 << 16U,
};

void describe(Adapter& adapter, Stag stag, std::byte* base, int file, std::uint64_t offset) {
  RegionEntry& entry = adapter.fabric->region_storage()[stag >> 8U];
  entry.access = kAllAccess;
  entry.base = reinterpret_cast<std::uintptr_t>(base);
  entry.length = kRegionSize;
  entry.backing_fd = file;
  entry.backing_offset = offset;
  entry.stag.store(stag);
}

// The memory of the other process. The file of the shared range begins one page before the range.
struct RemoteMemory {
  std::byte* guarded = nullptr; // ends at a page that cannot be touched
  std::byte* shared = nullptr;
  int file = -1;

  int make_file(std::size_t size, bool sealed) {
    const int fd = ::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (::ftruncate(fd, static_cast<off_t>(size)) != 0) ::abort();
    if (sealed) ::fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK);
    return fd;
  }
  void prepare(Adapter& adapter) {
    auto* area = static_cast<std::byte*>(::mmap(
        nullptr, kRegionSize + kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ::mprotect(area + kRegionSize, kPage, PROT_NONE);
    guarded = area;
    std::memset(guarded, 0x11, kRegionSize);
    describe(adapter, kPrivateStag, guarded, -1, 0);

    file = make_file(kPage + kRegionSize, true);
    map_file();
    std::memset(shared, 0x22, kRegionSize);
    describe(adapter, kSharedStag, shared, file, kPage);
    describe(adapter, kUnsealedStag, shared, make_file(kPage + kRegionSize, false), kPage);
    describe(adapter, kShortStag, shared, make_file(kRegionSize, true), kPage);
  }
  void map_file() {
    auto* whole = static_cast<std::byte*>(
        ::mmap(nullptr, kPage + kRegionSize, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
    shared = whole + kPage;
  }
  void replace(Adapter& adapter) {
    const int other = make_file(kPage + kRegionSize, true);
    ::dup3(other, file, O_CLOEXEC);
    ::close(other);
    map_file();
    std::memset(shared, 0x77, kRegionSize);
    describe(adapter, kSharedStag, shared, file, kPage);
  }
};

RemoteScript script(RemoteMemory& memory) {
  RemoteScript script;
  script.prepare = [&memory](Adapter& adapter) { memory.prepare(adapter); };
  script.command = [&memory](Adapter& adapter, std::uint64_t number, Numbers& numbers) {
    const std::size_t index = number & 0xffffU;
    switch (number & ~std::uint64_t{0xffff}) {
    case kPrivateByte: numbers.put(std::to_integer<std::uint64_t>(memory.guarded[index])); return;
    case kSharedByte: numbers.put(std::to_integer<std::uint64_t>(memory.shared[index])); return;
    case kReplaceShared: memory.replace(adapter); break;
    case kCloseShared: ::close(memory.file); break;
    case kForkAndExec:
      leave_behind(fork_unnoticed(), numbers);
      become_another_program();
      return;
    case kPeerHasDirect: numbers.put(adapter.links[0]->peer_has_direct() ? 1 : 2); return;
    default: break;
    }
    numbers.put(1);
  };
  return script;
}

class DirectAccessTest : public testing::Test {
 protected:
  void SetUp() override {
    dial_now(world, a, "127.0.0.1", remote.qualifier(), dialled);
    ASSERT_NE(dialled.port, nullptr);
    direct = dialled.port->direct();
    ASSERT_NE(direct, nullptr) << dialled.port->path();
  }
  const RegionEntry& entry(Stag stag) { return direct->regions()[stag >> 8U]; }
  std::uint64_t private_byte(std::size_t index) { return remote.ask(kPrivateByte + index); }
  std::uint64_t shared_byte(std::size_t index) { return remote.ask(kSharedByte + index); }

  RemoteMemory memory;
  RemoteAdapter remote{script(memory)};
  World world;
  Adapter a{world, "127.0.0.1"};
  Dialled dialled;
  DirectAccess* direct = nullptr;
};

TEST_F(DirectAccessTest, BothSidesKnowOfIt) {
  EXPECT_TRUE(dialled.port->peer_has_direct());
  EXPECT_EQ(remote.ask(kPeerHasDirect), 1U);
}

TEST_F(DirectAccessTest, ThePathSaysWhetherMemoryIsMapped) {
  EXPECT_STREQ(dialled.port->path(), "shm cma");
  EXPECT_EQ(dialled.port->path_reason(),
            "no memory of the peer is mapped so far; it has to come from datum_memory(3)");
  ASSERT_NE(direct->map(entry(kSharedStag), kSharedStag, true), nullptr);
  EXPECT_STREQ(dialled.port->path(), "shm mapped");
  EXPECT_EQ(dialled.port->path_reason(), "");
}

TEST_F(DirectAccessTest, ThePeersRegionsAreSeen) {
  ASSERT_EQ(direct->regions().size(), 131072U);
  EXPECT_EQ(entry(kPrivateStag).stag.load(), 0x101U);
  EXPECT_EQ(entry(kPrivateStag).length, 16384U);
}

TEST_F(DirectAccessTest, AReadFetchesThePeersBytes) {
  std::vector<std::byte> into(kRegionSize);
  const Segment segment{into.data(), into.size()};
  ASSERT_TRUE(direct->read(entry(kPrivateStag).base, std::span(&segment, 1)));
  EXPECT_EQ(into.front(), std::byte{0x11});
  EXPECT_EQ(into.back(), std::byte{0x11});
}

TEST_F(DirectAccessTest, AWriteChangesExactlyItsBytes) {
  std::byte first[5];
  std::byte second[8];
  std::memset(first, 0xa1, sizeof first);
  std::memset(second, 0xb2, sizeof second);
  const Segment segments[] = {{first, 5}, {nullptr, 0}, {second, 8}};
  ASSERT_TRUE(direct->write(entry(kPrivateStag).base + 100, segments));
  EXPECT_EQ(private_byte(99), 0x11U);
  EXPECT_EQ(private_byte(100), 0xa1U);
  EXPECT_EQ(private_byte(104), 0xa1U);
  EXPECT_EQ(private_byte(105), 0xb2U);
  EXPECT_EQ(private_byte(112), 0xb2U);
  EXPECT_EQ(private_byte(113), 0x11U);
}

TEST_F(DirectAccessTest, TheLastByteBeforeAGuardPageIsReached) {
  std::byte value{0x5c};
  const Segment segment{&value, 1};
  EXPECT_TRUE(direct->write(entry(kPrivateStag).base + kRegionSize - 1, std::span(&segment, 1)));
  EXPECT_EQ(private_byte(kRegionSize - 1), 0x5cU);
}

TEST_F(DirectAccessTest, WhatReachesIntoAGuardPageFails) {
  // A write of more than a word, and a read of more than a page. Shorter copies take another way.
  std::byte bytes[4104] = {};
  const Segment out{bytes, 16};
  const Segment in{bytes, sizeof bytes};
  EXPECT_FALSE(direct->write(entry(kPrivateStag).base + kRegionSize - 8, std::span(&out, 1)));
  EXPECT_FALSE(direct->read(entry(kPrivateStag).base + kRegionSize - 8, std::span(&in, 1)));
}

TEST_F(DirectAccessTest, AMappedRegionIsThePeersMemory) {
  std::byte* at = direct->map(entry(kSharedStag), kSharedStag, true);
  ASSERT_NE(at, nullptr);
  EXPECT_EQ(at[0], std::byte{0x22});
  EXPECT_EQ(at[kRegionSize - 1], std::byte{0x22});
  at[7] = std::byte{0x99};
  EXPECT_EQ(shared_byte(7), 0x99U);
  EXPECT_EQ(shared_byte(8), 0x22U);
}

TEST_F(DirectAccessTest, AReadOnlyMappingBecomesWritableWhenThatIsNeeded) {
  std::byte* readable = direct->map(entry(kSharedStag), kSharedStag, false);
  ASSERT_NE(readable, nullptr);
  std::byte* writable = direct->map(entry(kSharedStag), kSharedStag, true);
  ASSERT_NE(writable, nullptr);
  writable[3] = std::byte{0x33};
  EXPECT_EQ(shared_byte(3), 0x33U);
}

TEST_F(DirectAccessTest, AMappingIsFoundAgain) {
  std::byte* first = direct->map(entry(kSharedStag), kSharedStag, true);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(direct->map(entry(kSharedStag), kSharedStag, true), first);
  EXPECT_EQ(direct->map(entry(kSharedStag), kSharedStag, false), first);
}

TEST_F(DirectAccessTest, MemoryWithoutAFileIsNotMapped) {
  EXPECT_EQ(direct->map(entry(kPrivateStag), kPrivateStag, true), nullptr);
}

TEST_F(DirectAccessTest, AFileThatCouldShrinkIsNotMapped) {
  EXPECT_EQ(direct->map(entry(kUnsealedStag), kUnsealedStag, true), nullptr);
}

TEST_F(DirectAccessTest, AFileThatIsTooShortIsNotMapped) {
  EXPECT_EQ(direct->map(entry(kShortStag), kShortStag, true), nullptr);
}

TEST_F(DirectAccessTest, ARegionThatMovedToAnotherFileIsMappedAnew) {
  ASSERT_NE(direct->map(entry(kSharedStag), kSharedStag, true), nullptr);
  ASSERT_EQ(remote.ask(kReplaceShared), 1U);
  std::byte* at = direct->map(entry(kSharedStag), kSharedStag, true);
  ASSERT_NE(at, nullptr);
  EXPECT_EQ(at[0], std::byte{0x77});
}

TEST_F(DirectAccessTest, AFileThatThePeerClosedIsNotMapped) {
  ASSERT_EQ(remote.ask(kCloseShared), 1U);
  EXPECT_EQ(direct->map(entry(kSharedStag), kSharedStag, true), nullptr);
}

TEST_F(DirectAccessTest, ADeadPeerIsNeitherReadNorWritten) {
  const std::uint64_t base = entry(kPrivateStag).base;
  remote.child().kill();
  std::byte byte{};
  const Segment segment{&byte, 1};
  EXPECT_FALSE(direct->write(base, std::span(&segment, 1)));
  EXPECT_FALSE(direct->read(base, std::span(&segment, 1)));
}

// Forks a process with a chosen number. Returns -1 without the privilege that this needs.
pid_t fork_as(pid_t number) {
  clone_args how{};
  how.exit_signal = SIGCHLD;
  how.set_tid = reinterpret_cast<std::uint64_t>(&number);
  how.set_tid_size = 1;
  return static_cast<pid_t>(::syscall(SYS_clone3, &how, sizeof how));
}

// Maps a page where the dead process had its memory. The exit status tells whether the page is
// untouched.
[[noreturn]] void occupy(std::uint64_t base, int ready, int end) {
  void* page = ::mmap(reinterpret_cast<void*>(base), kRegionSize, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  std::memset(page, 0x33, kRegionSize);
  char word = 0;
  if (::write(ready, &word, 1) != 1 || ::read(end, &word, 1) != 0) ::_exit(2);
  ::_exit(*static_cast<std::byte*>(page) == std::byte{0x33} ? 0 : 1);
}

TEST_F(DirectAccessTest, AnotherProcessWithThePeersNumberIsNeitherReadNorWritten) {
  const std::uint64_t base = entry(kPrivateStag).base;
  const pid_t number = remote.child().pid();
  std::byte byte{0x44};
  const Segment segment{&byte, 1};
  ASSERT_TRUE(direct->write(base, std::span(&segment, 1)));
  remote.child().kill();
  int ready[2];
  int end[2];
  ASSERT_EQ(::pipe(ready) + ::pipe(end), 0);
  const pid_t successor = fork_as(number);
  if (successor == 0) {
    ::close(end[1]);
    occupy(base, ready[1], end[0]);
  }
  char word = 0;
  const bool occupied = successor > 0 && ::read(ready[0], &word, 1) == 1;
  if (occupied) {
    EXPECT_EQ(successor, number);
    EXPECT_FALSE(direct->write(base, std::span(&segment, 1)));
    EXPECT_FALSE(direct->read(base, std::span(&segment, 1)));
  }
  for (const int fd : {ready[0], ready[1], end[0], end[1]}) ::close(fd);
  if (successor < 0) GTEST_SKIP() << "choosing the number of a process needs a privilege";
  int status = 0;
  ASSERT_EQ(::waitpid(successor, &status, 0), successor);
  EXPECT_TRUE(occupied);
  EXPECT_EQ(status, 0) << "the successor's memory was touched";
}

// The process lives, and its child keeps the socket open. Only the address space is new.
TEST_F(DirectAccessTest, AnotherProgramInThePeersProcessIsNeitherReadNorWritten) {
  const auto grandchild = static_cast<pid_t>(remote.ask(kForkAndExec));
  ASSERT_GT(grandchild, 0);
  std::byte byte{};
  const Segment segment{&byte, 1};
  const std::uint64_t base = entry(kPrivateStag).base;
  // The life token ends with the old memory.
  EXPECT_TRUE(world.run_until([&] { return !direct->write(base, std::span(&segment, 1)); }));
  EXPECT_FALSE(direct->read(base, std::span(&segment, 1)));
  ::kill(grandchild, SIGKILL);
}

TEST(DirectAccessRefused, WhenItIsSwitchedOffHere) {
  ShmOptions off;
  off.allow_direct = false;
  World world;
  Adapter a(world, "127.0.0.1", off);
  Adapter b(world, "127.0.0.1");
  const auto name = publish_any(b);
  Dialled dialled;
  dial_now(world, a, "127.0.0.1", name->qualifier(), dialled);
  ASSERT_NE(dialled.port, nullptr);
  EXPECT_EQ(dialled.port->direct(), nullptr);
  EXPECT_EQ(b.links[0]->direct(), nullptr);
  EXPECT_FALSE(dialled.port->peer_has_direct());
  EXPECT_FALSE(b.links[0]->peer_has_direct());
  EXPECT_STREQ(dialled.port->path(), "shm ring");
  EXPECT_EQ(dialled.port->path_reason(), "switched off here");
  EXPECT_STREQ(b.links[0]->path(), "shm ring");
  EXPECT_EQ(b.links[0]->path_reason(), "the peer has switched it off, or has no life token");
}

TEST(DirectAccessRefused, TowardsAnotherUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "becoming another user needs root";
  RemoteScript script;
  script.prepare = [](Adapter&) { ASSERT_EQ(::setresuid(kNobody, kNobody, kNobody), 0); };
  RemoteAdapter remote(script);
  World world;
  Adapter a(world, "127.0.0.1");
  Dialled dialled;
  dial_now(world, a, "127.0.0.1", remote.qualifier(), dialled);
  ASSERT_NE(dialled.port, nullptr);
  EXPECT_EQ(dialled.port->direct(), nullptr);
  EXPECT_FALSE(dialled.port->peer_has_direct());
  EXPECT_EQ(dialled.port->path_reason(), "the peer runs as another user");
}

void lose_privileges() {
  if (::geteuid() == 0 && ::setresuid(kNobody, kNobody, kNobody) != 0) ::_exit(1);
}

// Runs in a process without privileges, since the kernel would grant root the access.
TEST(DirectAccessRefused, TowardsAProcessThatIsNotDumpable) {
  RemoteScript script;
  script.prepare = [](Adapter&) {
    lose_privileges();
    ::prctl(PR_SET_DUMPABLE, 0);
  };
  RemoteAdapter remote(script);
  Child dialler([&](Numbers& numbers) {
    lose_privileges();
    ::prctl(PR_SET_DUMPABLE, 1);
    World world;
    Adapter a(world, "127.0.0.1");
    Dialled dialled;
    dial_now(world, a, "127.0.0.1", remote.qualifier(), dialled);
    const std::string reason = dialled.port == nullptr ? "" : dialled.port->path_reason();
    numbers.put(reason.find("the kernel forbids it") == std::string::npos ? 2 : 1);
    numbers.put(dialled.port != nullptr && dialled.port->direct() == nullptr ? 1 : 2);
  });
  EXPECT_EQ(dialler.numbers().get(), 1U);
  EXPECT_EQ(dialler.numbers().get(), 1U);
}

// An open() of the FIFO would wait for a writer.
TEST(PeerFile, AFifoOfThePeersIsNotOpened) {
  constexpr std::uint64_t kNotTaken = 1;
  Child child([](Numbers& numbers) {
    const std::string name = testing::TempDir() + "/datum-fifo-" + std::to_string(::getpid());
    if (::mkfifo(name.c_str(), 0600) != 0) return;
    const UniqueFd fifo(::open(name.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    ::unlink(name.c_str());
    ::alarm(5);
    if (fifo && !PeerFile(::getpid(), fifo.get())) numbers.put(kNotTaken);
  });
  EXPECT_EQ(child.numbers().get(), kNotTaken);
}

TEST(VmPieces, ACopyIsCutAtFourMebibytes) {
  std::byte first{};
  const Segment segments[] = {{&first, 3U << 20U}, {&first, 3U << 20U}};
  VmPieces pieces(0x1000, segments);
  VmPiece piece;
  ASSERT_TRUE(pieces.next(piece));
  EXPECT_EQ(piece.remote, 0x1000U);
  EXPECT_EQ(piece.length, 4U << 20U);
  EXPECT_EQ(piece.local_count, 2U);
  EXPECT_EQ(piece.local[1].iov_len, 1U << 20U);
  EXPECT_FALSE(piece.last);
  ASSERT_TRUE(pieces.next(piece));
  EXPECT_EQ(piece.remote, 0x1000U + (4U << 20U));
  EXPECT_EQ(piece.length, 2U << 20U);
  EXPECT_EQ(piece.local[0].iov_base, &first + (1U << 20U));
  EXPECT_TRUE(piece.last);
  EXPECT_FALSE(pieces.next(piece));
}

TEST(VmPieces, MoreSegmentsThanFitOneCallMakeMorePieces) {
  std::byte byte{};
  const std::vector<Segment> segments(65, Segment{&byte, 2});
  VmPieces pieces(0, segments);
  VmPiece piece;
  ASSERT_TRUE(pieces.next(piece));
  EXPECT_EQ(piece.local_count, 64U);
  EXPECT_EQ(piece.length, 128U);
  EXPECT_FALSE(piece.last);
  ASSERT_TRUE(pieces.next(piece));
  EXPECT_EQ(piece.length, 2U);
  EXPECT_TRUE(piece.last);
}

TEST(VmPieces, AnEmptyCopyHasNone) {
  const Segment empty{nullptr, 0};
  VmPieces pieces(0, std::span(&empty, 1));
  VmPiece piece;
  EXPECT_FALSE(pieces.next(piece));
}

} // namespace
} // namespace datum::test

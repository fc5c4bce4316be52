// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "child.h"

#include <datum/memory.h>

#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <memory>
#include <sys/mman.h>
#include <sys/stat.h>

namespace {

using datum::test::in_child;
using datum::test::spawn;
using datum::test::wait_for;

struct Free {
  void operator()(void* block) const { datum_memory_free(block); }
};
using Block = std::unique_ptr<char, Free>;

Block block_of(std::size_t size) {
  return Block(static_cast<char*>(datum_memory_alloc(size)));
}

datum_memory_backing backing_of(const void* address, std::size_t size) {
  datum_memory_backing backing{};
  EXPECT_EQ(datum_memory_lookup(address, size, &backing), 0);
  return backing;
}

TEST(DatumMemoryLookup, TheFileHoldsTheBytesAtTheOffset) {
  const Block block = block_of(10000);
  ASSERT_TRUE(block);
  std::memcpy(block.get() + 5000, "hidden in the middle", 21);
  const datum_memory_backing backing = backing_of(block.get() + 5000, 21);
  char found[21] = {};
  ASSERT_EQ(pread(backing.fd, found, 21, static_cast<off_t>(backing.offset)), 21);
  EXPECT_STREQ(found, "hidden in the middle");
}

TEST(DatumMemoryLookup, SubRangesShareTheFileAndAddToTheOffset) {
  const Block block = block_of(100000);
  ASSERT_TRUE(block);
  const datum_memory_backing whole = backing_of(block.get(), 100000);
  const datum_memory_backing part = backing_of(block.get() + 777, 1);
  EXPECT_EQ(part.fd, whole.fd);
  EXPECT_EQ(part.offset, whole.offset + 777);
  EXPECT_EQ(part.length, whole.length - 777);
  EXPECT_GE(whole.length, 100000u);
}

TEST(DatumMemoryLookup, NamesTheFileByDeviceAndInode) {
  const Block block = block_of(1);
  const datum_memory_backing backing = backing_of(block.get(), 1);
  struct stat status {};
  ASSERT_EQ(fstat(backing.fd, &status), 0);
  EXPECT_EQ(backing.device, status.st_dev);
  EXPECT_EQ(backing.inode, status.st_ino);
  EXPECT_EQ(backing.offset + backing.length, static_cast<std::uint64_t>(status.st_size));
}

TEST(DatumMemoryLookup, SealedAgainstShrinkingAndGrowing) {
  const Block block = block_of(1);
  const datum_memory_backing backing = backing_of(block.get(), 1);
  EXPECT_EQ(backing.flags, 0x1u);
  EXPECT_EQ(fcntl(backing.fd, F_GET_SEALS) & (F_SEAL_SHRINK | F_SEAL_GROW),
            F_SEAL_SHRINK | F_SEAL_GROW);
  EXPECT_EQ(ftruncate(backing.fd, 0), -1);
  EXPECT_EQ(errno, EPERM);
}

TEST(DatumMemoryLookup, DescriptorClosesOnExec) {
  const Block block = block_of(1);
  EXPECT_EQ(fcntl(backing_of(block.get(), 1).fd, F_GETFD), FD_CLOEXEC);
}

TEST(DatumMemoryLookup, ForeignMemoryIsNotFound) {
  datum_memory_backing backing{};
  int on_the_stack = 0;
  static int in_the_program = 0;
  const auto of_malloc = std::make_unique<int>(0);
  EXPECT_EQ(datum_memory_lookup(&on_the_stack, 4, &backing), ENOENT);
  EXPECT_EQ(datum_memory_lookup(&in_the_program, 4, &backing), ENOENT);
  EXPECT_EQ(datum_memory_lookup(of_malloc.get(), 4, &backing), ENOENT);
  EXPECT_EQ(datum_memory_lookup(reinterpret_cast<void*>(16), 4, &backing), ENOENT);
  EXPECT_EQ(datum_memory_lookup(reinterpret_cast<void*>(UINTPTR_MAX - 3), 4, &backing), ENOENT);
}

TEST(DatumMemoryLookup, NoRangeIsInvalid) {
  const Block block = block_of(16);
  datum_memory_backing backing{};
  EXPECT_EQ(datum_memory_lookup(nullptr, 1, &backing), EINVAL);
  EXPECT_EQ(datum_memory_lookup(block.get(), 0, &backing), EINVAL);
  EXPECT_EQ(datum_memory_lookup(block.get(), 1, nullptr), EINVAL);
}

TEST(DatumMemoryLookup, RangeBeyondItsArenaIsNotFound) {
  const Block huge(static_cast<char*>(datum_memory_alloc_huge(4 << 20, nullptr)));
  ASSERT_TRUE(huge);
  datum_memory_backing backing{};
  EXPECT_EQ(datum_memory_lookup(huge.get(), 4 << 20, &backing), 0);
  EXPECT_EQ(datum_memory_lookup(huge.get() + (4 << 20) - 1, 1, &backing), 0);
  EXPECT_EQ(datum_memory_lookup(huge.get(), (4 << 20) + 1, &backing), ENOENT);
  EXPECT_EQ(datum_memory_lookup(huge.get() + 1, 4 << 20, &backing), ENOENT);
  EXPECT_EQ(datum_memory_lookup(huge.get() + (4 << 20), 1, &backing), ENOENT);
  EXPECT_EQ(datum_memory_lookup(huge.get() + 1, SIZE_MAX, &backing), ENOENT);
}

TEST(DatumMemoryLookup, BlocksLargerThanAnArenaLieInOneFile) {
  // sparse: the test touches only one page of it
  constexpr std::size_t kSize = std::size_t{3} << 30;
  const Block block = block_of(kSize);
  ASSERT_TRUE(block);
  block.get()[kSize - 1] = 'z';
  const datum_memory_backing backing = backing_of(block.get(), kSize);
  char last = 0;
  ASSERT_EQ(pread(backing.fd, &last, 1, static_cast<off_t>(backing.offset + kSize - 1)), 1);
  EXPECT_EQ(last, 'z');
}

TEST(DatumMemoryLookup, KeepsErrno) {
  datum_memory_backing backing{};
  errno = 77;
  datum_memory_lookup(&backing, 1, &backing);
  EXPECT_EQ(errno, 77);
}

TEST(DatumMemoryLookup, IsFoundByNameWithoutLinking) {
  EXPECT_EQ(dlsym(RTLD_DEFAULT, "datum_memory_lookup"),
            reinterpret_cast<void*>(&datum_memory_lookup));
}

TEST(DatumMemoryLookup, AnotherProcessMapsTheSameBytes) {
  const Block block = block_of(50000);
  ASSERT_TRUE(block);
  std::memset(block.get(), 'p', 50000);
  const datum_memory_backing backing = backing_of(block.get(), 50000);
  // The peer expects 50000 times 'p' and writes 'q' as many times.
  ASSERT_EQ(
      wait_for(spawn({DATUM_MEMORY_PEER, std::to_string(getpid()), std::to_string(backing.fd),
                      std::to_string(backing.offset), std::to_string(backing.inode), "50000"})),
      0);
  EXPECT_EQ(std::string(block.get(), 50000), std::string(50000, 'q'));
}

// Daemons close every descriptor that may be open. Files opened later get the same numbers.
TEST(DatumMemoryLookup, ClosedDescriptorIsNoticedAlsoWhenItsNumberIsReused) {
  const Block block = block_of(100);
  ASSERT_TRUE(block);
  EXPECT_EQ(in_child([&] {
              datum_memory_backing backing{};
              if (datum_memory_lookup(block.get(), 100, &backing) != 0) return 1;
              const int number = backing.fd;
              close(number);
              if (datum_memory_lookup(block.get(), 100, &backing) != EBADF) return 2;
              const int other = open("/dev/zero", O_RDWR);
              if (dup2(other, number) != number) return 3;
              if (datum_memory_lookup(block.get(), 100, &backing) != EBADF) return 4;
              std::memset(block.get(), 1, 100);
              void* more = datum_memory_alloc(1 << 20);
              if (more == nullptr) return 5;
              datum_memory_free(more);
              datum_memory_trim();
              return fcntl(number, F_GETFD) >= 0 ? 0 : 6;
            }),
            0);
}

} // namespace

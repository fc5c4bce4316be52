// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "child.h"

#include <datum/memory.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

using datum::test::kMiB;

bool holds_only(const void* block, std::size_t size, unsigned char value) {
  const auto* bytes = static_cast<const unsigned char*>(block);
  for (std::size_t i = 0; i < size; ++i)
    if (bytes[i] != value) return false;
  return true;
}

std::uint64_t kernel_bytes_behind(const void* block) {
  datum_memory_backing backing{};
  struct stat status {};
  if (datum_memory_lookup(block, 1, &backing) != 0 || fstat(backing.fd, &status) != 0) return 0;
  return static_cast<std::uint64_t>(status.st_blocks) * 512;
}

// Several blocks may be in one file. Each file counts once.
std::uint64_t kernel_bytes_behind(const std::vector<void*>& blocks) {
  std::map<ino_t, std::uint64_t> files;
  for (const void* block : blocks) {
    datum_memory_backing backing{};
    struct stat status {};
    if (datum_memory_lookup(block, 1, &backing) == 0 && fstat(backing.fd, &status) == 0)
      files[status.st_ino] = static_cast<std::uint64_t>(status.st_blocks) * 512;
  }
  std::uint64_t all = 0;
  for (const auto& [file, bytes] : files) all += bytes;
  return all;
}

TEST(DatumMemoryAlloc, EverySizeIsWritableAndAtLeastAsLargeAsAsked) {
  for (std::size_t size : {1ul, 7ul, 16ul, 100ul, 4096ul, 5000ul, 65536ul, 1048577ul, 20971520ul}) {
    void* block = datum_memory_alloc(size);
    ASSERT_NE(block, nullptr) << size;
    EXPECT_GE(datum_memory_usable_size(block), size);
    std::memset(block, 0x5a, size);
    EXPECT_TRUE(holds_only(block, size, 0x5a)) << size;
    datum_memory_free(block);
  }
}

TEST(DatumMemoryAlloc, ZeroBytesIsAUniqueBlock) {
  void* first = datum_memory_alloc(0);
  void* second = datum_memory_alloc(0);
  ASSERT_NE(first, nullptr);
  ASSERT_NE(second, nullptr);
  EXPECT_NE(first, second);
  datum_memory_free(first);
  datum_memory_free(second);
}

TEST(DatumMemoryAlloc, ImpossibleSizeIsNoMemory) {
  errno = 0;
  EXPECT_EQ(datum_memory_alloc(SIZE_MAX / 2), nullptr);
  EXPECT_EQ(errno, ENOMEM);
  errno = 0;
  EXPECT_EQ(datum_memory_alloc_huge(SIZE_MAX / 2, nullptr), nullptr);
  EXPECT_EQ(errno, ENOMEM);
}

TEST(DatumMemoryFree, NullIsNothing) {
  datum_memory_free(nullptr);
}

TEST(DatumMemoryFree, KeepsErrno) {
  void* block = datum_memory_alloc_huge(1, nullptr);
  errno = 77;
  datum_memory_free(block);
  EXPECT_EQ(errno, 77);
}

TEST(DatumMemoryCalloc, IsZeroAlsoWhereMemoryIsReused) {
  for (std::size_t size : {64ul, 40000ul, 3145728ul, 16777216ul}) {
    void* used = datum_memory_alloc(size);
    ASSERT_NE(used, nullptr);
    std::memset(used, 0xff, size);
    datum_memory_free(used);
    void* block = datum_memory_calloc(size / 8, 8);
    ASSERT_NE(block, nullptr);
    EXPECT_TRUE(holds_only(block, size, 0)) << size;
    datum_memory_free(block);
  }
}

TEST(DatumMemoryCalloc, OverflowIsNoMemory) {
  errno = 0;
  EXPECT_EQ(datum_memory_calloc(SIZE_MAX / 2, 3), nullptr);
  EXPECT_EQ(errno, ENOMEM);
}

TEST(DatumMemoryRealloc, KeepsContentsUpToTheSmallerSize) {
  auto* block = static_cast<unsigned char*>(datum_memory_realloc(nullptr, 10));
  ASSERT_NE(block, nullptr);
  std::memset(block, 0x31, 10);
  for (std::size_t size : {1000ul, 100000ul, 12582912ul, 25165824ul, 50000ul, 10ul}) {
    block = static_cast<unsigned char*>(datum_memory_realloc(block, size));
    ASSERT_NE(block, nullptr) << size;
    EXPECT_TRUE(holds_only(block, 10, 0x31)) << size;
  }
  EXPECT_EQ(datum_memory_realloc(block, 0), nullptr);
}

TEST(DatumMemoryRealloc, FailureLeavesTheOldBlock) {
  auto* block = static_cast<char*>(datum_memory_alloc(8));
  ASSERT_NE(block, nullptr);
  std::memcpy(block, "content", 8);
  errno = 0;
  EXPECT_EQ(datum_memory_realloc(block, SIZE_MAX / 2), nullptr);
  EXPECT_EQ(errno, ENOMEM);
  EXPECT_STREQ(block, "content");
  datum_memory_free(block);
}

TEST(DatumMemoryRealloc, HugeBlockStaysInAFileOfItsOwn) {
  auto* block = static_cast<char*>(datum_memory_alloc_huge(2 * kMiB, nullptr));
  ASSERT_NE(block, nullptr);
  std::memcpy(block, "content", 8);
  block = static_cast<char*>(datum_memory_realloc(block, 6 * kMiB));
  ASSERT_NE(block, nullptr);
  EXPECT_STREQ(block, "content");
  datum_memory_backing backing{};
  ASSERT_EQ(datum_memory_lookup(block, 6 * kMiB, &backing), 0);
  EXPECT_EQ(backing.offset, 0u);
  EXPECT_EQ(backing.length, 6 * kMiB);
  datum_memory_free(block);
}

TEST(DatumMemoryAligned, EveryPowerOfTwoIsHonoured) {
  for (std::size_t alignment = 1; alignment <= 256 * kMiB; alignment *= 2) {
    for (std::size_t size : {1ul, 4096ul, 9437184ul}) {
      void* block = datum_memory_aligned(alignment, size);
      ASSERT_NE(block, nullptr) << alignment << " " << size;
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignment, 0u);
      std::memset(block, 1, size);
      datum_memory_free(block);
    }
  }
}

TEST(DatumMemoryAligned, OtherAlignmentsAreInvalid) {
  for (std::size_t size : {64ul, 9437184ul}) {
    errno = 0;
    EXPECT_EQ(datum_memory_aligned(48, size), nullptr);
    EXPECT_EQ(errno, EINVAL);
  }
}

TEST(DatumMemoryAllocHuge, TellsWhatWasObtainedAndLookupAgrees) {
  datum_memory_pages obtained = DATUM_MEMORY_PAGES_HUGETLB;
  void* block = datum_memory_alloc_huge(3 * kMiB, &obtained);
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(datum_memory_usable_size(block), 4 * kMiB);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % (2 * kMiB), 0u);
  EXPECT_TRUE(holds_only(block, 4 * kMiB, 0));
  datum_memory_backing backing{};
  ASSERT_EQ(datum_memory_lookup(block, 3 * kMiB, &backing), 0);
  EXPECT_EQ(backing.pages, obtained);
  datum_memory_free(block);
  EXPECT_EQ(datum_memory_lookup(block, 1, &backing), ENOENT);
}

// How many KiB of the mapping that begins at `block` are on huge pages, as the kernel counts them.
long kib_on_huge_pages(const void* block) {
  std::ifstream maps("/proc/self/smaps");
  char begin[32];
  std::snprintf(begin, sizeof begin, "%lx-", reinterpret_cast<unsigned long>(block));
  bool inside = false;
  for (std::string line; std::getline(maps, line);) {
    if (line.find('-') < line.find(' ')) inside = line.rfind(begin, 0) == 0;
    if (inside && line.rfind("ShmemPmdMapped:", 0) == 0) return std::stol(line.substr(15));
  }
  return -1;
}

TEST(DatumMemoryAllocHuge, ConfirmsTransparentPagesOnlyIfTheKernelDoes) {
  datum_memory_pages obtained = DATUM_MEMORY_PAGES_BASE;
  void* block = datum_memory_alloc_huge(8 * kMiB, &obtained);
  ASSERT_NE(block, nullptr);
  const long on_huge_pages = kib_on_huge_pages(block);
  if (obtained == DATUM_MEMORY_PAGES_TRANSPARENT) {
    EXPECT_EQ(on_huge_pages, 8192);
  } else {
    EXPECT_LT(on_huge_pages, 8192);
  }
  datum_memory_free(block);
}

TEST(DatumMemoryTrim, LargeBlocksGoBackToTheKernelWhenFreed) {
  void* anchor = datum_memory_alloc(16);
  auto* block = static_cast<char*>(datum_memory_alloc(32 * kMiB));
  ASSERT_NE(block, nullptr);
  std::memset(block, 1, 32 * kMiB);
  const std::uint64_t before = kernel_bytes_behind(block);
  datum_memory_backing backing{};
  ASSERT_EQ(datum_memory_lookup(block, 32 * kMiB, &backing), 0);
  datum_memory_free(block);
  // The arena stays mapped; only its pages are given back.
  EXPECT_LE(kernel_bytes_behind(block) + 32 * kMiB, before);
  datum_memory_free(anchor);
}

TEST(DatumMemoryTrim, ReturnsSmallBlocksAtOnce) {
  std::vector<void*> blocks;
  for (int i = 0; i < 400; ++i) {
    blocks.push_back(datum_memory_alloc(100000));
    ASSERT_NE(blocks.back(), nullptr);
    std::memset(blocks.back(), 1, 100000);
  }
  const std::uint64_t before = kernel_bytes_behind(blocks);
  for (void* block : blocks) datum_memory_free(block);
  datum_memory_trim();
  EXPECT_LE(kernel_bytes_behind(blocks) + 20 * kMiB, before);
}

// A few allocations per hundredth of a second stand for a program that keeps running. The loop ends
// when the pages are gone, which takes some seconds, or at the time limit of the test.
TEST(DatumMemoryTrim, SmallBlocksGoBackInTimeWhileTheProgramGoesOn) {
  std::vector<void*> blocks(400);
  for (void*& block : blocks) {
    block = datum_memory_alloc(100000);
    ASSERT_NE(block, nullptr);
    std::memset(block, 1, 100000);
  }
  const std::uint64_t before = kernel_bytes_behind(blocks);
  for (void* block : blocks) datum_memory_free(block);
  while (kernel_bytes_behind(blocks) + 20 * kMiB > before) {
    for (int i = 0; i < 64; ++i) datum_memory_free(datum_memory_alloc(100));
    usleep(10000);
  }
}

TEST(DatumMemoryThreads, BlocksPassedBetweenThreadsKeepTheirContents) {
  std::vector<std::thread> threads;
  std::vector<std::vector<unsigned char*>> made(4);
  for (unsigned t = 0; t < 4; ++t)
    threads.emplace_back([&made, t] {
      for (unsigned i = 0; i < 2000; ++i) {
        const std::size_t size = 1 + (i * 37 + t) % 3000;
        auto* block = static_cast<unsigned char*>(datum_memory_alloc(size));
        if (block == nullptr) return;
        std::memset(block, static_cast<int>(t + 1), size);
        made[t].push_back(block);
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (unsigned t = 0; t < 4; ++t) {
    ASSERT_EQ(made[t].size(), 2000u);
    for (unsigned i = 0; i < 2000; ++i) {
      EXPECT_TRUE(
          holds_only(made[t][i], 1 + (i * 37 + t) % 3000, static_cast<unsigned char>(t + 1)));
      datum_memory_free(made[t][i]);
    }
  }
}

} // namespace

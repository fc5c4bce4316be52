// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The memory extension under resource limits. Each test runs in a child process, which has limits
// of its own. Builds with sanitizers leave this file out, because a sanitizer's run-time library
// needs more than RLIMIT_AS allows (see CMakeLists.txt).
#include "child.h"

#include <datum/memory.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <vector>

namespace {

using datum::test::in_child;
using datum::test::kMiB;

bool limit(__rlimit_resource resource, rlim_t value) {
  rlimit both{};
  getrlimit(resource, &both);
  both.rlim_cur = value;
  return setrlimit(resource, &both) == 0;
}

std::size_t address_space_in_use() {
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  unsigned long pages = 0;
  if (file == nullptr || std::fscanf(file, "%lu", &pages) != 1) return 0;
  std::fclose(file);
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

// 0: an allocation of that size fails with the errno `reason`.
int expect_refusal(std::size_t size, int reason) {
  errno = 0;
  if (datum_memory_alloc(size) != nullptr) return 11;
  return errno == reason ? 0 : 12;
}

int expect_small_blocks_work() {
  void* block = datum_memory_alloc(1000);
  if (block == nullptr) return 21;
  std::memset(block, 1, 1000);
  datum_memory_free(block);
  return 0;
}

TEST(DatumMemoryLimits, NoDescriptorIsEmfile) {
  EXPECT_EQ(in_child([] {
              if (const int wrong = expect_small_blocks_work()) return wrong;
              if (!limit(RLIMIT_NOFILE, 0)) return 1;
              if (const int wrong = expect_refusal(std::size_t{40} << 30, EMFILE)) return wrong;
              return expect_small_blocks_work();
            }),
            0);
}

TEST(DatumMemoryLimits, FileSizeLimitIsEfbigAndNoSignal) {
  EXPECT_EQ(in_child([] {
              if (!limit(RLIMIT_FSIZE, 100 * kMiB)) return 1;
              return expect_refusal(std::size_t{40} << 30, EFBIG);
            }),
            0);
}

TEST(DatumMemoryLimits, ArenasFitIntoASmallFileSizeLimit) {
  EXPECT_EQ(in_child([] {
              if (!limit(RLIMIT_FSIZE, 3 * kMiB)) return 1;
              std::vector<void*> blocks;
              for (int i = 0; i < 100; ++i) {
                blocks.push_back(datum_memory_alloc(kMiB));
                if (blocks.back() == nullptr) return 2;
              }
              return 0;
            }),
            0);
}

TEST(DatumMemoryLimits, AddressSpaceLimitIsEnomemAndLeavesTheRestUsable) {
  EXPECT_EQ(in_child([] {
              if (!limit(RLIMIT_AS, address_space_in_use() + 40 * kMiB)) return 1;
              if (const int wrong = expect_refusal(std::size_t{40} << 30, ENOMEM)) return wrong;
              errno = 0;
              if (datum_memory_alloc_huge(std::size_t{40} << 30, nullptr) != nullptr) return 2;
              if (errno != ENOMEM) return 3;
              return expect_small_blocks_work();
            }),
            0);
}

TEST(DatumMemoryLimits, ArenasAreBoundedAndTheBoundIsAnError) {
  EXPECT_EQ(in_child([] {
              std::vector<void*> blocks;
              while (void* block = datum_memory_alloc_huge(1, nullptr)) {
                blocks.push_back(block);
                if (blocks.size() > 255) return 1;
              }
              if (errno != EMFILE) return 2;
              if (blocks.size() < 200) return 3;
              datum_memory_free(blocks.back());
              blocks.back() = datum_memory_alloc_huge(1, nullptr);
              return blocks.back() == nullptr ? 4 : expect_small_blocks_work();
            }),
            0);
}

TEST(DatumMemoryMisuse, FreeingForeignMemoryEndsTheProgramWithAnExplanation) {
  int foreign = 0;
  EXPECT_DEATH(datum_memory_free(&foreign), "datum_memory_free: 0x[0-9a-f]+ did not come from");
}

} // namespace

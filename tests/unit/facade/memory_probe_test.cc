// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

#include "provider/ia_address.h"
#include "provider/memory_probe.h"
#include "tests/filter.h"

namespace datum {
namespace {

constexpr std::size_t kPage = 4096;

// Some pages, which the destructor unmaps.
class Pages {
 public:
  Pages(std::size_t count, int protection, int flags = MAP_PRIVATE | MAP_ANONYMOUS, int fd = -1,
        off_t offset = 0)
      : size_(count * kPage), start_(::mmap(nullptr, size_, protection, flags, fd, offset)) {
    EXPECT_NE(start_, MAP_FAILED);
  }
  ~Pages() { ::munmap(start_, size_); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  char* get() const { return static_cast<char*>(start_); }
  std::uint64_t address() const { return reinterpret_cast<std::uint64_t>(start_); }

 private:
  std::size_t size_;
  void* start_;
};

class MemoryProbeOf : public ::testing::TestWithParam<Mappings::Method> {
 protected:
  KernelMemoryProbe probe{GetParam()};
};

TEST_P(MemoryProbeOf, OrdinaryMemoryIsUsable) {
  const Pages pages(4, PROT_READ | PROT_WRITE);
  EXPECT_EQ(probe.usable(pages.address() + 1, 2 * kPage, kAllAccess), Found::Yes);
  int on_stack[16] = {};
  EXPECT_EQ(probe.usable(reinterpret_cast<std::uint64_t>(on_stack), sizeof on_stack, kAllAccess),
            Found::Yes);
  const Pages large(2048, PROT_READ | PROT_WRITE);
  EXPECT_EQ(probe.usable(large.address(), 2048 * kPage, kAllAccess), Found::Yes);
}

TEST_P(MemoryProbeOf, AHoleIsNotUsable) {
  const Pages pages(4, PROT_READ | PROT_WRITE);
  ASSERT_EQ(::munmap(pages.get() + 2 * kPage, kPage), 0);
  EXPECT_EQ(probe.usable(pages.address(), 2 * kPage, kAllAccess), Found::Yes);
  EXPECT_EQ(probe.usable(pages.address(), 2 * kPage + 1, kAllAccess), Found::No);
  EXPECT_EQ(probe.usable(pages.address() + 2 * kPage, 8, kLocalRead), Found::No);
}

TEST_P(MemoryProbeOf, RightsArePageRights) {
  const Pages pages(4, PROT_READ | PROT_WRITE);
  ASSERT_EQ(::mprotect(pages.get() + kPage, kPage, PROT_READ), 0);
  ASSERT_EQ(::mprotect(pages.get() + 3 * kPage, kPage, PROT_NONE), 0);
  EXPECT_EQ(probe.usable(pages.address(), 3 * kPage, kLocalRead | kRemoteRead), Found::Yes);
  EXPECT_EQ(probe.usable(pages.address(), 3 * kPage, kLocalWrite), Found::No);
  EXPECT_EQ(probe.usable(pages.address(), 3 * kPage, kRemoteWrite), Found::No);
  EXPECT_EQ(probe.usable(pages.address(), 3 * kPage, kRemoteAtomic), Found::No);
  EXPECT_EQ(probe.usable(pages.address(), 4 * kPage, kLocalRead), Found::No);
}

TEST_P(MemoryProbeOf, SharedMeansEveryPageOfTheRange) {
  const Pages shared(2, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS);
  const Pages own(2, PROT_READ | PROT_WRITE);
  EXPECT_EQ(probe.shared(shared.address() + 5, kPage), Found::Yes);
  EXPECT_EQ(probe.shared(own.address(), kPage), Found::No);
}

TEST_P(MemoryProbeOf, OnlyAFileThatCannotShrinkBacksARegion) {
  const int fd = ::memfd_create("region", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  ASSERT_GE(fd, 0);
  ASSERT_EQ(::ftruncate(fd, 8 * kPage), 0);
  const Pages pages(4, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 2 * kPage);
  pages.get()[kPage] = 1;
  std::int32_t found = -1;
  std::uint64_t offset = 0;
  EXPECT_FALSE(probe.backing(pages.address() + kPage, 16, found, offset)) << "not sealed";
  ASSERT_EQ(::fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK), 0);
  ASSERT_TRUE(probe.backing(pages.address() + kPage + 8, 16, found, offset));
  EXPECT_EQ(offset, 3 * kPage + 8);
  EXPECT_NE(found, fd) << "the consumer may close its own";
  ::close(fd);
  char byte = 0;
  EXPECT_EQ(::pread(found, &byte, 1, 3 * kPage), 1);
  EXPECT_EQ(byte, 1);
  std::int32_t again = -1;
  EXPECT_TRUE(probe.backing(pages.address(), 16, again, offset));
  EXPECT_EQ(again, found) << "one descriptor for each file";
}

TEST_P(MemoryProbeOf, PrivateMemoryHasNoBacking) {
  const Pages pages(1, PROT_READ | PROT_WRITE);
  pages.get()[0] = 1;
  std::int32_t found = -1;
  std::uint64_t offset = 0;
  EXPECT_FALSE(probe.backing(pages.address(), 16, found, offset));
}

// Some emulators ignore madvise(2) altogether. The test produces this by a filter that answers the
// call with success.
TEST(MemoryProbe, AdviceThatIsTakenAndIgnoredProvesNothing) {
  const Pages pages(4, PROT_READ | PROT_WRITE);
  ASSERT_EQ(::munmap(pages.get() + 2 * kPage, kPage), 0);
  bool ignored = false;
  Found whole = Found::LacksDevice;
  Found across = Found::LacksDevice;
  std::thread([&] {
    test::forbid_call(SYS_madvise, 0);
    ignored = ::madvise(pages.get(), kPage, 12345) == 0;
    KernelMemoryProbe probe(Mappings::Method::Text);
    whole = probe.usable(pages.address(), 2 * kPage, kAllAccess);
    across = probe.usable(pages.address(), 3 * kPage, kAllAccess);
  }).join();
  if (!ignored) GTEST_SKIP() << "no filter of system calls here";
  EXPECT_EQ(whole, Found::Yes);
  EXPECT_EQ(across, Found::No);
}

INSTANTIATE_TEST_SUITE_P(EitherKernel, MemoryProbeOf,
                         ::testing::Values(Mappings::Method::Query, Mappings::Method::Text),
                         [](const auto& instance) {
                           return instance.param == Mappings::Method::Query ? "Query" : "Text";
                         });

TEST(IaAddress, TheInterfaceIsInTheInstanceDataOrInTheName) {
  const auto by_name = find_ia_address("datum-lo", "");
  ASSERT_TRUE(by_name);
  EXPECT_FALSE(by_name->every_address);
  const auto by_data = find_ia_address("anything", "lo 0");
  ASSERT_TRUE(by_data);
  EXPECT_EQ(by_data->address, by_name->address);
  const auto literal = find_ia_address("anything", "127.0.0.1");
  ASSERT_TRUE(literal);
  EXPECT_EQ(literal->address, by_name->address);
  EXPECT_FALSE(find_ia_address("datum-nosuch", ""));
  const auto host = find_ia_address("datum", "");
  ASSERT_TRUE(host);
  EXPECT_TRUE(host->every_address);
}

} // namespace
} // namespace datum

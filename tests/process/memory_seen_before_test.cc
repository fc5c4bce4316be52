// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Memory of the allocator whose blocks peers can map, after it was once registered, used and
// unregistered. conformance/rule_memory_seen_before.cc tests other memory.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <datum/memory.h>
#include <string>
#include <utility>

#include "connection.h"
#include "registration.h"

namespace datum::test {
namespace {

constexpr std::size_t kBytes = std::size_t{4} * 1024 * 1024;

class ShareableMemorySeenBefore : public testing::Test {
 protected:
  void SetUp() override {
    renew();
    ASSERT_TRUE(works_with("before"));
  }
  void TearDown() override { datum_memory_free(block); }
  void renew() {
    datum_memory_free(block);
    // The block has a file of its own.
    block = static_cast<char*>(datum_memory_alloc_huge(kBytes, nullptr));
    ASSERT_NE(block, nullptr);
  }
  DAT_RETURN status_of_create(DAT_MEM_PRIV_FLAGS privileges = DAT_MEM_PRIV_ALL_FLAG) {
    Registration registration(target().ia(), target().pz(), block, kBytes);
    registration.privileges = privileges;
    return registration.create();
  }
  bool works_with(const std::string& text) {
    Registration registration(target().ia(), target().pz(), block, kBytes);
    EXPECT_DAT_OK(registration.create());
    source.write(0, text);
    const DAT_RMR_TRIPLET there =
        remote_part(registration.rmr_context, reinterpret_cast<DAT_VADDR>(block), text.size());
    EXPECT_DAT_OK(post_write(peer().ep(), {source.segment(0, text.size())}, there, 1));
    expect_dto(peer().request_evd(), peer().ep(), 1);
    return std::memcmp(block, text.data(), text.size()) == 0;
  }
  Side& peer() { return pair.active(); }
  Side& target() { return pair.passive(); }

  ConnectedPair pair;
  Buffer source = peer().buffer(64);
  char* block = nullptr;
};

// The new block has the address of the old block, and its file has the same descriptor number.
// Rules: dat_lmr_create.R36
TEST_F(ShareableMemorySeenBefore, WasFreedAndGivenAgain) {
  for (int i = 0; i < 20 && !HasFailure(); ++i) {
    renew();
    EXPECT_TRUE(works_with("again " + std::to_string(i)));
  }
}

// Rules: dat_lmr_create.R35
TEST_F(ShareableMemorySeenBefore, WasGivenBack) {
  Registration registration(target().ia(), target().pz(), block, kBytes);
  datum_memory_free(std::exchange(block, nullptr));
  EXPECT_DAT_ERROR(registration.create(), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
}

// Rules: dat_lmr_create.R37
TEST_F(ShareableMemorySeenBefore, MayOnlyBeReadNow) {
  ASSERT_EQ(mprotect(block, kBytes, PROT_READ), 0);
  EXPECT_DAT_ERROR(status_of_create(), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
  EXPECT_DAT_OK(status_of_create(DAT_MEM_PRIV_LOCAL_READ_FLAG));
  ASSERT_EQ(mprotect(block, kBytes, PROT_READ | PROT_WRITE), 0);
  EXPECT_TRUE(works_with("writable"));
}

// Rules: dat_lmr_create.R38
TEST_F(ShareableMemorySeenBefore, AForkCameInBetween) {
  const pid_t child = fork();
  if (child == 0) {
    std::memcpy(block, "childs", 6);
    _exit(0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  EXPECT_EQ(std::string(block, 6), "before");
  EXPECT_TRUE(works_with("parents"));
}

} // namespace
} // namespace datum::test

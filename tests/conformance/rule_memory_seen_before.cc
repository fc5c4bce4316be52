// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat_lmr_create(3DAT) of an address range that was registered, used and freed before. Another
// mapping may be there by now, so Datum must not rely on what it learned about the old one.
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.h"
#include "registration.h"

namespace datum::test {
namespace {

const std::size_t kBytes = 4 * Pages::page();

// A memfd that is sealed against shrinking, as programs that share memory use it. The destructor
// closes it.
class File {
 public:
  File() : fd_(memfd_create("memory seen before", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
    EXPECT_EQ(ftruncate(fd_, static_cast<off_t>(kBytes)), 0);
    EXPECT_EQ(fcntl(fd_, F_ADD_SEALS, F_SEAL_SHRINK), 0);
  }
  ~File() { close(fd_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int fd() const { return fd_; }
  std::string text(std::size_t length) const {
    std::string read(length, '\0');
    EXPECT_EQ(pread(fd_, read.data(), length, 0), static_cast<ssize_t>(length));
    return read;
  }

 private:
  int fd_;
};

// The kind of the first mapping at `place`.
enum class Kind { kPrivate, kShared };

class RuleMemorySeenBefore : public testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    if (GetParam() == Kind::kPrivate)
      map(MAP_PRIVATE | MAP_ANONYMOUS, -1);
    else
      map(MAP_SHARED, first_file.fd());
    ASSERT_TRUE(works_with("before"));
  }
  void TearDown() override { munmap(place, kBytes); }

  void map(int flags, int fd, int protection = PROT_READ | PROT_WRITE) {
    const int fixed = place != nullptr ? MAP_FIXED : 0;
    void* const at = mmap(place, kBytes, protection, flags | fixed, fd, 0);
    ASSERT_NE(at, MAP_FAILED);
    place = static_cast<char*>(at);
  }
  DAT_RETURN create(Registration& registration, DAT_MEM_PRIV_FLAGS privileges) {
    registration.privileges = privileges;
    return registration.create();
  }
  DAT_RETURN status_of_create(DAT_MEM_PRIV_FLAGS privileges = DAT_MEM_PRIV_ALL_FLAG) {
    Registration registration(target().ia(), target().pz(), place, kBytes);
    return create(registration, privileges);
  }
  // Registers `place`, has the peer write there and read it back, and frees the registration.
  bool works_with(const std::string& text) {
    Registration registration(target().ia(), target().pz(), place, kBytes);
    EXPECT_DAT_OK(registration.create());
    source.write(0, text);
    const DAT_RMR_TRIPLET there =
        remote_part(registration.rmr_context, reinterpret_cast<DAT_VADDR>(place), text.size());
    EXPECT_DAT_OK(post_write(peer().ep(), {source.segment(0, text.size())}, there, 1));
    expect_dto(peer().request_evd(), peer().ep(), 1);
    const bool written = std::memcmp(place, text.data(), text.size()) == 0;
    EXPECT_DAT_OK(post_read(peer().ep(), {source.segment(64, text.size())}, there, 2));
    expect_dto(peer().request_evd(), peer().ep(), 2);
    return written && source.text(64, text.size()) == text;
  }
  Side& peer() { return pair.active(); }
  Side& target() { return pair.passive(); }

  ConnectedPair pair;
  Buffer source = peer().buffer(128);
  File first_file;
  File second_file;
  char* place = nullptr;
};

// Rules: dat_lmr_create.R35
TEST_P(RuleMemorySeenBefore, WasUnmapped) {
  ASSERT_EQ(munmap(place, kBytes), 0);
  EXPECT_DAT_ERROR(status_of_create(), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
  map(MAP_PRIVATE | MAP_ANONYMOUS, -1);
  EXPECT_TRUE(works_with("there again"));
  ASSERT_EQ(munmap(place + kBytes / 2, kBytes / 2), 0);
  EXPECT_DAT_ERROR(status_of_create(), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
}

// Rules: dat_lmr_create.R36
TEST_P(RuleMemorySeenBefore, IsAnotherFileNow) {
  map(MAP_SHARED, second_file.fd());
  EXPECT_TRUE(works_with("second"));
  EXPECT_EQ(second_file.text(6), "second");
  EXPECT_EQ(first_file.text(6), GetParam() == Kind::kShared ? "before" : std::string(6, '\0'));
}

// Rules: dat_lmr_create.R36
TEST_P(RuleMemorySeenBefore, IsOfNoFileNow) {
  map(MAP_PRIVATE | MAP_ANONYMOUS, -1);
  EXPECT_TRUE(works_with("no file"));
  EXPECT_EQ(first_file.text(6), GetParam() == Kind::kShared ? "before" : std::string(6, '\0'));
}

// Rules: dat_lmr_create.R36
TEST_P(RuleMemorySeenBefore, IsAPrivateCopyOfTheFileNow) {
  map(MAP_PRIVATE, first_file.fd());
  EXPECT_TRUE(works_with("private"));
  EXPECT_EQ(first_file.text(6), GetParam() == Kind::kShared ? "before" : std::string(6, '\0'));
}

// Rules: dat_lmr_create.R37
TEST_P(RuleMemorySeenBefore, MayOnlyBeReadNow) {
  ASSERT_EQ(mprotect(place, kBytes, PROT_READ), 0);
  EXPECT_DAT_ERROR(status_of_create(), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
  EXPECT_DAT_OK(status_of_create(DAT_MEM_PRIV_LOCAL_READ_FLAG));
  ASSERT_EQ(mprotect(place, kBytes, PROT_NONE), 0);
  EXPECT_DAT_ERROR(status_of_create(DAT_MEM_PRIV_LOCAL_READ_FLAG), DAT_INVALID_PARAMETER,
                   DAT_INVALID_ARG3);
  ASSERT_EQ(mprotect(place, kBytes, PROT_READ | PROT_WRITE), 0);
  EXPECT_TRUE(works_with("writable"));
}

// Rules: dat_lmr_create.R38
TEST_P(RuleMemorySeenBefore, AForkCameInBetween) {
  const pid_t child = fork();
  if (child == 0) {
    if (GetParam() == Kind::kPrivate) std::memcpy(place, "childs", 6);
    _exit(0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  EXPECT_EQ(std::string(place, 6), "before");
  EXPECT_TRUE(works_with("parent"));
  std::memcpy(place, "mine", 4);
  EXPECT_TRUE(works_with("parents"));
}

INSTANTIATE_TEST_SUITE_P(Kinds, RuleMemorySeenBefore,
                         testing::Values(Kind::kPrivate, Kind::kShared), [](const auto& each) {
                           return each.param == Kind::kPrivate ? "Private" : "Shared";
                         });

} // namespace
} // namespace datum::test

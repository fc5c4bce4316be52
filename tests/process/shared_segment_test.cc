// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Two processes map the same shared memory, and register it under the same name
// (DAT_MEM_TYPE_SHARED_VIRTUAL).
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <optional>
#include <sstream>
#include <string>

#include "connection.h"
#include "registration.h"
#include "stranger.h"
#include "two_processes.h"

namespace datum::test {
namespace {

// Shared memory that this process maps and another process can open.
class Segment {
 public:
  explicit Segment(std::size_t size) : file_(memfd_create("segment", MFD_CLOEXEC)), size_(size) {
    EXPECT_EQ(ftruncate(file_, static_cast<off_t>(size)), 0);
    memory_ = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
    EXPECT_NE(memory_, MAP_FAILED);
  }
  ~Segment() {
    munmap(memory_, size_);
    close(file_);
  }
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;
  std::string path() const {
    return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(file_);
  }
  void* memory() const { return memory_; }
  bool equals(Buffer& buffer) const {
    return std::memcmp(memory_, buffer.bytes().data(), buffer.size()) == 0;
  }

 private:
  int file_;
  std::size_t size_;
  void* memory_ = nullptr;
};

class SharedSegment : public testing::Test {
 protected:
  void SetUp() override {
    connect_to_other();
    make_shared(mine, name);
    ASSERT_DAT_OK(mine.create());
  }

  void connect_to_other() {
    const std::string qualifier = other.ask("listen");
    ASSERT_DAT_OK(connect(side.ep(), address_of(ia), std::stoull(qualifier)));
    other.send("accept");
    expect_connection_event(side.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, side.ep());
    EXPECT_EQ(other.receive(), "0x04001");
  }

  // The other process registers `size` octets of the segment under the same name.
  DAT_RMR_TRIPLET share(std::size_t size) {
    std::istringstream answer(other.ask("share " + segment.path() + " " + std::to_string(size)));
    DAT_RMR_TRIPLET triplet = source.remote();
    DAT_VADDR address = 0;
    EXPECT_TRUE(answer >> triplet.rmr_context >> address) << answer.str();
    address_in(triplet) = address;
    return triplet;
  }

  void write(std::size_t size, DAT_RMR_TRIPLET target, DAT_DTO_COMPLETION_STATUS status) {
    target.segment_length = size;
    ASSERT_DAT_OK(post_write(side.ep(), {source.segment(0, size)}, target, 1));
    expect_dto(side.request_evd(), side.ep(), 1, status);
  }

  static constexpr std::size_t kSize = 8192;
  SharedId name = shared_name();
  Segment segment{kSize};
  PeerProcess other{stranger_command({})};
  const Ia ia = open_ia();
  Side side{ia};
  Buffer source = side.buffer(kSize);
  Registration mine{ia, side.pz(), segment.memory(), kSize};
};

// Rules: dat_lmr_create.R8
TEST_F(SharedSegment, IsATargetInEachProcessAndBothSeeWhatIsWritten) {
  const DAT_RMR_TRIPLET theirs = share(kSize);
  source.fill(3);
  write(kSize, theirs, DAT_DTO_SUCCESS);
  EXPECT_TRUE(segment.equals(source)) << "written through the other process";

  source.fill(4);
  other.ask("buffer " + std::to_string(kSize));
  EXPECT_EQ(other.ask("fill 4"), "ok");
  std::ostringstream command;
  command << "write " << mine.rmr_context << " " << reinterpret_cast<DAT_VADDR>(segment.memory());
  EXPECT_EQ(other.ask(command.str()), "ok");
  EXPECT_TRUE(segment.equals(source)) << "written by the other process";
}

// A process does not know which other processes use a name. So in each process, peers reach the
// length that was registered there.
// Rules: dat_lmr_create.R8
TEST_F(SharedSegment, HasInEachProcessTheLengthThatWasRegisteredThere) {
  const DAT_RMR_TRIPLET half = share(kSize / 2);
  write(kSize / 2, half, DAT_DTO_SUCCESS);
  write(kSize, half, DAT_DTO_ERR_REMOTE_ACCESS);
}

} // namespace
} // namespace datum::test

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The handshake of a process that has no room for the descriptors that its peer passes.
#include <gtest/gtest.h>

#include <fcntl.h>
#include <string>
#include <sys/resource.h>
#include <vector>

#include "tests/unit/shm/stranger.h"
#include "tests/unit/shm/test_world.h"

namespace datum::test {
namespace {

constexpr rlim_t kLimit = 128; // more than this process has open
constexpr int kPassed = STDERR_FILENO;

// During its lifetime this object holds all descriptors that the process may have.
class NoDescriptors {
 public:
  NoDescriptors() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit fewer{kLimit, before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &fewer);
    for (UniqueFd fd(::open("/dev/null", O_RDONLY)); fd; fd = UniqueFd(::dup(taken_[0].get())))
      taken_.push_back(std::move(fd));
  }
  ~NoDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;

 private:
  rlimit before_{};
  std::vector<UniqueFd> taken_;
};

const std::string kWait =
    "datum warn: same-host connections wait: Too many open files; this process may have 128 "
    "(`ulimit -n`), which is its RLIMIT_NOFILE\n";

// Rules: tcp.R11
TEST(HandshakeWithoutDescriptors, WhoIsDialledNamesTheLimitAndHasTheDiallerWait) {
  World world;
  const Adapter adapter(world, "127.0.0.1");
  const auto name = adapter.fabric->publish_any();
  ASSERT_TRUE(name.has_value());
  Stranger stranger(world, (*name)->qualifier());
  stranger.say_hello();
  ASSERT_EQ(stranger.hear(), DialVerdict::Fresh);
  const SealedMemory memory = make_segment();
  testing::internal::CaptureStderr();
  {
    const NoDescriptors none;
    const int fd = memory.file.get();
    stranger.say_offer(std::span(&fd, 1));
    EXPECT_EQ(stranger.hear(), DialVerdict::Again);
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), kWait);
  Stranger later(world, (*name)->qualifier());
  later.make_link();
}

// A process needs a descriptor to ask the kernel whether an address is of this host.
// Rules: tcp.R11
TEST(HandshakeWithoutDescriptors, AnAddressThatCannotBeLookedUpHasTheDiallerWait) {
  World world;
  const Adapter adapter(world, "127.0.0.1");
  const auto name = adapter.fabric->publish_any();
  ASSERT_TRUE(name.has_value());
  const std::size_t before = world.reactor.size();
  Stranger stranger(world, (*name)->qualifier());
  ASSERT_TRUE(world.run_until([&] { return world.reactor.size() > before; }));
  testing::internal::CaptureStderr();
  {
    const NoDescriptors none;
    stranger.say_hello(kHandshakeVersion, "198.51.100.7");
    EXPECT_EQ(stranger.hear(), DialVerdict::Again);
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), kWait);
}

// Rules: tcp.R11
TEST(HandshakeWithoutDescriptors, WhoDialsNamesTheLimitAndDialsAgain) {
  constexpr ConnQual kQualifier = 70123;
  World world;
  Adapter adapter(world, "127.0.0.1");
  StrangeListener listener(world, kQualifier);
  Dialled dialled;
  start_dial(adapter, "127.0.0.1", kQualifier, dialled);
  const UniqueFd dialler = listener.accept();
  listener.answer(dialler, DialVerdict::Fresh);
  ASSERT_EQ(listener.hear(dialler), MessageKind::Offer);
  testing::internal::CaptureStderr();
  {
    const NoDescriptors none;
    listener.say_ready(dialler, DialVerdict::Fresh, std::span(&kPassed, 1));
    EXPECT_EQ(listener.hear(dialler), std::nullopt);
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), kWait);
  EXPECT_FALSE(dialled.over());
  listener.accept();
}

} // namespace
} // namespace datum::test

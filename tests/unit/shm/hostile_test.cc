// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// ShmFabric and peers that break the rules: they lose their own link, or never get one.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "tests/unit/shm/child.h"
#include "tests/unit/shm/stranger.h"
#include "transport/host/diagnostics.h"
#include "transport/shm/sealed_memory.h"

namespace datum::test {
namespace {

class Hostile : public testing::Test {
 protected:
  static ShmOptions impatient() {
    ShmOptions options;
    options.half_open_limit = 50 * kMillisecond;
    options.max_half_open = 8;
    options.max_links = 3;
    return options;
  }
  void expect_served() {
    Adapter honest(world, "127.0.0.1");
    Dialled dialled;
    dial_now(world, honest, "127.0.0.1", name->qualifier(), dialled);
    EXPECT_NE(dialled.port, nullptr);
    dialled.dial.reset();
  }
  World world;
  Adapter a{world, "127.0.0.1", impatient()};
  std::unique_ptr<PublishedName> name = publish_any(a);
};

TEST_F(Hostile, GarbageInsteadOfAHelloIsHungUpOn) {
  Stranger stranger(world, name->qualifier());
  const std::byte garbage[40] = {};
  stranger.say(garbage);
  EXPECT_EQ(stranger.hear(), std::nullopt);
  EXPECT_EQ(a.fabric->half_open(), 0U);
  expect_served();
}

TEST_F(Hostile, AnOverlongMessageIsHungUpOn) {
  Stranger stranger(world, name->qualifier());
  const std::vector<std::byte> garbage(5000, std::byte{0x44});
  stranger.say(garbage);
  EXPECT_EQ(stranger.hear(), std::nullopt);
}

TEST_F(Hostile, ASilentDiallerIsHungUpOnAfterTheLimit) {
  Stranger stranger(world, name->qualifier());
  EXPECT_EQ(stranger.hear(), std::nullopt);
  EXPECT_EQ(a.fabric->half_open(), 0U);
}

TEST_F(Hostile, SilenceAfterTheHelloIsHungUpOn) {
  Stranger stranger(world, name->qualifier());
  stranger.say_hello();
  EXPECT_EQ(stranger.hear(), DialVerdict::Fresh);
  EXPECT_EQ(stranger.hear(), std::nullopt);
  EXPECT_EQ(a.fabric->half_open(), 0U);
}

TEST_F(Hostile, MoreSilentDiallersThanAllowedOnlyWait) {
  std::vector<std::unique_ptr<Stranger>> strangers;
  for (int i = 0; i < 20; ++i)
    strangers.push_back(std::make_unique<Stranger>(world, name->qualifier()));
  world.turn();
  EXPECT_EQ(a.fabric->half_open(), 8U);
  expect_served();
}

// Connects as another user. The kernel keeps that user for the connection.
std::unique_ptr<Stranger> stranger_of(uid_t user, World& world, ConnQual qualifier) {
  EXPECT_EQ(::seteuid(user), 0);
  auto stranger = std::make_unique<Stranger>(world, qualifier);
  EXPECT_EQ(::seteuid(0), 0);
  return stranger;
}

TEST_F(Hostile, SilentDiallersOfAnotherUserLeaveRoomForTheRest) {
  if (::geteuid() != 0) GTEST_SKIP() << "becoming another user needs root";
  std::vector<std::unique_ptr<Stranger>> strangers;
  for (int i = 0; i < 20; ++i) strangers.push_back(stranger_of(65534, world, name->qualifier()));
  world.turn();
  EXPECT_EQ(a.fabric->half_open(), 2U) << "a quarter of 8";
  EXPECT_EQ(strangers[19]->hear(), DialVerdict::Again);
  for (uid_t user = 60001; user < 60010; ++user)
    strangers.push_back(stranger_of(user, world, name->qualifier()));
  world.turn();
  EXPECT_EQ(a.fabric->half_open(), 6U) << "three quarters of 8";
  expect_served();
}

TEST_F(Hostile, AnotherVersionIsToldOurs) {
  Stranger stranger(world, name->qualifier());
  stranger.say_hello(2);
  EXPECT_EQ(stranger.hear(), DialVerdict::WrongVersion);
  EXPECT_EQ(stranger.hear(), std::nullopt);
}

TEST_F(Hostile, AnAddressOfAnotherHostIsHungUpOn) {
  Stranger stranger(world, name->qualifier());
  stranger.say_hello(kHandshakeVersion, "192.0.2.1");
  EXPECT_EQ(stranger.hear(), std::nullopt);
}

TEST_F(Hostile, AnIdThatAnotherProcessRepeatsIsAnotherPeer) {
  Stranger first(world, name->qualifier());
  first.make_link();
  ASSERT_EQ(a.links.size(), 1U);
  const ConnQual qualifier = name->qualifier();
  Child thief([qualifier](Numbers& numbers) {
    World own;
    Stranger stranger(own, qualifier);
    stranger.say_hello();
    const auto verdict = stranger.hear();
    numbers.put(verdict ? 100 + static_cast<std::uint64_t>(*verdict) : 1);
  });
  ASSERT_TRUE(world.run_until([&] {
    pollfd answer{thief.numbers().read_fd(), POLLIN, 0};
    return ::poll(&answer, 1, 0) == 1;
  }));
  EXPECT_EQ(thief.numbers().get(), 100U); // Fresh: the thief does not get the other's link
}

TEST_F(Hostile, ACondemnedLinkIsNotGivenAgain) {
  Stranger first(world, name->qualifier());
  first.make_link();
  ASSERT_EQ(a.links.size(), 1U);
  Stranger second(world, name->qualifier());
  world.turn();
  second.say_hello();
  a.links[0]->condemn("a test said so");
  EXPECT_EQ(second.hear(), DialVerdict::Fresh);
}

TEST_F(Hostile, AnOfferToAPeerThatHasALinkByNowIsToldSo) {
  Stranger late(world, name->qualifier());
  late.say_hello();
  EXPECT_EQ(late.hear(), DialVerdict::Fresh);
  Stranger first(world, name->qualifier());
  first.make_link();
  const SealedMemory memory = make_segment();
  const int fd = memory.file.get();
  late.say_offer(std::span(&fd, 1));
  EXPECT_EQ(late.hear(), DialVerdict::Existing);
  EXPECT_EQ(a.links.size(), 1U);
}

TEST_F(Hostile, AnOfferWithoutASegmentIsHungUpOn) {
  Stranger stranger(world, name->qualifier());
  stranger.say_hello();
  EXPECT_EQ(stranger.hear(), DialVerdict::Fresh);
  stranger.say_offer({});
  EXPECT_EQ(stranger.hear(), std::nullopt);
  EXPECT_TRUE(a.links.empty());
}

// What is wrong with a file that is otherwise a segment.
enum class Flaw { NoSeals, TooShort, TooLong, NotAMemfd, WrongMagic, WrongVersion, ReadOnly };

UniqueFd flawed(Flaw flaw) {
  if (flaw == Flaw::NotAMemfd) return UniqueFd(::open("/dev/zero", O_RDWR | O_CLOEXEC));
  std::size_t size = sizeof(LinkSegment);
  if (flaw == Flaw::TooShort) size -= 1;
  if (flaw == Flaw::TooLong) size += 1;
  SealedMemory memory = flaw == Flaw::NoSeals ? make_sealable_memory("flawed", size)
                                              : make_sealed_memory("flawed", size);
  if (flaw != Flaw::WrongMagic) {
    segment_in(memory.mapping).magic = 0x44544c4b;
    segment_in(memory.mapping).version = flaw == Flaw::WrongVersion ? 3 : 4;
    segment_in(memory.mapping).ring_slots = 1024;
    segment_in(memory.mapping).room_lines = 2048;
  }
  if (flaw == Flaw::ReadOnly) {
    const std::string path = "/proc/self/fd/" + std::to_string(memory.file.get());
    return UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  }
  return std::move(memory.file);
}

class HostileSegment : public Hostile, public testing::WithParamInterface<Flaw> {};

TEST_P(HostileSegment, IsRefused) {
  Stranger stranger(world, name->qualifier());
  stranger.say_hello();
  EXPECT_EQ(stranger.hear(), DialVerdict::Fresh);
  const UniqueFd file = flawed(GetParam());
  const int fd = file.get();
  stranger.say_offer(std::span(&fd, 1));
  EXPECT_EQ(stranger.hear(), std::nullopt);
  EXPECT_TRUE(a.links.empty());
}

INSTANTIATE_TEST_SUITE_P(Flaws, HostileSegment,
                         testing::Values(Flaw::NoSeals, Flaw::TooShort, Flaw::TooLong,
                                         Flaw::NotAMemfd, Flaw::WrongMagic, Flaw::WrongVersion,
                                         Flaw::ReadOnly));

TEST_F(Hostile, ASoundSegmentOfAStrangerIsALink) {
  Stranger stranger(world, name->qualifier());
  stranger.make_link();
  EXPECT_EQ(a.links.size(), 1U);
}

class TooManyDescriptors : public Hostile, public testing::WithParamInterface<std::size_t> {};

TEST_P(TooManyDescriptors, MakeNoLink) {
  Stranger stranger(world, name->qualifier());
  stranger.say_hello();
  EXPECT_EQ(stranger.hear(), DialVerdict::Fresh);
  const SealedMemory memory = make_segment();
  const std::vector<int> fds(GetParam(), memory.file.get());
  std::byte bytes[Agreement::kWireSize];
  Agreement offer;
  offer.preamble.kind = MessageKind::Offer;
  encode(offer, bytes);
  iovec piece{bytes, sizeof bytes};
  std::vector<std::byte> control(CMSG_SPACE(GetParam() * sizeof(int)));
  msghdr header{};
  header.msg_iov = &piece;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  cmsghdr* part = CMSG_FIRSTHDR(&header);
  part->cmsg_level = SOL_SOCKET;
  part->cmsg_type = SCM_RIGHTS;
  part->cmsg_len = CMSG_LEN(GetParam() * sizeof(int));
  std::memcpy(CMSG_DATA(part), fds.data(), GetParam() * sizeof(int));
  ASSERT_EQ(::sendmsg(stranger.socket(), &header, 0), static_cast<ssize_t>(sizeof bytes));
  EXPECT_EQ(stranger.hear(), std::nullopt);
  EXPECT_TRUE(a.links.empty());
}

INSTANTIATE_TEST_SUITE_P(AnOfferPassesTwo, TooManyDescriptors, testing::Values(3U, 200U));

TEST_F(Hostile, SomethingThatIsNotADoorbellEndsTheLink) {
  Adapter b(world, "127.0.0.1");
  Stranger stranger(world, name->qualifier());
  stranger.make_link();
  const std::byte garbage[2] = {std::byte{1}, std::byte{1}};
  stranger.say(garbage);
  ASSERT_TRUE(world.run_until([&] { return a.lost == 1; }));
}

TEST_F(Hostile, DescriptorsThatComeWithADoorbellAreClosed) {
  Stranger stranger(world, name->qualifier());
  stranger.make_link();
  const std::byte doorbell[1] = {std::byte{1}};
  const int fd = stranger.socket();
  stranger.say(doorbell, std::span(&fd, 1));
  ASSERT_TRUE(world.run_until([&] { return a.doorbells[a.links[0]] == 1; }));
}

TEST_F(Hostile, MoreLinksThanAllowedAreRefused) {
  std::vector<std::unique_ptr<Adapter>> peers;
  for (int i = 0; i < 4; ++i) {
    peers.push_back(std::make_unique<Adapter>(world, "127.0.0.1"));
    Dialled dialled;
    dial_now(world, *peers.back(), "127.0.0.1", name->qualifier(), dialled);
    if (i < 3)
      EXPECT_NE(dialled.port, nullptr) << i;
    else
      EXPECT_EQ(dialled.failure, DialFailure::Unreachable);
    dialled.dial.reset();
  }
  peers.erase(peers.begin());
  ASSERT_TRUE(world.run_until([&] { return a.lost == 1; }));
  expect_served();
}

// While a NoDescriptors exists, this process can open no descriptor.
class NoDescriptors {
 public:
  NoDescriptors() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit none{3, before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

TEST_F(Hostile, WithoutDescriptorsTheListenerRestsAndThenGoesOn) {
  Stranger stranger(world, name->qualifier());
  {
    const NoDescriptors none;
    for (int i = 0; i < 5; ++i) world.turn(0);
    EXPECT_EQ(a.fabric->half_open(), 0U);
    // The listener rests. The dialler in the queue does not wake it before its timer.
    EXPECT_NE(world.timers.next(), kNever);
  }
  stranger.say_hello();
  EXPECT_EQ(stranger.hear(), DialVerdict::Fresh);
}

TEST_F(Hostile, WithoutDescriptorsADialWaits) {
  Adapter b(world, "127.0.0.1");
  Dialled dialled;
  start_dial(b, "127.0.0.1", name->qualifier(), dialled);
  testing::internal::CaptureStderr();
  {
    const NoDescriptors none;
    for (int i = 0; i < 5; ++i) world.turn(1);
    EXPECT_FALSE(dialled.over());
  }
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(said, "datum warn: same-host connections wait: Too many open files; this process may "
                  "have 3 (`ulimit -n`), which is its RLIMIT_NOFILE\n");
  ASSERT_TRUE(world.run_until([&] { return dialled.over(); }));
  EXPECT_NE(dialled.port, nullptr);
}

TEST(Diagnostics, WithoutDescriptorsItIsSaidWhatIsShort) {
  const NoDescriptors none;
  const auto socket = open_diagnostics();
  ASSERT_FALSE(socket.has_value());
  EXPECT_EQ(socket.error(), EMFILE);
}

// The listener was never added to the reactor, so it must not be removed either. A removal would
// fail in PollReactor::remove().
TEST_F(Hostile, WithoutWatchesNothingIsPublished) {
  world.reactor.full = true;
  const auto other = a.fabric->publish_any();
  ASSERT_FALSE(other.has_value());
  EXPECT_EQ(other.error().type(), Type::InsufficientResources);
}

TEST_F(Hostile, WithoutWatchesADiallerIsHungUpOn) {
  Stranger stranger(world, name->qualifier());
  world.reactor.full = true;
  EXPECT_EQ(stranger.hear(), std::nullopt);
  EXPECT_EQ(a.fabric->half_open(), 0U);
  world.reactor.full = false;
  expect_served();
}

TEST_F(Hostile, WithoutWatchesAnOfferMakesNoLink) {
  Stranger stranger(world, name->qualifier());
  stranger.say_hello();
  EXPECT_EQ(stranger.hear(), DialVerdict::Fresh);
  world.reactor.full = true;
  const SealedMemory memory = make_segment();
  const int fd = memory.file.get();
  stranger.say_offer(std::span(&fd, 1));
  EXPECT_EQ(stranger.hear(), std::nullopt);
  EXPECT_TRUE(a.links.empty());
  world.reactor.full = false;
  expect_served();
}

// Both files have the same size and the same seals. Only their pages differ.
TEST(SealedMemory, InHugePagesIsNotTakenForSafe) {
  constexpr std::size_t kSize = std::size_t{2} << 20U;
  constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
  const UniqueFd huge(::memfd_create("huge", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_HUGETLB));
  if (!huge || ::ftruncate(huge.get(), kSize) != 0) GTEST_SKIP() << "no hugetlbfs here";
  ASSERT_EQ(::fcntl(huge.get(), F_ADD_SEALS, kSeals), 0);
  EXPECT_FALSE(is_sealed_memory(huge.get(), kSize));
  const UniqueFd usual(::memfd_create("usual", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(::ftruncate(usual.get(), kSize), 0);
  ASSERT_EQ(::fcntl(usual.get(), F_ADD_SEALS, kSeals), 0);
  EXPECT_TRUE(is_sealed_memory(usual.get(), kSize));
}

} // namespace
} // namespace datum::test

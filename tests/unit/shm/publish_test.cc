// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// ShmFabric::publish() and find_rendezvous(): which process owns a qualifier. Conflicts,
// privileges, and squatters.
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/un.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <set>

#include "tests/process/port_probe.h"
#include "tests/unit/shm/child.h"
#include "tests/unit/shm/test_world.h"
#include "transport/host/abstract_name.h"
#include "transport/host/name_holder.h"
#include "transport/host/qualifier_claim.h"
#include "transport/host/same_user.h"
#include "transport/shm/known_holders.h"
#include "transport/shm/port_claim.h"
#include "transport/shm/rendezvous.h"

namespace datum::test {
namespace {

class Publish : public testing::Test {
 protected:
  static ShmOptions every_address() {
    ShmOptions options;
    options.every_address = true;
    return options;
  }
  ConnQual large = (ConnQual{1} << 41U) + static_cast<ConnQual>(::getpid());
  World world;
  Adapter a{world, "127.0.0.1"};
  Adapter b{world, "127.0.0.1"};
  Adapter elsewhere{world, "127.0.0.2"};
  Adapter wildcard{world, "127.0.0.1", every_address()};
};

void expect_in_use(Adapter& adapter, ConnQual qualifier) {
  const auto name = adapter.fabric->publish(qualifier);
  ASSERT_FALSE(name.has_value());
  EXPECT_EQ(name.error().type(), Type::ConnQualInUse);
}

TEST_F(Publish, AQualifierHasOneOwnerPerAddress) {
  const auto name = publish_any(a);
  expect_in_use(a, name->qualifier());
  expect_in_use(b, name->qualifier());
  EXPECT_TRUE(elsewhere.fabric->publish(name->qualifier()).has_value());
}

TEST_F(Publish, AFreedQualifierCanBeTakenAgain) {
  auto name = publish_any(a);
  const ConnQual qualifier = name->qualifier();
  name.reset();
  EXPECT_TRUE(b.fabric->publish(qualifier).has_value());
}

TEST_F(Publish, AFreedQualifierCanBeTakenWhileItsLinksLive) {
  auto name = a.fabric->publish(large);
  ASSERT_TRUE(name.has_value());
  Dialled dialled;
  dial_now(world, b, "127.0.0.1", large, dialled);
  ASSERT_NE(dialled.port, nullptr);
  name->reset();
  EXPECT_TRUE(wildcard.fabric->publish(large).has_value());
  EXPECT_EQ(a.lost, 0);
}

// Rules: CONN.26
TEST_F(Publish, AWildcardAndAnAddressConflictEitherWay) {
  const auto specific = publish_any(a);
  expect_in_use(wildcard, specific->qualifier());
  const auto every = publish_any(wildcard);
  expect_in_use(a, every->qualifier());
  expect_in_use(elsewhere, every->qualifier());
}

TEST_F(Publish, LargeQualifiersConflictByName) {
  const auto specific = a.fabric->publish(large);
  ASSERT_TRUE(specific.has_value());
  expect_in_use(b, large);
  expect_in_use(wildcard, large);
  const auto every = wildcard.fabric->publish(large + 1000000);
  ASSERT_TRUE(every.has_value());
  expect_in_use(elsewhere, large + 1000000);
}

TEST_F(Publish, APortOfAForeignProgramIsInUse) {
  auto foreign = PortClaim::take(read_address(address_of("127.0.0.1")), 0);
  ASSERT_TRUE(foreign.has_value());
  expect_in_use(a, foreign->port());
  expect_in_use(wildcard, foreign->port());
}

// A server that ended its connections first leaves them in TIME_WAIT on its port.
TEST_F(Publish, APortWithLingeringConnectionsIsFree) {
  sockaddr_storage address{};
  const socklen_t length = to_sockaddr(*read_address(address_of("127.0.0.1")), 0, address);
  auto* name = reinterpret_cast<sockaddr*>(&address);
  UniqueFd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1; // servers set this option, and the lingering connections inherit it
  ::setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  ASSERT_EQ(::bind(listener.get(), name, length), 0);
  ASSERT_EQ(::listen(listener.get(), 1), 0);
  socklen_t bound = sizeof address;
  ASSERT_EQ(::getsockname(listener.get(), name, &bound), 0);
  UniqueFd client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::connect(client.get(), name, bound), 0);
  UniqueFd server(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
  server.reset();
  client.reset();
  listener.reset();
  const auto port = ntohs(reinterpret_cast<const sockaddr_in*>(&address)->sin_port);
  EXPECT_TRUE(a.fabric->publish(port).has_value());
}

TEST_F(Publish, QualifierZeroDoesNotExist) {
  const auto name = a.fabric->publish(0);
  ASSERT_FALSE(name.has_value());
  EXPECT_EQ(name.error().type(), Type::InvalidParameter);
}

TEST_F(Publish, AnyQualifierFitsSixteenBitsAndIsNotPrivileged) {
  std::vector<std::unique_ptr<PublishedName>> names;
  for (int i = 0; i < 50; ++i) {
    names.push_back(publish_any(a));
    EXPECT_GE(names.back()->qualifier(), 1024U);
    EXPECT_LE(names.back()->qualifier(), 65535U);
  }
}

TEST_F(Publish, AnyQualifierIsSoughtInTheRangeUntilNoneIsFree) {
  ShmOptions options;
  const std::uint16_t low = free_ports(8);
  options.any_ports = PortRange{low, static_cast<std::uint16_t>(low + 7)};
  Adapter limited{world, "127.0.0.1", options};
  std::vector<std::unique_ptr<PublishedName>> names;
  std::set<ConnQual> qualifiers;
  for (int i = 0; i < 8; ++i) {
    names.push_back(publish_any(limited));
    ASSERT_NE(names.back(), nullptr);
    qualifiers.insert(names.back()->qualifier());
  }
  EXPECT_EQ(qualifiers.size(), 8U);
  EXPECT_EQ(*qualifiers.begin(), low);
  EXPECT_EQ(*qualifiers.rbegin(), low + 7U);
  const auto ninth = limited.fabric->publish_any();
  ASSERT_FALSE(ninth.has_value());
  EXPECT_EQ(ninth.error().type(), Type::ConnQualInUse);
}

// What a child reports. 0: the child ended before it could publish.
enum Outcome : std::uint64_t { kPublished = 1, kFailed = 2 };

TEST_F(Publish, APrivilegedPortIsPublishedOnThisHostOnly) {
  Child child([](Numbers& numbers) {
    if (::geteuid() == 0 && ::setresuid(kNobody, kNobody, kNobody) != 0) return;
    World own;
    Adapter adapter(own, "127.0.0.77");
    const auto name = adapter.fabric->publish(999);
    numbers.put(name ? kPublished : kFailed);
    for (;;) own.turn();
  });
  ASSERT_EQ(child.numbers().get(), kPublished);
  Dialled dialled;
  dial_now(world, a, "127.0.0.77", 999, dialled);
  EXPECT_NE(dialled.port, nullptr);
  expect_in_use(*std::make_unique<Adapter>(world, "127.0.0.77"), 999);
}

// Takes the name of a rendezvous that is due to another process. Reports 1 if the first dialler
// hangs up without a word, and 2 if that dialler sends something. With 0 places it accepts no
// dialler, so one dialler waits in the queue for ever.
void squat(Numbers& numbers, const std::string& name, int places = 8) {
  if (::setresuid(kNobody, kNobody, kNobody) != 0) return;
  const int socket = ::socket(AF_UNIX, SOCK_SEQPACKET, 0);
  sockaddr_un address;
  const socklen_t length = to_sockaddr(name, address);
  const bool bound = ::bind(socket, reinterpret_cast<sockaddr*>(&address), length) == 0 &&
                     ::listen(socket, places) == 0;
  numbers.put(bound ? kPublished : kFailed);
  while (places == 0) ::pause();
  const int dialler = ::accept(socket, nullptr, nullptr);
  char byte = 0;
  // A dialler that recognises the squatter hangs up without a word.
  numbers.put(::recv(dialler, &byte, 1, 0) <= 0 ? 1 : 2);
  for (;;) ::pause();
}

// Rules: PROTECT.8
TEST_F(Publish, ASquatterOfAnotherUserIsToldNothing) {
  if (::geteuid() != 0) GTEST_SKIP() << "becoming another user needs root";
  auto port = PortClaim::take(read_address(address_of("127.0.0.1")), 0);
  ASSERT_TRUE(port.has_value());
  const std::string name = rendezvous_name(read_address(address_of("127.0.0.1")), port->port());
  Child squatter([&](Numbers& numbers) { squat(numbers, name); });
  ASSERT_EQ(squatter.numbers().get(), kPublished);
  Dialled dialled;
  dial_now(world, a, "127.0.0.1", port->port(), dialled);
  EXPECT_EQ(dialled.failure, DialFailure::Refused);
  EXPECT_EQ(squatter.numbers().get(), 1U);
}

// Enters a new user namespace. Of the users of the outer namespace it knows those in `known`, or
// none.
bool leave_users_behind(const char* known = nullptr) {
  if (::unshare(CLONE_NEWUSER) != 0) return false;
  if (known == nullptr) return true;
  const UniqueFd map(::open("/proc/self/uid_map", O_WRONLY | O_CLOEXEC));
  const auto length = std::strlen(known);
  return ::write(map.get(), known, length) == static_cast<ssize_t>(length);
}

enum InNamespace : std::uint64_t { kNoNamespace = 10, kFindings = 11 };

// In the new user namespace the owner of the port and the squatter have the same user number.
// Rules: PROTECT.8
TEST_F(Publish, ASquatterIsToldNothingWhereNobodyKnowsTheUsers) {
  if (::geteuid() != 0) GTEST_SKIP() << "becoming other users needs root";
  const HostAddress host = *read_address(address_of("127.0.0.1"));
  Child owner([&](Numbers& numbers) {
    if (::setresuid(kNobody - 1, kNobody - 1, kNobody - 1) != 0) return;
    const auto port = PortClaim::take(host, 0);
    numbers.put(port ? port->port() : 0);
    for (;;) ::pause();
  });
  const ConnQual port = owner.numbers().get();
  ASSERT_NE(port, 0U);
  Child squatter([&](Numbers& numbers) { squat(numbers, rendezvous_name(host, port)); });
  ASSERT_EQ(squatter.numbers().get(), kPublished);
  Child dialler([&](Numbers& numbers) {
    if (!leave_users_behind("0 0 1\n")) return numbers.put(kNoNamespace);
    World own;
    Adapter adapter(own, "127.0.0.1");
    Dialled dialled;
    dial_now(own, adapter, "127.0.0.1", port, dialled);
    numbers.put(dialled.port == nullptr && dialled.failure == DialFailure::Refused ? kFailed
                                                                                   : kPublished);
  });
  const std::uint64_t said = dialler.numbers().get();
  if (said == kNoNamespace) GTEST_SKIP() << "no user namespaces here";
  EXPECT_EQ(said, kFailed);
  EXPECT_EQ(squatter.numbers().get(), 1U);
}

// Rules: PROTECT.8
TEST_F(Publish, WithoutANameForItselfAUserIsNotEvenItsOwnEqual) {
  Child child([](Numbers& numbers) {
    if (!leave_users_behind()) return numbers.put(kNoNamespace);
    const HostAddress host = *read_address(address_of("127.0.0.1"));
    const auto port = PortClaim::take(host, 0);
    const auto name = bind_rendezvous(host, port ? port->port() : 0, true);
    KnownHolders holders;
    GuardedFd found;
    numbers.put(kFindings);
    const Finding finding = find_rendezvous(host, port->port(), holders, 0, found);
    numbers.put(finding.what == Lookup::Unnamed && !found ? kFailed : kPublished);
  });
  if (child.numbers().get() == kNoNamespace) GTEST_SKIP() << "no user namespaces here";
  EXPECT_EQ(child.numbers().get(), kFailed);
}

TEST_F(Publish, WithoutANameForItselfAUserIsToldWhyOnce) {
  Child child([](Numbers& numbers) {
    if (!leave_users_behind()) return numbers.put(kNoNamespace);
    const HostAddress host = *read_address(address_of("127.0.0.1"));
    const auto port = PortClaim::take(host, 0);
    const auto name = bind_rendezvous(host, port ? port->port() : 0, true);
    World own;
    Adapter adapter(own, "127.0.0.1");
    numbers.put(kFindings);
    testing::internal::CaptureStderr();
    for (int i = 0; i < 2; ++i) {
      Dialled dialled;
      dial_now(own, adapter, "127.0.0.1", port->port(), dialled);
    }
    const bool once =
        testing::internal::GetCapturedStderr() ==
        "datum warn: same-host connections are refused: this user namespace does not know the "
        "users of the processes there, so anybody's would look alike (DATUM_TRANSPORT=auto goes on "
        "over TCP)\n";
    numbers.put(once ? kPublished : kFailed);
  });
  if (child.numbers().get() == kNoNamespace) GTEST_SKIP() << "no user namespaces here";
  EXPECT_EQ(child.numbers().get(), kPublished);
}

// Rules: PROTECT.8
TEST(SameUser, ANamespaceThatMapsLessThanAllDoesNotKnowEveryUser) {
  EXPECT_TRUE(maps_every_user("         0          0 4294967295\n"));
  EXPECT_TRUE(maps_every_user("0 100000 65536\n65536 165536 4294901759\n"));
  EXPECT_FALSE(maps_every_user("0 1000 1\n1 100000 65536\n")) << "a rootless container";
  EXPECT_FALSE(maps_every_user(""));
}

// Rules: PROTECT.8
TEST(SameUser, ANumberThatStandsForOneUserIsThatUser) {
  EXPECT_TRUE(is_same_user(1000, 1000).value());
  EXPECT_FALSE(is_same_user(1000, 1001).value());
}

// The number that stands for unknown users is the same in the whole system, and is_same_user() has
// read it already. Each call reads from a file which users this process knows.
// Rules: PROTECT.8
TEST(SameUser, OnlyANumberThatMayStandForSeveralUsersIsAskedAbout) {
  Child child([](Numbers& numbers) {
    const bool before = is_same_user(1000, 1000).value_or(false);
    const rlimit none{0, 0};
    const bool set = ::setrlimit(RLIMIT_NOFILE, &none) == 0;
    const bool without = is_same_user(1000, 1000).value_or(false);
    const auto unknown = is_same_user(kNobody, kNobody);
    numbers.put(before && set ? kPublished : kFailed);
    numbers.put(without ? kPublished : kFailed);
    numbers.put(!unknown && unknown.error() == EMFILE ? kPublished : kFailed);
  });
  Numbers numbers = child.numbers();
  EXPECT_EQ(numbers.get(), kPublished);
  EXPECT_EQ(numbers.get(), kPublished);
  EXPECT_EQ(numbers.get(), kPublished) << "a lack of descriptors tells nothing";
}

// A name whose holder accepts no connection, and whose queue is full.
struct FullQueue {
  explicit FullQueue(ConnQual qualifier) {
    const auto host = read_address(address_of("127.0.0.1"));
    const bool waits = take_name(socket.get(), rendezvous_name(host, qualifier)) == 0 &&
                       ::listen(socket.get(), 0) == 0;
    for (GuardedFd& each : waiting) last = connect_rendezvous(host, qualifier, each);
    if (!waits) last = ENOENT;
  }
  UniqueFd socket{::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)};
  std::array<GuardedFd, 2> waiting;
  int last = 0;
};

// Dials while a process keeps the queue of the address's own name full.
void dial_beside_full_queue(World& world, Adapter& from, ConnQual qualifier, Dialled& dialled) {
  const FullQueue full(qualifier);
  ASSERT_EQ(full.last, EAGAIN);
  dial_now(world, from, "127.0.0.1", qualifier, dialled);
}

TEST_F(Publish, ASquatterWhoseQueueIsFullHoldsNobodyUp) {
  const ConnQual port = publish_any(a)->qualifier(); // it is free again
  Dialled dialled;
  ASSERT_NO_FATAL_FAILURE(dial_beside_full_queue(world, b, port, dialled));
  EXPECT_EQ(dialled.failure, DialFailure::Refused);
}

TEST_F(Publish, ASquatterBesideEveryAddressWhoseQueueIsFullKeepsNobodyFromIt) {
  const auto service = publish_any(wildcard);
  Dialled dialled;
  ASSERT_NO_FATAL_FAILURE(dial_beside_full_queue(world, a, service->qualifier(), dialled));
  EXPECT_NE(dialled.port, nullptr);
}

// Fills the queue of a rendezvous, and then looks the rendezvous up.
Finding find_beside_full_queue(ConnQual qualifier) {
  KnownHolders holders;
  const HostAddress host = *read_address(address_of("127.0.0.1"));
  std::array<GuardedFd, 2> waiting;
  for (GuardedFd& each : waiting) connect_rendezvous(host, qualifier, each);
  GuardedFd found;
  return find_rendezvous(host, qualifier, holders, 0, found);
}

// The lookup does not wait for a squatter of another user, since the owner of the port can be
// reached over TCP.
TEST_F(Publish, ASquatterOfAnotherUserWhoseQueueIsFullHoldsNobodyUp) {
  if (::geteuid() != 0) GTEST_SKIP() << "becoming another user needs root";
  auto port = PortClaim::take(read_address(address_of("127.0.0.1")), 0);
  ASSERT_TRUE(port.has_value());
  const std::string name = rendezvous_name(read_address(address_of("127.0.0.1")), port->port());
  Child squatter([&](Numbers& numbers) { squat(numbers, name, 0); });
  ASSERT_EQ(squatter.numbers().get(), kPublished);
  EXPECT_EQ(find_beside_full_queue(port->port()).what, Lookup::Stranger);
}

TEST_F(Publish, TheOwnerOfThePortWhoseQueueIsFullIsWaitedFor) {
  auto port = PortClaim::take(read_address(address_of("127.0.0.1")), 0);
  ASSERT_TRUE(port.has_value());
  const FullQueue full(port->port());
  ASSERT_EQ(full.last, EAGAIN);
  EXPECT_EQ(find_beside_full_queue(port->port()).what, Lookup::Busy);
}

// To say which user holds a name, the kernel has to go through all UNIX sockets. So the lookup does
// not ask for the user if no process has the port.
TEST_F(Publish, WhoseAFullQueueIsIsNotAskedWhereNobodyCouldBeRight) {
  const ConnQual port = publish_any(a)->qualifier(); // it is free again
  const HostAddress host = *read_address(address_of("127.0.0.1"));
  KnownHolders holders;
  GuardedFd found;
  {
    const FullQueue squatter(port);
    ASSERT_EQ(squatter.last, EAGAIN);
    EXPECT_EQ(find_rendezvous(host, port, holders, 0, found).what, Lookup::Stranger);
  }
  EXPECT_EQ(holders.find(rendezvous_name(host, port), 0).value(), std::nullopt)
      << "it was asked while the squatter was there";
}

TEST_F(Publish, WhoseANameIsIsAskedOnceInASecond) {
  const std::string name = rendezvous_name(read_address(address_of("127.0.0.1")), large);
  const std::optional<uid_t> us = ::geteuid();
  KnownHolders holders;
  {
    const FullQueue full(large);
    ASSERT_EQ(full.last, EAGAIN);
    if (!user_listening_at(name).value()) GTEST_SKIP() << "this kernel does not tell";
    EXPECT_EQ(holders.find(name, 0).value(), us);
  }
  EXPECT_EQ(holders.find(name, KnownHolders::kBelieved - 1).value(), us);
  EXPECT_EQ(holders.find(name, KnownHolders::kBelieved).value(), std::nullopt);
}

TEST_F(Publish, TheNameAskedForLongestAgoGivesWay) {
  const auto host = read_address(address_of("127.0.0.1"));
  const FullQueue full(large);
  ASSERT_EQ(full.last, EAGAIN);
  const std::string oldest = rendezvous_name(host, large + 1);
  const std::string next = rendezvous_name(host, large);
  KnownHolders holders;
  EXPECT_EQ(holders.find(oldest, 0).value(), std::nullopt);
  const auto known = holders.find(next, 1);
  for (ConnQual i = 1; i < KnownHolders::kMost; ++i)
    EXPECT_EQ(holders.find(rendezvous_name(host, large + 1 + i), 2).value(), std::nullopt);
  const FullQueue late(large + 1);
  EXPECT_EQ(holders.find(oldest, 3).value(), known.value()) << "it is asked for anew";
}

// The names that a service point takes if it listens over TCP alone.
struct TcpAlone {
  TcpAlone(const std::optional<HostAddress>& where, ConnQual qualifier)
      : errors{reserve_rendezvous(where, qualifier, rendezvous),
               claim_qualifier(kMappedNames, where, qualifier, claim)} {}
  GuardedFd rendezvous;
  QualifierClaim claim;
  const std::array<int, 2> errors;
};

TEST_F(Publish, ASquatterOfAnotherUserOnALargeQualifierIsToldNothing) {
  if (::geteuid() != 0) GTEST_SKIP() << "becoming another user needs root";
  const auto address = read_address(address_of("127.0.0.1"));
  for (const bool every : {true, false}) {
    const auto own = every ? std::nullopt : address;
    const auto other = every ? address : std::nullopt;
    const TcpAlone service(own, large);
    ASSERT_EQ(service.errors, (std::array<int, 2>{0, 0}));
    Child refused([&](Numbers& numbers) { squat(numbers, rendezvous_name(own, large)); });
    EXPECT_EQ(refused.numbers().get(), kFailed) << "the service's own name";
    Child squatter([&](Numbers& numbers) { squat(numbers, rendezvous_name(other, large)); });
    ASSERT_EQ(squatter.numbers().get(), kPublished);
    Dialled dialled;
    dial_now(world, a, "127.0.0.1", large, dialled);
    EXPECT_EQ(dialled.failure, DialFailure::Refused);
    EXPECT_EQ(squatter.numbers().get(), 1U);
  }
}

TEST_F(Publish, ASquatterOnALargeQualifierWhoseQueueIsFullHoldsNobodyUp) {
  const TcpAlone service(std::nullopt, large);
  ASSERT_EQ(service.errors, (std::array<int, 2>{0, 0}));
  Dialled dialled;
  ASSERT_NO_FATAL_FAILURE(dial_beside_full_queue(world, b, large, dialled));
  EXPECT_EQ(dialled.failure, DialFailure::Refused);
}

TEST_F(Publish, ASquatterBesideALargeQualifierKeepsNobodyFromIt) {
  if (::geteuid() != 0) GTEST_SKIP() << "becoming another user needs root";
  const auto name = wildcard.fabric->publish(large);
  ASSERT_TRUE(name.has_value());
  const std::string squatted = rendezvous_name(read_address(address_of("127.0.0.1")), large);
  Child squatter([&](Numbers& numbers) { squat(numbers, squatted); });
  ASSERT_EQ(squatter.numbers().get(), kPublished);
  Dialled dialled;
  dial_now(world, a, "127.0.0.1", large, dialled);
  EXPECT_NE(dialled.port, nullptr);
  EXPECT_EQ(squatter.numbers().get(), 1U);
}

// The rendezvous and the claim are of the same user, so the claim does not make the rendezvous a
// squatter.
TEST_F(Publish, AClaimOfNobodyElseDisputesNoName) {
  const auto name = a.fabric->publish(large);
  ASSERT_TRUE(name.has_value());
  GuardedFd claim; // Datum would not take it beside the rendezvous
  ASSERT_EQ(name_qualifier(kMappedNames, std::nullopt, large, claim), 0);
  Dialled dialled;
  dial_now(world, b, "127.0.0.1", large, dialled);
  EXPECT_NE(dialled.port, nullptr);
}

// Rules: CONN.26
TEST_F(Publish, ManyAddressesMayHaveALargeQualifierAndEachExcludesEveryAddress) {
  std::vector<QualifierClaim> claims(kMarks);
  HostAddress host = *read_address(address_of("127.0.1.0"));
  const auto claim_next = [&](QualifierClaim& claim) {
    ++host.bytes[3];
    return claim_qualifier(kSameHostNames, host, large, claim);
  };
  for (QualifierClaim& each : claims) ASSERT_EQ(claim_next(each), 0);
  QualifierClaim more;
  EXPECT_EQ(claim_next(more), EUSERS);
  claims.erase(claims.begin(), claims.end() - 1); // only the last mark stays taken
  expect_in_use(wildcard, large);
  EXPECT_EQ(claim_next(more), 0);
  claims.clear();
  expect_in_use(wildcard, large);
  more = {};
  EXPECT_TRUE(wildcard.fabric->publish(large).has_value());
}

// The name of the rendezvous and all marks are taken. publish() takes the claim first, so it fails
// because of the marks. If publish() bound the rendezvous first, a peer could connect before the
// claim fails.
TEST_F(Publish, WithoutAClaimNoRendezvousIsTried) {
  GuardedFd rendezvous;
  ASSERT_EQ(reserve_rendezvous(read_address(address_of("127.0.0.1")), large, rendezvous), 0);
  std::vector<QualifierClaim> claims(kMarks);
  HostAddress host = *read_address(address_of("127.0.1.0"));
  for (QualifierClaim& each : claims) {
    ++host.bytes[3];
    ASSERT_EQ(claim_qualifier(kSameHostNames, host, large, each), 0);
  }
  const auto name = a.fabric->publish(large);
  ASSERT_FALSE(name.has_value());
  EXPECT_EQ(name.error().type(), Type::InsufficientResources);
}

TEST_F(Publish, WithoutARendezvousNoClaimIsLeft) {
  GuardedFd rendezvous;
  ASSERT_EQ(reserve_rendezvous(read_address(address_of("127.0.0.1")), large, rendezvous), 0);
  expect_in_use(a, large);
  QualifierClaim claim;
  EXPECT_EQ(claim_qualifier(kSameHostNames, std::nullopt, large, claim), 0);
}

// No process reads from the socket of a claim. A datagram that the kernel kept there would stay
// until the service point ends.
TEST_F(Publish, AClaimKeepsNothingThatStrangersSendIt) {
  QualifierClaim claim;
  ASSERT_EQ(claim_qualifier(kMappedNames, std::nullopt, large, claim), 0);
  const UniqueFd stranger(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_un address{};
  const socklen_t length = to_sockaddr(abstract_name(kMappedNames, std::nullopt, large), address);
  const char word[] = "something";
  EXPECT_EQ(::sendto(stranger.get(), word, sizeof word, MSG_NOSIGNAL,
                     reinterpret_cast<const sockaddr*>(&address), length),
            -1);
  EXPECT_EQ(errno, EPIPE);
  EXPECT_TRUE(
      is_claimed_otherwise(read_address(address_of("127.0.0.1")), HostAddress(), large).value());
}

TEST_F(Publish, WhoListensOverTcpAloneExcludesSharedMemory) {
  const TcpAlone service(std::nullopt, large);
  ASSERT_EQ(service.errors, (std::array<int, 2>{0, 0}));
  expect_in_use(a, large);
  expect_in_use(wildcard, large);
  Dialled dialled;
  dial_now(world, b, "127.0.0.1", large, dialled);
  EXPECT_EQ(dialled.failure, DialFailure::NobodyListens);
}

TEST_F(Publish, ARendezvousWithoutItsTcpPortIsASquatter) {
  ConnQual free = 0;
  {
    const auto name = publish_any(a);
    free = name->qualifier();
  }
  // The name without the port, as a squatter would take it.
  const auto socket = bind_rendezvous(read_address(address_of("127.0.0.1")), free, false);
  ASSERT_TRUE(socket.has_value());
  Dialled dialled;
  dial_now(world, b, "127.0.0.1", free, dialled);
  EXPECT_EQ(dialled.failure, DialFailure::Refused);
}

} // namespace
} // namespace datum::test

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// find_qualifier_holder(): which process holds a name that a service point would need for its
// qualifier.
#include <gtest/gtest.h>

#include <sched.h>
#include <sys/un.h>

#include "tests/unit/shm/child.h"
#include "tests/unit/shm/test_world.h"
#include "transport/host/abstract_name.h"
#include "transport/host/qualifier_claim.h"
#include "transport/host/qualifier_holder.h"
#include "transport/shm/rendezvous.h"

namespace datum::test {
namespace {

const std::optional<HostAddress> kEveryAddress;

ConnQual a_port() {
  return 20000 + static_cast<ConnQual>(::getpid()) % 10000;
}

UniqueFd listen_at(const std::string& name) {
  UniqueFd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  EXPECT_EQ(take_name(socket.get(), name), 0);
  EXPECT_EQ(::listen(socket.get(), 8), 0);
  return socket;
}

TEST(QualifierHolder, IsNobodyWhereTheNameIsFree) {
  const auto holder = find_qualifier_holder(kEveryAddress, a_port(), NamesWanted::Rendezvous);
  EXPECT_EQ(holder.value(), std::nullopt);
}

// Rules: PROTECT.10
TEST(QualifierHolder, OfThisUserIsNamedWithItsProcess) {
  const std::string name = rendezvous_name(kEveryAddress, a_port());
  const UniqueFd socket = listen_at(name);
  const auto holder = *find_qualifier_holder(kEveryAddress, a_port(), NamesWanted::Rendezvous);
  ASSERT_TRUE(holder);
  EXPECT_TRUE(holder->is_own_user);
  EXPECT_EQ(holder->user, ::geteuid());
  EXPECT_EQ(holder->process, ::getpid());
  EXPECT_EQ(holder->name, name);
}

// The socket of a link keeps the name of its service point after the service point has ended.
// Rules: PROTECT.10
TEST(QualifierHolder, IsNoLinkOfThisUser) {
  const std::string name = rendezvous_name(kEveryAddress, a_port());
  UniqueFd socket = listen_at(name);
  GuardedFd caller;
  ASSERT_EQ(connect_rendezvous(kEveryAddress, a_port(), caller), 0);
  const UniqueFd link(::accept4(socket.get(), nullptr, nullptr, SOCK_CLOEXEC));
  ASSERT_TRUE(link);
  socket.reset();
  EXPECT_EQ(find_qualifier_holder(kEveryAddress, a_port(), NamesWanted::Rendezvous).value(),
            std::nullopt);
}

// A claim of one address takes a mark. The mark excludes a claim of every address, and nothing
// else.
// Rules: PROTECT.10
TEST(QualifierHolder, OfAnotherAddressIsInTheWayOfEveryAddressAlone) {
  const auto host = read_address(address_of("127.0.0.9"));
  const auto other = read_address(address_of("127.0.0.10"));
  QualifierClaim claim;
  ASSERT_EQ(claim_qualifier(kSameHostNames, host, 777, claim), 0);
  EXPECT_EQ(find_qualifier_holder(other, 777, NamesWanted::All).value(), std::nullopt);
  const auto holder = *find_qualifier_holder(kEveryAddress, 777, NamesWanted::All);
  ASSERT_TRUE(holder);
  EXPECT_TRUE(holder->is_own_user);
  EXPECT_EQ(holder->name, "datum/m/0/777");
}

enum HeldBy : std::uint64_t { kNoUserNamespace = 1, kStrange, kOurs, kNobodyThere };

std::uint64_t outcome_at(ConnQual port) {
  const auto holder = find_qualifier_holder(kEveryAddress, port, NamesWanted::Rendezvous);
  if (!holder || !*holder) return kNobodyThere;
  return (*holder)->is_own_user ? kOurs : kStrange;
}

// In the new user namespace the squatter and the victim have the same user number.
// Rules: PROTECT.10
TEST(QualifierHolder, IsNotTakenForThisUserWhereNobodyKnowsTheUsers) {
  const ConnQual port = a_port();
  Child squatter([&](Numbers& numbers) {
    if (::geteuid() == 0 && ::setresuid(kNobody, kNobody, kNobody) != 0) return;
    const UniqueFd socket = listen_at(rendezvous_name(kEveryAddress, port));
    numbers.put(1);
    for (;;) ::pause();
  });
  ASSERT_EQ(squatter.numbers().get(), 1U);
  Child victim([&](Numbers& numbers) {
    if (::unshare(CLONE_NEWUSER) != 0) return numbers.put(kNoUserNamespace);
    numbers.put(outcome_at(port));
  });
  const std::uint64_t found = victim.numbers().get();
  if (found == kNoUserNamespace) GTEST_SKIP() << "no user namespaces here";
  EXPECT_EQ(found, kStrange);
}

// Rules: PROTECT.11
TEST(HolderLog, TellsEachQualifierOnceInTenSeconds) {
  HolderLog told;
  EXPECT_TRUE(told.may_tell(80000, kSecond));
  EXPECT_TRUE(told.may_tell(80001, kSecond));
  EXPECT_FALSE(told.may_tell(80000, 11 * kSecond - 1));
  EXPECT_TRUE(told.may_tell(80000, 11 * kSecond));
  EXPECT_FALSE(told.may_tell(80000, 12 * kSecond));
}

TEST(HolderLog, RemembersSixtyFourQualifiers) {
  HolderLog told;
  for (ConnQual i = 0; i < 65; ++i) EXPECT_TRUE(told.may_tell(80000 + i, kSecond));
  EXPECT_FALSE(told.may_tell(80001, kSecond));
  EXPECT_TRUE(told.may_tell(80000, kSecond)) << "the one told first is forgotten";
}

} // namespace
} // namespace datum::test

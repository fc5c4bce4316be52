// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/registry/open_test.cc: dat_ia_openv and dat_ia_close through libdat, with stub providers.
#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "libdat_fixture.h"

// Rules: dat_provider_init.R1
TEST(Open, FirstOpenInitialisesAndLastCloseFinishes) {
  const OpenResult first = open_ia("plain");
  ASSERT_EQ(first.ret, 0U);
  EXPECT_EQ(stub().inits, 1);
  EXPECT_STREQ(stub().opened_name, "plain");
  EXPECT_EQ(stub().opened_qlen, 5);
  const OpenResult second = open_ia("plain");
  ASSERT_EQ(second.ret, 0U);
  EXPECT_NE(first.ia, second.ia);
  EXPECT_EQ(stub().inits, 1);
  EXPECT_EQ(close_ia(first.ia), 0U);
  EXPECT_EQ(stub().finis, 0);
  EXPECT_EQ(close_ia(second.ia), 0U);
  EXPECT_EQ(stub().finis, 1);
}

TEST(Open, ReopeningAfterFiniInitialisesAgain) {
  ASSERT_EQ(close_ia(open_ia("plain").ia), 0U);
  const OpenResult again = open_ia("plain");
  EXPECT_EQ(again.ret, 0U);
  EXPECT_EQ(stub().inits, 2);
  EXPECT_EQ(close_ia(again.ia), 0U);
  EXPECT_EQ(stub().finis, 2);
}

TEST(Open, HandleIsASmallIntegerAndTheObjectIsAcceptedToo) {
  const OpenResult opened = open_ia("plain");
  ASSERT_EQ(opened.ret, 0U);
  EXPECT_LT(reinterpret_cast<std::uintptr_t>(opened.ia), 4096U);
  DAT_IA_HANDLE object = DAT_HANDLE_NULL;
  ASSERT_EQ(dats_get_ia_handle(opened.ia, &object), 0U);
  DAT_IA_HANDLE handle = DAT_HANDLE_NULL;
  ASSERT_EQ(dats_get_ia_handle(object, &handle), 0U);
  EXPECT_EQ(handle, opened.ia);
  EXPECT_EQ(close_ia(object), 0U);
  EXPECT_EQ(close_ia(opened.ia), 0x8005000bU);
  EXPECT_EQ(dats_get_ia_handle(opened.ia, &object), 0x8005000bU);
  EXPECT_EQ(dats_get_ia_handle(opened.ia, nullptr), 0x80060025U);
}

TEST(Open, ProviderGetsItsHandleDuringClose) {
  ASSERT_EQ(close_ia(open_ia("plain").ia), 0U);
  EXPECT_EQ(stub().ia_handle_answer, 0U);
}

TEST(Open, CloseThatTheProviderRefusesKeepsTheIaOpen) {
  const OpenResult opened = open_ia("plain");
  EXPECT_EQ(dat_ia_close(opened.ia, DAT_CLOSE_GRACEFUL_FLAG), 0x8007004fU);
  EXPECT_EQ(stub().finis, 0);
  EXPECT_EQ(close_ia(opened.ia), 0U);
}

TEST(Open, PrefixForRelaxedOrderingIsStripped) {
  const OpenResult opened = open_ia("RO_AWARE_plain");
  ASSERT_EQ(opened.ret, 0U);
  EXPECT_STREQ(stub().opened_name, "plain");
  EXPECT_EQ(close_ia(opened.ia), 0U);
}

TEST(Open, ArgumentsAreCheckedInOrder) {
  DAT_EVD_HANDLE evd = DAT_HANDLE_NULL;
  DAT_IA_HANDLE ia = DAT_HANDLE_NULL;
  char plain[] = "plain";
  EXPECT_EQ(dat_ia_openv(nullptr, 1, nullptr, nullptr, 1, 2, DAT_FALSE), 0x80060024U);
  EXPECT_EQ(dat_ia_openv(plain, 1, nullptr, &ia, 1, 2, DAT_FALSE), 0x80060026U);
  EXPECT_EQ(dat_ia_openv(plain, 1, &evd, nullptr, 1, 2, DAT_FALSE), 0x80060027U);
  EXPECT_EQ(open_ia(std::string(256, 'x')).ret, 0x80060024U);
  EXPECT_EQ(open_ia(std::string(255, 'x')).ret, 0x800a0062U);
  EXPECT_EQ(open_ia("RO_AWARE_" + std::string(255, 'x')).ret, 0x800a0062U);
  EXPECT_EQ(open_ia("").ret, 0x800a0062U);
}

TEST(Open, GarbageAsTheAsyncEvdIsRefused) {
  char plain[] = "plain";
  DAT_EVD_HANDLE evd = reinterpret_cast<DAT_EVD_HANDLE>(0xdeadbeef000);
  DAT_IA_HANDLE ia = DAT_HANDLE_NULL;
  EXPECT_EQ(dat_ia_openv(plain, 1, &evd, &ia, 1, 2, DAT_FALSE), 0x80050018U);
  evd = DAT_EVD_ASYNC_EXISTS;
  EXPECT_EQ(dat_ia_openv(plain, 1, &evd, &ia, 1, 2, DAT_FALSE), 0U);
  EXPECT_EQ(close_ia(ia), 0U);
}

TEST(Open, UnknownNameMajorMinorAndThreadSafetyAreToldApart) {
  EXPECT_EQ(open_ia("nobody").ret, 0x800a0062U);
  EXPECT_EQ(open_ia("plain", 3, 0).ret, 0x800a0063U);
  EXPECT_EQ(open_ia("plain", 1, 3).ret, 0x800a0064U);
  EXPECT_FALSE(stub_is_loaded());
}

// Rules: dat_ia_open.R18
TEST(Open, OnlyTheOtherThreadSafety) {
  EXPECT_EQ(open_ia("plain", 1, 2, DAT_TRUE).ret, 0x800a0065U);
}

TEST(Open, LowerMinorIsServedByAGreaterOne) {
  const OpenResult opened = open_ia("v13", 1, 0);
  EXPECT_EQ(opened.ret, 0U);
  EXPECT_EQ(close_ia(opened.ia), 0U);
}

// Rules: REGISTRY.3
TEST(Open, OtherMajorIsServedByItsOwnLibraryOnly) {
  EXPECT_EQ(open_ia("v2", 1, 2).ret, 0x800a0063U);
  EXPECT_EQ(open_ia("v2", 2, 0).ret, 0x800a0063U) << "its table has other calls in its places";
  EXPECT_EQ(open_ia("datum", 2, 0).ret, 0x800a0063U);
  EXPECT_EQ(open_ia("nobody", 2, 0).ret, 0x800a0062U);
  EXPECT_FALSE(stub_is_loaded());
}

TEST(Open, ThreadSafeEntryServesAnyProgram) {
  const OpenResult opened = open_ia("safe");
  EXPECT_EQ(opened.ret, 0U);
  EXPECT_EQ(close_ia(opened.ia), 0U);
  EXPECT_EQ(stub().finis, 1);
}

TEST(Open, EachKeyIsInitialisedByItself) {
  const OpenResult one = open_ia("both", 1, 2, DAT_FALSE);
  const OpenResult two = open_ia("both", 1, 2, DAT_TRUE);
  EXPECT_EQ(stub().inits, 2);
  EXPECT_EQ(close_ia(one.ia), 0U);
  EXPECT_EQ(stub().finis, 1);
  EXPECT_EQ(close_ia(two.ia), 0U);
  EXPECT_EQ(stub().finis, 2);
}

TEST(Open, AlternativesAreTriedInFileOrder) {
  const OpenResult opened = open_ia("chain");
  ASSERT_EQ(opened.ret, 0U);
  // The two libraries that cannot be loaded are skipped. fini is called for the silent one.
  EXPECT_EQ(stub().inits, 2);
  EXPECT_EQ(stub().finis, 1);
  EXPECT_EQ(close_ia(opened.ia), 0U);
  EXPECT_EQ(stub().finis, 2);
}

TEST(Open, LibraryThatIsMissingOrNoProvider) {
  EXPECT_EQ(open_ia("missing").ret, 0x800a0062U);
  EXPECT_EQ(open_ia("not-a-provider").ret, 0x800a0062U);
}

// Rules: dat_provider_init.R2
TEST(Open, ProviderThatRegistersNothingIsNotFound) {
  EXPECT_EQ(open_ia("silent").ret, 0x800a0062U);
  EXPECT_EQ(open_ia("silent").ret, 0x800a0062U);
  EXPECT_EQ(stub().inits, 2);
  EXPECT_EQ(stub().finis, 2);
}

TEST(Open, FailedOpenGivesItsReferencesBack) {
  EXPECT_EQ(open_ia("refusing").ret, 0x80030003U);
  EXPECT_EQ(stub().inits, 1);
  EXPECT_EQ(stub().finis, 1);
}

TEST(Open, ProviderThatReturnsNoObjectIsAnInternalError) {
  EXPECT_EQ(open_ia("hollow").ret, 0x80040000U);
  EXPECT_EQ(stub().finis, 1);
}

TEST(Open, ProviderMayListProvidersFromInit) {
  const OpenResult opened = open_ia("listing");
  ASSERT_EQ(opened.ret, 0U);
  EXPECT_EQ(stub().listed, 20);
  EXPECT_EQ(close_ia(opened.ia), 0U);
}

TEST(Open, ProviderThatOpensItselfFromInitGetsAnError) {
  const OpenResult opened = open_ia("inward");
  EXPECT_EQ(opened.ret, 0U);
  EXPECT_EQ(stub().inward, 0x800a0062U);
  EXPECT_EQ(close_ia(opened.ia), 0U);
}

// Rules: dat_provider_fini.R2
TEST(Open, RegistrationLeftBehindByFiniIsRemoved) {
  ASSERT_EQ(close_ia(open_ia("staying").ia), 0U);
  const OpenResult again = open_ia("staying");
  EXPECT_EQ(again.ret, 0U);
  EXPECT_EQ(stub().inits, 2);
  EXPECT_EQ(close_ia(again.ia), 0U);
}

// Rules: HANDLE.3
TEST(Open, ObjectsOfAClosedIaAreInvalid) {
  const OpenResult opened = open_ia("plain");
  DAT_IA_HANDLE object = DAT_HANDLE_NULL;
  ASSERT_EQ(dats_get_ia_handle(opened.ia, &object), 0U);
  ASSERT_EQ(close_ia(opened.ia), 0U);
  EXPECT_EQ(dat_ep_free(object), 0x8005000cU);
  EXPECT_EQ(dat_pz_create(opened.ia, &object), 0x8005000bU);
}

// Rules: HANDLE.2
TEST(Open, HandleThatIsUsedBetweenUnmappingAndTheEndOfCloseIsInvalid) {
  const OpenResult opened = open_ia("unmapping");
  ASSERT_EQ(opened.ret, 0U);
  DAT_IA_HANDLE object = DAT_HANDLE_NULL;
  ASSERT_EQ(dats_get_ia_handle(opened.ia, &object), 0U);
  EXPECT_NE(dat_pz_free(object), 0x8005000fU) << "its page is trusted from now on";
  ASSERT_EQ(close_ia(opened.ia), 0U);
  EXPECT_NE(stub().before_unmapping.load(), 0x8005000fU);
  EXPECT_EQ(stub().after_unmapping.load(), 0x8005000fU);
  EXPECT_EQ(dat_pz_free(object), 0x8005000fU);
}

TEST(Open, ManyThreadsOpenListAndClose) {
  constexpr int kThreads = 8;
  constexpr int kRounds = 40;
  std::atomic<int> failures{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&failures, t] {
      for (int round = 0; round < kRounds; ++round) {
        const OpenResult opened = open_ia("t" + std::to_string((t + round) % 3));
        DAT_COUNT number = 0;
        if (dat_registry_list_providers(0, &number, nullptr) != 0x80060024U) ++failures;
        if (opened.ret != DAT_SUCCESS || close_ia(opened.ia) != DAT_SUCCESS) ++failures;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(stub().overlaps, 0);
  EXPECT_EQ(stub().opens, kThreads * kRounds);
  EXPECT_EQ(stub().closes, kThreads * kRounds);
  EXPECT_EQ(stub().inits, stub().finis);
}

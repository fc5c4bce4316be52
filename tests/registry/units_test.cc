// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/registry/units_test.cc: the parts of the registry that need no provider.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "registry/conf/aliases.h"
#include "registry/conf/conf_file.h"
#include "registry/conf/interfaces.h"
#include "registry/dynamic_registry.h"
#include "registry/handle_check.h"
#include "registry/ia_table.h"
#include "registry/key.h"
#include "registry/known_tables.h"
#include "registry/memory_word.h"
#include "registry/provider_library.h"
#include "registry/static_registry.h"
#include "temporary.h"

using namespace datum::registry;

namespace {

Key key(const char* name, std::uint32_t major, std::uint32_t minor, bool thread_safe) {
  return {name, major, minor, thread_safe};
}

// The index of the best offer, or the step that rejected the request.
struct Answer {
  int best = -1;
  Miss miss = Miss::Name;
};

Answer ask(const Key& request, const std::vector<Key>& offers) {
  Matcher matcher(request);
  Answer answer;
  for (std::size_t i = 0; i < offers.size(); ++i)
    if (matcher.consider(offers[i])) answer.best = static_cast<int>(i);
  answer.miss = matcher.miss();
  return answer;
}

} // namespace

TEST(Matching, ExactMinorIsPreferred) {
  EXPECT_EQ(ask(key("a", 1, 2, false),
                {key("a", 1, 3, false), key("a", 1, 2, false), key("a", 1, 4, false)})
                .best,
            1);
}

TEST(Matching, GreaterMinorServesTheNearestFirst) {
  EXPECT_EQ(ask(key("a", 1, 0, false), {key("a", 1, 5, false), key("a", 1, 2, false)}).best, 1);
}

TEST(Matching, FirstOfEqualOffersWins) {
  EXPECT_EQ(ask(key("a", 1, 2, false), {key("a", 1, 2, false), key("a", 1, 2, false)}).best, 0);
}

TEST(Matching, LowerMinorDoesNotServe) {
  const Answer answer = ask(key("a", 1, 3, false), {key("a", 1, 2, false), key("b", 1, 3, false)});
  EXPECT_EQ(answer.best, -1);
  EXPECT_EQ(answer.miss, Miss::Minor);
}

TEST(Matching, OtherMajorDoesNotServe) {
  const Answer answer = ask(key("a", 1, 2, false), {key("a", 2, 2, false)});
  EXPECT_EQ(answer.best, -1);
  EXPECT_EQ(answer.miss, Miss::Major);
}

TEST(Matching, UnknownName) {
  EXPECT_EQ(ask(key("a", 1, 2, false), {key("ab", 1, 2, false)}).miss, Miss::Name);
}

TEST(Matching, NonThreadSafeDoesNotServeAThreadSafeRequest) {
  const Answer answer = ask(key("a", 1, 2, true), {key("a", 1, 2, false), key("a", 2, 0, true)});
  EXPECT_EQ(answer.best, -1);
  EXPECT_EQ(answer.miss, Miss::ThreadSafety);
}

TEST(Matching, ThreadSafeServesANonThreadSafeRequestIfNothingElseDoes) {
  EXPECT_EQ(ask(key("a", 1, 2, false), {key("a", 1, 2, true)}).best, 0);
  EXPECT_EQ(ask(key("a", 1, 2, false), {key("a", 1, 2, true), key("a", 1, 9, false)}).best, 1);
}

TEST(Alias, NamesAndUnknownNames) {
  std::vector<std::string> bad;
  const datum::conf::Aliases a =
      datum::conf::Aliases::parse("ib0=datum,ofa-v2-ib0=datum-eth0,*=datum-lo", bad);
  EXPECT_TRUE(bad.empty());
  EXPECT_EQ(a.find("ib0"), "datum");
  EXPECT_EQ(a.find("ofa-v2-ib0"), "datum-eth0");
  EXPECT_EQ(a.find("ib1"), std::nullopt);
  EXPECT_EQ(a.for_unknown(), "datum-lo");
}

TEST(Alias, PartsWithoutBothSidesAreReported) {
  std::vector<std::string> bad;
  const datum::conf::Aliases a = datum::conf::Aliases::parse("x,=y,z=,,ib0=datum", bad);
  EXPECT_EQ(bad, (std::vector<std::string>{"x", "=y", "z="}));
  EXPECT_EQ(a.find("ib0"), "datum");
  EXPECT_EQ(a.for_unknown(), std::nullopt);
}

// A page with an object of a provider, and the provider's table, which is known.
class HandleTrust : public testing::Test {
 protected:
  HandleTrust() {
    check_.add_table(&table_);
    page_ = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *static_cast<const DAT_PROVIDER**>(page_) = &table_;
  }
  ~HandleTrust() override { ::munmap(page_, 4096); }
  HandleTrust(const HandleTrust&) = delete;
  HandleTrust& operator=(const HandleTrust&) = delete;

  static inline const DAT_PROVIDER table_{};
  HandleCheck check_;
  DAT_HANDLE page_ = nullptr;
};

TEST_F(HandleTrust, PageThatWasSeenIsReadDirectly) {
  EXPECT_EQ(check_.table_if_seen(page_), nullptr);
  EXPECT_EQ(check_.table_of(page_), &table_);
  EXPECT_EQ(check_.table_if_seen(page_), &table_);
  check_.forget_pages();
  EXPECT_EQ(check_.table_if_seen(page_), nullptr);
}

// Rules: HANDLE.2
TEST_F(HandleTrust, PageThatIsForgottenWhileItsWordIsReadIsNotTrusted) {
  const HandleCheck::Claim claim = check_.claim(page_);
  check_.forget_pages();
  check_.trust(page_, claim);
  EXPECT_EQ(check_.table_if_seen(page_), nullptr);
}

// Rules: HANDLE.2
TEST_F(HandleTrust, ClaimOfAPageThatWasSeenMeanwhileAndForgottenIsVoid) {
  const HandleCheck::Claim claim = check_.claim(page_);
  EXPECT_EQ(check_.table_of(page_), &table_);
  check_.forget_pages();
  check_.trust(page_, claim);
  EXPECT_EQ(check_.table_if_seen(page_), nullptr);
}

// Rules: HANDLE.2
TEST_F(HandleTrust, NoPageIsTrustedWhileObjectsGoAway) {
  const HandleCheck::Claim before = check_.claim(page_);
  {
    const HandleCheck::Distrust distrust(check_);
    check_.trust(page_, before);
    EXPECT_EQ(check_.table_if_seen(page_), nullptr);
    EXPECT_EQ(check_.table_of(page_), &table_) << "by the kernel";
    EXPECT_EQ(check_.table_if_seen(page_), nullptr);
  }
  EXPECT_EQ(check_.table_of(page_), &table_);
  EXPECT_EQ(check_.table_if_seen(page_), &table_);
}

TEST(KnownTables, HoldsWhatWasAddedBeyondItsFirstSize) {
  static constinit KnownTables tables;
  static DAT_PROVIDER many[2000];
  EXPECT_FALSE(tables.holds(nullptr));
  for (const DAT_PROVIDER& table : many) {
    EXPECT_FALSE(tables.holds(&table));
    tables.add(&table);
    tables.add(&table);
  }
  for (const DAT_PROVIDER& table : many) EXPECT_TRUE(tables.holds(&table));
  EXPECT_FALSE(tables.holds(&tables));
}

TEST(MemoryWord, BothWaysReadMappedMemory) {
  const void* const value = &value;
  const void* word = nullptr;
  bool forbidden = true;
  EXPECT_TRUE(read_word_by_kernel(&value, word, forbidden));
  EXPECT_EQ(word, value);
  EXPECT_FALSE(forbidden);
  word = nullptr;
  EXPECT_TRUE(read_word_if_readable(&value, word));
  EXPECT_EQ(word, value);
}

TEST(MemoryWord, BothWaysRefuseWhatIsNotReadable) {
  void* hidden = ::mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(hidden, MAP_FAILED);
  for (const std::uintptr_t address :
       {std::uintptr_t{8}, std::uintptr_t{0x00dead0000000000}, std::uintptr_t{0x8000000000000000},
        ~std::uintptr_t{7}, reinterpret_cast<std::uintptr_t>(hidden)}) {
    const auto* bad = reinterpret_cast<const void*>(address);
    const void* word = nullptr;
    bool forbidden = false;
    errno = 4711;
    EXPECT_FALSE(read_word_by_kernel(bad, word, forbidden)) << bad;
    EXPECT_FALSE(forbidden) << bad;
    EXPECT_FALSE(read_word_if_readable(bad, word)) << bad;
    EXPECT_EQ(errno, 4711);
  }
  ::munmap(hidden, 4096);
}

// Rules: MESSAGE.2
TEST(ProviderLibrary, WhatToDoAboutOneThatIsNotLoadedDependsOnTheDescriptorsLeft) {
  const auto absent = ProviderLibrary::load("libdatum-absent-1.so");
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const auto unread = ProviderLibrary::load("libdatum-absent-2.so");
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  ASSERT_FALSE(absent.has_value());
  ASSERT_FALSE(unread.has_value());
  EXPECT_NE(absent.error().text.find("; install the package it comes from"), std::string::npos)
      << absent.error().text;
  EXPECT_NE(unread.error().text.find("Too many open files; this process has no descriptor left: "
                                     "look at `ulimit -n`"),
            std::string::npos)
      << unread.error().text;
}

TEST(IaTable, HandlesAreSmallAndComeBackLate) {
  static constinit IaTable table;
  int object = 0;
  const auto first = table.reserve();
  const DAT_IA_HANDLE handle = table.publish(*first, &object, {});
  EXPECT_EQ(handle, reinterpret_cast<DAT_IA_HANDLE>(1));
  EXPECT_EQ(table.object_of(handle), &object);
  EXPECT_EQ(table.object_of(&object), &object);
  EXPECT_EQ(table.handle_of(&object), handle);
  EXPECT_TRUE(table.take(handle).has_value());
  EXPECT_FALSE(table.take(handle).has_value());
  EXPECT_EQ(table.object_of(handle), nullptr);
  EXPECT_EQ(table.object_of(&object), nullptr);
  EXPECT_EQ(table.handle_of(&object), nullptr);
  EXPECT_EQ(table.reserve(), 2U);
}

TEST(IaTable, ObjectRegisteredTwiceMapsToItsFirstIndex) {
  static constinit IaTable table;
  int object = 0;
  const DAT_IA_HANDLE first = table.publish(*table.reserve(), &object, {});
  const DAT_IA_HANDLE second = table.publish(*table.reserve(), &object, {});
  EXPECT_NE(first, second);
  EXPECT_EQ(table.handle_of(&object), first);
}

TEST(IaTable, FullTableReservesNothingAndACancelledPlaceIsFreeAgain) {
  static constinit IaTable table;
  std::size_t reserved = 0;
  while (table.reserve()) ++reserved;
  EXPECT_EQ(reserved, 4095U);
  table.cancel(17);
  EXPECT_EQ(table.reserve(), 17U);
  EXPECT_EQ(table.reserve(), std::nullopt);
}

TEST(DynamicRegistry, OneTableUnderTwoKeysIsCountedForEach) {
  DynamicRegistry registry;
  DAT_PROVIDER table{};
  EXPECT_EQ(registry.add(&table, key("a", 1, 2, true)), 0U);
  EXPECT_EQ(registry.add(&table, key("a", 1, 2, false)), 0U);
  const Use use = registry.use_exact(key("a", 1, 2, true));
  EXPECT_EQ(registry.remove(&table, key("a", 1, 2, true)), 0x80110000U);
  EXPECT_EQ(registry.remove(&table, key("a", 1, 2, false)), 0U);
  registry.release(use.id);
  EXPECT_EQ(registry.remove(&table, key("a", 1, 2, true)), 0U);
}

TEST(ConfFile, OverrideIsTheOnlyChoice) {
  using namespace std::string_view_literals;
  const auto location = datum::conf::locate("/nowhere/dat.conf", std::array{"/etc/passwd"sv});
  EXPECT_EQ(location.path, "/nowhere/dat.conf");
  EXPECT_TRUE(location.overridden);
}

TEST(ConfFile, FirstExistingCandidateCounts) {
  using namespace std::string_view_literals;
  EXPECT_EQ(datum::conf::locate(nullptr, std::array{"/nowhere/a"sv, "/etc/passwd"sv}).path,
            "/etc/passwd");
  EXPECT_EQ(datum::conf::locate(nullptr, std::array{"/nowhere/a"sv, "/nowhere/b"sv}).path,
            "/nowhere/a");
}

TEST(ConfFile, SolarisPathComesBeforeTheOfedPath) {
  EXPECT_EQ(datum::conf::kDefaultPaths[0], "/etc/dat/dat.conf");
  EXPECT_EQ(datum::conf::kDefaultPaths[1], "/etc/dat.conf");
}

TEST(ConfFile, WhatIsNoFileIsAnError) {
  EXPECT_EQ(datum::conf::read_file("/nowhere/dat.conf").error().code, ENOENT);
  EXPECT_EQ(datum::conf::read_file("/").error().code, EISDIR);
  const auto endless = datum::conf::read_file("/dev/zero");
  EXPECT_EQ(endless.error().code, EFBIG);
  EXPECT_EQ(endless.error().text, "it has more than 16 MiB, the most that is read");
}

TEST(ConfFile, AByteOrderMarkAtItsStartIsNotOfTheText) {
  const TemporaryDirectory directory;
  const auto read = [&](const std::string& text) {
    return datum::conf::read_file(directory.write("dat.conf", text)).value();
  };
  EXPECT_EQ(read("\xef\xbb\xbf"
                 "datum u1.2"),
            "datum u1.2");
  EXPECT_EQ(read("\xef\xbb\xbf"), "");
  EXPECT_EQ(read("\xef\xbb"
                 "datum"),
            "\xef\xbb"
            "datum");
  EXPECT_EQ(read("#\n\xef\xbb\xbf"), "#\n\xef\xbb\xbf") << "elsewhere it is a mistake";
}

TEST(ConfFile, AFifoIsNotWaitedForAndNoEmptyFile) {
  const std::string fifo = "/tmp/datum-conf-fifo-" + std::to_string(::getpid());
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const auto nobody = datum::conf::read_file(fifo); // no process writes into it
  ASSERT_FALSE(nobody);
  EXPECT_EQ(nobody.error().text, "it is a FIFO with nothing in it");
  const int both = ::open(fifo.c_str(), O_RDWR | O_CLOEXEC);
  EXPECT_FALSE(datum::conf::read_file(fifo));
  ::close(both);
  ::unlink(fifo.c_str());
}

TEST(BuiltIn, NamesOfTheInterfaces) {
  EXPECT_EQ(datum::conf::datum_ia_names({"lo", "eth0"}),
            (std::vector<std::string>{"datum", "datum-lo", "datum-eth0"}));
}

static std::vector<std::string> loopback() {
  return {"lo"};
}

// The entry with which the registry answers the request. null: no entry does.
static StaticEntry* answer_of(StaticRegistry& registry, const Key& request) {
  Matcher matcher(request);
  return registry.find(request, matcher);
}

static std::vector<Key> listed(const std::string& file) {
  return StaticRegistry(datum::conf::parse_dat_conf(file), "f", &loopback).listed();
}

// Rules: THREAD.9
TEST(BuiltIn, AnswersBothKindsOfPrograms) {
  StaticRegistry registry({}, "f", &loopback);
  for (const char* name : {"datum", "datum-lo"})
    for (const bool thread_safe : {false, true}) {
      const StaticEntry* entry = answer_of(registry, key(name, 1, 2, thread_safe));
      ASSERT_NE(entry, nullptr) << name;
      EXPECT_EQ(entry->key(), key(name, 1, 2, thread_safe));
    }
}

// Rules: dat_registry_list_providers.R6
TEST(BuiltIn, DatumAloneIsListedOnceAndFirst) {
  EXPECT_EQ(listed(""), (std::vector<Key>{key("datum", 1, 2, false)}));
  EXPECT_EQ(
      listed("b u1.2 threadsafe default m.so p.1.0 \"\" \"\"\n"
             "a u1.2 nonthreadsafe default m.so p.1.0 \"\" \"\"\n"
             "b u1.2 threadsafe default n.so p.1.0 \"\" \"\"\n"),
      (std::vector<Key>{key("datum", 1, 2, false), key("b", 1, 2, true), key("a", 1, 2, false)}));
}

// Rules: dat_registry_list_providers.R7
TEST(BuiltIn, LinesOfOtherMajorVersionsAreNotListedAndNotOpened) {
  const std::string file = "a u2.0 threadsafe default m.so p.1.0 \"\" \"\"\n"
                           "b u1.1 threadsafe default m.so p.1.0 \"\" \"\"\n";
  EXPECT_EQ(listed(file), (std::vector<Key>{key("datum", 1, 2, false), key("b", 1, 1, true)}));
  StaticRegistry registry(datum::conf::parse_dat_conf(file), "f", &loopback);
  const Key request = key("a", 1, 2, false);
  Matcher matcher(request);
  EXPECT_EQ(registry.find(request, matcher), nullptr);
  EXPECT_EQ(matcher.miss(), Miss::Major);
  EXPECT_TRUE(registry.holds_name("a"));
}

TEST(BuiltIn, LineOfTheSameNameAndMajorReplacesIt) {
  const std::string file = "a u1.2 threadsafe default mine.so p.1.0 \"\" \"\"\n"
                           "datum u1.2 nonthreadsafe default mine.so p.1.0 \"\" \"\"\n"
                           "datum-lo u2.0 threadsafe default other.so p.1.0 \"\" \"\"\n";
  EXPECT_EQ(listed(file), (std::vector<Key>{key("a", 1, 2, true), key("datum", 1, 2, false)}));
  StaticRegistry registry(datum::conf::parse_dat_conf(file), "f", &loopback);
  EXPECT_NE(answer_of(registry, key("datum", 1, 2, false)), nullptr);
  EXPECT_EQ(answer_of(registry, key("datum", 1, 2, true)), nullptr) << "the line says it is not";
  EXPECT_NE(answer_of(registry, key("datum-lo", 1, 2, true)), nullptr) << "still built in";
}

// Rules: dat_registry_list_providers.R8
TEST(BuiltIn, NondefaultLineHidesDatumFromTheListOnly) {
  const std::string file = "datum u1.2 nonthreadsafe nondefault m.so p.1.0 \"\" \"\"\n";
  EXPECT_EQ(listed(file), (std::vector<Key>{}));
  StaticRegistry registry(datum::conf::parse_dat_conf(file), "f", &loopback);
  for (const bool thread_safe : {false, true})
    EXPECT_NE(answer_of(registry, key("datum", 1, 2, thread_safe)), nullptr);
}

// Rules: dat_registry_list_providers.R8
TEST(BuiltIn, NondefaultLineOfAnotherVersionOrNameHidesNothing) {
  EXPECT_EQ(listed("datum u2.0 nonthreadsafe nondefault m.so p.1.0 \"\" \"\"\n"
                   "datum k1.2 nonthreadsafe nondefault m.so p.1.0 \"\" \"\"\n"
                   "datum-lo u1.2 nonthreadsafe nondefault m.so p.1.0 \"\" \"\"\n"),
            (std::vector<Key>{key("datum", 1, 2, false)}));
}

TEST(BuiltIn, InterfaceThatAppearsLaterIsFound) {
  static std::vector<std::string> interfaces;
  StaticRegistry registry({}, "f", [] { return interfaces; });
  interfaces = {"tun7"};
  const Key request = key("datum-tun7", 1, 2, false);
  Matcher matcher(request);
  ASSERT_NE(registry.find(request, matcher), nullptr);
}

TEST(BuiltIn, KernelAndNondefaultLinesAreNotListed) {
  const auto file =
      datum::conf::parse_dat_conf("a k1.2 threadsafe default m.so p.1.0 \"\" \"\"\n"
                                  "b u1.2 threadsafe nondefault m.so p.1.0 \"\" \"\"\n");
  StaticRegistry registry(file, "f", [] { return std::vector<std::string>{}; });
  EXPECT_EQ(registry.listed(), (std::vector<Key>{key("datum", 1, 2, false)}));
  EXPECT_FALSE(registry.holds_name("a"));
  EXPECT_FALSE(registry.holds_name("b"));
}

// If each line caused a search of the whole file, these tests would take minutes.
constexpr int kManyLines = 100'000;

static StaticRegistry many(const std::function<std::string(int)>& name_and_version) {
  std::string text;
  for (int i = 0; i != kManyLines; ++i)
    text += name_and_version(i) + " threadsafe default m.so p.1.0 \"\" \"\"\n";
  return {datum::conf::parse_dat_conf(text), "f", &loopback};
}

// Rules: REGISTRY.1
TEST(LongFile, OfDifferentNames) {
  StaticRegistry registry = many([](int i) { return "a-" + std::to_string(i) + " u1.2"; });
  EXPECT_EQ(registry.listed().size(), 100'001U);
  for (int i = 0; i != kManyLines; ++i)
    ASSERT_NE(answer_of(registry, key(("a-" + std::to_string(i)).c_str(), 1, 2, true)), nullptr);
}

// Rules: REGISTRY.1
TEST(LongFile, OfOneNameWithDifferentVersions) {
  StaticRegistry registry = many([](int i) { return "a u1." + std::to_string(i); });
  EXPECT_EQ(registry.listed().size(), 100'001U);
  EXPECT_NE(answer_of(registry, key("a", 1, 99'999, true)), nullptr);
}

// Rules: REGISTRY.1
TEST(LongFile, OfAlternatives) {
  StaticRegistry registry = many([](int) { return std::string("a u1.2"); });
  EXPECT_EQ(registry.listed().size(), 2U);
}

TEST(BuiltIn, LoopbackInterfaceHasAnAddress) {
  const auto interfaces = datum::conf::interfaces_with_address();
  ASSERT_TRUE(interfaces.has_value());
  EXPECT_EQ(std::count(interfaces->begin(), interfaces->end(), "lo"), 1);
}

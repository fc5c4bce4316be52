// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/registry/lists_test.cc: listing, adding and removing providers, and the texts of codes.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "libdat_fixture.h"

namespace {

DAT_COUNT entries() {
  DAT_COUNT number = 0;
  EXPECT_EQ(dat_registry_list_providers(0, &number, nullptr), 0x80060024U);
  return number;
}

struct List {
  explicit List(DAT_COUNT size) : infos(static_cast<std::size_t>(size)) {
    for (DAT_PROVIDER_INFO& info : infos) pointers.push_back(&info);
  }
  std::vector<DAT_PROVIDER_INFO> infos;
  std::vector<DAT_PROVIDER_INFO*> pointers;
};

DAT_PROVIDER_INFO info(const char* name, DAT_BOOLEAN thread_safe = DAT_FALSE) {
  DAT_PROVIDER_INFO result{};
  std::strncpy(result.ia_name, name, sizeof result.ia_name - 1);
  result.dapl_version_major = 1;
  result.dapl_version_minor = 2;
  result.is_thread_safe = thread_safe;
  return result;
}

struct HandMade {
  const DAT_PROVIDER* table;
};

DAT_PROVIDER hand_table;
HandMade hand_object{&hand_table};

DAT_RETURN hand_open(const DAT_NAME_PTR, DAT_COUNT, DAT_EVD_HANDLE*, DAT_IA_HANDLE* ia) {
  *ia = &hand_object;
  return DAT_SUCCESS;
}

DAT_RETURN hand_close(DAT_IA_HANDLE, DAT_CLOSE_FLAGS) {
  return DAT_SUCCESS;
}

const DAT_PROVIDER* by_hand() {
  hand_table.ia_open_func = &hand_open;
  hand_table.ia_close_func = &hand_close;
  return &hand_table;
}

} // namespace

// Rules: dat_registry_list_providers.R1 dat_registry_list_providers.R5
TEST(List, FillsOneStructPerEntryAndLoadsNothing) {
  List list(entries() + 1);
  list.infos.back().is_thread_safe = static_cast<DAT_BOOLEAN>(1);
  DAT_COUNT number = 0;
  ASSERT_EQ(dat_registry_list_providers(entries() + 1, &number, list.pointers.data()), 0U);
  EXPECT_EQ(number, entries());
  EXPECT_STREQ(list.infos[0].ia_name, "plain");
  EXPECT_EQ(list.infos[0].dapl_version_major, 1U);
  EXPECT_EQ(list.infos[0].dapl_version_minor, 2U);
  EXPECT_EQ(list.infos[0].is_thread_safe, DAT_FALSE);
  EXPECT_STREQ(list.infos.back().ia_name, "");
  EXPECT_FALSE(stub_is_loaded());
}

TEST(List, AlternativesOfOneKeyAreOneEntryAndBuiltInsAreListed) {
  List list(entries());
  DAT_COUNT number = 0;
  ASSERT_EQ(dat_registry_list_providers(entries(), &number, list.pointers.data()), 0U);
  const auto count = [&](const char* name) {
    return std::count_if(list.infos.begin(), list.infos.end(), [&](const DAT_PROVIDER_INFO& i) {
      return std::strcmp(i.ia_name, name) == 0;
    });
  };
  EXPECT_EQ(count("chain"), 1);
  EXPECT_EQ(count("both"), 2);
  EXPECT_EQ(count("datum"), 2);
}

// Rules: dat_registry_list_providers.R2 C-40
TEST(List, TooSmallGivesTheCount) {
  List list(entries());
  DAT_COUNT number = 0;
  EXPECT_EQ(dat_registry_list_providers(entries() - 1, &number, list.pointers.data()), 0x80060024U);
  EXPECT_EQ(number, entries());
}

// Rules: dat_registry_list_providers.R3
TEST(List, ZeroAndNegativeMaximumGiveTheCount) {
  List list(entries());
  DAT_COUNT number = 0;
  EXPECT_EQ(dat_registry_list_providers(0, &number, list.pointers.data()), 0x80060024U);
  EXPECT_EQ(number, entries());
  number = 0;
  EXPECT_EQ(dat_registry_list_providers(-1, &number, list.pointers.data()), 0x80060024U);
  EXPECT_EQ(number, entries());
}

// Rules: dat_registry_list_providers.R4
TEST(List, NullPointers) {
  List list(entries());
  DAT_COUNT number = 0;
  EXPECT_EQ(dat_registry_list_providers(1000, nullptr, list.pointers.data()), 0x80060025U);
  EXPECT_EQ(dat_registry_list_providers(1000, &number, nullptr), 0x80060026U);
  EXPECT_EQ(number, entries());
  list.pointers[3] = nullptr;
  EXPECT_EQ(dat_registry_list_providers(entries(), &number, list.pointers.data()), 0x80060026U);
}

// Rules: dat_registry_add_provider.R1 dat_registry_remove_provider.R1
// Rules: dat_registry_remove_provider.R3
TEST(Add, NameBecomesOpenableAndIsHeldWhileOpen) {
  const DAT_PROVIDER_INFO key = info("by-hand");
  EXPECT_EQ(open_ia("by-hand").ret, 0x800a0062U);
  ASSERT_EQ(dat_registry_add_provider(by_hand(), &key), 0U);
  const OpenResult opened = open_ia("by-hand");
  ASSERT_EQ(opened.ret, 0U);
  EXPECT_EQ(dat_registry_remove_provider(by_hand(), &key), 0x80110000U);
  EXPECT_EQ(close_ia(opened.ia), 0U);
  EXPECT_EQ(dat_registry_remove_provider(by_hand(), &key), 0U);
  EXPECT_EQ(open_ia("by-hand").ret, 0x800a0062U);
}

TEST(Add, NameOfTheFileThatIsRegisteredByHandLoadsNothing) {
  const DAT_PROVIDER_INFO key = info("plain");
  ASSERT_EQ(dat_registry_add_provider(by_hand(), &key), 0U);
  const OpenResult opened = open_ia("plain");
  EXPECT_EQ(opened.ret, 0U);
  EXPECT_FALSE(stub_is_loaded());
  EXPECT_EQ(close_ia(opened.ia), 0U);
  EXPECT_EQ(dat_registry_remove_provider(by_hand(), &key), 0U);
}

// Rules: dat_registry_add_provider.R2
TEST(Add, NullPointers) {
  const DAT_PROVIDER_INFO key = info("by-hand");
  EXPECT_EQ(dat_registry_add_provider(nullptr, &key), 0x80060024U);
  EXPECT_EQ(dat_registry_add_provider(by_hand(), nullptr), 0x80060025U);
}

// Rules: dat_registry_add_provider.R3
TEST(Add, SameKeyTwice) {
  const DAT_PROVIDER_INFO key = info("by-hand");
  const DAT_PROVIDER_INFO other = info("by-hand", DAT_TRUE);
  ASSERT_EQ(dat_registry_add_provider(by_hand(), &key), 0U);
  EXPECT_EQ(dat_registry_add_provider(by_hand(), &key), 0x80100000U);
  EXPECT_EQ(dat_registry_add_provider(by_hand(), &other), 0U);
  EXPECT_EQ(dat_registry_remove_provider(by_hand(), &key), 0U);
  EXPECT_EQ(dat_registry_remove_provider(by_hand(), &other), 0U);
}

// Rules: dat_registry_add_provider.R4
TEST(Add, EmptyOrUnterminatedName) {
  DAT_PROVIDER_INFO key = info("");
  EXPECT_EQ(dat_registry_add_provider(by_hand(), &key), 0x80100000U);
  std::memset(key.ia_name, 'x', sizeof key.ia_name);
  EXPECT_EQ(dat_registry_add_provider(by_hand(), &key), 0x80100000U);
}

// Rules: dat_registry_remove_provider.R2
TEST(Remove, UnknownKeyOrAnotherProvider) {
  const DAT_PROVIDER_INFO key = info("by-hand");
  EXPECT_EQ(dat_registry_remove_provider(by_hand(), &key), 0x80060025U);
  EXPECT_EQ(dat_registry_remove_provider(by_hand(), nullptr), 0x80060025U);
  EXPECT_EQ(dat_registry_remove_provider(nullptr, &key), 0x80060024U);
  ASSERT_EQ(dat_registry_add_provider(by_hand(), &key), 0U);
  const DAT_PROVIDER another{};
  EXPECT_EQ(dat_registry_remove_provider(&another, &key), 0x80060024U);
  EXPECT_EQ(dat_registry_remove_provider(by_hand(), &key), 0U);
}

TEST(Strerror, NamesOfTypeAndSubtype) {
  const char* major = nullptr;
  const char* minor = nullptr;
  ASSERT_EQ(dat_strerror(0x80070047, &major, &minor), 0U);
  EXPECT_STREQ(major, "DAT_INVALID_STATE");
  EXPECT_STREQ(minor, "DAT_INVALID_STATE_EVD_WAITABLE");
  ASSERT_EQ(dat_strerror(0, &major, &minor), 0U);
  EXPECT_STREQ(major, "DAT_SUCCESS");
  EXPECT_STREQ(minor, "DAT_NO_SUBTYPE");
  ASSERT_EQ(dat_strerror(0xffff0000, &major, &minor), 0U);
  EXPECT_STREQ(major, "DAT_NOT_IMPLEMENTED");
  ASSERT_EQ(dat_strerror(0x00060066, &major, nullptr), 0U);
  EXPECT_STREQ(major, "DAT_INVALID_PARAMETER");
}

TEST(Strerror, UnknownCodesAndNoPlaceForTheAnswer) {
  const char* major = nullptr;
  const char* minor = nullptr;
  EXPECT_EQ(dat_strerror(0x80150000, &major, &minor), 0x80060024U);
  EXPECT_EQ(dat_strerror(0x80060067, &major, &minor), 0x80060024U);
  EXPECT_EQ(dat_strerror(0, nullptr, &minor), 0x80060025U);
}

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/registry/lists_test.cc: listing, adding and removing providers, and the texts of codes.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "base/provider_hook.h"
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

// Sets DATUM_STRICT. The destructor restores the old value.
class Mode {
 public:
  explicit Mode(const char* value) {
    if (const char* before = std::getenv("DATUM_STRICT")) before_ = before;
    ::setenv("DATUM_STRICT", value, 1);
  }
  ~Mode() {
    if (before_)
      ::setenv("DATUM_STRICT", before_->c_str(), 1);
    else
      ::unsetenv("DATUM_STRICT");
  }
  Mode(const Mode&) = delete;
  Mode& operator=(const Mode&) = delete;

 private:
  std::optional<std::string> before_;
};

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
  EXPECT_STREQ(list.infos[0].ia_name, "datum");
  EXPECT_EQ(list.infos[0].dapl_version_major, 1U);
  EXPECT_EQ(list.infos[0].dapl_version_minor, 2U);
  EXPECT_EQ(list.infos[0].is_thread_safe, DAT_FALSE);
  EXPECT_STREQ(list.infos[1].ia_name, "plain");
  EXPECT_STREQ(list.infos.back().ia_name, "");
  EXPECT_FALSE(stub_is_loaded());
}

// Rules: dat_registry_list_providers.R6 dat_registry_list_providers.R7
TEST(List, AlternativesOfOneKeyAreOneEntryAndOtherVersionsAreNone) {
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
  EXPECT_EQ(count("v13"), 1);
  EXPECT_EQ(count("v2"), 0) << "of DAT 2.0";
  EXPECT_EQ(count("datum"), 1);
  EXPECT_EQ(count("datum-lo"), 0) << "opens, but is not listed";
}

// Rules: dat_registry_list_providers.R2 C-40
TEST(List, TooSmallGivesTheCount) {
  const Mode strict("on");
  List list(entries());
  DAT_COUNT number = 0;
  EXPECT_EQ(dat_registry_list_providers(entries() - 1, &number, list.pointers.data()), 0x80060024U);
  EXPECT_EQ(number, entries());
  EXPECT_STREQ(list.infos[0].ia_name, "") << "nothing is filled";
}

// Rules: dat_registry_list_providers.R2.default C-40.default
TEST(List, TooSmallIsFilledByDefault) {
  const Mode lenient("off");
  List list(3);
  list.pointers[2] = nullptr; // beyond max_to_return
  DAT_COUNT number = 0;
  EXPECT_EQ(dat_registry_list_providers(2, &number, list.pointers.data()), 0U);
  EXPECT_EQ(number, 2);
  EXPECT_STREQ(list.infos[0].ia_name, "datum");
  EXPECT_STREQ(list.infos[1].ia_name, "plain");
  EXPECT_STREQ(list.infos[2].ia_name, "");
}

// Rules: dat_registry_list_providers.R2 dat_registry_list_providers.R2.default
TEST(List, ModeIsThatOfEachCall) {
  List list(1);
  DAT_COUNT number = 0;
  for (int i = 0; i != 2; ++i) {
    {
      const Mode strict("on");
      EXPECT_EQ(dat_registry_list_providers(1, &number, list.pointers.data()), 0x80060024U);
    }
    const Mode lenient("off");
    EXPECT_EQ(dat_registry_list_providers(1, &number, list.pointers.data()), 0U);
  }
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

// Rules: REGISTRY.3
TEST(Add, ProviderOfAnotherMajorVersionIsNotOpened) {
  DAT_PROVIDER_INFO key = info("of-dat2");
  key.dapl_version_major = 2;
  ASSERT_EQ(dat_registry_add_provider(by_hand(), &key), 0U);
  EXPECT_EQ(open_ia("of-dat2", 2, 0).ret, 0x800a0063U);
  EXPECT_EQ(dat_registry_remove_provider(by_hand(), &key), 0U);
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

static std::uint64_t told_uses = ~std::uint64_t{0};

static void tell_uses(std::uint64_t uses) {
  told_uses = uses;
}

// Rules: dat_registry_list_providers.R9.default
TEST(Uses, OfAListThatIsTooShortAreToldToProvidersAtEachUseAndEachOpen) {
  const Mode lenient("off");
  const datum::ProviderHook hook{.relaxed_ordering = nullptr, .short_provider_lists = &tell_uses};
  const DAT_PROVIDER_INFO key = info("by-hand");
  ASSERT_EQ(dat_registry_add_provider(by_hand(), &key), 0U);
  hand_table.extension = const_cast<datum::ProviderHook*>(&hook);
  List list(1);
  DAT_COUNT number = 0;
  const auto use = [&] {
    EXPECT_EQ(dat_registry_list_providers(1, &number, list.pointers.data()), 0U);
  };
  const OpenResult first = open_ia("by-hand");
  const std::uint64_t before = told_uses; // earlier tests of this process have added some uses
  use();
  EXPECT_EQ(told_uses, before + 1);
  {
    const Mode strict("on");
    EXPECT_EQ(dat_registry_list_providers(1, &number, list.pointers.data()), 0x80060024U);
  }
  EXPECT_EQ(dat_registry_list_providers(1, &number, nullptr), 0x80060026U) << "no use";
  EXPECT_EQ(dat_registry_list_providers(0, &number, nullptr), 0x80060024U) << "no use";
  EXPECT_EQ(told_uses, before + 1);
  EXPECT_EQ(close_ia(first.ia), 0U);
  use();
  EXPECT_EQ(told_uses, before + 1) << "nobody is there to be told";
  const OpenResult second = open_ia("by-hand");
  EXPECT_EQ(told_uses, before + 2);
  EXPECT_EQ(close_ia(second.ia), 0U);
  hand_table.extension = nullptr;
  EXPECT_EQ(dat_registry_remove_provider(by_hand(), &key), 0U);
}

// Rules: VERSION.13
TEST(Uses, AreNotToldToAProviderWhoseHookIsOfAnotherRelease) {
  const Mode lenient("off");
  // "DATHOOK3".
  const datum::ProviderHook hook{
      .mark = 0x334b4f4f48544144, .relaxed_ordering = nullptr, .short_provider_lists = &tell_uses};
  const DAT_PROVIDER_INFO key = info("by-hand");
  ASSERT_EQ(dat_registry_add_provider(by_hand(), &key), 0U);
  hand_table.extension = const_cast<datum::ProviderHook*>(&hook);
  told_uses = 4711;
  const OpenResult opened = open_ia("by-hand");
  EXPECT_EQ(opened.ret, 0U);
  EXPECT_EQ(told_uses, 4711U);
  EXPECT_EQ(close_ia(opened.ia), 0U);
  hand_table.extension = nullptr;
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

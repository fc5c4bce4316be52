// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The provider protocol: init registers names, fini closes each open IA, and an IA answers queries
// about itself.
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <string>

#include "base/provider_hook.h"
#include "base/registry_uses.h"
#include "every_kind.h"
#include "fake_runtime.h"

namespace datum::test {
namespace {

TEST(ProviderProtocol, EachKeyHasATableThatNamesItsIa) {
  const Provider a("one");
  const Provider b("two");
  EXPECT_NE(&a.table(), &b.table());
  EXPECT_STREQ(a.table().device_name, "one");
  EXPECT_STREQ(b.table().device_name, "two");
  EXPECT_EQ(registrations(), 2);
}

TEST(ProviderProtocol, NoSlotIsEmpty) {
  const Provider p("full");
  const auto* words = reinterpret_cast<void* const*>(&p.table());
  EXPECT_NE(words[0], nullptr);
  for (std::size_t i = 2; i < 70; ++i) EXPECT_NE(words[i], nullptr) << "slot " << i;
}

TEST(ProviderProtocol, TheThreadSafetyOfTheKeyIsReported) {
  for (const bool safe : {false, true}) {
    const DAT_PROVIDER_INFO info = provider_info("safety", safe);
    provider_init(info, "");
    const DAT_PROVIDER* table = registered("safety");
    ASSERT_NE(table, nullptr);
    char name[] = "safety";
    DAT_EVD_HANDLE evd = nullptr;
    DAT_IA_HANDLE ia = nullptr;
    ASSERT_EQ(table->ia_open_func(name, 8, &evd, &ia), DAT_SUCCESS);
    DAT_PROVIDER_ATTR attributes;
    std::memset(&attributes, 0x5a, sizeof attributes);
    EXPECT_EQ(table->ia_query_func(ia, nullptr, 0, nullptr, DAT_PROVIDER_FIELD_ALL, &attributes),
              DAT_SUCCESS);
    EXPECT_EQ(attributes.is_thread_safe, safe ? DAT_TRUE : DAT_FALSE);
    EXPECT_EQ(attributes.dapl_version_major, 1U);
    EXPECT_EQ(attributes.dapl_version_minor, 2U);
    EXPECT_STREQ(attributes.provider_name, "Fake");
    provider_fini(info);
  }
}

// Rules: dat_registry_list_providers.R9.default
TEST(ProviderProtocol, UsesOfTheRegistrysLeniencyAreKeptForTheProcess) {
  const Provider a("one");
  const Provider b("two");
  const auto* hook = static_cast<const ProviderHook*>(a.table().extension);
  EXPECT_EQ(hook->mark, 0x324b4f4f48544144U);
  EXPECT_EQ(hook, b.table().extension);
  hook->short_provider_lists(7);
  hook->short_provider_lists(6); // two threads may report their counts in the wrong order
  EXPECT_EQ(registry_uses(Leniency::ShortProviderList), 7U);
  EXPECT_EQ(registry_uses(Leniency::MixedCompletionFlags), 0U);
}

TEST(ProviderProtocol, FiniClosesWhatIsOpen) {
  const RuntimeCounts before = runtime_counts();
  {
    const Provider p("open");
    const EveryKind objects(p);
    EXPECT_NE(p.open(), DAT_HANDLE_NULL);
  }
  EXPECT_EQ(runtime_counts().stopped - before.stopped, 2);
  EXPECT_EQ(runtime_counts().destroyed - before.destroyed, 2);
  EXPECT_EQ(registered("open"), nullptr);
}

// The agent of a CNO may call exit(), which unloads the provider while the agent still runs.
TEST(ProviderProtocol, FiniFromAnAgentDoesNotWaitForItsOwnIa) {
  const DAT_PROVIDER_INFO info = provider_info("agent", false);
  provider_init(info, "");
  const DAT_PROVIDER* table = registered("agent");
  ASSERT_NE(table, nullptr);
  char name[] = "agent";
  DAT_EVD_HANDLE async = nullptr;
  DAT_IA_HANDLE ia = nullptr;
  DAT_IA_HANDLE other = nullptr;
  ASSERT_EQ(table->ia_open_func(name, 8, &async, &ia), DAT_SUCCESS);
  async = nullptr;
  ASSERT_EQ(table->ia_open_func(name, 8, &async, &other), DAT_SUCCESS);
  const RuntimeCounts before = runtime_counts();
  const auto finish = [](DAT_PVOID data, DAT_EVD_HANDLE) {
    provider_fini(*static_cast<const DAT_PROVIDER_INFO*>(data));
  };
  DAT_CNO_HANDLE cno = nullptr;
  DAT_EVD_HANDLE evd = nullptr;
  ASSERT_EQ(table->cno_create_func(ia, {const_cast<DAT_PROVIDER_INFO*>(&info), finish}, &cno),
            DAT_SUCCESS);
  ASSERT_EQ(table->evd_create_func(ia, 8, cno, DAT_EVD_SOFTWARE_FLAG, &evd), DAT_SUCCESS);
  DAT_EVENT event{};
  event.event_number = DAT_SOFTWARE_EVENT;
  EXPECT_EQ(table->evd_post_se_func(evd, &event), DAT_SUCCESS);
  EXPECT_EQ(registered("agent"), nullptr);
  EXPECT_EQ(runtime_counts().destroyed - before.destroyed, 1) << "the other one";
}

TEST(ProviderProtocol, FiniOfOneIaLeavesOthersAlone) {
  const Provider kept("kept");
  const DAT_IA_HANDLE ia = kept.open();
  { const Provider ended("ended"); }
  DAT_PZ_HANDLE pz = nullptr;
  EXPECT_EQ(kept->pz_create_func(ia, &pz), DAT_SUCCESS);
}

TEST(ProviderProtocol, AfterFiniAndInitTheNameOpensAgain) {
  { const Provider p("again"); }
  const Provider p("again", "other");
  EXPECT_NE(p.open(), DAT_HANDLE_NULL);
  EXPECT_EQ(last_instance_data(), "other");
}

TEST(ProviderProtocol, ATableThatWasFinishedOpensNothing) {
  const DAT_PROVIDER* table = nullptr;
  {
    const Provider p("finished");
    table = &p.table();
  }
  char name[] = "finished";
  DAT_EVD_HANDLE evd = nullptr;
  DAT_IA_HANDLE ia = nullptr;
  EXPECT_EQ(table->ia_open_func(name, 8, &evd, &ia), 0x800a0000U);
}

TEST(ProviderProtocol, ARefusedRegistrationOpensNothing) {
  refuse_next(0x80100000);
  const DAT_PROVIDER_INFO info = provider_info("refused");
  provider_init(info, "");
  EXPECT_EQ(registered("refused"), nullptr);
  provider_fini(info);
}

// This runs in a process of its own, since registered names are never forgotten.
TEST(ProviderProtocol, ThereIsRoomFor256IasAndOneMoreIsRefused) {
  const auto register_many = [] {
    for (int i = 0; i != 257; ++i) provider_init(provider_info("many" + std::to_string(i)), "");
    std::_Exit(registered("many256") == nullptr ? 0 : 1);
  };
  EXPECT_EXIT(register_many(), testing::ExitedWithCode(0),
              "ia \"many256\": 256 IAs are registered already");
}

TEST(IaQuery, FillsWhatIsAskedForAndNothingElse) {
  const Provider p("query");
  const DAT_IA_HANDLE ia = p.open();
  EXPECT_EQ(p->ia_query_func(ia, nullptr, 0, nullptr, 0, nullptr), DAT_SUCCESS);
  EXPECT_EQ(p->ia_query_func(ia, nullptr, 1, nullptr, 0, nullptr), 0x80060027U);
  EXPECT_EQ(p->ia_query_func(ia, nullptr, 0, nullptr, 1, nullptr), 0x80060029U);
  DAT_IA_ATTR a;
  std::memset(&a, 0x5a, sizeof a);
  EXPECT_EQ(p->ia_query_func(ia, nullptr, 0x800000000, &a, 0, nullptr), 0x80060026U);
  EXPECT_EQ(p->ia_query_func(ia, nullptr, 0, nullptr, 0x4000000, nullptr), 0x80060028U);
  ASSERT_EQ(p->ia_query_func(ia, nullptr, DAT_IA_FIELD_ALL, &a, 0, nullptr), DAT_SUCCESS);
  EXPECT_STREQ(a.adapter_name, "query");
  EXPECT_STREQ(a.vendor_name, "Datum");
  EXPECT_EQ(a.ia_address_ptr->sa_family, 2);
  EXPECT_EQ(a.max_eps, 65536);
  EXPECT_EQ(a.max_iov_segments_per_rdma_read, 64);
  ASSERT_EQ(a.num_transport_attr, 1);
  EXPECT_STREQ(a.transport_attr[0].name, "fake.path");
  EXPECT_STREQ(a.transport_attr[0].value, "none");
  EXPECT_EQ(a.num_vendor_attr, 0);
}

} // namespace
} // namespace datum::test

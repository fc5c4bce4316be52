// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Handles: stale ones, garbage, handles of another instance. Also what a failed call leaves behind,
// and the order of checks.
#include "dat.h"

#include "each_kind.h"
#include "fixture.h"

namespace datum::test {
namespace {

using RuleHandles = Conformance;
using RuleChecks = Conformance;

// Rules: CONV.6 CONV.5
TEST_F(RuleHandles, ASecondFreeFails) {
  const struct {
    DAT_HANDLE_TYPE kind;
    DAT_RETURN (*free)(DAT_HANDLE);
  } frees[] = {
      {DAT_HANDLE_TYPE_EP, dat_ep_free},   {DAT_HANDLE_TYPE_LMR, dat_lmr_free},
      {DAT_HANDLE_TYPE_RMR, dat_rmr_free}, {DAT_HANDLE_TYPE_PZ, dat_pz_free},
      {DAT_HANDLE_TYPE_EVD, dat_evd_free}, {DAT_HANDLE_TYPE_CNO, dat_cno_free},
      {DAT_HANDLE_TYPE_PSP, dat_psp_free}, {DAT_HANDLE_TYPE_SRQ, dat_srq_free},
  };
  for (const auto& [kind, free] : frees) {
    const DAT_HANDLE handle = destroyed_handle(ia, kind);
    EXPECT_DAT_TYPE(free(handle), DAT_INVALID_HANDLE) << "kind " << kind;
    EXPECT_DAT_TYPE(free(handle), DAT_INVALID_HANDLE) << "kind " << kind << ", once more";
  }
}

// Rules: CONV.7
TEST_F(RuleHandles, TheNextCreateGivesAnotherHandle) {
  DAT_HANDLE last_pz = DAT_HANDLE_NULL;
  DAT_HANDLE last_evd = DAT_HANDLE_NULL;
  DAT_HANDLE last_ep = DAT_HANDLE_NULL;
  for (int i = 0; i < 10; ++i) {
    const Pz pz = create_pz(ia);
    const Evd evd = create_evd(ia, kEveryStream);
    const Ep ep = create_ep(ia, pz, evd, evd, evd);
    EXPECT_NE(pz.get(), last_pz);
    EXPECT_NE(evd.get(), last_evd);
    EXPECT_NE(ep.get(), last_ep);
    last_pz = pz;
    last_evd = evd;
    last_ep = ep;
  }
}

// Rules: CONV.8
TEST_F(RuleHandles, TheFirstWordIsTheProviderTable) {
  EachKind objects(ia);
  PendingRequest request(ia);
  const auto table_of = [](DAT_HANDLE handle) { return *static_cast<DAT_PROVIDER**>(handle); };
  const DAT_PROVIDER* table = table_of(objects.pz);
  EXPECT_STREQ(table->device_name, ia_name().c_str());
  EXPECT_EQ(table_of(request.cr()), table);
  for (const auto& [kind, handle] : objects.handles()) {
    if (kind != DAT_HANDLE_TYPE_IA) { // the handle of an IA is a number
      EXPECT_EQ(table_of(handle), table) << "kind " << kind;
    }
  }
  DAT_HANDLE_TYPE kind{};
  EXPECT_DAT_OK(table->get_handle_type_func(objects.evd, &kind));
  EXPECT_EQ(kind, DAT_HANDLE_TYPE_EVD) << "its functions are the provider's";
}

// Rules: CONV.9
TEST_F(RuleHandles, Garbage) {
  // Readable memory whose first word is no provider table.
  alignas(64) unsigned char zeros[256] = {};
  DAT_HANDLE_TYPE type{};
  DAT_EVENT event{};
  DAT_EP_STATE state{};
  DAT_PZ_PARAM param{};
  EXPECT_DAT_TYPE(dat_get_handle_type(zeros, &type), DAT_INVALID_HANDLE);
  EXPECT_DAT_TYPE(dat_evd_dequeue(zeros, &event), DAT_INVALID_HANDLE);
  EXPECT_DAT_TYPE(dat_ep_get_status(zeros, &state, nullptr, nullptr), DAT_INVALID_HANDLE);
  EXPECT_DAT_TYPE(dat_pz_query(zeros, DAT_PZ_FIELD_ALL, &param), DAT_INVALID_HANDLE);
  EXPECT_DAT_TYPE(dat_ia_close(zeros, DAT_CLOSE_ABRUPT_FLAG), DAT_INVALID_HANDLE);
  // The registry does not check this argument, so the provider has to refuse it.
  DAT_EVD_HANDLE evd = DAT_HANDLE_NULL;
  EXPECT_DAT_TYPE(dat_evd_create(ia, 8, zeros, DAT_EVD_DTO_FLAG, &evd), DAT_INVALID_HANDLE);
  DAT_EP_HANDLE ep = DAT_HANDLE_NULL;
  EXPECT_DAT_TYPE(
      dat_ep_create(ia, zeros, DAT_HANDLE_NULL, DAT_HANDLE_NULL, DAT_HANDLE_NULL, nullptr, &ep),
      DAT_INVALID_HANDLE);
}

// Rules: CONV.4
TEST_F(RuleHandles, ArgumentsOfAnotherKind) {
  EachKind objects(ia);
  for (const auto& [kind, handle] : objects.handles()) {
    DAT_EP_HANDLE ep = DAT_HANDLE_NULL;
    if (kind != DAT_HANDLE_TYPE_PZ) {
      EXPECT_DAT_ERROR(dat_ep_create(ia, handle, DAT_HANDLE_NULL, DAT_HANDLE_NULL, DAT_HANDLE_NULL,
                                     nullptr, &ep),
                       DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_PZ)
          << "kind " << kind;
    }
    if (kind != DAT_HANDLE_TYPE_EVD) {
      EXPECT_DAT_ERROR(dat_ep_create(ia, DAT_HANDLE_NULL, handle, DAT_HANDLE_NULL, DAT_HANDLE_NULL,
                                     nullptr, &ep),
                       DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EVD_RECV)
          << "kind " << kind;
    }
    if (kind != DAT_HANDLE_TYPE_CNO) {
      EXPECT_DAT_ERROR(dat_evd_modify_cno(objects.evd, handle), DAT_INVALID_HANDLE,
                       DAT_INVALID_HANDLE_CNO)
          << "kind " << kind;
    }
  }
}

// Rules: CONV.3
TEST_F(RuleChecks, TheFirstFailureDecides) {
  const Evd evd = create_evd(ia, DAT_EVD_DTO_FLAG);
  DAT_EVENT event{};
  DAT_COUNT left = 0;
  EXPECT_DAT_TYPE(dat_evd_wait(DAT_HANDLE_NULL, 0, 0, nullptr, nullptr), DAT_INVALID_HANDLE)
      << "the handle before everything";
  EXPECT_DAT_ERROR(dat_evd_wait(evd, 0, 0, nullptr, &left), DAT_INVALID_PARAMETER, DAT_INVALID_ARG4)
      << "OUT pointers before values";
  EXPECT_DAT_OK(dat_evd_set_unwaitable(evd));
  EXPECT_DAT_ERROR(dat_evd_wait(evd, 0, 0, &event, &left), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3)
      << "values before the state";
  DAT_EVD_HANDLE created = DAT_HANDLE_NULL;
  EXPECT_DAT_ERROR(dat_evd_create(ia, 0, DAT_HANDLE_NULL, any_value<DAT_EVD_FLAGS>(0), &created),
                   DAT_INVALID_PARAMETER, DAT_INVALID_ARG2)
      << "the second argument before the fourth";
}

// Rules: CONV.1
TEST_F(RuleChecks, EveryFailureCarriesTheErrorClass) {
  constexpr DAT_RETURN kClassBits = 0xc0000000;
  constexpr DAT_RETURN kError = 0x80000000;
  const Cno cno = create_cno(ia);
  const Evd evd = create_evd(ia, DAT_EVD_SOFTWARE_FLAG, 1);
  DAT_EVENT event{};
  DAT_COUNT left = 0;
  DAT_EVD_HANDLE fired = DAT_HANDLE_NULL;
  EXPECT_EQ(dat_evd_dequeue(evd, &event) & kClassBits, kError) << "queue empty";
  EXPECT_EQ(dat_evd_wait(evd, 0, 1, &event, &left) & kClassBits, kError) << "timeout";
  EXPECT_EQ(dat_cno_wait(cno, 0, &fired) & kClassBits, kError) << "CNO timeout";
  while (post_software_event(evd, nullptr) == 0) {
  }
  EXPECT_EQ(post_software_event(evd, nullptr) & kClassBits, kError) << "queue full";
  EXPECT_EQ(dat_pz_create(DAT_HANDLE_NULL, nullptr) & kClassBits, kError) << "bad handle";
}

} // namespace
} // namespace datum::test

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat_rmr_create(3DAT), dat_rmr_query(3DAT), dat_rmr_free(3DAT) of unbound RMRs.
#include <cstring>

#include "each_kind.h"
#include "fixture.h"

namespace datum::test {
namespace {

using DatRmrCreate = Conformance;
using DatRmrQuery = Conformance;
using DatRmrFree = Conformance;

// Rules: dat_rmr_create.R1 dat_rmr_create.R2 dat_rmr_create.R3
TEST_F(DatRmrCreate, BadHandles) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_PZ, [](DAT_HANDLE handle) {
    DAT_RMR_HANDLE rmr = DAT_HANDLE_NULL;
    return dat_rmr_create(handle, &rmr);
  });
}

// Rules: dat_rmr_create.R4 dat_rmr_query.R7 dat_rmr_query.R8
TEST_F(DatRmrCreate, ANewRmrIsUnbound) {
  const Pz pz = create_pz(ia);
  const Rmr rmr = create_rmr(pz);
  DAT_RMR_PARAM param;
  std::memset(&param, 0xff, sizeof param);
  ASSERT_DAT_OK(dat_rmr_query(rmr, DAT_RMR_FIELD_ALL, &param));
  EXPECT_EQ(param.ia_handle, ia);
  EXPECT_EQ(param.pz_handle, pz);
  EXPECT_EQ(param.lmr_triplet.lmr_context, 0U);
  EXPECT_EQ(param.lmr_triplet.virtual_address, 0U);
  EXPECT_EQ(param.lmr_triplet.segment_length, 0U);
  EXPECT_EQ(static_cast<int>(param.mem_priv), 0);
  EXPECT_EQ(param.rmr_context, 0U);
}

TEST_F(DatRmrCreate, R5NullPointer) {
  const Pz pz = create_pz(ia);
  EXPECT_DAT_ERROR(dat_rmr_create(pz, nullptr), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
}

// Rules: dat_rmr_query.R1 dat_rmr_query.R2 dat_rmr_query.R3
TEST_F(DatRmrQuery, BadHandles) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_RMR, [](DAT_HANDLE handle) {
    DAT_RMR_PARAM param{};
    return dat_rmr_query(handle, DAT_RMR_FIELD_ALL, &param);
  });
}

// Rules: dat_rmr_query.R4 dat_rmr_query.R5 dat_rmr_query.R6
TEST_F(DatRmrQuery, MaskAndStruct) {
  const Pz pz = create_pz(ia);
  const Rmr rmr = create_rmr(pz);
  expect_query_checks(kRmrFields, [&](DAT_UINT64 mask, bool with_struct) {
    DAT_RMR_PARAM param{};
    return dat_rmr_query(rmr, any_value<DAT_RMR_PARAM_MASK>(static_cast<int>(mask)),
                         with_struct ? &param : nullptr);
  });
}

// Rules: dat_rmr_free.R1 dat_rmr_free.R2 dat_rmr_free.R3
TEST_F(DatRmrFree, BadHandles) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_RMR, dat_rmr_free);
}

// Rules: dat_rmr_free.R4 dat_rmr_free.R7
TEST_F(DatRmrFree, Unbound) {
  Pz pz = create_pz(ia);
  Rmr rmr = create_rmr(pz);
  EXPECT_DAT_OK(dat_rmr_free(rmr.release()));
  EXPECT_DAT_OK(dat_pz_free(pz.release()));
}

} // namespace
} // namespace datum::test

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat_pz_create(3DAT), dat_pz_query(3DAT), dat_pz_free(3DAT).
#include "each_kind.h"
#include "fixture.h"

namespace datum::test {
namespace {

using DatPzCreate = Conformance;
using DatPzQuery = Conformance;
using DatPzFree = Conformance;

// Rules: dat_pz_create.R1 dat_pz_create.R2 dat_pz_create.R3
TEST_F(DatPzCreate, BadHandles) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_IA, [](DAT_HANDLE handle) {
    DAT_PZ_HANDLE pz = DAT_HANDLE_NULL;
    return dat_pz_create(handle, &pz);
  });
}

// Rules: dat_pz_create.R4 dat_pz_query.R7
TEST_F(DatPzCreate, GivesAPzOfTheIa) {
  const Pz pz = create_pz(ia);
  EXPECT_NE(pz.get(), DAT_HANDLE_NULL);
  DAT_PZ_PARAM param{};
  EXPECT_DAT_OK(dat_pz_query(pz, DAT_PZ_FIELD_IA_HANDLE, &param));
  EXPECT_EQ(param.ia_handle, ia);
}

TEST_F(DatPzCreate, R5NullPointer) {
  EXPECT_DAT_ERROR(dat_pz_create(ia, nullptr), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
}

// Rules: dat_pz_query.R1 dat_pz_query.R2 dat_pz_query.R3
TEST_F(DatPzQuery, BadHandles) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_PZ, [](DAT_HANDLE handle) {
    DAT_PZ_PARAM param{};
    return dat_pz_query(handle, DAT_PZ_FIELD_ALL, &param);
  });
}

// Rules: dat_pz_query.R4 dat_pz_query.R5 dat_pz_query.R6
TEST_F(DatPzQuery, MaskAndStruct) {
  const Pz pz = create_pz(ia);
  expect_query_checks(0x1, [&](DAT_UINT64 mask, bool with_struct) {
    DAT_PZ_PARAM param{};
    return dat_pz_query(pz, any_value<DAT_PZ_PARAM_MASK>(static_cast<int>(mask)),
                        with_struct ? &param : nullptr);
  });
}

// Rules: dat_pz_free.R1 dat_pz_free.R2 dat_pz_free.R3
TEST_F(DatPzFree, BadHandles) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_PZ, dat_pz_free);
}

TEST_F(DatPzFree, R4Unused) {
  Pz pz = create_pz(ia);
  EXPECT_DAT_OK(dat_pz_free(pz.release()));
}

// Rules: dat_pz_free.R5 dat_pz_free.R9
TEST_F(DatPzFree, AnEpUsesIt) {
  Pz pz = create_pz(ia);
  Ep ep = create_ep(ia, pz, DAT_HANDLE_NULL, DAT_HANDLE_NULL, DAT_HANDLE_NULL);
  EXPECT_DAT_ERROR(dat_pz_free(pz), DAT_INVALID_STATE, DAT_INVALID_STATE_PZ_IN_USE);
  const Rmr rmr = create_rmr(pz);
  EXPECT_NE(rmr.get(), DAT_HANDLE_NULL) << "the PZ works on";
}

// Rules: dat_pz_free.R6 OBJ.6
TEST_F(DatPzFree, AnLmrUsesIt) {
  const Pz pz = create_pz(ia);
  const Buffer buffer(ia, pz, 16);
  EXPECT_DAT_ERROR(dat_pz_free(pz), DAT_INVALID_STATE, DAT_INVALID_STATE_PZ_IN_USE);
}

// Rules: dat_pz_free.R7 OBJ.7
TEST_F(DatPzFree, AnRmrUsesIt) {
  const Pz pz = create_pz(ia);
  const Rmr rmr = create_rmr(pz);
  EXPECT_DAT_ERROR(dat_pz_free(pz), DAT_INVALID_STATE, DAT_INVALID_STATE_PZ_IN_USE);
}

// Rules: dat_pz_free.R8 OBJ.8
TEST_F(DatPzFree, AnSrqUsesIt) {
  const Pz pz = create_pz(ia);
  const Srq srq = create_srq(ia, pz);
  EXPECT_DAT_ERROR(dat_pz_free(pz), DAT_INVALID_STATE, DAT_INVALID_STATE_PZ_IN_USE);
}

} // namespace
} // namespace datum::test

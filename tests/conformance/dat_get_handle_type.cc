// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat_get_handle_type(3DAT).
#include "each_kind.h"
#include "fixture.h"

namespace datum::test {
namespace {

using DatGetHandleType = Conformance;

int type_of(DAT_HANDLE handle) {
  auto type = any_value<DAT_HANDLE_TYPE>(15);
  EXPECT_DAT_OK(dat_get_handle_type(handle, &type));
  return type;
}

TEST_F(DatGetHandleType, R1Null) {
  DAT_HANDLE_TYPE type{};
  EXPECT_DAT_TYPE(dat_get_handle_type(DAT_HANDLE_NULL, &type), DAT_INVALID_HANDLE);
}

// Rules: dat_get_handle_type.R2 HANDLE.1
TEST_F(DatGetHandleType, Destroyed) {
  for (const DAT_HANDLE_TYPE kind :
       {DAT_HANDLE_TYPE_PZ, DAT_HANDLE_TYPE_CNO, DAT_HANDLE_TYPE_EVD, DAT_HANDLE_TYPE_LMR,
        DAT_HANDLE_TYPE_RMR, DAT_HANDLE_TYPE_SRQ, DAT_HANDLE_TYPE_EP, DAT_HANDLE_TYPE_PSP,
        DAT_HANDLE_TYPE_RSP, DAT_HANDLE_TYPE_IA}) {
    DAT_HANDLE_TYPE type{};
    EXPECT_DAT_TYPE(dat_get_handle_type(destroyed_handle(ia, kind), &type), DAT_INVALID_HANDLE)
        << "kind " << kind;
  }
}

// Rules: dat_get_handle_type.R3
TEST_F(DatGetHandleType, Cr) {
  PendingRequest request(ia);
  EXPECT_EQ(type_of(request.cr()), 0);
}

// Rules: dat_get_handle_type.R4 dat_get_handle_type.R5 dat_get_handle_type.R6
// Rules: dat_get_handle_type.R7 dat_get_handle_type.R8 dat_get_handle_type.R9
// Rules: dat_get_handle_type.R10 dat_get_handle_type.R11 dat_get_handle_type.R12
// Rules: dat_get_handle_type.R13
TEST_F(DatGetHandleType, EveryOtherKind) {
  EachKind objects(ia);
  EXPECT_EQ(type_of(objects.ep), 1);
  EXPECT_EQ(type_of(objects.evd), 2);
  EXPECT_EQ(type_of(ia), 3);
  EXPECT_EQ(type_of(objects.buffer->lmr()), 4);
  EXPECT_EQ(type_of(objects.psp), 5);
  EXPECT_EQ(type_of(objects.pz), 6);
  EXPECT_EQ(type_of(objects.rmr), 7);
  EXPECT_EQ(type_of(objects.rsp), 8);
  EXPECT_EQ(type_of(objects.cno), 9);
  EXPECT_EQ(type_of(objects.srq), 10);
}

TEST_F(DatGetHandleType, R14NullPointer) {
  EXPECT_DAT_ERROR(dat_get_handle_type(ia, nullptr), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
}

} // namespace
} // namespace datum::test

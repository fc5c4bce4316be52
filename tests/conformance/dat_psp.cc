// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat_psp_create(3DAT), dat_psp_create_any(3DAT), dat_psp_query(3DAT), dat_psp_free(3DAT): the
// rules that need no connection.
#include "each_kind.h"
#include "fixture.h"

namespace datum::test {
namespace {

class PspTest : public Conformance {
 protected:
  void SetUp() override {
    Conformance::SetUp();
    evd = create_evd(ia, DAT_EVD_CR_FLAG);
    no_cr = create_evd(ia, DAT_EVD_DTO_FLAG);
  }

  DAT_RETURN create(DAT_CONN_QUAL qualifier) {
    return dat_psp_create(ia, qualifier, evd, DAT_PSP_CONSUMER_FLAG, psp.out());
  }

  Evd evd;
  Evd no_cr;
  Psp psp;
};

using DatPspCreate = PspTest;
using DatPspCreateAny = PspTest;
using DatPspQuery = PspTest;
using DatPspFree = PspTest;

DAT_PSP_PARAM query_psp(DAT_PSP_HANDLE psp) {
  DAT_PSP_PARAM param{};
  EXPECT_DAT_OK(dat_psp_query(psp, DAT_PSP_FIELD_ALL, &param));
  return param;
}

// Rules: dat_psp_create.R1 dat_psp_create.R2 dat_psp_create.R3
TEST_F(DatPspCreate, BadHandles) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_IA, [&](DAT_HANDLE handle) {
    DAT_PSP_HANDLE created = DAT_HANDLE_NULL;
    return dat_psp_create(handle, 12345, evd, DAT_PSP_CONSUMER_FLAG, &created);
  });
}

TEST_F(DatPspCreate, R5QualifierZero) {
  EXPECT_DAT_ERROR(create(0), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
}

TEST_F(DatPspCreate, R6QualifiersOfMoreThan16Bits) {
  for (const DAT_CONN_QUAL qualifier : {0x10000ULL, 0x1234567890ULL, 0xfedcba9876543210ULL}) {
    ASSERT_DAT_OK(create(qualifier)) << qualifier;
    EXPECT_EQ(query_psp(psp).conn_qual, qualifier);
    psp.free();
  }
}

TEST_F(DatPspCreate, R7TakenByAPsp) {
  const DAT_CONN_QUAL qualifier = free_qualifier();
  const Psp first = create_psp(ia, qualifier, evd);
  EXPECT_DAT_TYPE(create(qualifier), DAT_CONN_QUAL_IN_USE);
}

// Rules: dat_psp_create.R8 CONN.21
TEST_F(DatPspCreate, TakenByAnRsp) {
  const DAT_CONN_QUAL qualifier = free_qualifier();
  Side side(ia);
  const Rsp rsp = create_rsp(ia, qualifier, side.ep(), evd);
  EXPECT_DAT_TYPE(create(qualifier), DAT_CONN_QUAL_IN_USE);
}

TEST_F(DatPspCreate, R9TakenByAnotherInstance) {
  const Ia other = open_ia();
  const Evd other_evd = create_evd(other, DAT_EVD_CR_FLAG);
  const DAT_CONN_QUAL qualifier = free_qualifier();
  const Psp first = create_psp(other, qualifier, other_evd);
  EXPECT_DAT_TYPE(create(qualifier), DAT_CONN_QUAL_IN_USE);
}

// Rules: dat_psp_create.R10 dat_psp_create.R11 dat_psp_create.R12
TEST_F(DatPspCreate, NotACrEvdOfThisInstance) {
  const Ia other = open_ia();
  const Evd foreign = create_evd(other, DAT_EVD_CR_FLAG);
  const Cno cno = create_cno(ia);
  const DAT_CONN_QUAL qualifier = free_qualifier();
  for (const DAT_EVD_HANDLE bad : {DAT_HANDLE_NULL, cno.get(), no_cr.get(), foreign.get()}) {
    EXPECT_DAT_ERROR(dat_psp_create(ia, qualifier, bad, DAT_PSP_CONSUMER_FLAG, psp.out()),
                     DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EVD_CR);
  }
}

TEST_F(DatPspCreate, R13UnknownFlag) {
  EXPECT_DAT_ERROR(
      dat_psp_create(ia, free_qualifier(), evd, any_value<DAT_PSP_FLAGS>(2), psp.out()),
      DAT_INVALID_PARAMETER, DAT_INVALID_ARG4);
}

// Rules: dat_psp_create.R14 dat_psp_query.R7
TEST_F(DatPspCreate, BothFlags) {
  for (const DAT_PSP_FLAGS flags : {DAT_PSP_CONSUMER_FLAG, DAT_PSP_PROVIDER_FLAG}) {
    const DAT_CONN_QUAL qualifier = free_qualifier();
    const Psp created = create_psp(ia, qualifier, evd, flags);
    const DAT_PSP_PARAM param = query_psp(created);
    EXPECT_EQ(param.ia_handle, ia);
    EXPECT_EQ(param.conn_qual, qualifier);
    EXPECT_EQ(param.evd_handle, evd);
    EXPECT_EQ(param.psp_flags, flags);
  }
}

TEST_F(DatPspCreate, R15NullPointer) {
  EXPECT_DAT_ERROR(dat_psp_create(ia, free_qualifier(), evd, DAT_PSP_CONSUMER_FLAG, nullptr),
                   DAT_INVALID_PARAMETER, DAT_INVALID_ARG5);
}

// Rules: dat_psp_create_any.R1 dat_psp_create_any.R2 dat_psp_create_any.R3
TEST_F(DatPspCreateAny, BadHandles) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_IA, [&](DAT_HANDLE handle) {
    DAT_CONN_QUAL qualifier = 0;
    DAT_PSP_HANDLE created = DAT_HANDLE_NULL;
    return dat_psp_create_any(handle, &qualifier, evd, DAT_PSP_CONSUMER_FLAG, &created);
  });
}

// Rules: dat_psp_create_any.R4 dat_psp_create_any.R5 dat_psp_create_any.R6 dat_psp_query.R8
TEST_F(DatPspCreateAny, AQualifierOfItsOwn) {
  Psp first;
  Psp second;
  DAT_CONN_QUAL qualifiers[2] = {};
  ASSERT_DAT_OK(dat_psp_create_any(ia, &qualifiers[0], evd, DAT_PSP_CONSUMER_FLAG, first.out()));
  ASSERT_DAT_OK(dat_psp_create_any(ia, &qualifiers[1], evd, DAT_PSP_CONSUMER_FLAG, second.out()));
  EXPECT_NE(qualifiers[0], qualifiers[1]);
  for (const DAT_CONN_QUAL qualifier : qualifiers) {
    EXPECT_GE(qualifier, 1024U);
    EXPECT_LE(qualifier, 65535U);
    EXPECT_DAT_TYPE(create(qualifier), DAT_CONN_QUAL_IN_USE);
  }
  EXPECT_EQ(query_psp(first).conn_qual, qualifiers[0]);
}

TEST_F(DatPspCreateAny, R8NullQualifier) {
  EXPECT_DAT_ERROR(dat_psp_create_any(ia, nullptr, evd, DAT_PSP_CONSUMER_FLAG, psp.out()),
                   DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
}

TEST_F(DatPspCreateAny, R9NoCrFlag) {
  DAT_CONN_QUAL qualifier = 0;
  EXPECT_DAT_ERROR(dat_psp_create_any(ia, &qualifier, no_cr, DAT_PSP_CONSUMER_FLAG, psp.out()),
                   DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EVD_CR);
}

TEST_F(DatPspCreateAny, R10UnknownFlag) {
  DAT_CONN_QUAL qualifier = 0;
  EXPECT_DAT_ERROR(dat_psp_create_any(ia, &qualifier, evd, any_value<DAT_PSP_FLAGS>(2), psp.out()),
                   DAT_INVALID_PARAMETER, DAT_INVALID_ARG4);
}

TEST_F(DatPspCreateAny, R11NullPointer) {
  DAT_CONN_QUAL qualifier = 0;
  EXPECT_DAT_ERROR(dat_psp_create_any(ia, &qualifier, evd, DAT_PSP_CONSUMER_FLAG, nullptr),
                   DAT_INVALID_PARAMETER, DAT_INVALID_ARG5);
}

// Rules: dat_psp_query.R1 dat_psp_query.R2 dat_psp_query.R3
TEST_F(DatPspQuery, BadHandles) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_PSP, [](DAT_HANDLE handle) {
    DAT_PSP_PARAM param{};
    return dat_psp_query(handle, DAT_PSP_FIELD_ALL, &param);
  });
}

// Rules: dat_psp_query.R4 dat_psp_query.R5 dat_psp_query.R6
TEST_F(DatPspQuery, MaskAndStruct) {
  Listener listener(ia);
  expect_query_checks(0xf, [&](DAT_UINT64 mask, bool with_struct) {
    DAT_PSP_PARAM param{};
    return dat_psp_query(listener.psp(), any_value<DAT_PSP_PARAM_MASK>(static_cast<int>(mask)),
                         with_struct ? &param : nullptr);
  });
}

// Rules: dat_psp_free.R1 dat_psp_free.R2 dat_psp_free.R3
TEST_F(DatPspFree, BadHandles) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_PSP, dat_psp_free);
}

// Rules: dat_psp_free.R4
TEST_F(DatPspFree, TheQualifierIsFreeAtOnce) {
  const DAT_CONN_QUAL qualifier = free_qualifier();
  for (int i = 0; i < 3; ++i) {
    ASSERT_DAT_OK(create(qualifier)) << "round " << i;
    EXPECT_DAT_OK(dat_psp_free(psp.release()));
  }
}

TEST_F(DatPspFree, R8TheEvdBecomesFreeable) {
  ASSERT_DAT_OK(create(free_qualifier()));
  EXPECT_DAT_ERROR(dat_evd_free(evd), DAT_INVALID_STATE, DAT_INVALID_STATE_EVD_IN_USE);
  psp.free();
  EXPECT_DAT_OK(dat_evd_free(evd.release()));
}

} // namespace
} // namespace datum::test

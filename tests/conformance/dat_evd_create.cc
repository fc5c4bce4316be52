// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat_evd_create and dat_evd_query(3DAT).
#include "each_kind.h"
#include "fixture.h"
#include "threads.h"

namespace datum::test {
namespace {

using DatEvdCreate = Conformance;
using DatEvdQuery = Conformance;

constexpr DAT_EVD_FLAGS kStreams[] = {
    DAT_EVD_SOFTWARE_FLAG,   DAT_EVD_CR_FLAG,       DAT_EVD_DTO_FLAG,
    DAT_EVD_CONNECTION_FLAG, DAT_EVD_RMR_BIND_FLAG, DAT_EVD_ASYNC_FLAG,
};

constexpr int kDirectBand = DAT_EVD_STATE_WAITABLE | DAT_EVD_STATE_UNWAITABLE;
constexpr int kCnoBand = DAT_EVD_STATE_ENABLED | DAT_EVD_STATE_DISABLED;
constexpr int kConfigBand = 0x30;

int evd_state(DAT_EVD_HANDLE evd) {
  return query_evd(evd).evd_state;
}

// Rules: dat_evd_create.R1 dat_evd_create.R2 dat_evd_create.R3
TEST_F(DatEvdCreate, BadHandles) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_IA, [](DAT_HANDLE handle) {
    DAT_EVD_HANDLE evd = DAT_HANDLE_NULL;
    return dat_evd_create(handle, 8, DAT_HANDLE_NULL, DAT_EVD_DTO_FLAG, &evd);
  });
}

// Rules: dat_evd_create.R4 dat_evd_create.R5 dat_evd_query.R7 dat_evd_query.R9
TEST_F(DatEvdCreate, ANewEvd) {
  const Cno cno = create_cno(ia);
  const Evd evd = create_evd(ia, kEveryStream, 17, cno);
  const DAT_EVD_PARAM param = query_evd(evd);
  EXPECT_EQ(param.ia_handle, ia);
  EXPECT_EQ(param.cno_handle, cno);
  EXPECT_EQ(static_cast<int>(param.evd_flags), 0x1f1);
  EXPECT_GE(param.evd_qlen, 17);
  EXPECT_EQ(param.evd_state & kCnoBand, DAT_EVD_STATE_ENABLED);
  EXPECT_EQ(param.evd_state & kDirectBand, DAT_EVD_STATE_WAITABLE);
  EXPECT_EQ(drain(evd), 0);
}

// Rules: dat_evd_create.R6 dat_evd_create.R7
TEST_F(DatEvdCreate, TheLengthMustBePositive) {
  for (const DAT_COUNT length : {0, -1, -2147483647}) {
    DAT_EVD_HANDLE evd = DAT_HANDLE_NULL;
    EXPECT_DAT_ERROR(dat_evd_create(ia, length, DAT_HANDLE_NULL, DAT_EVD_DTO_FLAG, &evd),
                     DAT_INVALID_PARAMETER, DAT_INVALID_ARG2)
        << length;
  }
}

TEST_F(DatEvdCreate, R8LongerThanTheIaAllows) {
  const DAT_COUNT most = ia_attributes(ia).max_evd_qlen;
  if (most == 2147483647) GTEST_SKIP() << "no longer length exists";
  DAT_EVD_HANDLE evd = DAT_HANDLE_NULL;
  EXPECT_DAT_ERROR(dat_evd_create(ia, most + 1, DAT_HANDLE_NULL, DAT_EVD_DTO_FLAG, &evd),
                   DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_TEVD);
}

TEST_F(DatEvdCreate, R9TheLongest) {
  Evd evd;
  const DAT_RETURN status = dat_evd_create(ia, ia_attributes(ia).max_evd_qlen, DAT_HANDLE_NULL,
                                           DAT_EVD_SOFTWARE_FLAG, evd.out());
  if (status == DAT_SUCCESS) return;
  EXPECT_DAT_ERROR(status, DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_MEMORY);
}

TEST_F(DatEvdCreate, R10NoCno) {
  const Evd evd = create_evd(ia, DAT_EVD_DTO_FLAG, 8, DAT_HANDLE_NULL);
  EXPECT_EQ(query_evd(evd).cno_handle, DAT_HANDLE_NULL);
}

TEST_F(DatEvdCreate, R11NotACno) {
  const Pz pz = create_pz(ia);
  DAT_EVD_HANDLE evd = DAT_HANDLE_NULL;
  EXPECT_DAT_ERROR(dat_evd_create(ia, 8, pz, DAT_EVD_DTO_FLAG, &evd), DAT_INVALID_HANDLE,
                   DAT_INVALID_HANDLE_CNO);
}

// Rules: dat_evd_create.R12 CONV.10 OBJ.1
TEST_F(DatEvdCreate, CnoOfAnotherInstance) {
  const Ia other = open_ia();
  const Cno cno = create_cno(other);
  DAT_EVD_HANDLE evd = DAT_HANDLE_NULL;
  EXPECT_DAT_ERROR(dat_evd_create(ia, 8, cno, DAT_EVD_DTO_FLAG, &evd), DAT_INVALID_HANDLE,
                   DAT_INVALID_HANDLE_CNO);
}

TEST_F(DatEvdCreate, R13NoFlag) {
  DAT_EVD_HANDLE evd = DAT_HANDLE_NULL;
  EXPECT_DAT_ERROR(dat_evd_create(ia, 8, DAT_HANDLE_NULL, any_value<DAT_EVD_FLAGS>(0), &evd),
                   DAT_INVALID_PARAMETER, DAT_INVALID_ARG4);
}

TEST_F(DatEvdCreate, R14UnknownFlag) {
  for (const int flags : {0x002, 0x008, 0x022, kUnknownEvdFlag}) {
    DAT_EVD_HANDLE evd = DAT_HANDLE_NULL;
    EXPECT_DAT_ERROR(dat_evd_create(ia, 8, DAT_HANDLE_NULL, any_value<DAT_EVD_FLAGS>(flags), &evd),
                     DAT_INVALID_PARAMETER, DAT_INVALID_ARG4)
        << flags;
  }
}

TEST_F(DatEvdCreate, R15NullPointer) {
  EXPECT_DAT_ERROR(dat_evd_create(ia, 8, DAT_HANDLE_NULL, DAT_EVD_DTO_FLAG, nullptr),
                   DAT_INVALID_PARAMETER, DAT_INVALID_ARG5);
}

// Rules: dat_evd_create.R16 dat_evd_create.R17
TEST_F(DatEvdCreate, EveryFlagAndEveryPair) {
  for (const DAT_EVD_FLAGS first : kStreams) {
    for (const DAT_EVD_FLAGS second : kStreams) {
      const auto flags = any_value<DAT_EVD_FLAGS>(first | second);
      const Evd evd = create_evd(ia, flags);
      EXPECT_EQ(query_evd(evd).evd_flags, flags);
    }
  }
}

// Rules: dat_evd_query.R1 dat_evd_query.R2 dat_evd_query.R3
TEST_F(DatEvdQuery, BadHandles) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_EVD, [](DAT_HANDLE handle) {
    DAT_EVD_PARAM param{};
    return dat_evd_query(handle, DAT_EVD_FIELD_ALL, &param);
  });
}

// Rules: dat_evd_query.R4 dat_evd_query.R5 dat_evd_query.R6 CONV.11
TEST_F(DatEvdQuery, MaskAndStruct) {
  const Evd evd = create_evd(ia, DAT_EVD_DTO_FLAG);
  expect_query_checks(0x1f, [&](DAT_UINT64 mask, bool with_struct) {
    DAT_EVD_PARAM param{};
    return dat_evd_query(evd, any_value<DAT_EVD_PARAM_MASK>(static_cast<int>(mask)),
                         with_struct ? &param : nullptr);
  });
}

TEST_F(DatEvdQuery, R8TheRealLength) {
  const Evd evd = create_evd(ia, DAT_EVD_SOFTWARE_FLAG, 5);
  const DAT_COUNT length = query_evd(evd).evd_qlen;
  for (DAT_COUNT i = 0; i < length; ++i) ASSERT_DAT_OK(post_software_event(evd, nullptr)) << i;
  EXPECT_DAT_TYPE(post_software_event(evd, nullptr), DAT_QUEUE_FULL);
}

TEST_F(DatEvdQuery, R10TheStateFollows) {
  const Evd evd = create_evd(ia, DAT_EVD_SOFTWARE_FLAG);
  EXPECT_DAT_OK(dat_evd_disable(evd));
  EXPECT_EQ(evd_state(evd) & kCnoBand, DAT_EVD_STATE_DISABLED);
  EXPECT_DAT_OK(dat_evd_enable(evd));
  EXPECT_EQ(evd_state(evd) & kCnoBand, DAT_EVD_STATE_ENABLED);
  EXPECT_DAT_OK(dat_evd_set_unwaitable(evd));
  EXPECT_EQ(evd_state(evd) & kDirectBand, DAT_EVD_STATE_UNWAITABLE);
  EXPECT_DAT_OK(dat_evd_clear_unwaitable(evd));
  EXPECT_EQ(evd_state(evd) & kDirectBand, DAT_EVD_STATE_WAITABLE);
}

// The configuration bits in the state of an EVD that an EP with these recv flags uses.
int config_with(DAT_IA_HANDLE ia, DAT_COMPLETION_FLAGS recv_flags) {
  DAT_EP_ATTR attributes = default_attributes(ia);
  attributes.recv_completion_flags = recv_flags;
  const Evd recv = create_evd(ia, DAT_EVD_DTO_FLAG);
  const Evd request = create_evd(ia, DAT_EVD_DTO_FLAG);
  const Ep ep = create_ep(ia, DAT_HANDLE_NULL, recv, request, DAT_HANDLE_NULL, &attributes);
  return evd_state(recv) & kConfigBand;
}

TEST_F(DatEvdQuery, R11Threshold) {
  EXPECT_EQ(config_with(ia, DAT_COMPLETION_EVD_THRESHOLD_FLAG), DAT_EVD_STATE_CONFIG_THRESHOLD);
}

TEST_F(DatEvdQuery, R12Solicited) {
  EXPECT_EQ(config_with(ia, DAT_COMPLETION_SOLICITED_WAIT_FLAG), DAT_EVD_STATE_CONFIG_SOLICITED);
}

TEST_F(DatEvdQuery, R13Notify) {
  EXPECT_EQ(config_with(ia, DAT_COMPLETION_UNSIGNALLED_FLAG), DAT_EVD_STATE_CONFIG_NOTIFY);
}

// Rules: dat_evd_query.R11 dat_evd_query.R13
TEST_F(DatEvdQuery, NotifyEndsWithTheEpThatAskedForIt) {
  DAT_EP_ATTR attributes = default_attributes(ia);
  const Evd recv = create_evd(ia, DAT_EVD_DTO_FLAG);
  const Evd request = create_evd(ia, DAT_EVD_DTO_FLAG);
  attributes.request_completion_flags = DAT_COMPLETION_UNSIGNALLED_FLAG;
  Ep first = create_ep(ia, DAT_HANDLE_NULL, recv, request, DAT_HANDLE_NULL, &attributes);
  EXPECT_EQ(evd_state(request) & kConfigBand, DAT_EVD_STATE_CONFIG_NOTIFY);
  first.free();
  attributes.request_completion_flags = DAT_COMPLETION_EVD_THRESHOLD_FLAG;
  const Ep next = create_ep(ia, DAT_HANDLE_NULL, recv, request, DAT_HANDLE_NULL, &attributes);
  EXPECT_EQ(evd_state(request) & kConfigBand, DAT_EVD_STATE_CONFIG_THRESHOLD);
}

TEST_F(DatEvdQuery, R14WhileAThreadWaits) {
  const Evd evd = create_evd(ia, DAT_EVD_SOFTWARE_FLAG);
  BlockedCall waiter([&] {
    DAT_EVENT event{};
    DAT_COUNT left = 0;
    return dat_evd_wait(evd, kPatience, 1, &event, &left);
  });
  EXPECT_GE(query_evd(evd).evd_qlen, 1);
  EXPECT_FALSE(waiter.is_over());
  EXPECT_DAT_OK(post_software_event(evd, nullptr));
  EXPECT_DAT_OK(waiter.join());
}

// Rules: CONV.12
TEST_F(DatEvdQuery, TwoQueriesAgree) {
  const Evd evd = create_evd(ia, DAT_EVD_SOFTWARE_FLAG);
  EXPECT_DAT_OK(post_software_event(evd, nullptr));
  const DAT_EVD_PARAM first = query_evd(evd);
  const DAT_EVD_PARAM second = query_evd(evd);
  EXPECT_EQ(first.evd_qlen, second.evd_qlen);
  EXPECT_EQ(first.evd_state, second.evd_state);
  EXPECT_EQ(drain(evd), 1) << "the event is still there";
}

} // namespace
} // namespace datum::test

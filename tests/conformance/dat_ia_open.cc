// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat_ia_open(3DAT): names, versions, the asynchronous EVD.
#include <string>

#include "fixture.h"

namespace datum::test {
namespace {

using DatIaOpen = Conformance;

char* name() {
  return const_cast<char*>(ia_name().c_str());
}

TEST_F(DatIaOpen, R1ARegisteredNameOpens) {
  Ia opened;
  DAT_EVD_HANDLE async_evd = DAT_HANDLE_NULL;
  ASSERT_DAT_OK(dat_ia_open(name(), 8, &async_evd, opened.out()));
  EXPECT_NE(opened.get(), DAT_HANDLE_NULL);
  EXPECT_NE(async_evd, DAT_HANDLE_NULL);
}

TEST_F(DatIaOpen, R2NullName) {
  Ia opened;
  DAT_EVD_HANDLE async_evd = DAT_HANDLE_NULL;
  EXPECT_DAT_ERROR(dat_ia_open(nullptr, 8, &async_evd, opened.out()), DAT_INVALID_PARAMETER,
                   DAT_INVALID_ARG1);
}

TEST_F(DatIaOpen, R3NameOf256Characters) {
  Ia opened;
  DAT_EVD_HANDLE async_evd = DAT_HANDLE_NULL;
  std::string longest(256, 'x');
  EXPECT_DAT_ERROR(dat_ia_open(longest.data(), 8, &async_evd, opened.out()), DAT_INVALID_PARAMETER,
                   DAT_INVALID_ARG1);
  std::string short_enough(255, 'x');
  EXPECT_DAT_TYPE(dat_ia_open(short_enough.data(), 8, &async_evd, opened.out()),
                  DAT_PROVIDER_NOT_FOUND);
}

TEST_F(DatIaOpen, R4NullAsyncEvdPointer) {
  Ia opened;
  EXPECT_DAT_TYPE(dat_ia_open(name(), 8, nullptr, opened.out()), DAT_INVALID_PARAMETER);
}

TEST_F(DatIaOpen, R5NullIaPointer) {
  DAT_EVD_HANDLE async_evd = DAT_HANDLE_NULL;
  const DAT_RETURN status = dat_ia_open(name(), 8, &async_evd, nullptr);
  if (DAT_GET_TYPE(status) == DAT_INVALID_HANDLE) return;
  EXPECT_DAT_TYPE(status, DAT_INVALID_PARAMETER);
}

// Rules: dat_ia_open.R6 dat_ia_open.R7
TEST_F(DatIaOpen, QueueLengthMustBePositive) {
  for (const DAT_COUNT length : {0, -1}) {
    Ia opened;
    DAT_EVD_HANDLE async_evd = DAT_HANDLE_NULL;
    EXPECT_DAT_ERROR(dat_ia_open(name(), length, &async_evd, opened.out()), DAT_INVALID_PARAMETER,
                     DAT_INVALID_ARG2)
        << length;
  }
}

TEST_F(DatIaOpen, R8TheCreatedAsyncEvd) {
  Ia opened;
  DAT_EVD_HANDLE async_evd = DAT_HANDLE_NULL;
  ASSERT_DAT_OK(dat_ia_open(name(), 12, &async_evd, opened.out()));
  const DAT_EVD_PARAM param = query_evd(async_evd);
  EXPECT_EQ(param.ia_handle, opened);
  EXPECT_EQ(param.evd_flags, DAT_EVD_ASYNC_FLAG);
  EXPECT_EQ(param.cno_handle, DAT_HANDLE_NULL);
  EXPECT_GE(param.evd_qlen, 12);
  EXPECT_EQ(param.evd_state & DAT_EVD_STATE_ENABLED, DAT_EVD_STATE_ENABLED);
}

TEST_F(DatIaOpen, R9AsyncExistsMakesNoEvd) {
  Ia opened;
  DAT_EVD_HANDLE async_evd = DAT_EVD_ASYNC_EXISTS;
  ASSERT_DAT_OK(dat_ia_open(name(), 0, &async_evd, opened.out()));
  DAT_EVD_HANDLE queried = DAT_HANDLE_NULL;
  EXPECT_DAT_OK(dat_ia_query(opened, &queried, 0, nullptr, 0, nullptr));
  EXPECT_EQ(queried, DAT_EVD_OUT_OF_SCOPE);
}

TEST_F(DatIaOpen, R10AnAsyncEvdOfAnotherInstance) {
  DAT_EVD_HANDLE async_evd = DAT_HANDLE_NULL;
  ASSERT_DAT_OK(dat_ia_query(ia, &async_evd, 0, nullptr, 0, nullptr));
  const DAT_EVD_HANDLE given = async_evd;
  Ia opened;
  ASSERT_DAT_OK(dat_ia_open(name(), 0, &async_evd, opened.out()));
  EXPECT_EQ(async_evd, given);
  DAT_EVD_HANDLE queried = DAT_HANDLE_NULL;
  EXPECT_DAT_OK(dat_ia_query(opened, &queried, 0, nullptr, 0, nullptr));
  EXPECT_EQ(queried, given);
}

TEST_F(DatIaOpen, R11APassedEvdThatIsNoAsyncEvd) {
  Ia opened;
  Evd evd = create_evd(ia, DAT_EVD_DTO_FLAG);
  DAT_EVD_HANDLE given = evd;
  EXPECT_DAT_TYPE(dat_ia_open(name(), 8, &given, opened.out()), DAT_INVALID_HANDLE);
  given = evd;
  evd.free();
  EXPECT_DAT_TYPE(dat_ia_open(name(), 8, &given, opened.out()), DAT_INVALID_HANDLE);
}

TEST_F(DatIaOpen, R20EveryAsyncEvdHearsOfIt) {
  // `second` has an EVD of its own; `third` has been given the EVD of `ia`.
  const Ia second = open_ia();
  DAT_EVD_HANDLE shared = async_evd_of(ia);
  Ia third;
  ASSERT_DAT_OK(dat_ia_open(name(), 0, &shared, third.out()));
  for (const DAT_IA_HANDLE source : {ia.get(), second.get(), third.get()}) {
    Side side(source);
    Buffer buffer = side.buffer(16);
    for (const DAT_UINT64 cookie : {1U, 2U})
      ASSERT_DAT_OK(post_recv(side.ep(), {buffer.segment()}, cookie));
    ASSERT_DAT_OK(dat_ep_set_watermark(side.ep(), 1, DAT_WATERMARK_INFINITE));
    for (const DAT_EVD_HANDLE evd : {async_evd_of(ia), async_evd_of(second)}) {
      const DAT_EVENT event = expect_event(evd, DAT_ASYNC_ERROR_PROVIDER_INTERNAL_ERROR);
      EXPECT_EQ(event.event_data.asynch_error_event_data.dat_handle, side.ep());
      EXPECT_NO_EVENT(evd) << "once only";
    }
    side.ep().free();
  }
}

TEST_F(DatIaOpen, R12TwoOpensAreSeparate) {
  const Ia second = open_ia();
  EXPECT_NE(second.get(), ia.get());
  const Pz pz = create_pz(ia);
  const Pz pz_of_second = create_pz(second);
  DAT_PZ_PARAM param{};
  EXPECT_DAT_OK(dat_pz_query(pz_of_second, DAT_PZ_FIELD_ALL, &param));
  EXPECT_EQ(param.ia_handle, second);
}

// Rules: dat_ia_open.R12
TEST_F(DatIaOpen, OpensAreSeparateAlsoAfterManyOthers) {
  for (int i = 0; i < 70; ++i) static_cast<void>(open_ia());
  Ia first = open_ia();
  const Ia second = open_ia();
  EXPECT_NE(first.get(), second.get());
  EXPECT_DAT_OK(dat_ia_close(first.release(), DAT_CLOSE_ABRUPT_FLAG));
  const Pz zone = create_pz(second);
  EXPECT_NE(zone.get(), DAT_HANDLE_NULL);
}

TEST_F(DatIaOpen, R13ThePrefixIsStripped) {
  std::string aware = "RO_AWARE_" + ia_name();
  Ia opened;
  DAT_EVD_HANDLE async_evd = DAT_HANDLE_NULL;
  ASSERT_DAT_OK(dat_ia_open(aware.data(), 8, &async_evd, opened.out()));
  EXPECT_EQ(std::string(ia_attributes(opened).adapter_name), ia_name());
}

TEST_F(DatIaOpen, R14WithoutThePrefixTheOpenSucceeds) {
  Ia opened;
  DAT_EVD_HANDLE async_evd = DAT_HANDLE_NULL;
  EXPECT_DAT_OK(dat_ia_open(name(), 8, &async_evd, opened.out()));
}

TEST_F(DatIaOpen, R15UnknownName) {
  Ia opened;
  DAT_EVD_HANDLE async_evd = DAT_HANDLE_NULL;
  std::string unknown = "no-such-adapter";
  EXPECT_DAT_ERROR(dat_ia_open(unknown.data(), 8, &async_evd, opened.out()), DAT_PROVIDER_NOT_FOUND,
                   DAT_NAME_NOT_REGISTERED);
}

TEST_F(DatIaOpen, R16UnknownMajorVersion) {
  Ia opened;
  DAT_EVD_HANDLE async_evd = DAT_HANDLE_NULL;
  EXPECT_DAT_ERROR(dat_ia_openv(name(), 8, &async_evd, opened.out(), 7, 0, DAT_FALSE),
                   DAT_PROVIDER_NOT_FOUND, DAT_MAJOR_NOT_FOUND);
}

TEST_F(DatIaOpen, R17MinorVersionAboveTheOffered) {
  Ia opened;
  DAT_EVD_HANDLE async_evd = DAT_HANDLE_NULL;
  EXPECT_DAT_ERROR(
      dat_ia_openv(name(), 8, &async_evd, opened.out(), kApiMajor, kApiMinor + 1, DAT_FALSE),
      DAT_PROVIDER_NOT_FOUND, DAT_MINOR_NOT_FOUND);
}

TEST_F(DatIaOpen, R19LowerMinorVersionsAreServed) {
  for (DAT_UINT32 minor = 0; minor <= kApiMinor; ++minor) {
    Ia opened;
    DAT_EVD_HANDLE async_evd = DAT_HANDLE_NULL;
    EXPECT_DAT_OK(dat_ia_openv(name(), 8, &async_evd, opened.out(), kApiMajor, minor, DAT_FALSE))
        << minor;
  }
}

} // namespace
} // namespace datum::test

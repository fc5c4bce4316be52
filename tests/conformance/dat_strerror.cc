// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat_strerror(3DAT): every type and subtype is reported by its own name.
#include "dat.h"
#include <gtest/gtest.h>

#include "fixture.h"

namespace datum::test {
namespace {

struct Name {
  DAT_RETURN value;
  const char* name;
};

constexpr Name kTypes[] = {
    {0x00000000, "DAT_SUCCESS"},
    {0x00010000, "DAT_ABORT"},
    {0x00020000, "DAT_CONN_QUAL_IN_USE"},
    {0x00030000, "DAT_INSUFFICIENT_RESOURCES"},
    {0x00040000, "DAT_INTERNAL_ERROR"},
    {0x00050000, "DAT_INVALID_HANDLE"},
    {0x00060000, "DAT_INVALID_PARAMETER"},
    {0x00070000, "DAT_INVALID_STATE"},
    {0x00080000, "DAT_LENGTH_ERROR"},
    {0x00090000, "DAT_MODEL_NOT_SUPPORTED"},
    {0x000a0000, "DAT_PROVIDER_NOT_FOUND"},
    {0x000b0000, "DAT_PRIVILEGES_VIOLATION"},
    {0x000c0000, "DAT_PROTECTION_VIOLATION"},
    {0x000d0000, "DAT_QUEUE_EMPTY"},
    {0x000e0000, "DAT_QUEUE_FULL"},
    {0x000f0000, "DAT_TIMEOUT_EXPIRED"},
    {0x00100000, "DAT_PROVIDER_ALREADY_REGISTERED"},
    {0x00110000, "DAT_PROVIDER_IN_USE"},
    {0x00120000, "DAT_INVALID_ADDRESS"},
    {0x00130000, "DAT_INTERRUPTED_CALL"},
    {0x00140000, "DAT_CONN_QUAL_UNAVAILABLE"},
};

// The numbers of the subtypes begin at 0 and have no gap.
constexpr const char* kSubtypes[] = {
    "DAT_NO_SUBTYPE",
    "DAT_SUB_INTERRUPTED",
    "DAT_RESOURCE_MEMORY",
    "DAT_RESOURCE_DEVICE",
    "DAT_RESOURCE_TEP",
    "DAT_RESOURCE_TEVD",
    "DAT_RESOURCE_PROTECTION_DOMAIN",
    "DAT_RESOURCE_MEMORY_REGION",
    "DAT_RESOURCE_ERROR_HANDLER",
    "DAT_RESOURCE_CREDITS",
    "DAT_RESOURCE_SRQ",
    "DAT_INVALID_HANDLE_IA",
    "DAT_INVALID_HANDLE_EP",
    "DAT_INVALID_HANDLE_LMR",
    "DAT_INVALID_HANDLE_RMR",
    "DAT_INVALID_HANDLE_PZ",
    "DAT_INVALID_HANDLE_PSP",
    "DAT_INVALID_HANDLE_RSP",
    "DAT_INVALID_HANDLE_CR",
    "DAT_INVALID_HANDLE_CNO",
    "DAT_INVALID_HANDLE_EVD_CR",
    "DAT_INVALID_HANDLE_EVD_REQUEST",
    "DAT_INVALID_HANDLE_EVD_RECV",
    "DAT_INVALID_HANDLE_EVD_CONN",
    "DAT_INVALID_HANDLE_EVD_ASYNC",
    "DAT_INVALID_HANDLE_SRQ",
    "DAT_INVALID_HANDLE1",
    "DAT_INVALID_HANDLE2",
    "DAT_INVALID_HANDLE3",
    "DAT_INVALID_HANDLE4",
    "DAT_INVALID_HANDLE5",
    "DAT_INVALID_HANDLE6",
    "DAT_INVALID_HANDLE7",
    "DAT_INVALID_HANDLE8",
    "DAT_INVALID_HANDLE9",
    "DAT_INVALID_HANDLE10",
    "DAT_INVALID_ARG1",
    "DAT_INVALID_ARG2",
    "DAT_INVALID_ARG3",
    "DAT_INVALID_ARG4",
    "DAT_INVALID_ARG5",
    "DAT_INVALID_ARG6",
    "DAT_INVALID_ARG7",
    "DAT_INVALID_ARG8",
    "DAT_INVALID_ARG9",
    "DAT_INVALID_ARG10",
    "DAT_INVALID_STATE_EP_UNCONNECTED",
    "DAT_INVALID_STATE_EP_ACTCONNPENDING",
    "DAT_INVALID_STATE_EP_PASSCONNPENDING",
    "DAT_INVALID_STATE_EP_TENTCONNPENDING",
    "DAT_INVALID_STATE_EP_CONNECTED",
    "DAT_INVALID_STATE_EP_DISCONNECTED",
    "DAT_INVALID_STATE_EP_RESERVED",
    "DAT_INVALID_STATE_EP_COMPLPENDING",
    "DAT_INVALID_STATE_EP_DISCPENDING",
    "DAT_INVALID_STATE_EP_PROVIDERCONTROL",
    "DAT_INVALID_STATE_EP_NOTREADY",
    "DAT_INVALID_STATE_EP_RECV_WATERMARK",
    "DAT_INVALID_STATE_EP_PZ",
    "DAT_INVALID_STATE_EP_EVD_REQUEST",
    "DAT_INVALID_STATE_EP_EVD_RECV",
    "DAT_INVALID_STATE_EP_EVD_CONNECT",
    "DAT_INVALID_STATE_EP_UNCONFIGURED",
    "DAT_INVALID_STATE_EP_UNCONFRESERVED",
    "DAT_INVALID_STATE_EP_UNCONFPASSIVE",
    "DAT_INVALID_STATE_EP_UNCONFTENTATIVE",
    "DAT_INVALID_STATE_CNO_IN_USE",
    "DAT_INVALID_STATE_CNO_DEAD",
    "DAT_INVALID_STATE_EVD_OPEN",
    "DAT_INVALID_STATE_EVD_ENABLED",
    "DAT_INVALID_STATE_EVD_DISABLED",
    "DAT_INVALID_STATE_EVD_WAITABLE",
    "DAT_INVALID_STATE_EVD_UNWAITABLE",
    "DAT_INVALID_STATE_EVD_IN_USE",
    "DAT_INVALID_STATE_EVD_CONFIG_NOTIFY",
    "DAT_INVALID_STATE_EVD_CONFIG_SOLICITED",
    "DAT_INVALID_STATE_EVD_CONFIG_THRESHOLD",
    "DAT_INVALID_STATE_EVD_WAITER",
    "DAT_INVALID_STATE_EVD_ASYNC",
    "DAT_INVALID_STATE_IA_IN_USE",
    "DAT_INVALID_STATE_LMR_IN_USE",
    "DAT_INVALID_STATE_LMR_FREE",
    "DAT_INVALID_STATE_PZ_IN_USE",
    "DAT_INVALID_STATE_PZ_FREE",
    "DAT_INVALID_STATE_SRQ_OPERATIONAL",
    "DAT_INVALID_STATE_SRQ_ERROR",
    "DAT_INVALID_STATE_SRQ_IN_USE",
    "DAT_PRIVILEGES_READ",
    "DAT_PRIVILEGES_WRITE",
    "DAT_PRIVILEGES_RDMA_READ",
    "DAT_PRIVILEGES_RDMA_WRITE",
    "DAT_PROTECTION_READ",
    "DAT_PROTECTION_WRITE",
    "DAT_PROTECTION_RDMA_READ",
    "DAT_PROTECTION_RDMA_WRITE",
    "DAT_INVALID_ADDRESS_UNSUPPORTED",
    "DAT_INVALID_ADDRESS_UNREACHABLE",
    "DAT_INVALID_ADDRESS_MALFORMED",
    "DAT_NAME_NOT_REGISTERED",
    "DAT_MAJOR_NOT_FOUND",
    "DAT_MINOR_NOT_FOUND",
    "DAT_THREAD_SAFETY_NOT_FOUND",
    "DAT_INVALID_RO_COOKIE",
};
static_assert(std::size(kSubtypes) == 103);

constexpr DAT_RETURN kErrorClass = 0x80000000;
constexpr DAT_RETURN kInvalidState = 0x00070000;

TEST(DatStrerror, R1Success) {
  const char* major = nullptr;
  const char* minor = nullptr;
  ASSERT_DAT_OK(dat_strerror(0, &major, &minor));
  EXPECT_STREQ(major, "DAT_SUCCESS");
}

TEST(DatStrerror, R2EveryType) {
  for (const auto& [value, name] : kTypes) {
    const char* major = nullptr;
    const char* minor = nullptr;
    ASSERT_DAT_OK(dat_strerror(kErrorClass | value, &major, &minor)) << name;
    EXPECT_STREQ(major, name);
  }
  const char* major = nullptr;
  const char* minor = nullptr;
  ASSERT_DAT_OK(dat_strerror(DAT_NOT_IMPLEMENTED, &major, &minor));
  EXPECT_STREQ(major, "DAT_NOT_IMPLEMENTED");
}

TEST(DatStrerror, R3EverySubtype) {
  for (DAT_RETURN subtype = 0; subtype < 103; ++subtype) {
    const char* major = nullptr;
    const char* minor = nullptr;
    ASSERT_DAT_OK(dat_strerror(kErrorClass | kInvalidState | subtype, &major, &minor)) << subtype;
    EXPECT_STREQ(major, "DAT_INVALID_STATE");
    if (subtype == 0) continue; // no detail: Datum chooses the text
    EXPECT_STREQ(minor, kSubtypes[subtype]);
  }
}

TEST(DatStrerror, R4TheClassBitIsIgnored) {
  const char* major = nullptr;
  const char* minor = nullptr;
  ASSERT_DAT_OK(dat_strerror(kInvalidState | 77, &major, &minor));
  EXPECT_STREQ(major, "DAT_INVALID_STATE");
  EXPECT_STREQ(minor, "DAT_INVALID_STATE_EVD_WAITER");
}

TEST(DatStrerror, R5UnknownType) {
  const char* major = nullptr;
  const char* minor = nullptr;
  EXPECT_DAT_TYPE(dat_strerror(kErrorClass | 0x00150000, &major, &minor), DAT_INVALID_PARAMETER);
}

TEST(DatStrerror, R6UnknownSubtype) {
  const char* major = nullptr;
  const char* minor = nullptr;
  EXPECT_DAT_TYPE(dat_strerror(kErrorClass | kInvalidState | 103, &major, &minor),
                  DAT_INVALID_PARAMETER);
}

TEST(DatStrerror, R7NullMinor) {
  const char* major = nullptr;
  ASSERT_DAT_OK(dat_strerror(kErrorClass | kInvalidState | 77, &major, nullptr));
  EXPECT_STREQ(major, "DAT_INVALID_STATE");
}

TEST(DatStrerror, R8NullMajor) {
  const char* minor = nullptr;
  EXPECT_DAT_ERROR(dat_strerror(0, nullptr, &minor), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
}

TEST(DatStrerror, R9StringsStay) {
  const char* first = nullptr;
  const char* again = nullptr;
  const char* minor = nullptr;
  ASSERT_DAT_OK(dat_strerror(kErrorClass | kInvalidState | 77, &first, &minor));
  ASSERT_DAT_OK(dat_strerror(kErrorClass | 0x00060000, &again, nullptr));
  EXPECT_STREQ(first, "DAT_INVALID_STATE");
  EXPECT_STREQ(minor, "DAT_INVALID_STATE_EVD_WAITER");
}

// Rules: dat_strerror.R10 MESSAGE.1
TEST(DatStrerror, WhatCallsReturnIsConvertible) {
  const Ia ia = open_ia();
  const DAT_RETURN results[] = {
      dat_pz_create(DAT_HANDLE_NULL, nullptr),
      dat_pz_create(ia, nullptr),
      dat_evd_create(ia, 0, DAT_HANDLE_NULL, DAT_EVD_DTO_FLAG, nullptr),
      dat_ia_close(ia, any_value<DAT_CLOSE_FLAGS>(2)),
  };
  for (const DAT_RETURN result : results) {
    const char* major = nullptr;
    const char* minor = nullptr;
    EXPECT_NE(DAT_GET_SUBTYPE(result), 0U);
    EXPECT_DAT_OK(dat_strerror(result, &major, &minor));
  }
}

} // namespace
} // namespace datum::test

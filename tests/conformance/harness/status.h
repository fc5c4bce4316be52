// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// harness/status.h: what a DAT_RETURN must be.
// Lives here: EXPECT_DAT_OK, EXPECT_DAT_ERROR, EXPECT_DAT_TYPE and their ASSERT forms. They check
//             the error class bit too: success is exactly 0, every failure carries the bit.
// Not here:   events (events.h).
#pragma once

#include "dat.h"
#include <gtest/gtest.h>

#include <string>

namespace datum::test {

// For example "DAT_INVALID_STATE/DAT_INVALID_STATE_EP_CONNECTED (0x80070032)".
std::string status_name(DAT_RETURN status);

testing::AssertionResult is_dat_ok(const char* call, DAT_RETURN status);
testing::AssertionResult is_dat_type(const char* call, const char* type_text, DAT_RETURN status,
                                     DAT_RETURN type);
testing::AssertionResult is_dat_error(const char* call, const char* type_text,
                                      const char* subtype_text, DAT_RETURN status, DAT_RETURN type,
                                      DAT_RETURN subtype);

} // namespace datum::test

#define EXPECT_DAT_OK(call) EXPECT_PRED_FORMAT1(::datum::test::is_dat_ok, (call))
#define ASSERT_DAT_OK(call) ASSERT_PRED_FORMAT1(::datum::test::is_dat_ok, (call))

// Compares class and type. For errors whose subtype the specification leaves open.
#define EXPECT_DAT_TYPE(call, type) EXPECT_PRED_FORMAT2(::datum::test::is_dat_type, (call), (type))
#define ASSERT_DAT_TYPE(call, type) ASSERT_PRED_FORMAT2(::datum::test::is_dat_type, (call), (type))

// Compares class, type and subtype.
#define EXPECT_DAT_ERROR(call, type, subtype)                                                      \
  EXPECT_PRED_FORMAT3(::datum::test::is_dat_error, (call), (type), (subtype))
#define ASSERT_DAT_ERROR(call, type, subtype)                                                      \
  ASSERT_PRED_FORMAT3(::datum::test::is_dat_error, (call), (type), (subtype))

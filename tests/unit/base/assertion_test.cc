// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/assertion.h"

#include <string>

#include <gtest/gtest.h>

namespace datum {
namespace {

TEST(Assertion, TellsFileLineAndExpression) {
  const std::string place = "assertion_test\\.cc:" + std::to_string(__LINE__ + 1);
  EXPECT_DEATH(assertion_failed(__FILE__, __LINE__, "count <= most"),
               place + ": assertion failed: count <= most\n");
}

TEST(Assertion, ALongExpressionIsCutAndTheLineEnds) {
  const std::string expression(5000, 'x');
  EXPECT_DEATH(assertion_failed("file.cc", 1, expression.c_str()),
               "file\\.cc:1: assertion failed: x+\n");
}

#ifdef DATUM_ASSERTIONS
TEST(Assertion, EndsTheProcessWhereItIsOn) {
  const int count = 3;
  EXPECT_DEATH(DATUM_ASSERT(count == 1 + 1), "assertion failed: count == 1 \\+ 1");
}
#endif

TEST(Assertion, ACommaNeedsNoBrackets) {
  DATUM_ASSERT(std::string{'a', 'b'} == "ab");
}

TEST(Assertion, IsEvaluatedOnceWhereItIsOnElseNever) {
  int times = 0;
  DATUM_ASSERT(++times == 1);
#ifdef DATUM_ASSERTIONS
  EXPECT_EQ(times, 1);
#else
  EXPECT_EQ(times, 0);
#endif
}

} // namespace
} // namespace datum

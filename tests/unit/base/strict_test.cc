// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/strict.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace datum {
namespace {

// Rules: ENV.23
TEST(Strict, OnlyOnIsStrictAndTheRestIsIgnoredWithOneLine) {
  unsetenv("DATUM_STRICT");
  EXPECT_FALSE(strict_mode());
  setenv("DATUM_STRICT", "on", 1);
  EXPECT_TRUE(strict_mode());
  setenv("DATUM_STRICT", "yes", 1);
  testing::internal::CaptureStderr();
  EXPECT_FALSE(strict_mode());
  EXPECT_EQ(
      testing::internal::GetCapturedStderr(),
      "datum warn: DATUM_STRICT=\"yes\" is ignored: expected on or off; going on as with off\n");
  unsetenv("DATUM_STRICT");
}

} // namespace
} // namespace datum

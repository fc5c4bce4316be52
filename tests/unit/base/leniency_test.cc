// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/leniency.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace datum {
namespace {

TEST(Leniencies, TheDefaultPermitsAndCounts) {
  Leniencies leniencies(false);
  EXPECT_EQ(leniencies.uses(Leniency::SuppressInAttributes), 0U);
  EXPECT_TRUE(leniencies.permit(Leniency::SuppressInAttributes, "ep 1"));
  EXPECT_TRUE(leniencies.permit(Leniency::SuppressInAttributes, "ep 2"));
  EXPECT_EQ(leniencies.uses(Leniency::SuppressInAttributes), 2U);
  EXPECT_EQ(leniencies.uses(Leniency::ShortProviderList), 0U);
}

TEST(Leniencies, StrictModeRefusesAndNamesTheRule) {
  Leniencies leniencies(true);
  testing::internal::CaptureStderr();
  EXPECT_FALSE(leniencies.permit(Leniency::SuppressInAttributes, "ep 1"));
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "datum warn: ep 1: refused, since DATUM_STRICT=on: dat_ep_create.R32: "
            "request_completion_flags of an endpoint do not contain SUPPRESS\n");
  EXPECT_EQ(leniencies.uses(Leniency::SuppressInAttributes), 0U);
}

// Rules: REFUSAL.4
TEST(Leniencies, StrictModeRepeatsALineAtMostOnceASecond) {
  Leniencies leniencies(true);
  testing::internal::CaptureStderr();
  for (int i = 0; i != 10'000; ++i)
    ASSERT_FALSE(leniencies.permit(Leniency::MixedCompletionFlags, "ep 3"));
  const std::string said = testing::internal::GetCapturedStderr();
  const auto lines = std::count(said.begin(), said.end(), '\n');
  EXPECT_GE(lines, 1);
  EXPECT_LT(lines, 100) << "as many as seconds went by";
}

// Each connection of the peer has an endpoint of its own, so the lines differ.
// Rules: REFUSAL.4
TEST(Leniencies, APeerDoesNotFillTheLogOfStrictMode) {
  Leniencies leniencies(true);
  testing::internal::CaptureStderr();
  for (int i = 0; i != 1000; ++i)
    ASSERT_FALSE(leniencies.permit(Leniency::LongWaitForRecv, "endpoint " + std::to_string(i)));
  const std::string said = testing::internal::GetCapturedStderr();
  const auto lines = std::count(said.begin(), said.end(), '\n');
  EXPECT_GE(lines, 1);
  EXPECT_LT(lines, 100) << "20, and as many as seconds went by";
}

} // namespace
} // namespace datum

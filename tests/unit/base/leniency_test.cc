// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/leniency.h"

#include <gtest/gtest.h>

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

} // namespace
} // namespace datum

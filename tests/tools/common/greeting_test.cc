// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "common/greeting.h"

#include <gtest/gtest.h>

namespace datum::tools {
namespace {

// Rules: VERSION.12
TEST(Greeting, OfTheSameVersionIsWelcome) {
  EXPECT_EQ(objection_to("dat-ping 1", "dat-ping", 1), "");
  EXPECT_EQ(objection_to("dat-ping 1 more", "dat-ping", 1), "");
  EXPECT_EQ(objection_to(std::string_view("dat-ping 1\0\0", 12), "dat-ping", 1), "");
}

// Rules: VERSION.12
TEST(Greeting, OfAnotherVersionIsToldBothNumbers) {
  EXPECT_EQ(objection_to("dat-ping 2", "dat-ping", 1),
            "it speaks version 2 of dat-ping's protocol, this one 1; install the same release on "
            "both sides");
  EXPECT_EQ(objection_to("dat-ping 12", "dat-ping", 1),
            "it speaks version 12 of dat-ping's protocol, this one 1; install the same release on "
            "both sides");
}

// Rules: VERSION.12
TEST(Greeting, OfAnotherProgramIsOneOfAStranger) {
  for (const char* greeting :
       {"", "dat-ping", "dat-ping ", "dat-pinger 1", "dat-ping one", "dat-ping -1",
        "dat-ping 99999999999999999999", "dat-ping 1x", "dat-perf 1", "GET / HTTP/1.1"})
    EXPECT_EQ(objection_to(greeting, "dat-ping", 1), "it is not dat-ping") << greeting;
}

} // namespace
} // namespace datum::tools

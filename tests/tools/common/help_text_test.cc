// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "common/help_text.h"

#include <gtest/gtest.h>

namespace datum::tools {
namespace {

constexpr const char* kHelp = "Copies files between two processes.\n"
                              "Usage: tool [OPTIONS] SOURCE DESTINATION\n"
                              "\n"
                              "Options:\n"
                              "  -h,--help            Print this help and exit\n"
                              "  --dry-run Excludes: --verify\n"
                              "                       say what would be copied\n"
                              "\n"
                              "Exit: 0 done, 1 some of it failed,\n"
                              "2 wrong usage.\n";

TEST(HelpText, WhatFitsStaysAsItIs) {
  EXPECT_EQ(wrapped(kHelp, 80), kHelp);
}

TEST(HelpText, AnExplanationStaysInItsColumn) {
  EXPECT_EQ(wrapped("  -h,--help            Print this help and exit the program\n", 48),
            "  -h,--help            Print this help and exit\n"
            "                       the program\n");
}

TEST(HelpText, InANarrowTerminalAnExplanationGoesBelowItsOption) {
  EXPECT_EQ(wrapped(kHelp, 24), "Copies files between two\n"
                                "processes.\n"
                                "Usage: tool [OPTIONS]\n"
                                "SOURCE DESTINATION\n"
                                "\n"
                                "Options:\n"
                                "  -h,--help\n"
                                "      Print this help\n"
                                "      and exit\n"
                                "  --dry-run Excludes:\n"
                                "      --verify\n"
                                "      say what would be\n"
                                "      copied\n"
                                "\n"
                                "Exit: 0 done, 1 some of\n"
                                "it failed, 2 wrong\n"
                                "usage.\n");
}

TEST(HelpText, AWordThatIsTooLongIsNotBroken) {
  EXPECT_EQ(wrapped("one incomprehensibilities two\n", 8), "one\n"
                                                           "incomprehensibilities\n"
                                                           "two\n");
}

} // namespace
} // namespace datum::tools

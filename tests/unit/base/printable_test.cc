// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// datum.7, DATUM_LOG: text of other programs reaches a terminal or a log as one line without
// control characters.
#include "base/printable.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/log.h"

namespace datum {
namespace {

// Rules: MESSAGE.3
TEST(Printable, ControlCharactersOfAsciiAreWrittenOut) {
  EXPECT_EQ(printable("a\x1b[2Jb"), R"(a\x1b[2Jb)");
  EXPECT_EQ(printable("one\ntwo\r\tthree"), R"(one\ntwo\r\tthree)");
  EXPECT_EQ(printable(std::string_view("\0\x01\x1f\x7f", 4)), R"(\x00\x01\x1f\x7f)");
}

// Rules: MESSAGE.3
TEST(Printable, ControlCharactersBeyondAsciiAreWrittenOut) {
  // U+0080, U+009B (which some terminals take for ESC [) and U+009F.
  EXPECT_EQ(printable("\xc2\x80\xc2\x9b\xc2\x9f"), R"(\u0080\u009b\u009f)");
  EXPECT_EQ(printable("\xc2\xa0"), "\xc2\xa0"); // U+00A0, the first that is no control character
}

// Rules: MESSAGE.3
TEST(Printable, SeparatorsOfLinesAndControlsOfDirectionAreWrittenOut) {
  EXPECT_EQ(printable("\xe2\x80\xa8\xe2\x80\xa9"), R"(\u2028\u2029)");
  EXPECT_EQ(printable("\xd8\x9c\xe2\x80\x8e\xe2\x80\x8f"), R"(\u061c\u200e\u200f)");
  EXPECT_EQ(printable("\xe2\x80\xaa\xe2\x80\xae"), R"(\u202a\u202e)");
  EXPECT_EQ(printable("\xe2\x81\xa6\xe2\x81\xa9"), R"(\u2066\u2069)");
  EXPECT_EQ(printable("\xe2\x80\x8d\xe2\x80\xaf\xe2\x81\xa5\xe2\x81\xaa"),
            "\xe2\x80\x8d\xe2\x80\xaf\xe2\x81\xa5\xe2\x81\xaa"); // their neighbours
}

// Rules: MESSAGE.3
TEST(Printable, BytesThatAreNoUtf8AreWrittenOut) {
  EXPECT_EQ(printable("\xff\xfe"), R"(\xff\xfe)");
  EXPECT_EQ(printable("\x9b"
                      "31m"),
            R"(\x9b31m)");                 // a C1 byte of Latin-1
  EXPECT_EQ(printable("\xc3"), R"(\xc3)"); // cut short
  EXPECT_EQ(printable("\xc3"
                      "a"),
            R"(\xc3a)");
  EXPECT_EQ(printable("\xc0\x9b"), R"(\xc0\x9b)");         // ESC in two bytes
  EXPECT_EQ(printable("\xe0\x80\x9b"), R"(\xe0\x80\x9b)"); // and in three
  EXPECT_EQ(printable("\xf0\x80\x80\x9b"), R"(\xf0\x80\x80\x9b)");
  EXPECT_EQ(printable("\xed\xa0\x80"), R"(\xed\xa0\x80)");         // half of a surrogate pair
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), R"(\xf4\x90\x80\x80)"); // beyond U+10FFFF
  EXPECT_EQ(printable("\x80"), R"(\x80)");                         // begins no character
}

// Rules: MESSAGE.3
TEST(Printable, OtherTextStaysAsItIs) {
  EXPECT_EQ(printable(""), "");
  EXPECT_EQ(printable("dat.conf:12: \"ib0\" \\x1b ~"), "dat.conf:12: \"ib0\" \\x1b ~");
  EXPECT_EQ(printable("\xc3\xa4\xe2\x82\xac\xed\x9f\xbf\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf"),
            "\xc3\xa4\xe2\x82\xac\xed\x9f\xbf\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf");
}

// Rules: MESSAGE.3
TEST(Printable, ALineOfTheLogIsOneLine) {
  testing::internal::CaptureStderr();
  log(LogLevel::Warn, "ia \"{}\": not known", "ib0\ndatum warn: all is well\x1b[8m");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "datum warn: ia \"ib0\\ndatum warn: all is well\\x1b[8m\": not known\n");
}

} // namespace
} // namespace datum

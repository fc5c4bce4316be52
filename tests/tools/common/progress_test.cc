// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "common/progress.h"

#include <gtest/gtest.h>

#include <chrono>

namespace datum::tools {
namespace {

using std::chrono::seconds;

constexpr std::uint64_t kMiB = 1024 * 1024;
const Progressed kHalf = {100 * kMiB, 200 * kMiB, seconds(62), "photos/one"};

TEST(Progress, AWideTerminalHasABar) {
  EXPECT_EQ(progress_text(kHalf, 79),
            "[############............]  50% 100.0 MiB 1.7 MB/s 1:02 photos/one");
}

TEST(Progress, ALabelIsCutWhereTheTerminalEnds) {
  EXPECT_EQ(progress_text(kHalf, 60),
            "[############............]  50% 100.0 MiB 1.7 MB/s 1:02 phot");
}

TEST(Progress, ANarrowTerminalHasNumbersInPlaceOfABar) {
  EXPECT_EQ(progress_text(kHalf, 59), " 50% 100.0 MiB 1.7 MB/s 1:02 photos/one");
}

TEST(Progress, ANumberIsShownWholeOrNotAtAll) {
  EXPECT_EQ(progress_text(kHalf, 22), " 50% 100.0 MiB");
  EXPECT_EQ(progress_text(kHalf, 9), " 50%");
  EXPECT_EQ(progress_text(kHalf, 3), "");
  EXPECT_EQ(progress_text(kHalf, 0), "");
}

TEST(Progress, WithoutATotalThereIsNoShareOfIt) {
  EXPECT_EQ(progress_text({kMiB, 0, seconds(0), "a"}, 79).find('%'), std::string::npos);
}

} // namespace
} // namespace datum::tools

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What --netns NAME=ADDRESS says about the far side.
#include <gtest/gtest.h>

#include "common/tool_error.h"
#include "perf/far_side.h"

namespace datum::perf {
namespace {

TEST(FarSide, IsANameAndANumber) {
  const FarSide side = far_side_of("far=192.0.2.2");
  EXPECT_EQ(side.netns, "/run/netns/far");
  EXPECT_EQ(side.address, "192.0.2.2");
  EXPECT_EQ(far_side_of("./far=::1").netns, "./far");
}

// Without its scope a link-local address belongs to no link.
TEST(FarSide, KeepsTheScopeOfItsAddress) {
  EXPECT_EQ(far_side_of("far=fe80::1%lo").address, "fe80::1%lo");
}

TEST(FarSide, IsRefusedBeforeAnythingIsStarted) {
  for (const char* bad : {"far", "=192.0.2.2", "far=", "far=no such host"})
    EXPECT_THROW(far_side_of(bad), tools::ToolError) << bad;
}

} // namespace
} // namespace datum::perf

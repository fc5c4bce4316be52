// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/unit/iwarp/vector_header.h: checks the DDP header of a frame of frames.h.
#pragma once

#include <gtest/gtest.h>

#include "frames.h"
#include "transport/iwarp/fpdu.h"
#include "transport/iwarp/rdmap.h"

namespace datum::iwarp::test {

// Leaves `in` at the first octet after the header.
inline void expect_header(WireReader& in, const FpduVector& vector) {
  Control control;
  if (vector.tagged) {
    TaggedHeader header;
    ASSERT_TRUE(decode(in, header));
    EXPECT_EQ(header.stag, vector.stag);
    EXPECT_EQ(header.offset, vector.tagged_offset);
    control = header.control;
  } else {
    UntaggedHeader header;
    ASSERT_TRUE(decode(in, header));
    EXPECT_EQ(header.invalidate, vector.stag);
    EXPECT_EQ(header.queue, vector.queue);
    EXPECT_EQ(header.msn, vector.msn);
    EXPECT_EQ(header.offset, vector.message_offset);
    control = header.control;
  }
  EXPECT_EQ(control.tagged, vector.tagged);
  EXPECT_EQ(control.last, vector.last);
  EXPECT_EQ(control.ddp_version, 1);
  EXPECT_EQ(control.rdmap_version, 1);
  EXPECT_EQ(static_cast<unsigned>(control.opcode), vector.opcode);
}

} // namespace datum::iwarp::test

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// harness/segment_checks.h: the checks of local segments that all posts share.
// Lives here: the bad segments, and the error that each must give.
// Not here:   the number of segments, whose bound differs from post to post.
#pragma once

#include "dat.h"

#include <functional>

#include "connection.h"
#include "posts.h"

namespace datum::test {

inline constexpr auto kNoLocalRead = static_cast<DAT_MEM_PRIV_FLAGS>(0x32);
inline constexpr auto kNoLocalWrite = static_cast<DAT_MEM_PRIV_FLAGS>(0x23);

// Posts 16 bytes in one or two segments. post() must refuse an unknown context, ranges that leave
// the LMR, an LMR of another PZ, and an LMR without the right that the post needs.
void expect_segment_checks(DAT_IA_HANDLE ia, DAT_PZ_HANDLE pz, DAT_MEM_PRIV_FLAGS insufficient,
                           const std::function<DAT_RETURN(Segments)>& post);

// Flag bits that post() must refuse, one at a time.
void expect_flags_refused(std::initializer_list<int> bits,
                          const std::function<DAT_RETURN(DAT_COMPLETION_FLAGS)>& post);

} // namespace datum::test

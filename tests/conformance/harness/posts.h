// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// harness/posts.h: the four posts and the bind with C++ lists instead of pointer and count.
// Lives here: thin forms that change nothing about the call.
// Not here:   completions (events.h).
#pragma once

#include "dat.h"

#include <vector>

#include "memory.h"
#include "objects.h"

namespace datum::test {

using Segments = std::vector<DAT_LMR_TRIPLET>;

DAT_RETURN post_send(DAT_EP_HANDLE ep, Segments segments, DAT_UINT64 cookie_value,
                     DAT_COMPLETION_FLAGS flags = DAT_COMPLETION_DEFAULT_FLAG);
DAT_RETURN post_recv(DAT_EP_HANDLE ep, Segments segments, DAT_UINT64 cookie_value,
                     DAT_COMPLETION_FLAGS flags = DAT_COMPLETION_DEFAULT_FLAG);
DAT_RETURN post_srq_recv(DAT_SRQ_HANDLE srq, Segments segments, DAT_UINT64 cookie_value);
DAT_RETURN post_write(DAT_EP_HANDLE ep, Segments segments, DAT_RMR_TRIPLET target,
                      DAT_UINT64 cookie_value,
                      DAT_COMPLETION_FLAGS flags = DAT_COMPLETION_DEFAULT_FLAG);
DAT_RETURN post_read(DAT_EP_HANDLE ep, Segments segments, DAT_RMR_TRIPLET source,
                     DAT_UINT64 cookie_value,
                     DAT_COMPLETION_FLAGS flags = DAT_COMPLETION_DEFAULT_FLAG);
DAT_RETURN post_bind(DAT_EP_HANDLE ep, DAT_RMR_HANDLE rmr, DAT_LMR_TRIPLET range,
                     DAT_MEM_PRIV_FLAGS privileges, DAT_UINT64 cookie_value,
                     DAT_RMR_CONTEXT* context,
                     DAT_COMPLETION_FLAGS flags = DAT_COMPLETION_DEFAULT_FLAG);

} // namespace datum::test

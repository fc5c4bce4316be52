// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/object/causes.h: the causes of refusals on the data path (base/refusal.h), away from it.
// Each function is cold, and its arguments are at hand where the check has failed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/status.h"
#include "core/port/types.h"

namespace datum::causes {

[[gnu::cold, gnu::noinline]] void note_flags(CompletionFlags flags, CompletionFlags allowed,
                                             const CompletionFlags& configured);
// Returns INVALID_ARG2.
[[gnu::cold, gnu::noinline]] Status too_many_segments(std::size_t count, std::int32_t most);
// The queue is full: it holds this many.
[[gnu::cold, gnu::noinline]] Status no_place_for_request(std::uint64_t held);
[[gnu::cold, gnu::noinline]] Status no_place_for_recv(std::int32_t held);
// Returns LENGTH_ERROR: the memory that takes or gives the data is too short.
[[gnu::cold, gnu::noinline]] Status too_short(std::uint64_t length, std::uint64_t needed);
// Returns INVALID_ARG1: the EP has no RDMA Reads.
[[gnu::cold, gnu::noinline]] Status no_reads();
// Refusals of dat_ep_post_recv. They return INVALID_STATE, PROTECTION_VIOLATION.
[[gnu::cold, gnu::noinline]] Status recvs_are_of_srq();
[[gnu::cold, gnu::noinline]] Status no_zone();
// Returns INVALID_ARG3 of dat_evd_wait.
[[gnu::cold, gnu::noinline]] Status bad_threshold(std::int32_t threshold, std::int32_t most);
// Notes a segment that is not all within its region.
[[gnu::cold, gnu::noinline]] void note_outside(const LocalTriplet& segment, std::uint64_t base,
                                               std::uint64_t length);

} // namespace datum::causes

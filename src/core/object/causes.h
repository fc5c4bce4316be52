// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/object/causes.h: notes the causes of refusals (base/refusal.h) for the data path. Each
// function is cold, so that its code lies apart from the data path. It takes only values that the
// failed check has at hand.
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
// Return INSUFFICIENT_RESOURCES: the queue is full with `held` entries.
[[gnu::cold, gnu::noinline]] Status no_place_for_request(std::uint64_t held);
[[gnu::cold, gnu::noinline]] Status no_place_for_recv(std::int32_t held);
// Returns LENGTH_ERROR: the memory that receives or supplies the data is too short.
[[gnu::cold, gnu::noinline]] Status too_short(std::uint64_t length, std::uint64_t needed);
// Returns INVALID_ARG1: the EP may have no RDMA Read outstanding.
[[gnu::cold, gnu::noinline]] Status no_reads();
// Refusals of dat_ep_post_recv. recvs_are_of_srq() returns INVALID_STATE, and no_zone() returns
// PROTECTION_VIOLATION.
[[gnu::cold, gnu::noinline]] Status recvs_are_of_srq();
[[gnu::cold, gnu::noinline]] Status no_zone();
// Returns INVALID_ARG3 of dat_evd_wait.
[[gnu::cold, gnu::noinline]] Status bad_threshold(std::int32_t threshold, std::int32_t most);
// Notes a segment that is not wholly within its region.
[[gnu::cold, gnu::noinline]] void note_outside(const LocalTriplet& segment, std::uint64_t base,
                                               std::uint64_t length);

} // namespace datum::causes

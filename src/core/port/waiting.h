// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/port/waiting.h: the constants that decide when a thread polls, how long it sleeps, and which
// thread is woken.
// Lives here: what waiting costs on the machines of today, what Datum promises, and what follows
//             from both. docs/design/waiting.md has the measurement behind each constant, and an
//             overview.
// Not here:   time limits of the protocol and of calls; the decisions that use these constants.
// Units:      Duration is in nanoseconds; the rest are counts, as each comment says.
#pragma once

#include <cstdint>

#include "base/time.h"

namespace datum::waiting {

// --- costs of a machine --------------------------------------------------------------------------
// A woken thread that gets a processor runs after at most this time. Where data comes by
// descriptors, polls that are no further apart count as polling, if they come in a row of kTick.
inline constexpr Duration kWakeUp = 25 * kMicrosecond;
// Where all peers share the core, a peer runs between two polls, so polls count as polling if they
// are no further apart than this. Less than kPatience, or peers would ring for what the next poll
// takes.
inline constexpr Duration kTurns = 45 * kMicrosecond;
// A wait that sleeps takes about 15 us longer than one that polls. So a wait that has polled for
// kSpin saves nothing by polling on.
inline constexpr Duration kSpin = 20 * kMicrosecond;
// A check of the descriptors is a system call of about 0.3 us. After the first check in vain the
// next one comes this much later. Each further check in vain more than doubles the gap.
inline constexpr Duration kDescriptorStep = 500;
// Copying this many octets takes 4 us where memory is slow, and less elsewhere. It counts as one
// poll.
inline constexpr std::uint64_t kOctetsAPoll = 16 * 1024;
// Of several posts in a row only the first reads the clock. Each of the others is taken to last
// this long.
inline constexpr Duration kOnePost = 500;

// --- promises ------------------------------------------------------------------------------------
// Data that a post has queued leaves within this time, even if the posting thread makes no further
// call (decision 312).
inline constexpr Duration kPromise = 100 * kMicrosecond;

// --- the background thread -----------------------------------------------------------------------
// The first backoff. The end of polling is noticed after one to two ticks. Decision 312 allows 200
// us for that and the wake-up together.
inline constexpr Duration kTick = kPromise - kWakeUp;
// wake_promptly() ends a backoff after at most this time.
inline constexpr Duration kPromptWake = kPromise - kWakeUp;
// The longest backoff while another thread polls all the time. The timer that ends a backoff takes
// 20 us from the poller.
inline constexpr Duration kLongestBackoff = 4 * kMillisecond;
// The longest backoff that no doorbell ends: while other threads begin and end waits, or where data
// comes by descriptors (BackoffPlan::at_doorbell).
inline constexpr Duration kLongestBackoffAway = kMillisecond;
// A thread polls this long after its last work before it sleeps, if that has paid lately. A peer that
// waits for each answer, and works for a microsecond or two in between, sends its next request
// within this time. The thread may take the time from a program that computes on the same core.
inline constexpr Duration kLinger = 4 * kMicrosecond;
// This many polls within a tick mean that a thread polls all the time.
inline constexpr std::uint32_t kBusyPolls = 8;
// This many where data comes by descriptors, because one poll may read and write for longer than a
// tick.
inline constexpr std::uint32_t kBusyPollsOfDescriptors = 1;
// A thread that has polled for long is taken to poll again if its last poll is no older than this.
inline constexpr Duration kJustNow = 50 * kMicrosecond;

// --- polls ---------------------------------------------------------------------------------------
// If polls are no further apart than this on average, a thread counts as polling all the time, and
// Datum informs peers of it.
inline constexpr Duration kPollingGap = 4 * kMicrosecond;
// If two polls are less than this apart, a poll may check only the descriptor that was ready last,
// and leave the others to later polls (kRecentLooks).
inline constexpr Duration kQuickPolls = 10 * kMicrosecond;
// For data that comes by descriptors. If no thread counts as polling all the time, the polls check
// the descriptors this often. Such polls may be far apart, since each may move a megabyte.
inline constexpr Duration kSlowPolls = 50 * kMicrosecond;
// If the thread at the doorbell has not polled for this time, it is taken to have no processor, and
// another thread checks the descriptors. The other thread does not check earlier, because two
// threads that check side by side are slower than one.
inline constexpr Duration kLateLook = kMillisecond;
// One of this many polls reads the clock. The first number holds while the adapter counts as
// polling (Attention), the second while it counts as asleep. Where data comes by descriptors, each
// poll reads the clock.
inline constexpr std::uint32_t kPollsBetweenPolling = 64;
inline constexpr std::uint32_t kPollsBetweenAsleep = 16;
// A thread that polls before it sleeps gives up the lock after this many polls, for other threads.
inline constexpr int kPollsPerBreath = 16;

// --- looks at descriptors ------------------------------------------------------------------------
// The gap between two checks of descriptors that only ring: polls find the data without them. Less
// than kPatience, since a check of descriptors also tells a peer which records were taken.
inline constexpr Duration kDoorbellsOnly = 40 * kMicrosecond;
// The least gap between two checks of sockets while there are links: most checks are in vain.
inline constexpr Duration kBesideLinks = 5 * kMicrosecond;
// The gap between the check that found a batch and the next check. The sender needs ten times as
// long for its next batch.
inline constexpr Duration kBetweenBatches = 4 * kMicrosecond;
// The next octets mostly come on the descriptor of the last ones. A check of that descriptor alone
// takes one system call instead of two. This many polls check only that descriptor, then one poll
// checks all.
inline constexpr std::uint32_t kRecentLooks = 7;

// --- the other side ------------------------------------------------------------------------------
// If a peer that said it polls has not taken a record after this time, it may have stopped, so it
// is rung. The time is that of two wake-ups. A peer reports what it took every sixteen records, and
// whenever it checks its descriptors.
inline constexpr Duration kPatience = 2 * kWakeUp;
static_assert(kDoorbellsOnly < kPatience && kTurns < kPatience);
// If a thread polls within this time after a post, it is expected to do so after the next post,
// too. Less than kPromptWake, after which the background thread polls.
inline constexpr Duration kSoon = 70 * kMicrosecond;
static_assert(kSoon < kPromptWake);
// This many such posts in a row make a habit. One miss ends the habit.
inline constexpr unsigned kSoonInARow = 8;

} // namespace datum::waiting

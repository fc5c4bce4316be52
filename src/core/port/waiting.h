// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/port/waiting.h: every constant of waiting: which thread looks when, how long it sleeps,
// which thread is woken.
// Lives here: what waiting costs on the machines of today, what Datum promises, and what follows
//             from both. docs/design/waiting.md has the measurement behind each, and the picture.
// Not here:   time limits of the protocol and of calls; the decisions that use these constants.
// Units:      Duration is in nanoseconds; the rest are counts, as each comment says.
#pragma once

#include <cstdint>

#include "base/time.h"

namespace datum::waiting {

// --- costs of a machine --------------------------------------------------------------------------
// A woken thread that gets a processor runs after at most this time.
inline constexpr Duration kWakeUp = 25 * kMicrosecond;
// A wait that sleeps takes about 15 us longer than one that polls. Polling for longer than this
// saves nothing.
inline constexpr Duration kSpin = 20 * kMicrosecond;
// A look at descriptors is a system call of about 0.3 us. After a look in vain the next one comes
// this much later.
inline constexpr Duration kDescriptorStep = 500;
// Copying this many octets takes 4 us where memory is slow, less elsewhere: as long as some polls.
inline constexpr std::uint64_t kOctetsAPoll = 16 * 1024;
// The longest time of a post that follows another one without a look at the clock.
inline constexpr Duration kOnePost = 500;

// --- promises ------------------------------------------------------------------------------------
// Data that a post has queued leaves within this time, even if the posting thread makes no further
// call (decision 312).
inline constexpr Duration kPromise = 100 * kMicrosecond;

// --- the background thread -----------------------------------------------------------------------
// The first backoff. The end of polling is noticed after one to two of them. Decision 312 allows
// 200 us for that and the wake-up together.
inline constexpr Duration kTick = kPromise - kWakeUp;
// Urgent work ends a backoff after this time.
inline constexpr Duration kPromptWake = kPromise - kWakeUp;
// The longest backoff beside a thread that polls all the time: a timer takes 20 us from the poller.
inline constexpr Duration kLongestBackoff = 4 * kMillisecond;
// The longest backoff where no thread is at the doorbell: between two waits, or where the doorbell
// rings for all that arrives.
inline constexpr Duration kLongestBackoffAway = kMillisecond;
// This many polls within a tick mean that a thread polls all the time.
inline constexpr std::uint32_t kBusyPolls = 8;
// kBusyPolls where data comes by descriptors: one poll may read and write for longer than a tick.
inline constexpr std::uint32_t kBusyPollsOfDescriptors = 1;
// A thread that has polled for long, and polled no longer ago than this, will poll again.
inline constexpr Duration kJustNow = 50 * kMicrosecond;

// --- polls ---------------------------------------------------------------------------------------
// If polls are no further apart than this on average, a thread counts as polling all the time, and
// Datum informs peers of it.
inline constexpr Duration kPollingGap = 4 * kMicrosecond;
// If polls follow each other this fast, each may leave some descriptors to the next ones.
inline constexpr Duration kQuickPolls = 10 * kMicrosecond;
// Where data comes by descriptors, and polls are too far apart for a thread that polls all the
// time, polls look at descriptors this often. Each poll may have moved a megabyte.
inline constexpr Duration kSlowPolls = 50 * kMicrosecond;
// If the thread at the doorbell has not looked for this time, it has no processor. Before that, two
// threads that look side by side are slower than one.
inline constexpr Duration kLateLook = kMillisecond;
// One of this many polls looks at the clock. Where data comes by descriptors, each poll does.
inline constexpr std::uint32_t kPollsBetweenPolling = 64;
inline constexpr std::uint32_t kPollsBetweenAsleep = 16;
// A wait that polls gives up the lock after this many polls, for other threads.
inline constexpr int kPollsPerBreath = 16;

// --- looks at descriptors ------------------------------------------------------------------------
// For descriptors that only ring, while polls find the data themselves. Less than kPatience, since
// a look at descriptors also tells a peer what was taken.
inline constexpr Duration kDoorbellsOnly = 40 * kMicrosecond;
// For sockets beside links: most looks at them are in vain.
inline constexpr Duration kBesideLinks = 5 * kMicrosecond;
// The time to the next look after a batch. The sender needs ten times as long for its next batch.
inline constexpr Duration kBetweenBatches = 4 * kMicrosecond;
// The next octets mostly come where the last ones came. A look there takes one system call instead
// of two. For this many polls the other descriptors are not looked at; then all are, once.
inline constexpr std::uint32_t kRecentLooks = 7;

// --- the other side ------------------------------------------------------------------------------
// If a peer that polls has not taken a record after this time, it may never look: two wake-ups. A
// peer reports what it took every sixteen records, and whenever it looks at its descriptors.
inline constexpr Duration kPatience = 2 * kWakeUp;
static_assert(kDoorbellsOnly < kPatience);
// A thread that polls this soon after its post will poll again after the next. Less than
// kPromptWake: after kPromptWake the background thread looks.
inline constexpr Duration kSoon = 70 * kMicrosecond;
static_assert(kSoon < kPromptWake);
// This many times in a row make a habit. One miss ends the habit.
inline constexpr unsigned kSoonInARow = 8;

} // namespace datum::waiting

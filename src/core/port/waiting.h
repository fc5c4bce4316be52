// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/port/waiting.h: every constant of waiting: who looks when, who sleeps how long, who is woken.
// Lives here: what waiting costs on the machines of today, what we promise, and what follows from
//             both. docs/design/waiting.md has the measurement that set each, and the picture.
// Not here:   time limits of the protocol and of calls; what decides by these constants.
// Units:      Duration is in nanoseconds; the rest are counts, of what their comment says.
#pragma once

#include <cstdint>

#include "base/time.h"

namespace datum::waiting {

// --- costs of a machine ----------------------------------------------------------------------------
// A sleeping thread runs at the latest so long after it was woken, if it has a processor.
inline constexpr Duration kWakeUp = 25 * kMicrosecond;
// A wait that sleeps takes about 15 us more than one that polls: polling for longer saves nothing.
inline constexpr Duration kSpin = 20 * kMicrosecond;
// A look at descriptors is a system call of about 0.3 us: after one in vain the next is later by it.
inline constexpr Duration kDescriptorStep = 500;
// Copying so many octets takes 4 us where memory is slow, less elsewhere: as long as some polls.
inline constexpr std::uint64_t kOctetsAPoll = 16 * 1024;
// A post that follows another without a look at the clock takes less.
inline constexpr Duration kOnePost = 500;

// --- promises --------------------------------------------------------------------------------------
// What a post leaves behind has left after so long, though its poster calls nothing more (decision
// 312, d).
inline constexpr Duration kPromise = 100 * kMicrosecond;

// --- the background thread -------------------------------------------------------------------------
// The first nap. The end of polling is noticed after one to two of them, within the 200 us that
// decision 312 allows for it and the wake-up together.
inline constexpr Duration kTick = kPromise - kWakeUp;
// What cannot wait ends a nap so soon.
inline constexpr Duration kHurry = kPromise - kWakeUp;
// Naps of a thread beside one that polls all the time: a timer takes 20 us from the poller.
inline constexpr Duration kLongestNap = 4 * kMillisecond;
// No thread is at the bell between two waits, nor where it rings for all that arrives.
inline constexpr Duration kLongestNapAway = kMillisecond;
// So many polls within a tick come from a thread that polls all the time.
inline constexpr std::uint32_t kBusyPolls = 8;
// Where data comes by descriptors: one poll may read and write for longer than a tick.
inline constexpr std::uint32_t kBusyPollsOfDescriptors = 1;
// A poll that is not longer ago is not the last one of a thread that has polled for long.
inline constexpr Duration kJustNow = 50 * kMicrosecond;

// --- polls -----------------------------------------------------------------------------------------
// Polls that are so far apart on average come from a thread that polls all the time: peers are told.
inline constexpr Duration kPollingGap = 4 * kMicrosecond;
// Polls that follow each other so soon may leave some descriptors for the next ones.
inline constexpr Duration kQuickPolls = 10 * kMicrosecond;
// Where data comes by descriptors, polls look at them so often though they are too far apart for
// a thread that polls all the time: each may have moved a megabyte.
inline constexpr Duration kSlowPolls = 50 * kMicrosecond;
// The thread at the bell has not looked for so long: it has no processor. Before that two threads
// that look side by side are slower than either.
inline constexpr Duration kLateLook = kMillisecond;
// Of so many polls one looks at the clock; where data comes by descriptors, each does.
inline constexpr std::uint32_t kPollsBetweenPolling = 64;
inline constexpr std::uint32_t kPollsBetweenAsleep = 16;
// A wait that polls lets other threads have the lock after so many polls.
inline constexpr int kPollsPerBreath = 16;

// --- looks at descriptors --------------------------------------------------------------------------
// Descriptors that only ring, while polls find the data themselves. Less than kPatience, since this
// is also when a peer is told what was taken.
inline constexpr Duration kBellsOnly = 40 * kMicrosecond;
// Sockets beside links, which do not pay for each look at them.
inline constexpr Duration kBesideLinks = 5 * kMicrosecond;
// After a batch: the next one takes its sender ten times as long.
inline constexpr Duration kBetweenBatches = 4 * kMicrosecond;
// The next octets mostly come where the last ones came, and to try there takes one system call in
// place of two. For as many polls others are not looked at, then once all are.
inline constexpr std::uint32_t kRecentLooks = 7;

// --- the other side --------------------------------------------------------------------------------
// What a peer that polls has not taken after so long it may not come for: two wake-ups. It tells what
// it took every sixteen records, and whenever it looks at its descriptors.
inline constexpr Duration kPatience = 2 * kWakeUp;
static_assert(kBellsOnly < kPatience);
// A thread that looks so soon after its post comes back. Less than kHurry: after that it is the
// background thread that looks.
inline constexpr Duration kSoon = 70 * kMicrosecond;
static_assert(kSoon < kHurry);
// So often in a row, until it is a habit. Once it does not, it is none.
inline constexpr unsigned kSoonInARow = 8;

} // namespace datum::waiting

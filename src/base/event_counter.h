// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/event_counter.h: adding to the counter of an eventfd, and reading it or a timerfd.
// Lives here: the choice of the system call. A sandbox may refuse write and permit writev, and
//             likewise read and readv. Without either of a pair, nothing happens.
// Threads:    any; async-signal-safe. Not points of cancellation if the caller is not cancellable.
#pragma once

namespace datum {

// Adds 1, which makes the eventfd readable. False: both calls are refused, and nothing was added.
bool raise_counter(int fd);
// Sets the counter to 0. The descriptor must not block.
void lower_counter(int fd);

} // namespace datum

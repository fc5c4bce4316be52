// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/host/same_user.h: whether two user numbers from the kernel mean the same user.
// Lives here: the number that stands for every user that a user namespace does not know.
#pragma once

#include <string_view>
#include <sys/types.h>

#include "base/status.h"

namespace datum {

// Also false for equal numbers that may stand for different users. The users that a process knows
// are looked up each time, since the process may enter another user namespace. Fails for lack of
// descriptors.
OrErrno<bool> is_same_user(uid_t one, uid_t other);

// True: this user namespace maps every user. `map` is the text of /proc/self/uid_map.
bool maps_every_user(std::string_view map);

} // namespace datum

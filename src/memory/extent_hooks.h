// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// memory/extent_hooks.h: where jemalloc's memory comes from.
// Lives here: the table of functions that jemalloc calls, carving from process_arenas.
#pragma once

#include "jemalloc_private.h"

namespace datum::memory {

struct ExtentPolicy {
  // Where no memfd can be had, malloc of a whole program has to continue. The extension has to
  // fail.
  bool private_fallback = false;
  // Under strict overcommit a page that cannot be had is a SIGBUS at its first touch. So it is
  // touched early.
  bool commit_early = false;
};

void set_extent_policy(const ExtentPolicy& policy);
// Why this thread's last extent could not be had (errno), or 'otherwise'. Forgets it.
int take_extent_error(int otherwise);
// Never changes. It is not const only because jemalloc's interface is not.
extent_hooks_t* shareable_extent_hooks();

} // namespace datum::memory

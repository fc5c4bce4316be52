// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// memory/extent_hooks.h: where jemalloc's memory comes from.
// Lives here: the table of functions that jemalloc calls, carving from process_arenas.
#pragma once

#include "jemalloc_private.h"

namespace datum::memory {

struct ExtentPolicy {
  // libdatum-malloc.so sets this: if no memfd can be made, malloc() returns private memory. In
  // libdatum.so.1 (extension.cc) such an allocation fails.
  bool private_fallback = false;
  // Under strict overcommit the first touch of a page may raise SIGBUS. So allocate() asks the
  // kernel for all pages first, and fails if it has too few. (Kernels before 5.14 cannot do that.)
  bool commit_early = false;
};

void set_extent_policy(const ExtentPolicy& policy);
// The errno with which this thread's last extent failed, or `otherwise`. Forgets the errno.
int take_extent_error(int otherwise);
// The table never changes. It is not const only because jemalloc's interface is not.
extent_hooks_t* shareable_extent_hooks();

} // namespace datum::memory

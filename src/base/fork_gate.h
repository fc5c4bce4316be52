// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/fork_gate.h: keeps fork() out of the middle of a call that the child will have to make, too.
// A child has only the thread that forked. A lock that another thread held stays locked there for
// ever, and a static object that another thread was making is never made. So a fork waits until no
// thread is inside, and no thread enters meanwhile. Neither a fork nor a thread that enters waits
// longer than a second: the two may be waiting for each other in ways that Datum cannot see.
//
// The gate is for the outermost library of a call. With one gate inside another, forks and calls
// would enter them in different orders. The locks of an IA need no gate: a child has no use for its
// parent's IA.
// Threads:    any.
#pragma once

namespace datum {

// The thread that makes a pass is inside while the pass lives. One thread may have several passes.
class ForkGatePass {
 public:
  ForkGatePass();
  ~ForkGatePass();
  ForkGatePass(const ForkGatePass&) = delete;
  ForkGatePass& operator=(const ForkGatePass&) = delete;
};

} // namespace datum

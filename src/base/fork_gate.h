// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/fork_gate.h: no fork in the middle of what a child of it will have to do, too.
// A child has the forking thread only: a lock that another thread held stays locked there for ever,
// and a static object that another one was making is never made. So a fork waits until nobody is
// inside, and nobody enters meanwhile; neither for longer than a second, since what keeps them
// there may be waiting for each other by ways that we do not know.
//
// It is for the outermost library of a call: with two gates inside each other, forks and calls
// would enter them in different orders. The locks of one IA are left alone: a child has no use for
// its parent's.
// Threads: any.
#pragma once

namespace datum {

// Inside while it lives; one thread may have several.
class ForkGatePass {
 public:
  ForkGatePass();
  ~ForkGatePass();
  ForkGatePass(const ForkGatePass&) = delete;
  ForkGatePass& operator=(const ForkGatePass&) = delete;
};

} // namespace datum

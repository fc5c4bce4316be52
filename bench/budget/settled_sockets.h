// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// budget/settled_sockets.h: waits until what TCP has sent within this process has arrived.
// A busy machine may deliver it a moment after the call that sent it; the next call would then find
// nothing, and another way would be counted.
#pragma once

#include <vector>

namespace budget {

class SettledSockets {
 public:
  // The connected TCP sockets that this process has now.
  static SettledSockets of_this_process();
  // False: something was still on its way after five seconds.
  bool settle() const;

 private:
  std::vector<int> sockets_;
};

} // namespace budget

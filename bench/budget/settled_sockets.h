// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// budget/settled_sockets.h: waits until all octets that TCP has sent within this process have
// arrived.
// A busy machine may deliver octets a moment after the call that sent them. Then the next call
// finds nothing to read and executes a different number of instructions, which is what the program
// measures.
#pragma once

#include <vector>

namespace budget {

class SettledSockets {
 public:
  // The connected TCP sockets that this process has now.
  static SettledSockets of_this_process();
  // False: octets were still on the way after some seconds.
  bool settle() const;

 private:
  std::vector<int> sockets_;
};

} // namespace budget

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/write_signals.h: what a write of ours raises never reaches the program: a closed pipe
// (SIGPIPE) or a limit on files (SIGXFSZ) is an error of the call, and not the program's end.
#pragma once

#include <csignal>

namespace datum {

// While it lives, what a write raises stays pending for this thread and is then taken away. A
// signal that was pending before is the program's own and stays.
class WriteSignals {
 public:
  WriteSignals();
  WriteSignals(const WriteSignals&) = delete;
  WriteSignals& operator=(const WriteSignals&) = delete;
  ~WriteSignals();

  // After a call that failed so: what it raised is gone, errno stays.
  void take_away() const;

 private:
  sigset_t ours_;
  sigset_t before_;
};

} // namespace datum

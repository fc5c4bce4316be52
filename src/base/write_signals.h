// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/write_signals.h: keeps the signals of Datum's own writes from the program. A closed pipe
// (SIGPIPE) or a limit on files (SIGXFSZ) is an error of the call, and does not end the program.
#pragma once

#include <csignal>

namespace datum {

// While the object lives, a signal that a write raises stays pending for this thread. The caller
// takes it away before the object ends; the destructor only restores the signal mask. A signal that
// was pending before belongs to the program and stays.
class WriteSignals {
 public:
  WriteSignals();
  WriteSignals(const WriteSignals&) = delete;
  WriteSignals& operator=(const WriteSignals&) = delete;
  ~WriteSignals();

  // Called after a write that failed: takes the raised signal away and keeps errno.
  void take_away() const;

 private:
  sigset_t own_signals_;
  sigset_t before_;
};

} // namespace datum

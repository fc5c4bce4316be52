// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/stderr_line.h"

#include <cerrno>
#include <unistd.h>

#include "base/cancellation.h"
#include "base/write_signals.h"

namespace datum {
void write_to_stderr(std::string_view line) {
  const int before = errno;
  {
    const WriteSignals signals;
    const NotCancellable here;
    // A failure cannot be reported anywhere. Only the signal of a closed pipe or a file limit is
    // taken away.
    if (::write(STDERR_FILENO, line.data(), line.size()) < 0 && (errno == EPIPE || errno == EFBIG))
      signals.take_away();
  }
  errno = before;
}

} // namespace datum

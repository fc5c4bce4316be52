// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/log.h: one line to stderr for the person who runs the program, never to stdout.
// A line names the object, the value, the cause and the next step.
// Threads:    any; a line is written with one write(2), which never raises a signal.
#pragma once

#include <cstdint>
#include <new>
#include <string_view>

#include "base/text.h"

namespace datum {

enum class LogLevel : std::uint8_t { Warn, Info, Debug, Trace };

// DATUM_LOG=warn|info|debug|trace, read once. Unset: warn. A value that is not understood: warn,
// and a line says so.
LogLevel log_threshold();
inline bool log_enabled(LogLevel level) {
  return level <= log_threshold();
}
// Writes one line, whatever the text holds: the text passes through printable().
void log_line(LogLevel level, std::string_view text);
// Writes a line that says that memory is short, in place of a line that needs memory.
void log_out_of_memory();

template <class... Args>
void log(LogLevel level, fmt::format_string<Args...> format, Args&&... args) {
  if (!log_enabled(level)) return;
  try {
    log_line(level, text(format, std::forward<Args>(args)...));
  } catch (const std::bad_alloc&) {
    log_out_of_memory();
  }
}

// Called before a line about an event that a peer can cause as often as it likes. False: there were
// too many lines. The next line says how many lines were left out.
bool may_log_of_peer();

template <class... Args>
void log_of_peer(LogLevel level, fmt::format_string<Args...> format, Args&&... args) {
  if (log_enabled(level) && may_log_of_peer()) log(level, format, std::forward<Args>(args)...);
}

} // namespace datum

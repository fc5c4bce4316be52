// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// registry/log.h: the registry's messages on stderr, for the person who runs the program. DATUM_LOG
// chooses a level for all topics. DAT_DBG_TYPE, a mask as other libdats read it, adds topics at any
// level. A mask without the error bit silences warnings.
#pragma once

#include <cstdint>

#include "base/log.h"
#include "base/refusal.h"

namespace datum::registry {

enum class Topic : std::uint32_t {
  Errors = 0x01,
  Generic = 0x02,
  StaticRegistry = 0x04,
  DynamicRegistry = 0x08,
  ProviderApi = 0x10,
  ConsumerApi = 0x20,
};

bool told(LogLevel level, Topic topic);

// Throws nothing, because a call that has succeeded must not fail for a log line about it.
template <class... Args>
void tell(LogLevel level, Topic topic, fmt::format_string<Args...> format, Args&&... args) {
  if (!told(level, topic)) return;
  try {
    log_line(level, text(format, std::forward<Args>(args)...));
  } catch (const std::bad_alloc&) {
    log_out_of_memory();
  }
}

// tell() for an event that a program can cause again and again. Identical lines are written at most
// once a second.
template <class... Args>
void tell_now_and_then(LogLevel level, Topic topic, fmt::format_string<Args...> format,
                       Args&&... args) {
  if (!told(level, topic)) return;
  try {
    datum::tell_now_and_then(level, text(format, std::forward<Args>(args)...));
  } catch (const std::bad_alloc&) {
    log_out_of_memory();
  }
}

} // namespace datum::registry

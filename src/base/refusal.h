// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/refusal.h: the one place that tells why a call was refused.
// Lives here: the log line, how often it is written, and the cause. The check that fails notes the
//             cause, and the border of the call writes the line.
// Not here:   the names of calls and arguments (facade/, registry/).
// Threads:    any; a cause belongs to the thread that noted it.
//
// The line has level debug: a refusal is an answer to the program, which may provoke it on purpose.
// Programs try a size and then a smaller one, or post until a queue is full. base/leniency.h logs
// refusals of strict mode.
// All of this runs after a call has failed. A call that succeeds runs none of it.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/log.h"
#include "base/status.h"
#include "base/time.h"

namespace datum {

// Why a call was refused. An empty field is unknown where the cause is noted.
struct Cause {
  std::string_view what;     // an argument or an attribute, by its name in the manual
  std::string_view value;    // the value that it has
  std::string_view allowed;  // the values that it may have
  std::string_view rule;     // a tag of tests/rules or a manual page
  Type type = Type::Success; // the type of answer that the cause explains; Success: any
};

inline bool refusals_are_told() {
  return log_enabled(LogLevel::Debug);
}

// Notes the cause of the refusal that the current call of this thread is about to return. It
// replaces an earlier note. Fields that are too long are cut.
[[gnu::cold, gnu::noinline]] void note_cause(const Cause& cause) noexcept;
// Forgets the noted cause, which then explains no later refusal.
[[gnu::cold, gnu::noinline]] void forget_cause() noexcept;

// Notes a cause whose value is a number.
template <std::integral T>
[[gnu::cold, gnu::noinline]] void note_cause(std::string_view what, T value,
                                             std::string_view allowed, std::string_view rule) {
  if (refusals_are_told()) note_cause({what, std::to_string(value), allowed, rule});
}
// Notes a cause whose value is bits, a handle or a pointer.
[[gnu::cold, gnu::noinline]] void note_bits(std::string_view what, std::uint64_t value,
                                            std::string_view allowed, std::string_view rule);
[[gnu::cold, gnu::noinline]] void note_bits(std::string_view what, const void* value,
                                            std::string_view allowed, std::string_view rule);

// Notes the state of the object that the call is about.
[[gnu::cold, gnu::noinline]] void note_state(std::string_view state) noexcept;

// Notes only a name: that of a handle whose value has been noted before.
[[gnu::cold, gnu::noinline]] void name_cause(std::string_view what) noexcept;
[[gnu::cold, gnu::noinline]] void name_cause(std::string_view what, std::string_view value,
                                             std::string_view allowed) noexcept;
// Notes a number above the adapter's or the object's limit.
[[gnu::cold, gnu::noinline]] void note_limit(std::string_view what, std::int64_t value,
                                             std::int64_t most);

// QUEUE_EMPTY, TIMEOUT_EXPIRED, INTERRUPTED_CALL and ABORT report what happened. They refuse
// nothing.
constexpr bool is_answer(Type type) {
  return type == Type::QueueEmpty || type == Type::TimeoutExpired ||
         type == Type::InterruptedCall || type == Type::Abort;
}

// Writes the line, and forgets the cause. `call`: such as dat_ep_create. `answer`: the return value
// as dat_strerror() names it. If the noted cause has no `what`, it gets `what` and each other field
// that it lacks from `otherwise`. A cause that was noted for another type of answer is ignored.
[[gnu::cold, gnu::noinline]] void tell_refusal(std::string_view call, std::string_view answer,
                                               const Cause& otherwise) noexcept;

// Writes the line whatever DATUM_LOG is, at most once a second. The line says how often it was left
// out since the last time.
[[gnu::cold, gnu::noinline]] void tell_now_and_then(LogLevel level, std::string_view line);

// Lets identical lines pass at most once a second. A different line is left out if its set is full
// of lines of the last second.
class RefusalFilter {
 public:
  static constexpr Duration kSilence = kSecond;

  struct LineChoice {
    bool tell = false;
    std::uint64_t left_out = 0; // how often the line was left out since the last time
  };
  LineChoice judge(std::uint64_t hash, Instant now);

 private:
  // The filter keeps kSets * kWays lines. For each line it searches one whole set.
  static constexpr std::size_t kSets = 256;
  static constexpr std::size_t kWays = 16;

  struct Line {
    std::uint64_t hash = 0;
    Instant told = 0;
    std::uint64_t left_out = 0;
    bool used = false;
  };
  std::array<std::array<Line, kWays>, kSets> lines_{};
};

} // namespace datum

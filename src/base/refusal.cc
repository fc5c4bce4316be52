// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/refusal.h"

#include <algorithm>

#include "base/clock.h"
#include "base/mutex.h"

namespace datum {
namespace {

// One field of a cause, in thread-local memory: a cause is also noted when no memory is left.
template <std::size_t kMost>
struct Field {
  std::uint16_t size = 0;
  char bytes[kMost] = {};

  void set(std::string_view text) {
    size = static_cast<std::uint16_t>(std::min(text.size(), kMost));
    std::copy_n(text.data(), size, bytes);
  }
  std::string_view view() const { return {bytes, size}; }
};

struct Note {
  Field<64> what;
  Field<96> value;
  Field<160> allowed;
  Field<64> rule;
  Type type = Type::Success;
};

constinit thread_local Note note;

RefusalFilter::LineChoice judge(std::string_view line) {
  static constinit Mutex mutex;
  static RefusalFilter filter;
  const std::uint64_t hash = std::hash<std::string_view>()(line);
  const MutexLock lock(mutex);
  return filter.judge(hash, monotonic_now());
}

Cause merge(const Note& noted, const Cause& otherwise) {
  const std::string_view value = noted.value.view();
  const std::string_view allowed = noted.allowed.view();
  const std::string_view rule = noted.rule.view();
  if (noted.what.size != 0) return {noted.what.view(), value, allowed, rule};
  return {otherwise.what, value.empty() ? otherwise.value : value,
          allowed.empty() ? otherwise.allowed : allowed, rule.empty() ? otherwise.rule : rule};
}

// `page`: the page of the manual to name where no rule is known.
std::string describe(std::string_view call, std::string_view answer, const Cause& cause,
                     std::string_view page) {
  std::string line = text("{}: {}", call, answer);
  if (!cause.what.empty()) line += text(": {}", cause.what);
  if (!cause.value.empty()) line += text("{} {}", cause.what.empty() ? ":" : " is", cause.value);
  if (!cause.allowed.empty()) line += text("; allowed: {}", cause.allowed);
  line += text(" ({})", cause.rule.empty() ? page : cause.rule);
  return line;
}

} // namespace

void note_cause(const Cause& cause) noexcept {
  if (!refusals_are_told()) return;
  note.what.set(cause.what);
  note.value.set(cause.value);
  note.allowed.set(cause.allowed);
  note.rule.set(cause.rule);
  note.type = cause.type;
}

void forget_cause() noexcept {
  note_cause(Cause{});
}

void note_bits(std::string_view what, std::uint64_t value, std::string_view allowed,
               std::string_view rule) {
  if (refusals_are_told()) note_cause({what, text("{:#x}", value), allowed, rule});
}

void note_bits(std::string_view what, const void* value, std::string_view allowed,
               std::string_view rule) {
  if (value == nullptr)
    note_cause({what, "null", allowed, rule});
  else
    note_bits(what, reinterpret_cast<std::uintptr_t>(value), allowed, rule);
}

void note_state(std::string_view state) noexcept {
  note_cause({"", state, "", "", Type::InvalidState});
}

void name_cause(std::string_view what) noexcept {
  if (!refusals_are_told()) return;
  note.what.set(what);
  note.type = Type::Success;
}

void name_cause(std::string_view what, std::string_view value, std::string_view allowed) noexcept {
  note_cause({what, value, allowed, ""});
}

void note_limit(std::string_view what, std::int64_t value, std::int64_t most) {
  if (refusals_are_told()) note_cause({what, std::to_string(value), text("at most {}", most), ""});
}

void tell_now_and_then(LogLevel level, std::string_view line) {
  const RefusalFilter::LineChoice verdict = judge(line);
  if (!verdict.tell) return;
  if (verdict.left_out != 0)
    log_line(level, text("{}; {} times more since the last such line", line, verdict.left_out));
  else
    log_line(level, line);
}

void tell_refusal(std::string_view call, std::string_view answer, const Cause& otherwise) noexcept {
  if (!refusals_are_told()) return;
  const bool fits = note.type == Type::Success || note.type == otherwise.type;
  const Note noted = fits ? note : Note();
  forget_cause();
  try {
    const std::string line = describe(call, answer, merge(noted, otherwise), text("{}(3)", call));
    tell_now_and_then(LogLevel::Debug, line);
  } catch (const std::bad_alloc&) {
    log_out_of_memory();
  }
}

RefusalFilter::LineChoice RefusalFilter::judge(std::uint64_t hash, Instant now) {
  std::array<Line, kWays>& set = lines_[hash % kSets];
  const auto same = [hash](const Line& line) { return line.used && line.hash == hash; };
  auto line = std::find_if(set.begin(), set.end(), same);
  if (line == set.end()) {
    const auto free = [now](const Line& each) { return !each.used || now - each.told >= kSilence; };
    line = std::find_if(set.begin(), set.end(), free);
    if (line == set.end()) return {};
    *line = {hash, now, 0, true};
    return {true, 0};
  }
  if (now - line->told < kSilence) {
    ++line->left_out;
    return {};
  }
  const LineChoice verdict{true, line->left_out};
  line->told = now;
  line->left_out = 0;
  return verdict;
}

} // namespace datum

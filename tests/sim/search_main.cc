// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// datum-sim-search [--trace] FIRST [COUNT]: plays COUNT seeds from FIRST on. The first failure ends
// the program, which then prints the command that plays the failed seed again. Too few events are a
// failure, too.
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <optional>
#include <span>
#include <string>

#include "crash_note.h"
#include "enough.h"
#include "failure.h"
#include "live_blocks.h"
#include "search.h"

namespace datum::test {
namespace {

bool read_number(const char* text, std::uint64_t& value) {
  const char* end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, value);
  return error == std::errc{} && stop == end;
}

void print_counts(const char* what, std::span<const std::uint64_t> counts) {
  std::printf("%s", what);
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (counts[i] != 0) std::printf(" %zu: %llu", i, static_cast<unsigned long long>(counts[i]));
  std::printf("\n");
}

void print_tally() {
  print_counts("connection events by kind:", tally.connection_events);
  print_counts("DTO events by status:", tally.dto_events);
  print_counts("successes by opcode:", tally.successes);
  print_counts("by an RMR, 1 without the right:", tally.through);
  std::puts(text("refused: {}, Recvs of SRQs: {}, watermarks: {}, overflows: {}, SRQs left: {}",
                 tally.refused, tally.shared_receives, tally.watermarks, tally.overflows,
                 tally.srq_lefts)
                .c_str());
  std::puts(text("handoffs: {}, accepted with an RSP's EP: {}, with one of the provider's: {}",
                 tally.handoffs, tally.reserved, tally.provided)
                .c_str());
}

// Returns false if an invariant was broken or another exception came. Prints what it was.
bool play(const char* program, std::uint64_t seed) {
  note_at_a_crash(seed);
  std::optional<Search> search;
  const auto fail = [&](const char* why) {
    std::puts(text("seed {} ({}): {}\nrerun: {} --trace {}", seed,
                   search ? search->description() : "not begun", why, program, seed)
                  .c_str());
    return false;
  };
  try {
    search.emplace(seed);
    search->run();
    return true;
  } catch (const std::exception& broken) {
    return fail(broken.what());
  } catch (...) {
    return fail("something was thrown");
  }
}

// Plays the seed again. Memory that is allocated once and kept was allocated in the first play.
bool leaves_memory(const char* program, std::uint64_t seed) {
  const std::int64_t before = live_blocks();
  play(program, seed);
  return live_blocks() != before;
}

bool play_and_count(const char* program, std::uint64_t seed) {
  const std::int64_t before = live_blocks();
  if (!play(program, seed)) return false;
  if (live_blocks() == before || !leaves_memory(program, seed)) return true;
  std::puts(text("seed {}: memory is left after everything was destroyed\nrerun: {} {}", seed,
                 program, seed)
                .c_str());
  return false;
}

} // namespace
} // namespace datum::test

int main(int count, char** words) {
  using namespace datum::test;
  const char* const program = words[0];
  if (count > 1 && std::strcmp(words[1], "--trace") == 0) {
    tracing = true;
    --count;
    ++words;
  }
  std::uint64_t first = 1;
  std::uint64_t seeds = 1;
  if (count < 2 || count > 3 || !read_number(words[1], first) ||
      (count == 3 && !read_number(words[2], seeds)) || seeds == 0) {
    std::fprintf(stderr, "usage: %s [--trace] FIRST [COUNT]\n", program);
    return 2;
  }
  for (std::uint64_t seed = first; seed != first + seeds; ++seed)
    if (!play_and_count(program, seed)) return 1;
  std::printf("%llu seeds from %llu on: every invariant holds\n",
              static_cast<unsigned long long>(seeds), static_cast<unsigned long long>(first));
  print_tally();
  const std::string seldom = too_seldom(tally, seeds);
  std::printf("%s", seldom.c_str());
  return seldom.empty() ? 0 : 1;
}

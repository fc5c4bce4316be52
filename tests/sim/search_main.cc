// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// datum-sim-search [--trace] FIRST [COUNT]: plays COUNT seeds from FIRST on; the first failure ends
// it and prints the line that plays this seed again.
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <span>

#include "failure.h"
#include "search.h"

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

} // namespace

int main(int count, char** words) {
  const char* const program = words[0];
  if (count > 1 && std::strcmp(words[1], "--trace") == 0) {
    datum::test::tracing = true;
    --count;
    ++words;
  }
  std::uint64_t first = 1;
  std::uint64_t seeds = 1;
  if (count < 2 || count > 3 || !read_number(words[1], first) ||
      (count == 3 && !read_number(words[2], seeds))) {
    std::fprintf(stderr, "usage: %s [--trace] FIRST [COUNT]\n", program);
    return 2;
  }
  for (std::uint64_t seed = first; seed != first + seeds; ++seed) {
    datum::test::Search search(seed);
    try {
      search.run();
    } catch (const datum::test::InvariantBroken& broken) {
      std::printf("seed %llu (%s): %s\nrerun: %s --trace %llu\n",
                  static_cast<unsigned long long>(seed), search.description().c_str(),
                  broken.what(), program, static_cast<unsigned long long>(seed));
      return 1;
    }
  }
  std::printf("%llu seeds from %llu on: every invariant holds\n",
              static_cast<unsigned long long>(seeds), static_cast<unsigned long long>(first));
  print_counts("connection events by kind:", datum::test::tally.connection_events);
  print_counts("DTO events by status:", datum::test::tally.dto_events);
  print_counts("successes by opcode:", datum::test::tally.successes);
  return 0;
}

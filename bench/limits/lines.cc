// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "limits.h"
#include "two.h"

namespace limits {

double one_line_pingpong(int rounds) {
  auto* line = static_cast<Line*>(shared_memory(sizeof(Line)));
  const auto total = static_cast<std::uint64_t>(rounds);
  return run_two(
      [&] {
        const std::int64_t start = now();
        for (std::uint64_t i = 0; i < total; ++i) {
          line->value = 2 * i + 1;
          while (line->value != 2 * i + 2) {
          }
        }
        return static_cast<double>(now() - start) / (2.0 * rounds);
      },
      [&] {
        for (std::uint64_t i = 0; i < total; ++i) {
          while (line->value != 2 * i + 1) {
          }
          line->value = 2 * i + 2;
        }
      });
}

double two_line_pingpong(int rounds) {
  auto* lines = static_cast<Line*>(shared_memory(2 * sizeof(Line)));
  const auto total = static_cast<std::uint64_t>(rounds);
  return run_two(
      [&] {
        const std::int64_t start = now();
        for (std::uint64_t i = 1; i <= total; ++i) {
          lines[0].value = i;
          while (lines[1].value != i) {
          }
        }
        return static_cast<double>(now() - start) / (2.0 * rounds);
      },
      [&] {
        for (std::uint64_t i = 1; i <= total; ++i) {
          while (lines[0].value != i) {
          }
          lines[1].value = i;
        }
      });
}

} // namespace limits

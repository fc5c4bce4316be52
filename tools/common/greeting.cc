// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "common/greeting.h"

#include <charconv>

#include <fmt/format.h>

namespace datum::tools {

std::string objection_to(std::string_view greeting, std::string_view program, unsigned version) {
  std::string stranger = fmt::format("it is not {}", program);
  if (!greeting.starts_with(program)) return stranger;
  greeting.remove_prefix(program.size());
  if (!greeting.starts_with(' ')) return stranger;
  greeting.remove_prefix(1);
  unsigned theirs = 0;
  const char* const end = greeting.data() + greeting.size();
  const auto [rest, error] = std::from_chars(greeting.data(), end, theirs);
  // Providers may pad private data with zeros.
  if (error != std::errc() || (rest != end && *rest != ' ' && *rest != '\0')) return stranger;
  if (theirs == version) return {};
  return fmt::format("it speaks version {} of {}'s protocol, this one {}; install the same release "
                     "on both sides",
                     theirs, program, version);
}

} // namespace datum::tools

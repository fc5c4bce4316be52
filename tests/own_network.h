// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/own_network.h: whether a test gets namespaces of its own (own_network.sh makes them).
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

namespace datum::test {

// Put before a command of the shell. Both namespaces end with the command.
inline std::string in_own_network_and_mounts() {
  return DATUM_OWN_NETWORK " --mount ";
}

// Why there are no namespaces here; empty: there are. In CI a test that needs them runs, and fails.
inline std::string why_no_namespaces() {
  if (std::getenv("CI") != nullptr) return {};
  FILE* tried = ::popen(DATUM_OWN_NETWORK " --mount 2>&1", "r");
  if (tried == nullptr) return "no shell to ask for namespaces";
  std::string said;
  for (int octet = std::fgetc(tried); octet != EOF && octet != '\n'; octet = std::fgetc(tried))
    said += static_cast<char>(octet);
  while (std::fgetc(tried) != EOF) {
  }
  return ::pclose(tried) == 0 ? "" : "no namespaces of its own here: " + said;
}

} // namespace datum::test

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/fuzz/fuzz_alias.cc: Aliases::parse() with any text as DATUM_ALIAS. It must not crash, and a
// part that it calls bad must not have the form name=ia.
#include "input.h"
#include "registry/conf/aliases.h"

using datum::conf::Aliases;
using datum::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<std::string> bad;
  const Aliases aliases = Aliases::parse(text, bad);
  for (const std::string& part : bad) {
    require(!part.empty(), "nothing is not bad");
    const std::size_t equals = part.find('=');
    require(equals == std::string::npos || equals == 0 || equals + 1 == part.size(),
            "only what is not name=ia is bad");
  }
  require(!aliases.find(""), "the empty name has no alias");
  if (aliases.for_unknown()) require(!aliases.for_unknown()->empty(), "an alias names an IA");
  return 0;
}

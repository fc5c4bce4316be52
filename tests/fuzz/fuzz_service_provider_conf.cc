// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/fuzz/fuzz_service_provider_conf.cc: parse_service_provider_conf() with any bytes: no crash,
// and each line is an entry, bad, or empty.
#include <set>

#include "input.h"
#include "registry/conf/dat_conf.h"

using namespace datum::conf;
using datum::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Document<ServiceEntry> document = parse_service_provider_conf(text);
  std::set<std::size_t> lines;
  for (const ServiceEntry& entry : document.entries) {
    require(!entry.device.empty(), "an entry names its device");
    require(lines.insert(entry.line).second, "one entry for each line");
  }
  for (const Diagnostic& bad : document.diagnostics)
    require(lines.insert(bad.line).second, "a line is an entry or bad, and bad once");
  return 0;
}

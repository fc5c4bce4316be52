// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/fuzz/fuzz_dat_conf.cc: parse_dat_conf() with any bytes. It must not crash. A line gives at
// most one entry and one diagnostic. An entry that format_line() writes must be read back equal.
#include <set>

#include "input.h"
#include "registry/conf/dat_conf.h"

using namespace datum::conf;
using datum::fuzz::require;

namespace {

void require_reads_back(const Entry& entry) {
  const Document<Entry> again = parse_dat_conf(format_line(entry));
  require(again.entries.size() == 1, "a line that was written is one entry");
  const Entry& read = again.entries[0];
  require(read.ia_name == entry.ia_name && read.provider == entry.provider &&
              read.platform_data == entry.platform_data,
          "an entry that was written reads back equal");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Document<Entry> document = parse_dat_conf(text);
  std::set<std::size_t> lines;
  for (const Entry& entry : document.entries) {
    require(lines.insert(entry.line).second, "one entry for each line");
    require_reads_back(entry);
  }
  // A diagnostic can be a warning about an entry, so a line can have both.
  std::set<std::size_t> named;
  for (const Diagnostic& bad : document.diagnostics)
    require(named.insert(bad.line).second, "one diagnostic for each line");
  return 0;
}

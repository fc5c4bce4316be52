// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/registry/dat_conf_fuzz.cc: any bytes as dat.conf: no crash, each line is an entry, bad or
// empty, and an entry that is written reads back equal.
#include <cstdlib>
#include <set>

#include "registry/conf/dat_conf.h"

using namespace datum::conf;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

void require_reads_back(const Entry& entry) {
  const Document<Entry> again = parse_dat_conf(format_line(entry));
  require(again.entries.size() == 1);
  require(again.entries[0].ia_name == entry.ia_name);
  require(again.entries[0].provider == entry.provider);
  require(again.entries[0].platform_data == entry.platform_data);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Document<Entry> document = parse_dat_conf(text);
  std::set<std::size_t> lines;
  for (const Entry& entry : document.entries) {
    require(lines.insert(entry.line).second);
    require_reads_back(entry);
  }
  parse_service_provider_conf(text);
  return 0;
}

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// registry/conf/dat_conf.h: the text of dat.conf and service_provider.conf.
// Lives here: fields, quoting, what makes a line bad, and how a line is written.
// Not here:   which file is read (conf_file.h), which entry is used for a request
//             (static_registry.h).
//
// This code does no I/O: it turns text into entries and diagnostics. Any bytes are legal input. A
// bad line is skipped with one diagnostic, and the lines after it are read as usual. If there are
// more than kMaxDiagnostics, the last one tells how many were left out. After kMaxEntries entries
// nothing more is read.
//
// A line has fields separated by blanks or tabs. '#' where a field could start begins a comment. A
// field in double quotes may contain blanks and '#', or may be empty. Inside the quotes a backslash
// makes the next character literal. Both the Solaris form (last field "driver_name=...") and the
// OFED form (last field "") have these eight fields: IA name, u<major>.<minor>,
// threadsafe|nonthreadsafe, default|nondefault, library, id.<major>.<minor>, instance data,
// platform data
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace datum::conf {

// dat_ia_open removes this prefix from a name before the lookup.
inline constexpr std::string_view kRelaxedOrderingPrefix = "RO_AWARE_";

// Fields 2 to 7, which both files have.
struct ProviderFields {
  char api_type = 'u'; // 'u' user level, 'k' kernel level
  std::uint32_t api_major = 0;
  std::uint32_t api_minor = 0;
  bool thread_safe = false;
  bool is_default = false;
  std::string library;
  std::string provider_version;
  std::string instance_data;

  bool operator==(const ProviderFields&) const = default;
};

struct Entry {
  std::size_t line = 0; // counted from 1
  std::string ia_name;
  ProviderFields provider;
  std::string platform_data;

  // True: the static registry uses this entry. It uses only user-level default entries.
  bool selectable() const { return provider.api_type == 'u' && provider.is_default; }
};

struct ServiceEntry {
  std::size_t line = 0;
  std::string device; // "driver_name=<driver>", or a physical device name
  ProviderFields provider;
};

// The registry keeps at most this many entries of a file.
inline constexpr std::size_t kMaxEntries = 131072;
inline constexpr std::size_t kMaxDiagnostics = 64;

struct Diagnostic {
  std::size_t line = 0;
  std::string text; // what is wrong, why, and the next step
};

template <class E>
struct Document {
  std::vector<E> entries;
  std::vector<Diagnostic> diagnostics;
};

Document<Entry> parse_dat_conf(std::string_view text);
Document<ServiceEntry> parse_service_provider_conf(std::string_view text);

// A field as it is written to the file. in_quotes() always quotes it, quoted() only if the field
// needs quotes.
std::string in_quotes(std::string_view field);
std::string quoted(std::string_view field);
// The line for an entry, without a newline. Platform data are always quoted, as datadm does.
std::string format_line(const Entry& entry);

} // namespace datum::conf

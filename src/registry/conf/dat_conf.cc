// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "registry/conf/dat_conf.h"

#include <charconv>
#include <fmt/format.h>

#include "registry/conf/tokens.h"

namespace datum::conf {
namespace {

using Fields = std::vector<std::string>;
template <class T>
using Parsed = tl::expected<T, std::string>;

constexpr std::size_t kDatConfFields = 8;
constexpr std::size_t kServiceFields = 7;
constexpr std::size_t kNameMax = 255;

template <class... Args>
tl::unexpected<std::string> bad(fmt::format_string<Args...> format, Args&&... args) {
  return tl::unexpected(fmt::format(format, std::forward<Args>(args)...));
}

bool take_number(std::string_view& text, std::uint32_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

bool take_char(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

bool parse_api_version(std::string_view text, ProviderFields& out) {
  if (text.empty() || (text.front() != 'u' && text.front() != 'k')) return false;
  out.api_type = text.front();
  text.remove_prefix(1);
  return take_number(text, out.api_major) && take_char(text, '.') &&
         take_number(text, out.api_minor) && text.empty();
}

bool all_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// id.<major>.<minor>. The dot after the id may be missing, as in "SUNW1.0" in the manual.
bool is_provider_version(std::string_view text) {
  const std::size_t last_dot = text.rfind('.');
  if (last_dot == std::string_view::npos || !all_digits(text.substr(last_dot + 1))) return false;
  text = text.substr(0, last_dot);
  const std::size_t id_end = text.find_last_not_of("0123456789");
  if (id_end == std::string_view::npos || id_end + 1 == text.size()) return false;
  return text[id_end] != '.' || id_end > 0;
}

Parsed<bool> parse_choice(const std::string& field, std::string_view yes, std::string_view no) {
  if (field == yes) return true;
  if (field == no) return false;
  return bad("\"{}\" is neither {} nor {}; write one of the two words", field, yes, no);
}

// `fields`: fields 2 to 7 of a dat.conf line.
Parsed<ProviderFields> parse_provider_fields(const std::string* fields) {
  ProviderFields out;
  if (!parse_api_version(fields[0], out))
    return bad("API version \"{}\" is not of the form u1.2; correct the second field", fields[0]);
  const auto thread_safe = parse_choice(fields[1], "threadsafe", "nonthreadsafe");
  if (!thread_safe) return tl::unexpected(thread_safe.error());
  const auto is_default = parse_choice(fields[2], "default", "nondefault");
  if (!is_default) return tl::unexpected(is_default.error());
  if (fields[3].empty()) return bad("the library is empty; name a path or a soname");
  if (!is_provider_version(fields[4]))
    return bad("provider version \"{}\" is not of the form id.1.0; correct the sixth field",
               fields[4]);
  out.thread_safe = *thread_safe;
  out.is_default = *is_default;
  out.library = fields[3];
  out.provider_version = fields[4];
  out.instance_data = fields[5];
  return out;
}

Parsed<Entry> to_entry(Fields fields) {
  if (fields.size() != kDatConfFields)
    return bad("{} field{} instead of {}; quote fields that contain blanks, write \"\" for an "
               "empty one",
               fields.size(), fields.size() == 1 ? "" : "s", kDatConfFields);
  if (fields[0].empty()) return bad("the IA name is empty; name the IA in the first field");
  if (fields[0].size() > kNameMax)
    return bad("the IA name has {} characters, more than {}; shorten it", fields[0].size(),
               kNameMax);
  auto provider = parse_provider_fields(&fields[1]);
  if (!provider) return tl::unexpected(provider.error());
  return Entry{.ia_name = std::move(fields[0]),
               .provider = std::move(*provider),
               .platform_data = std::move(fields[7])};
}

Parsed<ServiceEntry> to_service_entry(Fields fields) {
  if (fields.size() != kServiceFields)
    return bad("{} field{} instead of {}; quote fields that contain blanks, write \"\" for an "
               "empty one",
               fields.size(), fields.size() == 1 ? "" : "s", kServiceFields);
  if (fields[0].empty()) return bad("the device is empty; write driver_name=<driver>");
  auto provider = parse_provider_fields(&fields[1]);
  if (!provider) return tl::unexpected(provider.error());
  return ServiceEntry{.device = std::move(fields[0]), .provider = std::move(*provider)};
}

// Keeps the first diagnostics, and counts the others.
class Diagnostics {
 public:
  explicit Diagnostics(std::vector<Diagnostic>& told) : told_(told) {}

  void add(std::size_t line, std::string text) {
    if (told_.size() < kMaxDiagnostics)
      told_.push_back({line, std::move(text)});
    else if (left_out_++ == 0)
      first_left_out_ = line;
  }
  void finish() {
    if (left_out_ != 0)
      told_.push_back(
          {first_left_out_,
           fmt::format("{} more mistakes from here on; correct those above first", left_out_)});
  }

 private:
  std::vector<Diagnostic>& told_;
  std::size_t left_out_ = 0;
  std::size_t first_left_out_ = 0;
};

// check(entry) returns the warning about a good entry, or an empty text.
template <class E, class Check>
Document<E> parse_lines(std::string_view text, Parsed<E> (*to_entry_of)(Fields fields),
                        const Check& check) {
  Document<E> document;
  Diagnostics diagnostics(document.diagnostics);
  for (std::size_t line = 1; !text.empty(); ++line) {
    auto fields = split_fields(take_line(text));
    if (fields && fields->empty()) continue;
    auto entry = fields ? to_entry_of(std::move(*fields)) : tl::unexpected(fields.error());
    if (!entry) {
      diagnostics.add(line, std::move(entry.error()));
      continue;
    }
    if (document.entries.size() == kMaxEntries) {
      diagnostics.add(line,
                      fmt::format("more than {} entries; this line and those behind it do not "
                                  "count",
                                  kMaxEntries));
      break;
    }
    entry->line = line;
    if (std::string told = check(*entry); !told.empty()) diagnostics.add(line, std::move(told));
    document.entries.push_back(std::move(*entry));
  }
  diagnostics.finish();
  return document;
}

} // namespace

Document<Entry> parse_dat_conf(std::string_view text) {
  return parse_lines<Entry>(text, to_entry, [](const Entry& entry) {
    if (!entry.ia_name.starts_with(kRelaxedOrderingPrefix)) return std::string();
    return fmt::format("no program can open ia \"{}\": dat_ia_open strips {} from names; choose "
                       "another name",
                       entry.ia_name, kRelaxedOrderingPrefix);
  });
}

Document<ServiceEntry> parse_service_provider_conf(std::string_view text) {
  return parse_lines<ServiceEntry>(text, to_service_entry,
                                   [](const ServiceEntry&) { return std::string(); });
}

std::string in_quotes(std::string_view field) {
  std::string out = "\"";
  for (const char c : field) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

std::string quoted(std::string_view field) {
  const bool plain = !field.empty() && field.front() != '"' && field.front() != '#' &&
                     field.find_first_of(" \t\r") == std::string_view::npos;
  return plain ? std::string(field) : in_quotes(field);
}

std::string format_line(const Entry& entry) {
  const ProviderFields& p = entry.provider;
  return fmt::format("{} {}{}.{} {} {} {} {} {} {}", quoted(entry.ia_name), p.api_type, p.api_major,
                     p.api_minor, p.thread_safe ? "threadsafe" : "nonthreadsafe",
                     p.is_default ? "default" : "nondefault", quoted(p.library),
                     quoted(p.provider_version), quoted(p.instance_data),
                     in_quotes(entry.platform_data));
}

} // namespace datum::conf

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cp/remote_path.h"

#include <charconv>

#include <fmt/format.h>

#include "common/tool_error.h"

namespace datum::cp {
namespace {

[[noreturn]] void unusable(const std::string& text, std::string_view why) {
  throw tools::ToolError(
      tools::ExitCode::Usage,
      fmt::format("\"{}\": {} (write HOST:PATH or HOST:PORT:PATH, an IPv6 address "
                  "in brackets)",
                  text, why));
}

// Cuts the host off `text` and returns it. Then `text` is ":...".
std::string take_host(const std::string& whole, std::string_view& text) {
  std::string_view host;
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) unusable(whole, "the bracket is not closed");
    host = text.substr(1, end - 1);
    if (host.find(':') == std::string_view::npos && !host.empty())
      unusable(whole, "brackets are for an IPv6 address, a name has none");
    text.remove_prefix(end + 1);
  } else {
    host = text.substr(0, text.find(':'));
    text.remove_prefix(host.size());
  }
  if (host.empty()) unusable(whole, "no host");
  if (!text.starts_with(':')) unusable(whole, "no \":\" after the host");
  return std::string(host);
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

} // namespace

RemotePath parse_remote(const std::string& text) {
  RemotePath remote;
  std::string_view rest = text;
  remote.host = take_host(text, rest);
  rest.remove_prefix(1);
  const std::size_t colon = rest.find(':');
  if (colon != std::string_view::npos && colon > 0) {
    const char* const end = rest.data() + colon;
    std::uint64_t port = 0;
    const auto [stop, error] = std::from_chars(rest.data(), end, port);
    if (stop == end) {
      if (error != std::errc() || port == 0) unusable(text, "not a port");
      remote.port = port;
      rest.remove_prefix(colon + 1);
    }
  }
  if (colon == std::string_view::npos && is_number(rest))
    unusable(text, fmt::format("{0} may be a port, then a \":\" has to follow it, or a file, then "
                               "write ./{0}",
                               rest));
  remote.path = rest;
  return remote;
}

} // namespace datum::cp

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "info/print.h"

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/human.h"
#include "common/json.h"
#include "common/text_line.h"
#include "info/loaded.h"
#include "info/print_report.h"

namespace datum::info {
namespace {

using tools::json_string;
using tools::JsonObject;
using tools::kJsonNull;
using tools::printable;
using tools::text_line;

std::string section(const char* title, const std::vector<Attribute>& list) {
  std::string text = fmt::format("  {}\n", title);
  for (const Attribute& a : list) text += text_line("    {:<38} {}", a.name, a.value);
  return text;
}

std::string json_list(const std::vector<std::string>& values) {
  std::string text;
  for (const std::string& value : values) text += (text.empty() ? "" : ", ") + json_string(value);
  return "[" + text + "]";
}

std::string json_map(const std::vector<Attribute>& list) {
  JsonObject object;
  for (const Attribute& a : list) {
    if (a.is_number)
      object.add_raw(a.name, a.value);
    else
      object.add(a.name, a.value);
  }
  return object.text();
}

std::string version_text(const Adapter& adapter) {
  return fmt::format("{}.{}", adapter.major, adapter.minor);
}

std::string or_none(const std::vector<std::string>& values) {
  return values.empty() ? "none" : fmt::format("{}", fmt::join(values, ", "));
}

std::string from_text(const Adapter& a) {
  const tools::IaOrigin& origin = a.origin;
  const std::string text = a.listed || !a.tried ? origin.text : origin.text + ", not listed";
  return origin.library.empty() ? text : fmt::format("{} ({})", text, origin.library);
}

// Columns are as wide as the shown texts, because escapes make a name longer.
std::string table_of(const std::vector<Adapter>& adapters) {
  std::vector<std::array<std::string, 5>> rows = {{"IA", "DAT", "address", "from", "state"}};
  for (const Adapter& a : adapters)
    rows.push_back({printable(a.name), version_text(a), a.address.empty() ? "-" : a.address,
                    printable(from_text(a)), a.state});
  std::array<std::size_t, 4> widths = {8, 6, 26, 34};
  for (const auto& row : rows)
    for (std::size_t i = 0; i < widths.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size() + 2);
  std::string text;
  for (const auto& [name, version, address, from, state] : rows)
    text += text_line("{:<{}}{:<{}}{:<{}}{:<{}}{}", name, widths[0], version, widths[1], address,
                      widths[2], from, widths[3], state);
  return text;
}

// --check reports lines of other providers one by one only with --all.
std::string hint_for(const std::vector<Adapter>& adapters) {
  bool any = false, foreign = false;
  for (const Adapter& adapter : adapters) {
    const bool fails = adapter.tried && !adapter.opens;
    any = any || fails;
    foreign = foreign || (fails && is_foreign(adapter));
  }
  if (!any) return {};
  return fmt::format("\ndat-info{} --check{} says what to do.\n",
                     DAT_VERSION_MAJOR == 2 ? " --dat2" : "", foreign ? " --all" : "");
}

// Adapters with the same paths share one paragraph.
std::string paths_text(const std::vector<Adapter>& adapters) {
  std::vector<std::pair<std::string, std::string>> lines; // the text, and the IAs that have it
  for (const Adapter& a : adapters) {
    if (a.to_this_host.empty()) continue;
    const std::string what = text_line("  this host    {}", a.to_this_host) +
                             text_line("  other hosts  {}", a.to_other_hosts) +
                             text_line("  because      {}", a.path_reason);
    const auto same = std::find_if(lines.begin(), lines.end(),
                                   [&](const auto& line) { return line.first == what; });
    if (same == lines.end())
      lines.emplace_back(what, a.name);
    else
      same->second += ", " + a.name;
  }
  std::string text;
  for (const auto& [what, who] : lines)
    text += '\n' + text_line("Which way connections of {} take, to", who) + what;
  if (!lines.empty()) text += "dat-ping -v HOST tells which way one took, and why.\n";
  return text;
}

// The libraries that serve a program of this version.
std::string served_text(const std::vector<Adapter>& adapters) {
  std::string text = '\n' + text_line("Programs of DAT {}.{} are served by {}", DAT_VERSION_MAJOR,
                                      DAT_VERSION_MINOR, path_of_library(tools::kRegistryLibrary));
  std::set<std::string> told;
  for (const Adapter& a : adapters)
    if (!a.library_path.empty() && told.insert(a.library_path).second)
      text += text_line("  and by {}", a.library_path);
  if (DAT_VERSION_MAJOR == 1) text += "dat-info --dat2 shows what programs of DAT 2.0 see.\n";
  return text;
}

std::string end_text(const TcpEnd& end) {
  if (end.is_every_address()) return fmt::format("port {} at every address", end.port);
  return fmt::format("{} port {}", end.host, end.port);
}

std::string listeners_text(const ProcessView& view) {
  std::vector<std::string> all;
  for (const std::string& name : view.listeners)
    all.push_back(name + (name.starts_with(kMappedQualifier) ? " (TCP, on a port of its own)"
                                                             : " (shared memory)"));
  for (const TcpEnd& end : view.tcp_listeners) all.push_back(end_text(end) + " (TCP)");
  return all.empty() ? "none" : fmt::format("{}", fmt::join(all, ", "));
}

// A program may have ten thousand connections, so the text shows only some. --json shows all.
std::string connections_text(const ProcessView& view) {
  constexpr std::size_t kMost = 32;
  const auto& all = view.tcp_connections;
  std::string text =
      fmt::format("  TCP            {} connection{}\n", all.size(), all.size() == 1 ? "" : "s");
  for (const TcpConnection& c : std::span(all).first(std::min(all.size(), kMost)))
    text += text_line("    {} port {} with {} port {}, {}: {}; {}", c.local.host, c.local.port,
                      c.remote.host, c.remote.port, c.state,
                      c.this_host ? "this host" : "another host", c.reason);
  if (all.size() > kMost)
    text += fmt::format("    and {} more: --json tells all of them\n", all.size() - kMost);
  return text;
}

std::string sockets_text(const ProcessView& view) {
  std::string text =
      fmt::format("  links          {} with processes of this host, over shared memory; the peer "
                  "dialled {} of them\n",
                  view.links(), view.accepted);
  text += text_line("  direct access  to processes: {}; to other peers by the ring",
                    or_none(view.direct));
  text += text_line("  listens on     {}", listeners_text(view));
  text += connections_text(view);
  if (!view.transport.value_or("").empty())
    text += text_line("  environment    DATUM_TRANSPORT={} when it was started", *view.transport);
  if (view.network == ProcessView::Network::Other)
    text += "  network        a namespace of its own: \"this host\" is what is in it, and nobody "
            "outside reaches it by shared memory\n";
  return text;
}

std::string json_of(ProcessView::Network network) {
  switch (network) {
  case ProcessView::Network::Same: return json_string("same");
  case ProcessView::Network::Other: return json_string("other");
  case ProcessView::Network::Unknown: break;
  }
  return kJsonNull;
}

std::string json_of(const std::optional<std::string>& text) {
  return text ? json_string(*text) : kJsonNull;
}

// An empty text stands for no value, and becomes null.
std::string json_or_null(const std::string& text) {
  return text.empty() ? kJsonNull : json_string(text);
}

std::string json_of(const TcpEnd& end) {
  return JsonObject().add("address", end.host).add("port", end.port).text();
}

std::string json_of(const TcpConnection& c) {
  return JsonObject()
      .add_raw("local", json_of(c.local))
      .add_raw("peer", json_of(c.remote))
      .add("state", c.state)
      .add("peer_on", c.this_host ? "this host" : "another host")
      .add("path", "tcp")
      .add("path_reason", c.reason)
      .text();
}

std::string json_of(const MappedLibrary& library) {
  return JsonObject().add("path", library.path).add("replaced", library.replaced).text();
}

std::string json_of(const SharedSegment& segment) {
  return JsonObject()
      .add("name", segment.name)
      .add("mappings", segment.count)
      .add("bytes", segment.bytes)
      .text();
}

template <typename Item>
std::string json_objects(const std::vector<Item>& items) {
  std::string text;
  for (const Item& item : items) text += (text.empty() ? "" : ", ") + json_of(item);
  return "[" + text + "]";
}

} // namespace

std::string text_of(const std::vector<Adapter>& adapters, const std::vector<Adapter>& foreign) {
  std::string text = table_of(adapters) + hint_for(adapters);
  if (!foreign.empty()) text += '\n' + text_line("{}", text_of_foreign(foreign));
  return text + paths_text(adapters) + served_text(adapters);
}

std::string text_of(const Attributes& attributes) {
  return section("adapter", attributes.adapter) + section("provider", attributes.provider);
}

std::string text_of(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& f : findings) {
    text += text_line("{:<8} {:<14} {}", name_of(f.grade), f.subject, f.text);
    if (!f.step.empty()) text += text_line("{:<8} {:<14} -> {}", "", "", f.step);
  }
  const auto problems = std::count_if(findings.begin(), findings.end(),
                                      [](const Finding& f) { return f.grade == Grade::Problem; });
  return text + (problems == 0
                     ? "\nNothing is in the way of DAT here.\n"
                     : fmt::format("\n{} problem{}.\n", problems, problems == 1 ? "" : "s"));
}

std::string text_of(const ProcessView& view) {
  std::string text =
      text_line("process {} ({}), user {}, {}", view.pid, view.command, view.user, view.state);
  if (!view.program.value_or("").empty()) text += text_line("  program        {}", *view.program);
  for (const MappedLibrary& library : view.libraries)
    text += text_line("  library        {}{}", library.path,
                      library.replaced ? " (replaced since: restart the program to use the new one)"
                                       : "");
  if (view.uses_dat() == false)
    text += "  It has no DAT library mapped: it does not use DAT, or not yet.\n";
  for (const SharedSegment& segment : view.segments)
    text += text_line("  memory         {}: {} mapping{}, {}", segment.name, segment.count,
                      segment.count == 1 ? "" : "s", tools::human_size(segment.bytes));
  if (view.descriptors_seen) text += sockets_text(view);
  if (view.threads_seen) text += text_line("  threads        {}", or_none(view.threads));
  if (view.descriptors_seen)
    text += text_line("  descriptors    {} of {}", view.descriptors,
                      view.descriptor_limit.empty() ? "?" : view.descriptor_limit);
  for (const std::string& gap : view.gaps) text += text_line("  not visible    {}", gap);
  for (const IaReport& report : view.reports) text += text_of(report);
  return text;
}

std::string json_of(const Adapter& adapter, const Attributes* attributes) {
  JsonObject object;
  object.add("name", adapter.name)
      .add("dat", version_text(adapter))
      .add("thread_safe", adapter.any_thread_safety ? "both"
                          : adapter.thread_safe     ? "yes"
                                                    : "no")
      .add("listed", adapter.listed)
      .add("origin", adapter.origin.text)
      .add_raw("library", json_or_null(adapter.origin.library))
      .add_raw("opens", !adapter.tried  ? kJsonNull
                        : adapter.opens ? "true"
                                        : "false")
      .add("state", adapter.state)
      .add_raw("address", json_or_null(adapter.address))
      .add_raw("library_path", json_or_null(adapter.library_path))
      .add_raw("paths", adapter.to_this_host.empty()
                            ? kJsonNull
                            : JsonObject()
                                  .add("this_host", adapter.to_this_host)
                                  .add("other_hosts", adapter.to_other_hosts)
                                  .add("reason", adapter.path_reason)
                                  .text());
  if (attributes != nullptr)
    object.add_raw("adapter", json_map(attributes->adapter))
        .add_raw("provider", json_map(attributes->provider));
  return object.text();
}

std::string json_of(const std::vector<Finding>& findings) {
  std::string list;
  for (const Finding& f : findings)
    list += (list.empty() ? "\n  " : ",\n  ") + JsonObject()
                                                    .add("grade", name_of(f.grade))
                                                    .add("subject", f.subject)
                                                    .add("text", f.text)
                                                    .add("step", f.step)
                                                    .text();
  return "[" + list + "\n]\n";
}

std::string json_of(const ProcessView& view) {
  const auto mapped = [&](const std::string& value) {
    return view.mappings_seen ? value : kJsonNull;
  };
  const auto opened = [&](const std::string& value) {
    return view.descriptors_seen ? value : kJsonNull;
  };
  return JsonObject()
             .add("pid", view.pid)
             .add("command", view.command)
             .add_raw("program", json_of(view.program))
             .add_raw("user", tools::json_number(view.user))
             .add_raw("uses_dat", mapped(view.uses_dat().value_or(false) ? "true" : "false"))
             .add_raw("libraries", mapped(json_objects(view.libraries)))
             .add_raw("memory", mapped(json_objects(view.segments)))
             .add_raw("links", mapped(std::to_string(view.links())))
             .add_raw("links_dialled_by_peer", opened(std::to_string(view.accepted)))
             .add_raw("direct_access_to", opened(fmt::format("[{}]", fmt::join(view.direct, ", "))))
             .add_raw("listens_on", opened(json_list(view.listeners)))
             .add_raw("tcp_listens_on", opened(json_objects(view.tcp_listeners)))
             .add_raw("tcp_connections", opened(json_objects(view.tcp_connections)))
             .add_raw("network_namespace", json_of(view.network))
             .add_raw("datum_transport", json_or_null(view.transport.value_or("")))
             .add_raw("threads", view.threads_seen ? json_list(view.threads) : kJsonNull)
             .add_raw("descriptors", opened(std::to_string(view.descriptors)))
             .add_raw("descriptor_limit", tools::json_number(view.descriptor_limit))
             .add_raw("adapters", opened(json_of(view.reports)))
             .add_raw("not_visible", json_list(view.gaps))
             .text() +
         "\n";
}

} // namespace datum::info

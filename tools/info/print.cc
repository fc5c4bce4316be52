// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "info/print.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/human.h"
#include "common/json.h"

namespace datum::info {
namespace {

using tools::json_string;
using tools::JsonObject;

constexpr const char* kHidden =
    "Not visible from outside: endpoints, bytes and messages, stalls, how full queues are. The\n"
    "program itself could tell; dat-info does not stop it or read its memory.\n";

std::string section(const char* title, const std::vector<Attribute>& list) {
  std::string text = fmt::format("  {}\n", title);
  for (const Attribute& a : list) text += fmt::format("    {:<38} {}\n", a.name, a.value);
  return text;
}

std::string json_list(const std::vector<std::string>& values) {
  std::string text;
  for (const std::string& value : values) text += (text.empty() ? "" : ", ") + json_string(value);
  return "[" + text + "]";
}

std::string json_map(const std::vector<Attribute>& list) {
  JsonObject object;
  for (const Attribute& a : list) object.add(a.name, a.value);
  return object.text();
}

std::string version_text(const Adapter& adapter) {
  return fmt::format("{}.{}", adapter.major, adapter.minor);
}

std::string or_none(const std::vector<std::string>& values) {
  return values.empty() ? "none" : fmt::format("{}", fmt::join(values, ", "));
}

} // namespace

std::string text_of(const std::vector<Adapter>& adapters) {
  std::size_t width = 8;
  for (const Adapter& a : adapters) width = std::max(width, a.name.size() + 2);
  std::string text =
      fmt::format("{:<{}}{:<6}{:<26}{:<34}{}\n", "IA", width, "DAT", "address", "from", "state");
  for (const Adapter& a : adapters) {
    const std::string from =
        a.library.empty() ? a.origin : fmt::format("{} ({})", a.origin, a.library);
    text += fmt::format("{:<{}}{:<6}{:<26}{:<34}{}\n", a.name, width, version_text(a),
                        a.address.empty() ? "-" : a.address, from, a.state);
  }
  return text;
}

std::string text_of(const Attributes& attributes) {
  return section("adapter", attributes.adapter) + section("provider", attributes.provider);
}

std::string text_of(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& f : findings) {
    text += fmt::format("{:<8} {:<14} {}\n", name_of(f.grade), f.subject, f.text);
    if (!f.step.empty()) text += fmt::format("{:<8} {:<14} -> {}\n", "", "", f.step);
  }
  const auto problems = std::count_if(findings.begin(), findings.end(),
                                      [](const Finding& f) { return f.grade == Grade::Problem; });
  return text + (problems == 0
                     ? "\nNothing is in the way of DAT here.\n"
                     : fmt::format("\n{} problem{}.\n", problems, problems == 1 ? "" : "s"));
}

std::string text_of(const ProcessView& view) {
  std::string text =
      fmt::format("process {} ({}), user {}, {}\n", view.pid, view.command, view.user, view.state);
  if (!view.program.empty()) text += fmt::format("  program        {}\n", view.program);
  for (const MappedLibrary& library : view.libraries)
    text += fmt::format(
        "  library        {}{}\n", library.path,
        library.replaced ? " (replaced since: restart the program to use the new one)" : "");
  if (!view.uses_dat() && view.gaps.empty())
    text += "  It has no DAT library mapped: it does not use DAT, or not yet.\n";
  for (const SharedSegment& segment : view.segments)
    text += fmt::format("  memory         {}: {} mapping{}, {}\n", segment.name, segment.count,
                        segment.count == 1 ? "" : "s", tools::human_size(segment.bytes));
  text += fmt::format("  links          {} (shared memory with a peer process), {} of them dialled "
                      "by the peer\n",
                      view.links(), view.accepted);
  text += fmt::format("  direct access  to processes: {}; to other peers by the ring\n",
                      or_none(view.direct));
  text += fmt::format("  listens on     {}\n", or_none(view.listeners));
  text += fmt::format("  threads        {}\n", or_none(view.threads));
  if (view.descriptors > 0)
    text += fmt::format("  descriptors    {} of {}\n", view.descriptors,
                        view.descriptor_limit.empty() ? "?" : view.descriptor_limit);
  for (const std::string& gap : view.gaps) text += fmt::format("  not visible    {}\n", gap);
  return text + kHidden;
}

std::string json_of(const Adapter& adapter, const Attributes* attributes) {
  JsonObject object;
  object.add("name", adapter.name)
      .add("dat", version_text(adapter))
      .add("thread_safe", adapter.any_thread_safety ? "both"
                          : adapter.thread_safe     ? "yes"
                                                    : "no")
      .add("origin", adapter.origin)
      .add("library", adapter.library)
      .add("opens", adapter.opens)
      .add("state", adapter.state)
      .add("address", adapter.address);
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
  std::string libraries, segments;
  for (const MappedLibrary& l : view.libraries)
    libraries += (libraries.empty() ? "" : ", ") +
                 JsonObject().add("path", l.path).add("replaced", l.replaced).text();
  for (const SharedSegment& s : view.segments)
    segments +=
        (segments.empty() ? "" : ", ") +
        JsonObject().add("name", s.name).add("mappings", s.count).add("bytes", s.bytes).text();
  return JsonObject()
             .add("pid", view.pid)
             .add("command", view.command)
             .add("program", view.program)
             .add("user", view.user)
             .add("uses_dat", view.uses_dat())
             .add_raw("libraries", "[" + libraries + "]")
             .add_raw("memory", "[" + segments + "]")
             .add("links", view.links())
             .add("links_dialled_by_peer", view.accepted)
             .add_raw("direct_access_to", json_list(view.direct))
             .add_raw("listens_on", json_list(view.listeners))
             .add_raw("threads", json_list(view.threads))
             .add("descriptors", view.descriptors)
             .add("descriptor_limit", view.descriptor_limit)
             .add_raw("not_visible", json_list(view.gaps))
             .text() +
         "\n";
}

} // namespace datum::info

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "info/print_report.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "common/human.h"
#include "common/json.h"
#include "common/text_line.h"

namespace datum::info {
namespace {

using tools::JsonObject;

// A program may have ten thousand objects, so the text shows only some. --json shows all.
constexpr std::size_t kMost = 32;

std::string moved_text(const char* verb, const Moved& moved) {
  return fmt::format("{} {} ({})", verb, moved.messages, tools::human_size(moved.bytes));
}

std::string fill_text(const Fill& fill) {
  return fmt::format("{} of {}", fill.held, fill.most);
}

std::string text_of(const EndpointReport& ep) {
  std::string text = fmt::format("    EP {}  {}", ep.number, ep.state);
  if (!ep.peer.empty()) text += fmt::format(" with {} port {}", ep.peer, ep.port);
  if (!ep.path.empty()) text += fmt::format(", path: {}", ep.path);
  if (!ep.reason.empty()) text += fmt::format(" ({})", ep.reason);
  text = tools::printable(text);
  text += fmt::format("\n      {}, {}; outstanding: {} requests, {} Recvs; {} stall{}\n",
                      moved_text("posted", ep.posted), moved_text("received", ep.received),
                      fill_text(ep.requests), fill_text(ep.recvs), ep.stalls,
                      ep.stalls == 1 ? "" : "s");
  return text;
}

std::string text_of(const EvdReport& evd) {
  return fmt::format("    EVD {}  streams {:#x}; holds {} events; {} completions, {} waits\n",
                     evd.number, evd.streams, fill_text(evd.events), evd.completions, evd.waits);
}

std::string text_of(const LeniencyReport& leniency) {
  return tools::text_line(
      "    leniency {}: used {} time{}; DATUM_STRICT=on refuses it, see datum(7)", leniency.name,
      leniency.uses, leniency.uses == 1 ? "" : "s");
}

template <typename Item>
std::string list(const std::vector<Item>& items, const char* what) {
  std::string text;
  for (const Item& item : std::span(items).first(std::min(items.size(), kMost)))
    text += text_of(item);
  if (items.size() > kMost)
    text +=
        fmt::format("    and {} more {}: --json tells all of them\n", items.size() - kMost, what);
  return text;
}

std::string json_of(const Moved& moved) {
  return JsonObject().add("messages", moved.messages).add("bytes", moved.bytes).text();
}

std::string json_of(const Fill& fill) {
  return JsonObject().add("held", fill.held).add("most", fill.most).text();
}

std::string json_of(const EndpointReport& ep) {
  return JsonObject()
      .add("number", ep.number)
      .add("state", ep.state)
      .add("path", ep.path)
      .add("path_reason", ep.reason)
      .add("peer", ep.peer)
      .add_raw("peer_port", tools::json_number(ep.port))
      .add_raw("posted", json_of(ep.posted))
      .add_raw("received", json_of(ep.received))
      .add_raw("requests", json_of(ep.requests))
      .add_raw("recvs", json_of(ep.recvs))
      .add("stalls", ep.stalls)
      .text();
}

std::string json_of(const EvdReport& evd) {
  return JsonObject()
      .add("number", evd.number)
      .add("streams", evd.streams)
      .add_raw("events", json_of(evd.events))
      .add("completions", evd.completions)
      .add("waits", evd.waits)
      .text();
}

std::string json_of(const LeniencyReport& leniency) {
  return JsonObject().add("name", leniency.name).add("uses", leniency.uses).text();
}

std::string json_of(const IaReport& report);

template <typename Item>
std::string json_list(const std::vector<Item>& items) {
  std::string text;
  for (const Item& item : items) text += (text.empty() ? "" : ", ") + json_of(item);
  return "[" + text + "]";
}

std::string json_of(const IaReport& report) {
  return JsonObject()
      .add("name", report.name)
      .add_raw("leniencies", json_list(report.leniencies))
      .add_raw("endpoints", json_list(report.endpoints))
      .add_raw("evds", json_list(report.evds))
      .text();
}

} // namespace

std::string text_of(const IaReport& report) {
  return tools::text_line("  IA {}: {} EP{}, {} EVD{}", report.name, report.endpoints.size(),
                          report.endpoints.size() == 1 ? "" : "s", report.evds.size(),
                          report.evds.size() == 1 ? "" : "s") +
         list(report.leniencies, "leniencies") + list(report.endpoints, "EPs") +
         list(report.evds, "EVDs");
}

std::string json_of(const std::vector<IaReport>& reports) {
  return json_list(reports);
}

} // namespace datum::info

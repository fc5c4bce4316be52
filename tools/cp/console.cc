// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cp/console.h"

#include <cstdio>

#include <fmt/format.h>

#include "common/human.h"
#include "common/json.h"
#include "common/std_streams.h"
#include "common/text_line.h"
#include "cp/file_error.h"

namespace datum::cp {

namespace {

std::string files(std::uint64_t count) {
  return fmt::format("{} file{}", count, count == 1 ? "" : "s");
}

// Describes only the compared files, not those that failed or were taken for the same.
std::string checksums_text(const Summary& summary) {
  std::string text;
  if (summary.compared > 0)
    text = summary.failed == 0 && summary.skipped == 0
               ? ", checksums agree"
               : fmt::format(", checksums of {} agree", files(summary.compared));
  if (summary.skipped > 0)
    text += fmt::format("; {} not compared: same size, time and permissions (--checksum compares)",
                        files(summary.skipped));
  return text;
}

} // namespace

Console::Console(Terms terms, bool quiet, bool json)
    : terms_(terms), quiet_(quiet), json_(json), bar_(0, quiet) {}

void Console::total(const Total& total) {
  bar_.set_total(total.bytes);
}

void Console::progress(std::string_view path) {
  bar_.update(summary.bytes_settled(), path);
}

void Console::outcome(Outcome outcome, const std::string& path, std::uint64_t size,
                      const std::string& text) {
  Reporter::outcome(outcome, path, size, text);
  if (outcome == Outcome::WouldCopy && !json_) {
    bar_.wipe();
    tools::print_line("would copy {}", shown(path));
  } else if (outcome == Outcome::Differs && !json_) {
    bar_.wipe();
    tools::print_line("differs {}{}{}", shown(path), text.empty() ? "" : ": ", text);
  } else if (outcome == Outcome::Failed || outcome == Outcome::Copied ||
             outcome == Outcome::Unchanged) {
    // A failure without a text was reported for the folder around it. A copy's text says what is
    // left behind.
    if (!text.empty()) complain(text);
  }
}

void Console::problem(Severity severity, const std::string& text) {
  Reporter::problem(severity, text);
  if (severity == Severity::Error || !quiet_) complain(text);
}

void Console::complain(const std::string& text) {
  bar_.wipe();
  tools::log_line(fmt::format("dat-cp: {}", text));
}

void Console::finish(const std::string& what, const std::optional<std::string>& route) {
  const auto elapsed = std::chrono::steady_clock::now() - start_;
  bar_.wipe();
  if (json_)
    print_json(what, route, elapsed);
  else if (!quiet_)
    print_line(what, route, elapsed);
}

std::string Console::moved_text(std::chrono::nanoseconds elapsed) const {
  if (summary.bytes_moved == 0)
    return fmt::format("no data moved, {}", tools::human_duration(elapsed));
  return fmt::format("{} by {} in {} ({})", tools::human_size(summary.bytes_moved),
                     terms_.method == Method::Write ? "RDMA Write" : "RDMA Read",
                     tools::human_duration(elapsed),
                     tools::human_rate(summary.bytes_moved, elapsed));
}

void Console::print_line(const std::string& what, const std::optional<std::string>& route,
                         std::chrono::nanoseconds elapsed) const {
  if (terms_.mode == Mode::DryRun) {
    tools::print_line("{}: would copy {}, {} unchanged, {} failed", what, summary.would_copy,
                      summary.unchanged, summary.failed);
    return;
  }
  if (terms_.mode == Mode::Verify) {
    tools::print_line("{}: {} the same, {} different, {} failed", what, summary.unchanged,
                      summary.differing, summary.failed);
    return;
  }
  tools::print_line(
      "{}: {} copied, {} unchanged, {} failed; {}{}{}; {}", what, summary.copied, summary.unchanged,
      summary.failed, moved_text(elapsed), checksums_text(summary),
      summary.bytes_resumed > 0
          ? fmt::format("; {} were there from before", tools::human_size(summary.bytes_resumed))
          : "",
      route.value_or("no server was called"));
}

void Console::print_json(const std::string& what, const std::optional<std::string>& route,
                         std::chrono::nanoseconds elapsed) const {
  static constexpr const char* kModes[] = {"copy", "dry-run", "verify"};
  const double seconds = std::chrono::duration<double>(elapsed).count();
  tools::JsonObject object;
  object.add("command", what)
      .add("mode", kModes[static_cast<std::size_t>(terms_.mode)])
      .add("method", terms_.method == Method::Write ? "write" : "read")
      .add("copied", summary.copied)
      .add("unchanged", summary.unchanged)
      .add("would_copy", summary.would_copy)
      .add("differing", summary.differing)
      .add("failed", summary.failed)
      .add("left_out", summary.left_out)
      .add("compared", summary.compared)
      .add("skipped", summary.skipped)
      .add("bytes_moved", summary.bytes_moved)
      .add("bytes_resumed", summary.bytes_resumed)
      .add("bytes_holes", summary.bytes_holes)
      .add("seconds", seconds)
      .add("bytes_per_second", static_cast<double>(summary.bytes_moved) / seconds)
      .add_raw("route", route ? tools::json_string(*route) : tools::kJsonNull);
  tools::print_line("{}", object.text());
}

} // namespace datum::cp

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "datadm/actions.h"

#include <cerrno>
#include <fmt/format.h>
#include <set>

#include "common/std_streams.h"
#include "common/tool_error.h"
#include "datadm/conf_rewrite.h"
#include "datadm/conf_text.h"
#include "registry/conf/conf_file.h"

using datum::tools::ExitCode;
using datum::tools::ToolError;

namespace datum::datadm {
namespace {

using Lines = std::vector<std::string>;

void say(const std::string& text) {
  tools::log_line("datadm: " + text);
}

std::string read_conf(const std::string& file, bool may_be_absent) {
  auto text = conf::read_file(file);
  if (text) return std::move(*text);
  if (may_be_absent && text.error().code == ENOENT) return "";
  throw ToolError(ExitCode::Failed,
                  fmt::format("{}: {}", file.empty() ? "\"\"" : file, text.error().text));
}

std::vector<conf::ServiceEntry> read_services(const std::string& file) {
  auto document = conf::parse_service_provider_conf(read_conf(file, false));
  if (!document.diagnostics.empty()) {
    const conf::Diagnostic& first = document.diagnostics.front();
    throw ToolError(ExitCode::Failed,
                    fmt::format("{}:{}: {}; dat.conf is unchanged", file, first.line, first.text));
  }
  if (document.entries.empty())
    throw ToolError(ExitCode::Failed,
                    fmt::format("{}: no entries; each line names a device and its provider", file));
  return std::move(document.entries);
}

// A change of the file. It is reported only after it is written, because an error leaves the file
// unchanged.
class Change {
 public:
  Change(const std::string& text, const Adapters& adapters) : text_(text), adapters_(adapters) {}

  void add(const std::string& file);
  void remove(const std::string& file) { note("removed", text_.remove(read_services(file))); }
  void update();
  [[nodiscard]] const ConfText& text() const { return text_; }
  void tell() const {
    for (const std::string& line : told_) say(line);
  }
  // Called only if the text differs: a line that was added and removed again is no change.
  void tell_changes() const {
    for (const std::string& line : changes_) say(line);
  }

 private:
  void note(const char* what, const Lines& lines) {
    for (const std::string& line : lines) changes_.push_back(fmt::format("{} {}", what, line));
  }

  ConfText text_;
  const Adapters& adapters_;
  std::set<std::string> absent_; // devices for which told_ says that this host has no adapter
  Lines told_, changes_;
};

void Change::add(const std::string& file) {
  for (const conf::ServiceEntry& service : read_services(file)) {
    if (adapters_(service.device).empty() && absent_.insert(service.device).second)
      told_.push_back(fmt::format("{}:{}: this host has no adapter of {}; nothing to add", file,
                                  service.line, service.device));
    note("added", text_.add(service, adapters_));
  }
}

void Change::update() {
  const ConfText::Changes changes = text_.update(adapters_);
  for (const std::string& device : changes.absent)
    told_.push_back(fmt::format("this host has no adapter of {}; its lines go", device));
  note("removed", changes.removed);
  note("added", changes.added);
}

void change(const Actions& actions, const Adapters& adapters) {
  ConfLock lock(actions.file);
  const std::string before = read_conf(actions.file, true);
  Change change(before, adapters);
  for (const std::string& file : actions.add) change.add(file);
  for (const std::string& file : actions.remove) change.remove(file);
  if (actions.update) change.update();
  const std::string after = change.text().text();
  const bool changes = after != before;
  if (changes) lock.replace(after);
  for (const conf::Diagnostic& d : change.text().diagnostics())
    say(fmt::format("{}:{}: kept as it is: {}", actions.file, d.line, d.text));
  change.tell();
  if (changes)
    change.tell_changes();
  else
    say(fmt::format("{}: nothing to change", actions.file));
}

} // namespace

void carry_out(const Actions& actions, const Adapters& adapters) {
  if (!actions.add.empty() || !actions.remove.empty() || actions.update) change(actions, adapters);
  if (!actions.view) return;
  tools::print_text(read_conf(actions.file, false));
}

} // namespace datum::datadm

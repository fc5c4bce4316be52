// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "datadm/actions.h"

#include <cerrno>
#include <cstdio>
#include <fmt/format.h>
#include <optional>

#include "common/std_streams.h"
#include "common/tool_error.h"
#include "datadm/conf_rewrite.h"
#include "datadm/conf_text.h"
#include "registry/conf/conf_file.h"

using datum::tools::ExitCode;
using datum::tools::ToolError;

namespace datum::datadm {
namespace {

using Names = std::vector<std::string>;

std::string read_conf(const std::string& file, bool may_be_absent) {
  auto text = conf::read_file(file);
  if (text) return std::move(*text);
  if (may_be_absent && text.error().code == ENOENT) return "";
  throw ToolError(ExitCode::Failed, fmt::format("{}: {}", file, text.error().text));
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

void tell(const char* what, const Names& names) {
  for (const std::string& name : names) tools::log_line(fmt::format("{} {}", what, name));
}

void add_all(ConfText& text, const std::string& file, const Adapters& adapters) {
  for (const conf::ServiceEntry& service : read_services(file)) {
    if (adapters(service.device).empty())
      tools::log_line(fmt::format("{}:{}: this host has no adapter of {}; nothing to add", file,
                                  service.line, service.device));
    tell("added", text.add(service, adapters));
  }
}

void remove_all(ConfText& text, const std::string& file) {
  tell("removed", text.remove(read_services(file)));
}

void update_all(ConfText& text, const Adapters& adapters) {
  const ConfText::Changes changes = text.update(adapters);
  for (const std::string& device : changes.absent)
    tools::log_line(fmt::format("this host has no adapter of {}; its lines go", device));
  tell("removed", changes.removed);
  tell("added", changes.added);
}

void change(const Actions& actions, const Adapters& adapters) {
  ConfLock lock(actions.file);
  const std::string before = read_conf(actions.file, true);
  ConfText text(before);
  for (const conf::Diagnostic& d : text.diagnostics())
    tools::log_line(fmt::format("{}:{}: kept as it is: {}", actions.file, d.line, d.text));
  for (const std::string& file : actions.add) add_all(text, file, adapters);
  for (const std::string& file : actions.remove) remove_all(text, file);
  if (actions.update) update_all(text, adapters);
  if (std::string after = text.text(); after != before) lock.replace(after);
}

} // namespace

void carry_out(const Actions& actions, const Adapters& adapters) {
  if (!actions.add.empty() || !actions.remove.empty() || actions.update) change(actions, adapters);
  if (!actions.view) return;
  const std::string text = tools::printable_lines(read_conf(actions.file, false));
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw ToolError(ExitCode::Failed, "cannot write to standard output");
}

} // namespace datum::datadm

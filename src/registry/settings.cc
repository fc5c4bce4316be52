// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// registry/settings.cc: reads the environment and dat.conf once, with a message for each mistake.
#include <cerrno>
#include <cstdlib>

#include "base/variables.h"
#include "registry/conf/conf_file.h"
#include "registry/log.h"
#include "registry/registry.h"

namespace datum::registry {
namespace {

// Ignores the variable in a program that has more rights than its caller, who controls the
// environment.
const char* environment(Variable variable) {
  const char* const name = about(variable).name;
  if (::secure_getenv(name) == nullptr && std::getenv(name) != nullptr)
    tell(LogLevel::Info, Topic::Generic, "{} is ignored: the program runs with raised rights",
         name);
  return value_of(variable);
}

// What to do about a dat.conf that cannot be read.
std::string_view step_for(const conf::ReadError& error) {
  return error.code == EFBIG ? " (is it the right file?)"
                             : " (correct the path or the permissions)";
}

conf::Document<conf::Entry> read_entries(const conf::Location& location) {
  auto text = conf::read_file(location.path);
  if (!text) {
    const bool absent = text.error().code == ENOENT && !location.overridden;
    tell(absent ? LogLevel::Debug : LogLevel::Warn, absent ? Topic::StaticRegistry : Topic::Errors,
         "{}{}: {}; only built-in IAs are offered{}", location.overridden ? "DAT_OVERRIDE=" : "",
         location.path, text.error().text, absent ? "" : step_for(text.error()));
    return {};
  }
  auto document = conf::parse_dat_conf(*text);
  for (const conf::Diagnostic& d : document.diagnostics)
    tell(LogLevel::Warn, Topic::Errors, "{}:{}: {}", location.path, d.line, d.text);
  tell(LogLevel::Debug, Topic::StaticRegistry, "{}: {} entries", location.path,
       document.entries.size());
  return document;
}

conf::Aliases read_aliases() {
  const char* text = environment(Variable::Alias);
  if (text == nullptr) return {};
  std::vector<std::string> bad;
  conf::Aliases aliases = conf::Aliases::parse(text, bad);
  for (const std::string& part : bad)
    tell(LogLevel::Warn, Topic::Errors,
         "DATUM_ALIAS: \"{}\" is not of the form name=ia and is ignored", part);
  return aliases;
}

} // namespace

RegistrySettings read_settings() {
  const conf::Location location =
      conf::locate(environment(Variable::ConfFile), conf::kDefaultPaths);
  return {read_entries(location), location.path, read_aliases()};
}

} // namespace datum::registry

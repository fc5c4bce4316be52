// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "run/launch.h"

#include <cstdlib>
#include <string_view>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <fmt/format.h>

#include "common/tool_error.h"

namespace fs = std::filesystem;

namespace datum::run {
namespace {

using tools::ExitCode;
using tools::ToolError;

constexpr const char* kPreloaded = "libdatum-malloc.so";

bool is_there(const fs::path& file) {
  std::error_code error;
  return fs::exists(file, error);
}

void set(const char* variable, const std::string& value) {
  if (setenv(variable, value.c_str(), 1) != 0)
    throw ToolError(ExitCode::Failed, fmt::format("no memory to set {}", variable));
}

// An empty list is not appended, because for the loader an empty element is the current folder.
void put_in_front(const char* variable, const std::string& value, char separator) {
  const char* const present = std::getenv(variable);
  set(variable, present == nullptr || *present == '\0' ? value : value + separator + present);
}

// One pair for DATUM_ALIAS. It must have no comma, which would begin another pair, and no second
// equals sign.
std::string alias_of(const std::string& name) {
  const std::size_t equals = name.find('=');
  const std::string_view ia =
      equals == std::string::npos ? "datum" : std::string_view(name).substr(equals + 1);
  const std::string_view asked = std::string_view(name).substr(0, equals);
  if (asked.empty() || ia.empty() || name.find(',') != std::string::npos ||
      ia.find('=') != std::string_view::npos)
    throw ToolError(
        ExitCode::Usage,
        fmt::format("--as \"{}\": give the name that the program asks for, such as ofa-v2-ib0, or "
                    "NAME=IA where another adapter than datum shall answer; no commas",
                    name));
  return fmt::format("{}={}", asked, ia);
}

// The loader treats blanks and colons in LD_PRELOAD, and colons and semicolons in LD_LIBRARY_PATH,
// as separators.
void check_separators(const std::string& path) {
  if (path.find_first_of(" :;") == std::string::npos) return;
  throw ToolError(
      ExitCode::Usage,
      fmt::format(
          "{}: the loader takes no path with a blank, a colon or a semicolon in its variables: "
          "install Datum elsewhere, or use a symbolic link to its folder",
          path));
}

} // namespace

fs::path library_folder(const fs::path& program) {
  const fs::path libraries = (program.parent_path() / DATUM_LIBRARIES).lexically_normal();
  // The private folder comes first, because the other folder may hold the distribution's registry.
  for (const fs::path& folder : {libraries / "datum", libraries})
    if (is_there(folder / "libdat2.so.2") || is_there(folder / "libdat.so.1")) return folder;
  throw ToolError(
      ExitCode::Usage,
      fmt::format(
          "no libdat2.so.2 and no libdat.so.1 in {0}/datum or {0}: is Datum installed whole?",
          libraries.string()));
}

void prepare_environment(const Wishes& wishes, const fs::path& libraries) {
  std::string aliases;
  for (const std::string& name : wishes.names)
    aliases += (aliases.empty() ? "" : ",") + alias_of(name);
  check_separators(libraries.string());
  put_in_front("LD_LIBRARY_PATH", libraries.string(), ':');
  if (!aliases.empty()) put_in_front("DATUM_ALIAS", aliases, ',');
  if (!wishes.transport.empty()) set("DATUM_TRANSPORT", wishes.transport);
  if (wishes.strict) set("DATUM_STRICT", "on");
  if (!wishes.memory) return;
  for (const fs::path& folder : {libraries, libraries.parent_path()}) {
    if (!is_there(folder / kPreloaded)) continue;
    put_in_front("LD_PRELOAD", (folder / kPreloaded).string(), ':');
    return;
  }
  throw ToolError(
      ExitCode::Usage,
      fmt::format(
          "--memory: no {} in {}: is Datum installed whole, and built with the memory extension?",
          kPreloaded, libraries.string()));
}

std::string obstacle(const fs::path& program) {
  struct stat status {};
  if (stat(program.c_str(), &status) != 0) return {};
  const bool other_user = (status.st_mode & S_ISUID) != 0 && status.st_uid != geteuid();
  const bool other_group = (status.st_mode & S_ISGID) != 0 && status.st_gid != getegid();
  const bool capabilities =
      geteuid() != 0 && getxattr(program.c_str(), "security.capability", nullptr, 0) > 0;
  if (!other_user && !other_group && !capabilities) return {};
  return fmt::format(
      "{}: runs with rights of its own ({}), so the loader takes no library path from the "
      "environment "
      "and Datum reads none of its variables: the program gets the libdat that the system has",
      program.string(),
      other_user    ? "set-user-ID"
      : other_group ? "set-group-ID"
                    : "file capabilities");
}

} // namespace datum::run

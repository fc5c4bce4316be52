// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cp/roots.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>
#include <stdexcept>

#include <fmt/format.h>

#include "common/tool_error.h"
#include "cp/file_error.h"
#include "cp/safe_path.h"

namespace datum::cp {

using tools::ExitCode;
using tools::ToolError;

namespace {

// The text for an error of a path that this side's user typed. FileError assumes that links are not
// followed. Here links are followed, so ELOOP means a circle of links.
std::string local_problem(std::string_view action, const std::string& path, int error) {
  if (error == ELOOP)
    return fmt::format("cannot {} {}: {} (symbolic links there lead to each other: remove one)",
                       action, shown(path), std::strerror(error));
  return FileError(action, path, error).what();
}

// Ends a get whose destination cannot be used.
[[noreturn]] void unusable(std::string_view action, const std::string& path, int error) {
  throw ToolError(ExitCode::Failed, local_problem(action, path, error));
}

MissingSource missing_here(const std::string& path, int error) {
  return MissingSource(local_problem("find", path, error));
}

MissingSource missing_there(const std::string& path, int error) {
  return MissingSource(FileError("find", path, error).what());
}

bool is_dots(std::string_view name) {
  return name.empty() || name == "." || name == "..";
}

// The path of a source, with a last component that can be the source's name. "." and ".." are
// replaced by the name of the folder.
std::string with_a_name(const std::string& path) {
  std::string plain = normalise(path);
  if (!is_dots(name_in(plain))) return plain;
  plain = without_links(path);
  if (plain.empty()) throw missing_here(path, errno);
  if (is_dots(name_in(plain)))
    throw ToolError(ExitCode::Usage, "\"/\" has no name to be copied as; name a folder in it");
  return plain;
}

bool is_link(const std::string& path) {
  struct stat st = {};
  return lstat(path.c_str(), &st) == 0 && S_ISLNK(st.st_mode);
}

std::string leads_nowhere(const std::string& link, int error) {
  return fmt::format("{} is a symbolic link that leads nowhere: {} (remove it, or choose another "
                     "name)",
                     shown(link), std::strerror(error));
}

UniqueFd open_folder(const std::string& path) {
  UniqueFd folder(open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (folder) return folder;
  const int error = errno;
  if ((error == ENOENT || error == ELOOP) && is_link(normalise(path)))
    throw ToolError(ExitCode::Failed, leads_nowhere(path, error));
  unusable("use as a folder", path, error);
}

std::string folder_of(const std::string& path) {
  std::string parent(parent_of(path));
  if (!parent.empty()) return parent;
  return path.starts_with('/') ? "/" : ".";
}

UniqueFd open_again(const Served& served) {
  UniqueFd copy(openat(served.folder, ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!copy) throw ToolError(ExitCode::Failed, FileError("open folder", served.name, errno).what());
  return copy;
}

std::string acceptable(const std::string& path) {
  std::string plain = normalise(path);
  if (plain.empty()) return plain;
  if (const std::string_view why = path_problem(plain); !why.empty())
    throw ToolError(ExitCode::Failed, fmt::format("{} is outside the served folder or not a usable "
                                                  "path: {}",
                                                  shown(path), why));
  return plain;
}

} // namespace

// ExitCode::Failed, not Usage, because the command itself is right.
MissingSource::MissingSource(const std::string& text) : ToolError(ExitCode::Failed, text) {}

std::string without_links(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(realpath(path.c_str(), nullptr),
                                                         std::free);
  return real ? real.get() : std::string();
}

bool names_a_folder(const std::string& typed) {
  return typed.ends_with('/') || is_dots(name_in(normalise(typed)));
}

std::shared_ptr<const UniqueFd> RootFolders::get(const std::string& path,
                                                 const std::function<UniqueFd()>& open) {
  const auto known = opened_.find(path);
  if (known != opened_.end()) return known->second;
  UniqueFd opened = open();
  if (!opened) return nullptr;
  return opened_[path] = std::make_shared<const UniqueFd>(std::move(opened));
}

namespace {

// The path without a slash at its end.
std::string label_of(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

} // namespace

Root local_root(const std::string& path, RootFolders& folders) {
  if (path.empty())
    throw missing_here(path, ENOENT); // an empty path is often an unset shell variable
  const std::string plain = with_a_name(path);
  const std::string parent = folder_of(plain);
  Root root;
  root.folder = folders.get(
      parent, [&] { return UniqueFd(open(parent.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)); });
  if (!root.folder) throw missing_here(path, errno);
  root.name = root.path = name_in(plain);
  root.label = label_of(path);
  struct stat st = {};
  if (fstatat(root.folder->get(), root.name.c_str(), &st, AT_SYMLINK_NOFOLLOW) != 0)
    throw missing_here(path, errno);
  return root;
}

namespace {

// Opens the folder that contains the path's last component.
UniqueFd open_folder_of(const std::string& path) {
  UniqueFd folder(open(folder_of(path).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder) unusable("open the folder of", path, errno);
  return folder;
}

Destination new_name(const std::string& path) {
  return {open_folder_of(path), std::string(name_in(path)), false, std::nullopt, folder_of(path)};
}

Destination behind_link(const std::string& link) {
  const std::string path = without_links(link);
  if (path.empty()) throw std::invalid_argument(leads_nowhere(link, errno));
  // Only "/" can name a folder here.
  if (names_a_folder(path)) return {open_folder(path), "", true, std::nullopt, path};
  return new_name(path);
}

// plain: the same path, normalised
void make_folder(const std::string& folder, const std::string& plain) {
  if (mkdir(folder.c_str(), 0777) == 0 || errno == EEXIST) return;
  const int error = errno;
  open_folder_of(plain); // throws if the folder that contains it is missing
  unusable("create folder", folder, error);
}

bool is_there(const std::string& path) {
  struct stat st = {};
  return lstat(path.c_str(), &st) == 0;
}

// For a dry run: ends it as make_folder() would end the copy.
void foresee_folder(const std::string& folder, const std::string& plain) {
  const UniqueFd parent = open_folder_of(plain);
  if (faccessat(parent.get(), ".", W_OK | X_OK, AT_EACCESS) != 0)
    unusable("create folder", folder, errno);
}

} // namespace

Destination local_destination(const std::string& path, bool into_folder, Mode mode) {
  const std::string plain = normalise(path);
  if (into_folder) {
    const std::string folder = path.empty() ? "." : path;
    if (mode != Mode::Copy && !is_there(plain.empty() ? "." : plain)) {
      if (mode == Mode::DryRun) foresee_folder(folder, plain);
      return {open_folder_of(plain), std::string(name_in(plain)), true, std::nullopt,
              folder_of(plain)};
    }
    if (mode == Mode::Copy) make_folder(folder, plain);
    return {open_folder(folder), "", true, std::nullopt, folder};
  }
  Destination destination = new_name(plain);
  if (is_link(plain)) destination.behind_link = [plain] { return behind_link(plain); };
  return destination;
}

std::string requested_name(const std::string& path) {
  return std::string(name_in(normalise(path)));
}

void require_distinct(const std::vector<std::string>& names, ExitCode code) {
  std::set<std::string> seen;
  for (const std::string& name : names)
    if (!seen.insert(name).second)
      throw ToolError(code,
                      fmt::format("two of the sources are called {} and one would replace the "
                                  "other; copy them into different folders",
                                  shown(name.empty() ? "." : name)));
}

Root served_root(const Served& served, const std::string& path, RootFolders& folders) {
  const std::string plain = acceptable(path);
  if (plain.empty())
    return {folders.get("", [&] { return open_again(served); }), ".", served.name, served.name};
  const std::string parent(parent_of(plain));
  auto folder = folders.get(
      parent, [&] { return open_beneath(served.folder, parent, O_PATH | O_DIRECTORY); });
  struct stat st = {};
  const std::string name(name_in(plain));
  if (!folder || fstatat(folder->get(), name.c_str(), &st, AT_SYMLINK_NOFOLLOW) != 0)
    throw missing_there(path, errno);
  return {std::move(folder), name, name, plain};
}

Destination served_destination(const Served& served, const std::string& path, bool into_folder) {
  const std::string plain = acceptable(path);
  return {open_again(served), plain, into_folder || plain.empty()};
}

} // namespace datum::cp

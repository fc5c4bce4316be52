// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cp/tree_walk.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "cp/file_error.h"
#include "cp/file_io.h"
#include "cp/safe_path.h"

namespace datum::cp {
namespace {

constexpr std::size_t kMaxLevels = 256; // each level takes one descriptor

Entry problem(Entry entry, Severity severity, const std::string& text) {
  entry.type = Entry::Type::Problem;
  entry.severity = severity;
  entry.problem = text;
  return entry;
}

Entry failure(Entry entry, std::string_view action, int error) {
  const std::string text = FileError(action, entry.label, error).what();
  return problem(std::move(entry), Severity::Error, text);
}

Entry skipped(Entry entry, std::string_view what) {
  const std::string text = fmt::format("left out {}: {}", shown(entry.label), what);
  return problem(std::move(entry), Severity::Note, text);
}

void take_stat(Entry& entry, const struct stat& st) {
  entry.mode = st.st_mode & 0777; // set-user-id and similar bits are not copied
  entry.mtime = {st.st_mtim.tv_sec, static_cast<std::uint32_t>(st.st_mtim.tv_nsec)};
  entry.size = static_cast<std::uint64_t>(st.st_size);
  entry.sparse = st.st_blocks * 512 < st.st_size;
}

// Lists the names in descending order, so that the next name is last. Each name occurs once, even
// if the folder changes while it is read, because a sink accepts no name twice.
bool names_in(int folder, std::vector<std::string>& names) {
  if (!read_names(folder, names)) return false;
  std::sort(names.begin(), names.end(), std::greater<>());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return true;
}

} // namespace

TreeWalk::TreeWalk(std::vector<Root> roots, Files files) : files_(files), roots_(std::move(roots)) {
  std::reverse(roots_.begin(), roots_.end());
}

std::optional<Entry> TreeWalk::next() {
  if (levels_.empty()) {
    if (roots_.empty()) return std::nullopt;
    Root root = std::move(roots_.back());
    roots_.pop_back();
    Entry entry;
    entry.path = std::move(root.path);
    entry.label = std::move(root.label);
    entry = visit(root.folder, root.name, std::move(entry));
    // The user named this root and it is not copied, so that is an error.
    if (entry.type == Entry::Type::Problem) entry.severity = Severity::Error;
    return entry;
  }
  Level& level = levels_.back();
  if (level.names.empty()) {
    Entry end = std::move(level.end);
    levels_.pop_back();
    return end;
  }
  const std::string name = std::move(level.names.back());
  level.names.pop_back();
  // `folder` is a copy: visit() may grow levels_, which moves `level`.
  const Folder folder = level.folder;
  Entry entry;
  entry.path = level.end.path + "/" + name;
  entry.label = level.end.label + "/" + name;
  return visit(folder, name, std::move(entry));
}

Entry TreeWalk::visit(const Folder& folder, const std::string& name, Entry entry) {
  if (is_reserved(name))
    return skipped(std::move(entry), "an unfinished file of an earlier dat-cp");
  if (const std::string_view why = path_problem(entry.path); !why.empty()) {
    const std::string text = fmt::format("cannot copy {}: {}", shown(entry.label), why);
    return problem(std::move(entry), Severity::Error, text);
  }
  struct stat st = {};
  if (fstatat(folder->get(), name.c_str(), &st, AT_SYMLINK_NOFOLLOW) != 0)
    return failure(std::move(entry), "look at", errno);
  take_stat(entry, st);
  if (S_ISDIR(st.st_mode)) return enter(folder->get(), name, std::move(entry));
  if (S_ISLNK(st.st_mode)) return read_link(folder->get(), name, std::move(entry));
  if (S_ISREG(st.st_mode)) {
    entry.type = Entry::Type::File;
    entry.folder = folder;
    entry.name = name;
    if (files_ == Files::Look) return entry;
    const std::string why = open_file(entry);
    if (why.empty()) return entry;
    return problem(std::move(entry), Severity::Error, why);
  }
  return skipped(std::move(entry), "neither file, folder nor symbolic link");
}

Entry TreeWalk::enter(int folder, const std::string& name, Entry entry) {
  entry.type = Entry::Type::Directory;
  entry.size = 0;
  if (levels_.size() == kMaxLevels) {
    const std::string why =
        fmt::format("cannot copy {}: more than {} folders deep", shown(entry.label), kMaxLevels);
    return problem(std::move(entry), Severity::Error, why);
  }
  Level level;
  UniqueFd opened(openat(folder, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!opened || !names_in(opened.get(), level.names))
    return failure(std::move(entry), "read folder", errno);
  level.folder = std::make_shared<const UniqueFd>(std::move(opened));
  level.end.type = Entry::Type::DirectoryEnd;
  level.end.path = entry.path;
  level.end.label = entry.label;
  level.end.mode = entry.mode;
  level.end.mtime = entry.mtime;
  levels_.push_back(std::move(level));
  return entry;
}

Entry TreeWalk::read_link(int folder, const std::string& name, Entry entry) {
  entry.type = Entry::Type::Symlink;
  entry.size = 0;
  std::array<char, 4096> target = {};
  const ssize_t length = readlinkat(folder, name.c_str(), target.data(), target.size());
  if (length < 0) return failure(std::move(entry), "read link", errno);
  entry.target.assign(target.data(), static_cast<std::size_t>(length));
  return entry;
}

std::string open_file(Entry& entry) {
  // O_NONBLOCK: if the file has become a FIFO since visit(), openat() does not wait for a writer.
  entry.file = UniqueFd(openat(entry.folder->get(), entry.name.c_str(),
                               O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  return entry.file ? "" : FileError("open", entry.label, errno).what();
}

Total count_tree(const std::vector<Root>& roots, const std::function<void()>& tick) {
  TreeWalk walk(roots, TreeWalk::Files::Look);
  Total total;
  while (const auto entry = walk.next()) {
    tick();
    if (entry->type == Entry::Type::Problem || entry->type == Entry::Type::DirectoryEnd) continue;
    ++total.entries;
    total.bytes += entry->size;
  }
  return total;
}

} // namespace datum::cp

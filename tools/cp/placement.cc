// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cp/placement.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <stdexcept>

#include <fmt/format.h>

#include "cp/file_error.h"
#include "cp/safe_path.h"

namespace datum::cp {
namespace {

constexpr const char* kTemporaryLink = ".dat-cp-link";

std::string join(const std::string& folder, std::string_view rest) {
  if (folder.empty()) return std::string(rest);
  return rest.empty() ? folder : folder + "/" + std::string(rest);
}

bool same_link(int folder, const char* name, const std::string& target) {
  std::array<char, 4096> found = {};
  const ssize_t length = readlinkat(folder, name, found.data(), found.size());
  return length >= 0 && std::string_view(found.data(), static_cast<std::size_t>(length)) == target;
}

timespec to_timespec(const Time& time) {
  return {time.seconds, static_cast<long>(time.nanoseconds)};
}

bool may_set_mode(const struct stat& st) {
  return geteuid() == 0 || geteuid() == st.st_uid;
}

// True: the owner lacks a right. Putting names into a folder takes all of its owner's rights.
bool needs_writable(const struct stat& st) {
  return (st.st_mode & 0700) != 0700;
}

void set_time(int folder, const char* link, const Time& mtime) {
  const timespec times[2] = {to_timespec(mtime), to_timespec(mtime)};
  utimensat(folder, link, times, AT_SYMLINK_NOFOLLOW);
}

} // namespace

Placement::Placement(Destination destination, Mode mode, std::size_t most_open)
    : destination_(std::move(destination)), most_open_(most_open) {
  assert(most_open_ > 0);
  if (mode == Mode::Verify || destination_.path.empty()) return;
  if (mode == Mode::Copy && destination_.into_folder) make_destination();
  if (mode != Mode::DryRun) return;
  // Obstacles that would end the copy, or fail all of it, end a dry run, too.
  static_cast<void>(parent(destination_.path));
  if (!destination_.into_folder) return;
  const Look found = look(destination_.path);
  require_folder(found, destination_.path);
  if (!found.there && !takes_names(destination_.path))
    throw FileError("create folder", destination_.path, errno);
}

// Inner folders come first, because a folder that may not be searched hides the folders below it.
Placement::~Placement() {
  for (auto folder = opened_.rbegin(); folder != opened_.rend(); ++folder)
    restore(folder->first, folder->second);
}

void Placement::require_folder(const Look& found, const std::string& path) {
  if (found.there && !S_ISDIR(found.st.st_mode))
    throw FileError("use as a folder", path, S_ISLNK(found.st.st_mode) ? ELOOP : ENOTDIR);
}

void Placement::settle_link(Kind kind) {
  const auto behind_link = std::exchange(destination_.behind_link, nullptr);
  if (!behind_link || kind == Kind::Symlink) return;
  open_.clear(); // forgets the open folder that contains the link
  destination_ = behind_link();
}

std::string Placement::place(const std::string& offered, Kind kind) const {
  if (const std::string_view why = path_problem(offered); !why.empty())
    throw std::invalid_argument(fmt::format("path {} is not acceptable: {}", shown(offered), why));
  const std::size_t slash = offered.find('/');
  std::string path;
  if (destination_.into_folder) {
    path = join(destination_.path, offered);
  } else if (slash != std::string::npos) {
    path = join(destination_.path, std::string_view(offered).substr(slash + 1));
  } else {
    path = destination_.path;
    // A file that is copied "to" a folder goes into that folder. A folder does not, so that running
    // the same copy twice has the same result.
    if (kind != Kind::Directory &&
        open_beneath(destination_.root.get(), path, O_PATH | O_DIRECTORY | O_NOFOLLOW))
      path = join(path, offered);
  }
  if (const std::string_view why = path_problem(path); !why.empty())
    throw std::invalid_argument(fmt::format("path {} is not acceptable: {}", shown(path), why));
  return path;
}

// An open folder stays safe: it was opened below the root, without a symbolic link on the way. Even
// if its name becomes a link later, or the folder is moved, the descriptor still leads to the same
// folder.
OpenFolder Placement::folder_of(const std::string& path) const {
  const std::string_view parent = parent_of(path);
  const auto known = std::find_if(open_.begin(), open_.end(),
                                  [&](const auto& open) { return open.first == parent; });
  if (known != open_.end()) {
    std::rotate(open_.begin(), known, known + 1);
    return open_.front().second;
  }
  // Closed before the next folder is opened, because that may need the last free descriptor.
  if (open_.size() == most_open_) open_.pop_back();
  UniqueFd folder =
      open_beneath(destination_.root.get(), std::string(parent), O_PATH | O_DIRECTORY);
  if (!folder) return nullptr;
  open_.emplace_front(parent, std::make_shared<const UniqueFd>(std::move(folder)));
  return open_.front().second;
}

OpenFolder Placement::parent(const std::string& path) const {
  OpenFolder folder = folder_of(path);
  if (!folder) throw FileError("open the folder of", path, errno);
  return folder;
}

Look Placement::look(const std::string& path) const {
  Look found = {folder_of(path), std::string(name_in(path))};
  // A shortage must not count as "nothing is there". Otherwise a name that exists would be taken
  // for a new name.
  if (!found.folder && is_shortage_of_descriptors(errno))
    throw FileError("open the folder of", path, errno);
  found.there = found.folder && fstatat(found.folder->get(), found.name.c_str(), &found.st,
                                        AT_SYMLINK_NOFOLLOW) == 0;
  return found;
}

Existing Placement::claim(const std::string& path, const Look& found) {
  if (!found.folder) return Existing::Keep; // the next call on the path reports the reason
  const std::string_view parent = parent_of(path);
  auto names = taken_.find(parent);
  if (names == taken_.end())
    names = taken_.emplace(parent, TakenNames(found.folder->get(), std::string(parent))).first;
  if (!found.there) return Existing::Keep;
  names->second.claim(found.folder->get(), path);
  return Existing::Replace;
}

void Placement::leave_folder(const std::string& path) {
  taken_.erase(path);
  std::erase_if(open_, [&](const auto& open) { return open.first == path; });
  const auto opened = opened_.find(path);
  if (opened == opened_.end()) return;
  restore(path, opened->second);
  opened_.erase(opened);
}

Present Placement::present(const Look& found, const Offer& offer) {
  if (!found.there) return Present::Nothing;
  const struct stat& st = found.st;
  if (S_ISDIR(st.st_mode)) return offer.kind == Kind::Directory ? Present::Same : Present::Folder;
  if (!S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode)) return Present::Special;
  if (offer.kind == Kind::Symlink)
    return same_link(found.folder->get(), found.name.c_str(), offer.target) ? Present::Same
                                                                            : Present::Other;
  const bool same = offer.kind == Kind::File && S_ISREG(st.st_mode) &&
                    static_cast<std::uint64_t>(st.st_size) == offer.size &&
                    same_mode_and_time(found, offer);
  return same ? Present::Same : Present::Other;
}

bool Placement::same_mode_and_time(const Look& found, const Offer& offer) {
  const struct stat& st = found.st;
  const mode_t compared = S_ISDIR(st.st_mode) ? 0777 : 07777;
  return st.st_mtim.tv_sec == offer.mtime.seconds &&
         st.st_mtim.tv_nsec == static_cast<long>(offer.mtime.nanoseconds) &&
         (st.st_mode & compared) == offer.mode;
}

bool Placement::takes_names(const std::string& path) const {
  const UniqueFd folder =
      open_beneath(destination_.root.get(), std::string(parent_of(path)), O_PATH | O_DIRECTORY);
  return folder && faccessat(folder.get(), ".", W_OK | X_OK, AT_EACCESS) == 0;
}

std::string Placement::folder_text(const std::string& path) const {
  const std::string below(parent_of(path));
  if (destination_.root_name.empty())
    return below.empty() ? "the folder that is served" : fmt::format("folder {}", shown(below));
  const bool slash = destination_.root_name.ends_with('/');
  return fmt::format("folder {}", shown(slash ? destination_.root_name + below
                                              : join(destination_.root_name, below)));
}

void Placement::foresee_creation(const Look& found, const std::string& path, bool in_copied) const {
  // a folder that the copy makes will take new names
  if (!found.folder || takes_names(path)) return;
  const int error = errno;
  struct stat st = {};
  if (error == EACCES && in_copied && fstat(found.folder->get(), &st) == 0 && may_set_mode(st))
    return;
  throw FileError("create", path, error);
}

void Placement::foresee_use(const std::string& path) const {
  struct stat st = {};
  const UniqueFd there = open_folder(path, st);
  if (!needs_writable(st)) return;
  const bool read_only =
      // On a read-only file system the owner of the folder may not write, either.
      faccessat(there.get(), ".", W_OK, AT_EACCESS) != 0 && errno == EROFS;
  if (read_only || !may_set_mode(st))
    throw FileError("make writable", path, read_only ? EROFS : EPERM);
}

void Placement::foresee_end(const Look& found, const std::string& path) {
  if (found.there && !may_set_mode(found.st)) throw FileError("set mode and time of", path, EPERM);
}

// False: a folder or another file exists there already.
bool Placement::create_folder(const std::string& path, Existing existing, mode_t mode) {
  const OpenFolder folder = parent(path);
  if (mkdirat(folder->get(), std::string(name_in(path)).c_str(), mode) == 0) {
    taken_.emplace(path, TakenNames());
    return true;
  }
  if (errno != EEXIST || existing == Existing::Keep) throw FileError("create folder", path, errno);
  return false;
}

// The destination was not offered, so no DirectoryEnd sets its mode. A folder that exists stays
// unchanged.
void Placement::make_destination() {
  const std::string& path = destination_.path;
  if (create_folder(path, Existing::Replace, 0777)) return; // with the mode that umask leaves
  if (!open_beneath(parent(path)->get(), std::string(name_in(path)), O_PATH | O_DIRECTORY))
    throw FileError("use as a folder", path, errno);
}

bool Placement::make_folder(const std::string& path, Existing existing) {
  // The DirectoryEnd sets the mode that the source's folder has.
  if (create_folder(path, existing, 0700)) return true;
  struct stat st = {};
  const UniqueFd there = open_folder(path, st);
  if (needs_writable(st)) make_writable(there.get(), path, st);
  return false;
}

UniqueFd Placement::open_folder(const std::string& path, struct stat& st) const {
  UniqueFd there =
      open_beneath(parent(path)->get(), std::string(name_in(path)), O_RDONLY | O_DIRECTORY);
  if (!there || fstat(there.get(), &st) != 0) throw FileError("use as a folder", path, errno);
  return there;
}

void Placement::make_writable(int folder, const std::string& path, const struct stat& st) {
  const mode_t before = st.st_mode & 07777;
  Opened& opened = opened_[path];
  opened = {st.st_dev, st.st_ino, before, before | 0700};
  struct stat now = {};
  if (fchmod(folder, opened.meanwhile) == 0 && fstat(folder, &now) == 0) {
    // If the user is not in the folder's group, fchmod() clears the folder's set-group-id bit.
    opened.meanwhile = now.st_mode & 07777;
    return;
  }
  const int error = errno;
  opened_.erase(path);
  throw FileError("make writable", path, error);
}

// Restores the old permissions, unless another folder has taken the name or another process has
// changed the permissions.
void Placement::restore(const std::string& path, const Opened& opened) const noexcept {
  const UniqueFd folder = open_beneath(destination_.root.get(), path, O_RDONLY | O_DIRECTORY);
  struct stat st = {};
  if (folder && fstat(folder.get(), &st) == 0 && st.st_dev == opened.device &&
      st.st_ino == opened.inode && (st.st_mode & 07777) == opened.meanwhile)
    fchmod(folder.get(), opened.before);
}

void Placement::finish_folder(const std::string& path, std::uint32_t mode,
                              const Time& mtime) const {
  const UniqueFd folder = open_beneath(destination_.root.get(), path, O_RDONLY | O_DIRECTORY);
  const timespec times[2] = {to_timespec(mtime), to_timespec(mtime)};
  struct stat st = {};
  // The sticky bit keeps others from deleting files in the folder. The set-group-id bit gives new
  // files the folder's group. The folder keeps these bits as they are, and gets none from the
  // source.
  if (!folder || fstat(folder.get(), &st) != 0 ||
      fchmod(folder.get(), mode | (st.st_mode & 07000)) != 0 || futimens(folder.get(), times) != 0)
    throw FileError("set mode and time of", path, errno);
}

void Placement::make_link(const std::string& path, const Offer& offer, Existing existing) const {
  const OpenFolder folder = parent(path);
  const std::string name(name_in(path));
  if (existing == Existing::Keep) {
    if (symlinkat(offer.target.c_str(), folder->get(), name.c_str()) != 0)
      throw FileError(errno == EEXIST ? "put in place" : "create symbolic link", path, errno);
    set_time(folder->get(), name.c_str(), offer.mtime);
    return;
  }
  // The link is made under another name, then renamed. So a file that the link replaces is never
  // missing.
  unlinkat(folder->get(), kTemporaryLink, 0);
  if (symlinkat(offer.target.c_str(), folder->get(), kTemporaryLink) != 0)
    throw FileError("create symbolic link", path, errno);
  set_time(folder->get(), kTemporaryLink, offer.mtime);
  if (const int error = put_in_place(folder->get(), kTemporaryLink, name, existing); error != 0) {
    unlinkat(folder->get(), kTemporaryLink, 0);
    throw FileError("put in place", path, error);
  }
}

} // namespace datum::cp

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cp/safe_path.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>

namespace datum::cp {
namespace {

constexpr std::size_t kMaxPath = 4095, kMaxName = 255;

std::string_view name_problem(std::string_view name) {
  if (name.empty()) return "it has an empty component";
  if (name == "." || name == "..") return "it contains \".\" or \"..\"";
  if (name.size() > kMaxName) return "a component is longer than 255 bytes";
  if (is_reserved(name)) return "names beginning with \".dat-cp-\" are dat-cp's own";
  return {};
}

std::string_view next_component(std::string_view& rest) {
  const std::size_t slash = rest.find('/');
  const std::string_view name = rest.substr(0, slash);
  rest = slash == std::string_view::npos ? std::string_view() : rest.substr(slash + 1);
  return name;
}

int openat2_beneath(int root, const char* path, int flags, mode_t mode) {
  open_how how = {};
  how.flags = static_cast<__u64>(static_cast<unsigned>(flags));
  how.mode = (flags & O_CREAT) != 0 ? mode : 0; // the kernel refuses a mode that is not needed
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
  // EAGAIN: an entry was renamed during the lookup, so the kernel could not be sure of the result.
  for (int attempt = 0;; ++attempt) {
    const auto fd = static_cast<int>(syscall(SYS_openat2, root, path, &how, sizeof how));
    if (fd >= 0 || errno != EAGAIN || attempt == 100) return fd;
  }
}

// Sets ELOOP, as openat2() does. openat() reports ENOTDIR for a link that stands in place of a
// folder.
void name_the_link(int folder, const std::string& name) {
  const int error = errno;
  struct stat found = {};
  const bool link = error == ENOTDIR &&
                    fstatat(folder, name.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0 &&
                    S_ISLNK(found.st_mode);
  errno = link ? ELOOP : error;
}

// Opens one component, which may not be a link.
UniqueFd open_in(int folder, const std::string& name, int flags, mode_t mode) {
  UniqueFd fd(openat(folder, name.c_str(), flags | O_NOFOLLOW | O_CLOEXEC, mode));
  if (!fd) name_the_link(folder, name);
  return fd;
}

} // namespace

bool is_reserved(std::string_view name) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return name.size() >= kReservedPrefix.size() &&
         std::equal(kReservedPrefix.begin(), kReservedPrefix.end(), name.begin(),
                    [&](char reserved, char c) { return reserved == lower(c); });
}

std::string_view path_problem(std::string_view path) {
  if (path.empty()) return "it is empty";
  if (path.size() > kMaxPath) return "it is longer than 4095 bytes";
  if (path.front() == '/') return "it is absolute";
  if (path.find('\0') != std::string_view::npos) return "it contains a zero byte";
  if (path.back() == '/') return "it has an empty component";
  while (!path.empty())
    if (const std::string_view problem = name_problem(next_component(path)); !problem.empty())
      return problem;
  return {};
}

std::string normalise(std::string_view path) {
  std::string out;
  if (path.starts_with('/')) out.push_back('/');
  while (!path.empty()) {
    const std::string_view name = next_component(path);
    if (name.empty() || name == ".") continue;
    if (!out.empty() && out.back() != '/') out += '/';
    out += name;
  }
  return out;
}

std::string_view parent_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

std::string_view name_in(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

UniqueFd open_beneath(int root, const std::string& path, int flags, mode_t mode) {
  const char* const name = path.empty() ? "." : path.c_str();
  const int fd = openat2_beneath(root, name, flags | O_CLOEXEC, mode);
  // Some seccomp filters answer EPERM for a call that they do not know.
  if (fd < 0 && (errno == ENOSYS || errno == EPERM))
    return open_by_walking(root, path, flags, mode);
  return UniqueFd(fd);
}

UniqueFd open_by_walking(int root, const std::string& path, int flags, mode_t mode) {
  std::string_view rest = path;
  if (rest.starts_with('/')) {
    errno = EXDEV;
    return {};
  }
  UniqueFd folder(openat(root, ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  while (folder) {
    const std::string name(rest.empty() ? "." : next_component(rest));
    if (name == "..") {
      errno = EXDEV;
      return {};
    }
    if (rest.empty()) return open_in(folder.get(), name, flags, mode);
    folder = open_in(folder.get(), name, O_PATH | O_DIRECTORY, 0);
  }
  return {};
}

} // namespace datum::cp

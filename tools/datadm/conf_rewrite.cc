// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "datadm/conf_rewrite.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <string>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/tool_error.h"
#include "registry/conf/conf_file.h"

namespace fs = std::filesystem;
using datum::UniqueFd;
using datum::tools::ExitCode;
using datum::tools::ToolError;

namespace datum::datadm {
namespace {

constexpr mode_t kNewFileMode = 0644;
constexpr int kMostLinks = 40; // the kernel follows as many links

// What forbids root, too, to change a file or a folder. Empty: it has neither attribute, or none can
// be asked for.
std::string attribute_of(const fs::path& file) {
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  unsigned flags = 0;
  if (!fd || ::ioctl(fd.get(), FS_IOC_GETFLAGS, &flags) != 0) return "";
  const auto text = [&](const char* attribute, char letter) {
    return fmt::format(" ({0} has the attribute \"{1}\", which `lsattr -d {0}` shows; as root: "
                       "`chattr -{2} {0}`)",
                       file.string(), attribute, letter);
  };
  if ((flags & FS_IMMUTABLE_FL) != 0) return text("immutable", 'i');
  return (flags & FS_APPEND_FL) != 0 ? text("append only", 'a') : "";
}

std::string why_forbidden(const fs::path& what) {
  std::string attribute = attribute_of(what);
  if (attribute.empty()) attribute = attribute_of(what.parent_path());
  return attribute.empty() && ::geteuid() != 0 ? " (run it as root?)" : attribute;
}

[[noreturn]] void fail(const fs::path& what, const char* doing, int code) {
  const bool is_forbidden = code == EACCES || code == EPERM;
  throw ToolError(ExitCode::Failed,
                  fmt::format("cannot {} {}: {}{}", doing, what.string(), std::strerror(code),
                              is_forbidden ? why_forbidden(what) : ""));
}

// The target of a chain of links, whether or not the target exists. Only the target is replaced,
// never a link.
fs::path target_of(const fs::path& file) {
  if (file.empty()) throw ToolError(ExitCode::Usage, "--file names no file; it is empty");
  std::error_code unknown;
  fs::path target = fs::absolute(file, unknown);
  if (unknown)
    throw ToolError(
        ExitCode::Failed,
        fmt::format("{}: the folder in which datadm was started is not known: {}; is it "
                    "deleted? Change to another one, or name the file from /",
                    file.string(), unknown.message()));
  for (int links = 0; links < kMostLinks; ++links) {
    std::error_code error;
    const fs::path next = fs::read_symlink(target, error);
    if (error) return target;
    target = target.parent_path() / next; // operator/ drops the folder if `next` is absolute
  }
  fail(file, "follow", ELOOP);
}

UniqueFd open_folder(const fs::path& target) {
  const fs::path folder = target.parent_path();
  UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd && errno == ENOENT)
    throw ToolError(ExitCode::Failed,
                    fmt::format("{}: there is no folder {}; create it, or name another file",
                                target.string(), folder.string()));
  if (!fd) fail(folder, "open", errno);
  return fd;
}

// A new file in the folder of the target. The destructor removes it unless become() was called.
class Draft {
 public:
  explicit Draft(const fs::path& target) : path_(target.string() + ".datadm-XXXXXX") {
    fd_ = ::mkostemp(path_.data(), O_CLOEXEC);
    if (fd_ < 0) fail(target.parent_path(), "create a file in", errno);
  }
  ~Draft() {
    ::close(fd_);
    if (!kept_) ::unlink(path_.c_str());
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  void take_after(const fs::path& target) const {
    struct stat old {};
    const bool exists = ::stat(target.c_str(), &old) == 0;
    if (::fchmod(fd_, exists ? old.st_mode & 07777U : kNewFileMode) != 0)
      fail(path_, "set the mode of", errno);
    if (exists && (old.st_uid != ::geteuid() || old.st_gid != ::getegid()) &&
        ::fchown(fd_, old.st_uid, old.st_gid) != 0)
      fail(path_, "set the owner of", errno);
  }
  void write(const std::string& text) const {
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t put = ::write(fd_, text.data() + done, text.size() - done);
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) fail(path_, "write", errno);
      done += static_cast<std::size_t>(put);
    }
    if (::fsync(fd_) != 0) fail(path_, "write", errno);
  }
  void become(const fs::path& target) {
    if (::rename(path_.c_str(), target.c_str()) != 0) fail(target, "replace", errno);
    kept_ = true;
  }

 private:
  std::string path_;
  int fd_ = -1;
  bool kept_ = false;
};

} // namespace

ConfLock::ConfLock(const fs::path& file) : file_(target_of(file)), folder_(open_folder(file_)) {
  // Without this check, a device or a pipe that was named by mistake would be replaced by a file.
  struct stat info {};
  if (::stat(file_.c_str(), &info) == 0 && !S_ISREG(info.st_mode))
    throw ToolError(ExitCode::Failed, fmt::format("{}: is not a regular file", file_.string()));
  while (::flock(folder_.get(), LOCK_EX) != 0)
    if (errno != EINTR) fail(file_.parent_path(), "lock", errno);
}

void ConfLock::replace(const std::string& text) {
  // No registry would read any of its lines.
  if (text.size() > conf::kMostOctets)
    throw ToolError(
        ExitCode::Failed,
        fmt::format("{} would have more than 16 MiB, the most that is read", file_.string()));
  Draft draft(file_);
  draft.take_after(file_);
  draft.write(text);
  draft.become(file_);
  // The rename has to survive a crash, too.
  if (::fsync(folder_.get()) != 0) fail(file_.parent_path(), "write", errno);
}

} // namespace datum::datadm

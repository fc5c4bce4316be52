// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "registry/conf/conf_file.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace datum::conf {
namespace {

// Some editors put it in front of a text in UTF-8. It is invisible and means nothing there, but
// would become a part of the first name.
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

class Descriptor {
 public:
  explicit Descriptor(const char* path) : fd_(::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

tl::unexpected<ReadError> failed(int code) {
  return tl::unexpected(ReadError{code, std::strerror(code)});
}

// read_file() opens a FIFO without waiting for a writer. A FIFO without a writer then reads like an
// empty file, so the type of the file is checked.
bool is_fifo(int fd) {
  struct stat info {};
  return ::fstat(fd, &info) == 0 && S_ISFIFO(info.st_mode);
}

tl::unexpected<ReadError> empty_fifo() {
  return tl::unexpected(ReadError{ENODATA, "it is a FIFO with nothing in it"});
}

tl::unexpected<ReadError> too_large() {
  return tl::unexpected(ReadError{EFBIG, "it has more than 16 MiB, the most that is read"});
}

std::string without_mark(std::string text) {
  if (std::string_view(text).starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  return text;
}

} // namespace

Location locate(const char* override_path, std::span<const std::string_view> candidates) {
  // An empty variable counts as not set, as in most programs, since no file has an empty name.
  if (override_path != nullptr && *override_path != '\0') return {override_path, true};
  for (const std::string_view candidate : candidates) {
    std::string path(candidate);
    struct stat info {};
    if (::stat(path.c_str(), &info) == 0) return {std::move(path), false};
  }
  return {std::string(candidates.front()), false};
}

tl::expected<std::string, ReadError> read_file(const std::string& path) {
  const Descriptor file(path.c_str());
  if (file.get() < 0) return failed(errno);
  std::string text;
  std::array<char, 4096> buffer;
  for (;;) {
    const ssize_t got = ::read(file.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0 && text.empty() && is_fifo(file.get())) return empty_fifo();
    if (got == 0) return without_mark(std::move(text));
    if (got < 0) return failed(errno);
    text.append(buffer.data(), static_cast<std::size_t>(got));
    if (text.size() > kMostOctets) return too_large();
  }
}

} // namespace datum::conf

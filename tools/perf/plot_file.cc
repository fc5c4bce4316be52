// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "perf/plot_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "common/tool_error.h"

namespace datum::perf {

using tools::ExitCode;
using tools::ToolError;

namespace {

constexpr mode_t kMode = 0666; // the umask applies
// Without O_NONBLOCK, open(2) of a FIFO without a reader would block.
constexpr int kHow = O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK;

ToolError cannot_write(ExitCode code, const std::string& path) {
  return {code, fmt::format("{}: cannot write the plot: {}", path, std::strerror(errno))};
}

} // namespace

PlotFile::PlotFile(std::string path)
    : path_(std::move(path)), file_(open(path_.c_str(), kHow | O_EXCL, kMode)) {
  is_new_ = static_cast<bool>(file_);
  if (!is_new_) file_ = UniqueFd(open(path_.c_str(), kHow, kMode));
  if (!file_ && errno == ENXIO)
    throw ToolError(ExitCode::Usage,
                    fmt::format("{}: cannot write the plot: it is a FIFO that nobody reads, a "
                                "socket, or a device that is not there; name a file",
                                path_));
  if (!file_) throw cannot_write(ExitCode::Usage, path_);
  fcntl(file_.get(), F_SETFL, fcntl(file_.get(), F_GETFL) & ~O_NONBLOCK); // write(2) may block
}

PlotFile::~PlotFile() {
  if (is_new_) unlink(path_.c_str());
}

void PlotFile::write(const std::string& text) {
  // A device has no length.
  if (ftruncate(file_.get(), 0) != 0 && errno != EINVAL)
    throw cannot_write(ExitCode::Failed, path_);
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = ::write(file_.get(), text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw cannot_write(ExitCode::Failed, path_);
    done += static_cast<std::size_t>(n);
  }
  is_new_ = false;
}

} // namespace datum::perf

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/tools/common/full_pipe.h: a pipe that is full until the test reads from it.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <stdexcept>
#include <string>

namespace datum::test {

class FullPipe {
 public:
  FullPipe() {
    if (pipe2(ends_, O_CLOEXEC) != 0) throw std::runtime_error("pipe2");
    const std::string page(4096, 'x');
    fcntl(ends_[1], F_SETFL, O_NONBLOCK);
    while (write(ends_[1], page.data(), page.size()) > 0) continue;
    fcntl(ends_[1], F_SETFL, 0);
  }
  FullPipe(const FullPipe&) = delete;
  FullPipe& operator=(const FullPipe&) = delete;
  ~FullPipe() {
    close(ends_[0]);
    close(ends_[1]);
  }
  [[nodiscard]] int reader() const { return ends_[0]; }
  [[nodiscard]] int writer() const { return ends_[1]; }
  // For the command line of another process.
  [[nodiscard]] std::string path() const {
    return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(ends_[1]);
  }

 private:
  int ends_[2] = {-1, -1};
};

} // namespace datum::test

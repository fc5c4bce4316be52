// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// interop/siw/processes.h: programs, and sockets of ours, in the network namespace where the siw
// device is.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace datum::siw {

// What scripts/siw.sh put into the environment; a failure of the test if it is not there.
std::string setting(const char* name);

// input, output: descriptors for its stdin and stdout, or -1 for those of this process.
pid_t start_beside_siw(const std::vector<std::string>& command, int input = -1, int output = -1);
// Its exit status, or -1 for another end.
int exit_status_of(pid_t process);

// Calls `open` in siw's network namespace. A socket that it opens stays there as long as it lives.
void open_beside_siw(const std::function<void()>& open);

// A process beside siw. It does not outlive its test, however that ends.
class BesideSiw {
 public:
  explicit BesideSiw(const std::vector<std::string>& command)
      : process_(start_beside_siw(command)) {}
  ~BesideSiw();
  BesideSiw(const BesideSiw&) = delete;
  BesideSiw& operator=(const BesideSiw&) = delete;

  int exit_status();

 private:
  pid_t process_;
};

} // namespace datum::siw

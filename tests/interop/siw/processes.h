// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// interop/siw/processes.h: starts programs, and opens sockets of ours, in the network namespace of
// the siw device.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace datum::siw {

// A variable that scripts/siw.sh put into the environment. If it is missing, the test fails.
std::string setting(const char* name);

// Starts a program in siw's network namespace. input, output: descriptors for the program's stdin
// and stdout, or -1 for those of this process.
pid_t start_beside_siw(const std::vector<std::string>& command, int input = -1, int output = -1);
// Waits for the process. Returns its exit status, or -1 if it ended in another way.
int exit_status_of(pid_t process);

// Calls `open` in siw's network namespace. A socket that it opens stays there as long as it lives.
void open_beside_siw(const std::function<void()>& open);

// A process in siw's network namespace. It never outlives its test.
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

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/stress/child.h: the second process of a run, and the lines that the two processes exchange:
//   child -> parent   ready ADDRESS QUALIFIER
//   parent -> child   target ADDRESS QUALIFIER
//   child -> parent   enough: it has done the rounds that it was asked for
//   parent -> child   stop: make no more connections
//   child -> parent   stopped
//   parent -> child   leave: the other side has stopped, too
//   child -> parent   done ROUNDS BROKEN, where BROKEN counts broken connections
#pragma once

#include <string>
#include <sys/types.h>
#include <vector>

#include "target.h"

namespace datum::stress {

class Child {
 public:
  // Starts the program that the first word names, with the other words as its arguments. Returns
  // when the program is ready.
  explicit Child(std::vector<std::string> words);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  const Target& target() const { return target_; }
  void tell(const std::string& line);
  bool is_done(); // does not wait
  void kill();    // SIGKILL, whatever it is doing
  void expect_success();

 private:
  std::string read_line();

  pid_t pid_ = -1;
  int to_ = -1;
  int from_ = -1;
  Target target_;
};

} // namespace datum::stress

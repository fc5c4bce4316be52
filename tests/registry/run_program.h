// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/registry/run_program.h: runs a program with an environment and keeps what it writes.
#pragma once

#include <string>
#include <vector>

struct Ran {
  int status = -1; // exit status; -1 if it did not exit by itself
  std::string out;
  std::string err;
};

// environment: strings "NAME=value". The program also gets the variables of this process whose
// names do not begin with DAT.
Ran run_program(const std::vector<std::string>& command,
                const std::vector<std::string>& environment);

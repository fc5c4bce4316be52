// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// info/check.h: grades the facts, with advice. Pure.
#pragma once

#include <string>
#include <vector>

#include "info/facts.h"

namespace datum::info {

enum class Grade { Fine, Note, Problem };

struct Finding {
  Grade grade = Grade::Fine;
  std::string subject; // "open files"
  std::string text;    // the fact and its consequence
  std::string step;    // the advice; empty: nothing has to be done
};

// all: each line of another provider that does not open gets a finding of its own.
std::vector<Finding> judge(const Facts& facts, bool all = false);
bool any_problem(const std::vector<Finding>& findings);
const char* name_of(Grade grade); // "ok", "note", "problem"

} // namespace datum::info

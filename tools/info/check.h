// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// info/check.h: what the facts mean: fine, worth knowing, or in the way, and what to do. Pure.
#pragma once

#include <string>
#include <vector>

#include "info/facts.h"

namespace datum::info {

enum class Grade { Fine, Note, Problem };

struct Finding {
  Grade grade = Grade::Fine;
  std::string subject; // "open files"
  std::string text;    // what was found, and what follows from it
  std::string step;    // what to do; empty if nothing has to be done
};

// all: each line of other providers that does not open by itself, as a problem if it is one.
std::vector<Finding> judge(const Facts& facts, bool all = false);
bool any_problem(const std::vector<Finding>& findings);
const char* name_of(Grade grade); // "ok", "note", "problem"

} // namespace datum::info

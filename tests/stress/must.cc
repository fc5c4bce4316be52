// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "must.h"

#include <cstdio>
#include <mutex>
#include <string>
#include <unistd.h>

namespace datum::stress {
namespace {

std::string rerun;

} // namespace

void set_rerun(const char* command_line) {
  rerun = command_line;
}

void fail(const char* what, const char* file, int line, unsigned long long value) {
  static std::mutex first_only;
  first_only.lock(); // never unlocked: other threads may fail as a consequence of the first failure
  std::fprintf(stderr, "%s:%d: not so: %s (%llu, process %d)\nrerun: %s\n", file, line, what, value,
               static_cast<int>(getpid()), rerun.c_str());
  _exit(1);
}

void check_dat(DAT_RETURN status, const char* call, const char* file, int line) {
  if (status == DAT_SUCCESS) return;
  const char* type = "";
  const char* subtype = "";
  dat_strerror(status, &type, &subtype);
  std::fprintf(stderr, "%s/%s\n", type, subtype);
  fail(call, file, line, status);
}

} // namespace datum::stress

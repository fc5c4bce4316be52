// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Which mutant this process is to be, from the environment: scripts/mutants.py puts it into every
// C++ file of its copy of the tree, where a mutant stands beside what it replaces.
#pragma once
#ifdef __cplusplus
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <type_traits>

namespace datum_mutants {
inline const int chosen = [] {
  const char* number = std::getenv("DATUM_MUTANT");
  return number != nullptr ? std::atoi(number) : -1;
}();
// One byte for each mutant, set when a test came by; shared by all processes of the test.
inline char* const reached = []() -> char* {
  const char* file = std::getenv("DATUM_MUTANTS_REACHED");
  const int fd = file != nullptr ? open(file, O_RDWR | O_CLOEXEC) : -1;
  if (fd < 0) return nullptr;
  void* bytes = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  return bytes != MAP_FAILED ? static_cast<char*>(bytes) : nullptr;
}();
inline bool is(int number) {
  if (reached != nullptr) reached[number] = 1;
  return number == chosen;
}
} // namespace datum_mutants
#define DATUM_MUTANT(number) (!std::is_constant_evaluated() && datum_mutants::is(number))
#endif

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Selects by the environment which mutant this process is. scripts/mutants.py puts this file into
// every C++ file of its copy of the tree, in which a mutant is placed beside the original code.
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
// One byte for each mutant, which is set when a test reaches the mutant. All processes of the test
// share these bytes.
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

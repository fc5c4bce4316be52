// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "belongings.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

namespace datum::test {
namespace {

using Folder = std::filesystem::directory_iterator;

// pthread_join() returns while the thread that ended is still exiting. The kernel shows a flag for
// that: proc(5), "stat", field 9.
bool is_exiting(const std::filesystem::path& task) {
  constexpr unsigned kExiting = 0x4;
  std::ifstream file(task / "stat");
  std::string text;
  if (!std::getline(file, text)) return true; // it has ended meanwhile
  char state = 0;
  long ignored = 0;
  unsigned flags = 0;
  std::istringstream rest(text.substr(text.rfind(')') + 1));
  rest >> state >> ignored >> ignored >> ignored >> ignored >> ignored >> flags;
  return (flags & kExiting) != 0;
}

} // namespace

std::ptrdiff_t descriptors_in_use() {
  return std::distance(Folder("/proc/self/fd"), {});
}

std::ptrdiff_t threads_alive() {
  std::ptrdiff_t count = 0;
  for (const auto& task : Folder("/proc/self/task")) count += is_exiting(task.path()) ? 0 : 1;
  return count;
}

} // namespace datum::test

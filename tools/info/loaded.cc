// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "info/loaded.h"

#include <link.h>

#include <filesystem>
#include <system_error>

namespace fs = std::filesystem;

namespace datum::info {
namespace {

struct Search {
  fs::path name;
  std::string found;
};

} // namespace

std::string path_of_library(const std::string& name) {
  Search search{fs::path(name).filename(), {}};
  if (search.name.empty()) return {};
  dl_iterate_phdr(
      [](dl_phdr_info* library, std::size_t, void* wanted) {
        auto& [file, found] = *static_cast<Search*>(wanted);
        if (fs::path(library->dlpi_name).filename() == file) found = library->dlpi_name;
        return 0;
      },
      &search);
  // Removes ".." if the path can be resolved.
  std::error_code error;
  const fs::path plain = fs::weakly_canonical(fs::path(search.found).parent_path(), error);
  if (error || search.found.empty()) return search.found;
  return plain / search.name;
}

} // namespace datum::info

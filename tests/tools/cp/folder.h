// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A temporary folder, and trees in it, for the tests of dat-cp.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <stdexcept>
#include <string>

#include "base/unique_fd.h"

namespace datum::cp::test {

inline constexpr std::size_t kMiB = 1048576;
inline constexpr std::size_t kFourMiB = 4 * kMiB;

inline std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

class Folder {
 public:
  Folder() {
    std::string pattern = std::filesystem::temp_directory_path() / "dat-cp-test-XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp " + pattern);
    path_ = pattern;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    // A test may have taken away our right to read a folder.
    for (auto it = std::filesystem::recursive_directory_iterator(
             path_, std::filesystem::directory_options::skip_permission_denied, ignored);
         !ignored && it != std::filesystem::recursive_directory_iterator(); it.increment(ignored))
      if (it->is_directory(ignored) && !it->is_symlink(ignored)) chmod(it->path().c_str(), 0700);
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] UniqueFd open() const {
    return UniqueFd(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }

  void write(const std::string& name, const std::string& content) const {
    std::filesystem::create_directories(std::filesystem::path(*this / name).parent_path());
    std::ofstream(*this / name, std::ios::binary) << content;
  }
  [[nodiscard]] std::string read(const std::string& name) const {
    std::ifstream file(*this / name, std::ios::binary | std::ios::ate);
    if (!file) return "<missing>";
    std::string content(static_cast<std::size_t>(file.tellg()), '\0');
    file.seekg(0).read(content.data(), static_cast<std::streamsize>(content.size()));
    return content;
  }
  [[nodiscard]] bool exists(const std::string& name) const {
    return std::filesystem::symlink_status(*this / name).type() !=
           std::filesystem::file_type::not_found;
  }
  // The number of dat-cp's own unfinished files in the folder.
  [[nodiscard]] int leftovers(const std::string& name = ".") const {
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(*this / name))
      if (entry.path().filename().string().starts_with(".dat-cp-")) ++count;
    return count;
  }

 private:
  std::string path_;
};

// Bytes that do not repeat. The same seed gives the same bytes. They are made a word at a time
// (splitmix64), because builds without optimisation and with sanitizers make long texts, too.
inline std::string noise(std::size_t size, std::uint64_t seed = 1) {
  std::string text(size, '\0');
  for (std::size_t at = 0; at < size; at += sizeof seed) {
    std::uint64_t word = seed += 0x9e3779b97f4a7c15;
    word = (word ^ (word >> 30U)) * 0xbf58476d1ce4e5b9;
    word = (word ^ (word >> 27U)) * 0x94d049bb133111eb;
    word ^= word >> 31U;
    std::memcpy(text.data() + at, &word, std::min(sizeof word, size - at));
  }
  return text;
}

} // namespace datum::cp::test

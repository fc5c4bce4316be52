// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "run/program.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

namespace fs = std::filesystem;

namespace datum::run {
namespace {

constexpr int kMostInterpreters = 5; // how many interpreters of interpreters the kernel follows

// The interpreter in the first line of a script. Empty: the file is no script with a "#!" line.
std::string interpreter_of(const fs::path& script) {
  std::array<char, 256> head = {}; // the kernel reads this many octets
  std::ifstream in(script, std::ios::binary);
  in.read(head.data(), head.size());
  const std::string_view text(head.data(), static_cast<std::size_t>(in.gcount()));
  const std::string line(text.substr(0, text.find('\n')));
  if (!line.starts_with("#!")) return {};
  const std::size_t first = line.find_first_not_of(" \t", 2);
  if (first == std::string::npos) return {};
  return line.substr(first, line.find_first_of(" \t", first) - first);
}

// Why the file cannot be executed (errno). 0: it can be executed. EISDIR, which execve(2) does not
// return, means a folder.
int refusal_of(const fs::path& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) return errno;
  if (S_ISDIR(status.st_mode)) return EISDIR;
  return access(file.c_str(), X_OK) == 0 ? 0 : errno;
}

std::string text_of_refusal(int error) {
  if (error == EISDIR) return "it is a folder";
  return error == ENOENT ? "no such program" : std::strerror(error);
}

// Which interpreter of the file cannot be started, and why. Empty: no "#!" line has a fault.
std::string broken_interpreter(fs::path file) {
  for (int i = 0; i < kMostInterpreters; ++i) {
    file = interpreter_of(file);
    if (file.empty()) return {};
    if (const int error = refusal_of(file); error != 0)
      return fmt::format("its interpreter {}: {}", file.string(), text_of_refusal(error));
  }
  return {};
}

// True: the error means that PATH has no such program here. A folder is no program.
bool is_not_there(int error) {
  return error == ENOENT || error == ENOTDIR || error == EISDIR;
}

// For a file in a folder of PATH. 0: it can be executed. ENOENT: no such program is here. Any other
// error: why it cannot be executed.
int judge(const fs::path& file) {
  struct stat status {};
  if (lstat(file.c_str(), &status) != 0) return ENOENT;
  const int error = refusal_of(file);
  return is_not_there(error) ? ENOENT : error;
}

} // namespace

Program find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return {name, 0};
  const char* const path = std::getenv("PATH");
  std::string_view left = path == nullptr ? "/bin:/usr/bin" : path;
  Program refused;
  for (;;) {
    const std::size_t end = left.find(':');
    const std::string_view folder = left.substr(0, end);
    const fs::path file = fs::path(folder.empty() ? "." : folder) / name;
    const int error = judge(file);
    if (error == 0) return {file, 0};
    if (error != ENOENT && refused.file.empty()) refused = {file, error};
    if (end == std::string_view::npos) return refused;
    left.remove_prefix(end + 1);
  }
}

std::string why_not_started(const fs::path& file, int error) {
  if (const int own = refusal_of(file); own != 0) return text_of_refusal(own);
  if (std::string interpreter = broken_interpreter(file); !interpreter.empty()) return interpreter;
  return error == ENOENT ? "the interpreter that it names is not there (`file` shows which)"
                         : std::strerror(error);
}

} // namespace datum::run

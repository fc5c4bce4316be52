// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat-run: the command line, and exec of the program.
#include <cerrno>
#include <exception>
#include <memory>
#include <sys/auxv.h>
#include <unistd.h>

#include <fmt/format.h>

#include "common/options.h"
#include "common/std_streams.h"
#include "run/inherited.h"
#include "run/launch.h"
#include "run/program.h"

namespace {

namespace fs = std::filesystem;
using datum::run::Wishes;
using datum::tools::ExitCode;
using datum::tools::ToolError;

// The same numbers as in env(1), nohup(1) and timeout(1). Programs seldom return them.
enum class Ended : int { OwnFailure = 125, CannotStart = 126, NotFound = 127 };

// The path of this program. Without /proc it is the path that was given to execve(2).
fs::path own_path() {
  std::error_code error;
  fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (!error) return self;
  const auto* const asked =
      reinterpret_cast<const char*>(getauxval(AT_EXECFN)); // NOLINT(performance-no-int-to-ptr)
  return fs::canonical(asked == nullptr ? "dat-run" : asked, error);
}

// CLI11's usage line does not show PROGRAM, which follows the options.
class ProgramBehind : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* /*app*/, std::string name) const override {
    return "Usage: " + name + " [OPTIONS] [--] PROGRAM [ARGUMENT...]\n";
  }
};

int complain(const std::string& text, Ended code) {
  datum::tools::log_line("dat-run: " + text);
  return static_cast<int>(code);
}

// The words after the options, or after a "--".
std::vector<std::string> command_in(std::vector<std::string> words) {
  if (!words.empty() && words.front() == "--")
    words.erase(words.begin());
  else if (!words.empty() && words.front().starts_with('-'))
    throw ToolError(ExitCode::Usage,
                    fmt::format("\"{}\" is no option; see dat-run --help", words.front()));
  if (words.empty()) throw ToolError(ExitCode::Usage, "which program? See dat-run --help");
  return words;
}

int cannot_start(const fs::path& file, int error) {
  std::error_code unknown;
  if (error == ENOENT && !fs::exists(fs::symlink_status(file, unknown)))
    return complain(fmt::format("\"{}\": no such program", file.string()), Ended::NotFound);
  return complain(
      fmt::format("cannot start {}: {}", file.string(), datum::run::why_not_started(file, error)),
      error == ENOENT ? Ended::NotFound : Ended::CannotStart);
}

// Returns only if the program cannot be started.
int become(std::vector<std::string>& command, const datum::run::Inherited& inherited) {
  const auto [file, refused] = datum::run::find_program(command.front());
  if (file.empty())
    return complain(fmt::format("\"{}\": no such program in PATH", command.front()),
                    Ended::NotFound);
  if (refused != 0) return cannot_start(file, refused);
  if (const std::string why = datum::run::obstacle(file); !why.empty())
    datum::tools::log_line("dat-run: " + why);
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (std::string& argument : command) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  inherited.restore();
  // The file has a slash, so execvp() does not search PATH again. It runs a script without a "#!"
  // line by sh.
  execvp(file.c_str(), arguments.data());
  return cannot_start(file, errno);
}

} // namespace

int main(int argc, char** argv) try {
  const datum::run::Inherited inherited;
  CLI::App app("Puts Datum under one program, whatever DAT library is installed otherwise.",
               "dat-run");
  Wishes wishes;
  app.add_option(
         "--as", wishes.names,
         "answer this adapter name of the program's with \"datum\", or with IA; may be repeated")
      ->type_name("NAME[=IA]")
      ->allow_extra_args(false);
  app.add_option("--transport", wishes.transport,
                 "which ways connections may take: auto, shm or tcp")
      ->type_name("T")
      ->check(datum::tools::one_of({"auto", "shm", "tcp"}));
  app.add_flag("--strict", wishes.strict, "by the letter of the manual (DATUM_STRICT=on)");
  app.add_flag("--memory", wishes.memory,
               "take the program's memory from what peers can map (libdatum-malloc.so)");
  app.formatter(std::make_shared<ProgramBehind>());
  app.footer(
      "Exit status: that of PROGRAM; 125 dat-run itself failed, 126 PROGRAM cannot be started,\n"
      "127 there is no such PROGRAM.");
  app.prefix_command();
  std::vector<std::string> command;
  bool launches = false;
  const int code = datum::tools::run_tool(app, argc, argv, [&] {
    command = command_in(app.remaining());
    datum::run::prepare_environment(wishes, datum::run::library_folder(own_path()));
    launches = true;
    return ExitCode::Ok;
  });
  if (launches) return become(command, inherited);
  return code == 0 ? 0 : static_cast<int>(Ended::OwnFailure);
} catch (const std::exception& error) {
  datum::tools::out_of_memory("dat-run", error);
  return static_cast<int>(Ended::OwnFailure);
}

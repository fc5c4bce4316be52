// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "common/options.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <exception>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/help_text.h"
#include "common/human.h"
#include "common/std_streams.h"

namespace datum::tools {
namespace {

void complain(const CLI::App& app, const std::string& text) {
  log_line(fmt::format("{}: {}", app.get_name(), text));
}

std::string no_option(const std::string& word) {
  return fmt::format("\"{}\" is no option", word);
}

// CLI11's own text says that a command is required, but not which word was typed instead.
std::string no_command(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* const command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  const std::vector<std::string> typed = app.remaining();
  if (!typed.empty() && typed[0].starts_with('-')) return no_option(typed[0]);
  return fmt::format("{}: use one of {}",
                     typed.empty() ? "no command" : fmt::format("\"{}\" is no command", typed[0]),
                     fmt::join(names, ", "));
}

bool lacks_command(const CLI::App& app, const CLI::Error& error) {
  return error.get_name() == "RequiredError" && app.get_require_subcommand_min() > 0 &&
         app.get_subcommands().empty();
}

// CLI11's own text calls options and words arguments.
std::string unknown_words(const CLI::App& app) {
  std::vector<std::string> said;
  for (const std::string& word : app.remaining(true))
    said.push_back(word.starts_with('-') ? no_option(word)
                                         : fmt::format("\"{}\" is one word too many", word));
  return fmt::format("{}", fmt::join(said, ", "));
}

// CLI11's own text says only how many values the option requires and how many it got.
std::string repeated_option(const CLI::App& app) {
  for (const CLI::Option* const option : app.get_options())
    if (option->get_expected_max() == 1 && option->count() > 1)
      return fmt::format("{} is given more than once: leave all but one out", option->get_name());
  for (const CLI::App* const command : app.get_subcommands())
    if (std::string text = repeated_option(*command); !text.empty()) return text;
  return {};
}

std::string text_of(const CLI::App& app, const CLI::Error& error) {
  if (lacks_command(app, error)) return no_command(app);
  const bool mismatch = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ArgumentMismatch);
  if (mismatch)
    if (std::string text = repeated_option(app); !text.empty()) return text;
  // The code is compared, because in CLI11 2.1 the name of this error is the name of the command.
  const bool unknown = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError);
  return unknown ? unknown_words(app) : error.what();
}

// The text quotes typed words, so it is made printable.
std::string usage_error(const CLI::App* app, const CLI::Error& error) {
  const std::string text = text_of(*app, error);
  const CLI::Error safe(error.get_name(), printable(text), error.get_exit_code());
  return app->get_name() + ": " + CLI::FailureMessage::simple(app, safe);
}

// Wraps the text for a terminal. A file or a pipe has no columns, so it gets the text unchanged.
std::string for_terminal(const std::string& help) {
  winsize size = {};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return help;
  return wrapped(help, size.ws_col);
}

// CLI11 would use the next word as the value of "--name=", and would accept a value for a flag, as
// in "--flag=false".
std::string objection_to(const CLI::App& command, const std::string& word) {
  const std::size_t sign = word.find('=');
  if (!word.starts_with("--") || sign == std::string::npos) return {};
  const std::string name = word.substr(0, sign);
  const CLI::Option* const option = command.get_option_no_throw(name);
  if (option != nullptr && option->get_items_expected_max() == 0)
    return fmt::format("{} takes no value: leave out \"{}\", or the whole of it", name,
                       word.substr(sign));
  if (sign + 1 < word.size()) return {};
  return fmt::format("{}: nothing follows the \"=\"; give a value, or leave the option out", name);
}

// The value of an option may have any form, so it is not checked. The words of a program to be
// started are not checked either.
std::string objection_to(const CLI::App& app, int argc, char** argv) {
  const CLI::App* command = &app;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--" || (command->get_prefix_command() && !word.starts_with('-'))) break;
    if (std::string objection = objection_to(*command, word); !objection.empty()) return objection;
    const CLI::Option* const option =
        word.starts_with('-') ? command->get_option_no_throw(word) : nullptr;
    if (option != nullptr && option->get_items_expected_min() > 0) ++i;
    const auto named = command->get_subcommands(
        [&](const CLI::App* candidate) { return candidate->check_name(word); });
    if (!named.empty()) command = named.front();
  }
  return {};
}

// Prints help, the version or the text for wrong usage. Help shows defaults, which may come from
// the environment, so it is made printable.
ExitCode answer(const CLI::App& app, const CLI::ParseError& error) {
  std::ostringstream help, usage;
  const int code = app.exit(error, help, usage);
  std::fputs(for_terminal(printable_lines(help.str())).c_str(), stdout);
  std::fputs(printable_lines(usage.str()).c_str(), stderr);
  return code == 0 ? ExitCode::Ok : ExitCode::Usage;
}

// If output was lost, the exit code has to show it to a script.
ExitCode with_output(const CLI::App& app, ExitCode code) {
  const std::string why = lost_output();
  if (why.empty()) return code;
  complain(app, "cannot write to standard output: " + why);
  return code == ExitCode::Ok ? ExitCode::Failed : code;
}

} // namespace

// CLI::Range is no use here: it reads -1 and 99999999999999999999 as the largest number, and
// accepts "nan". CLI11 also reads 0x8, 010 (as 8), " 3" and +3.
CLI::Validator whole_number(std::uint64_t least, std::uint64_t most) {
  const auto problem = [=](const std::string& text) {
    std::uint64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    const bool octal = text.size() > 1 && text.starts_with('0');
    if (error == std::errc{} && stop == end && !octal && value >= least && value <= most)
      return std::string();
    return fmt::format("\"{}\" is not a number from {} to {} (decimal digits, no 0 in front)", text,
                       least, most);
  };
  return {problem, ""};
}

CLI::Validator seconds(double least, double most) {
  const auto problem = [=](const std::string& text) {
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value, std::chars_format::fixed);
    if (error == std::errc{} && stop == end && value >= least && value <= most)
      return std::string();
    return fmt::format(
        "\"{}\" is not a number of seconds from {} to {} (decimal digits, as in 0.5)", text, least,
        most);
  };
  return {problem, ""};
}

CLI::Validator one_of(std::vector<std::string> words) {
  const auto problem = [words = std::move(words)](const std::string& text) {
    if (std::find(words.begin(), words.end(), text) != words.end()) return std::string();
    return fmt::format("\"{}\" is none of {}", text, fmt::join(words, ", "));
  };
  return {problem, ""};
}

void add_ia_option(CLI::App& app, CommonOptions& options) {
  app.add_option("--ia", options.ia, "interface adapter to use (dat-info lists them)")
      ->type_name("NAME")
      ->capture_default_str();
}

void add_json_option(CLI::App& app, CommonOptions& options) {
  app.add_flag("--json", options.json, "print the result as JSON on stdout");
}

int run_tool(CLI::App& app, int argc, char** argv, const std::function<ExitCode()>& body) {
  const std::string version = app.get_name() + " (datum) " DATUM_VERSION;
  app.set_version_flag("--version", version);
  for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; }))
    command->set_version_flag("--version", version);
  app.failure_message(&usage_error);
  ExitCode code = ExitCode::Failed;
  occupy_standard_descriptors();
  // A write over RLIMIT_FSIZE then fails with EFBIG and does not end the tool.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    if (const std::string objection = objection_to(app, argc, argv); !objection.empty())
      throw ToolError(ExitCode::Usage, printable(objection));
    app.parse(argc, argv);
    code = body();
  } catch (const CLI::ParseError& error) {
    code = answer(app, error);
  } catch (const ToolError& error) {
    complain(app, error.what());
    code = error.code();
  } catch (const LostOutput& error) {
    complain(app, error.what());
    return static_cast<int>(ExitCode::Failed); // with_output() would report it again
  } catch (const std::exception& error) {
    complain(app, error.what());
  }
  return static_cast<int>(with_output(app, code));
}

int out_of_memory(const char* program, const std::exception& error) {
  std::fputs(program, stderr);
  std::fputs(": ", stderr);
  std::fputs(error.what(), stderr);
  std::fputc('\n', stderr);
  return static_cast<int>(ExitCode::Failed);
}

} // namespace datum::tools

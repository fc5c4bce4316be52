// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "common/options.h"

#include <cstdio>
#include <exception>

#include <fmt/format.h>

namespace datum::tools {
namespace {

void complain(const CLI::App& app, const std::string& text) {
  fmt::print(stderr, "{}: {}\n", app.get_name(), text);
}

} // namespace

void add_ia_option(CLI::App& app, CommonOptions& options) {
  app.add_option("--ia", options.ia, "interface adapter to use (dat-info lists them)")
      ->type_name("NAME")
      ->capture_default_str();
}

void add_json_option(CLI::App& app, CommonOptions& options) {
  app.add_flag("--json", options.json, "print the result as JSON on stdout");
}

int run_tool(CLI::App& app, int argc, char** argv, const std::function<ExitCode()>& body) {
  app.set_version_flag("--version", app.get_name() + " (datum) " DATUM_VERSION);
  ExitCode code = ExitCode::Failed;
  try {
    app.parse(argc, argv);
    code = body();
  } catch (const CLI::ParseError& error) {
    code = app.exit(error) == 0 ? ExitCode::Ok : ExitCode::Usage;
  } catch (const ToolError& error) {
    complain(app, error.what());
    code = error.code();
  } catch (const std::exception& error) {
    complain(app, error.what());
  }
  return static_cast<int>(code);
}

int out_of_memory(const char* program, const std::exception& error) {
  std::fputs(program, stderr);
  std::fputs(": ", stderr);
  std::fputs(error.what(), stderr);
  std::fputc('\n', stderr);
  return static_cast<int>(ExitCode::Failed);
}

} // namespace datum::tools

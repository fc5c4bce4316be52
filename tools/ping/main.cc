// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat-ping: the command line.
#include <algorithm>
#include <exception>
#include <iterator>

#include <fmt/format.h>

#include "common/human.h"
#include "common/interrupt.h"
#include "common/options.h"
#include "ping/client.h"
#include "ping/payload.h"

namespace {

using datum::ping::ClientOptions;
using datum::tools::ExitCode;
using datum::tools::ToolError;

struct CommandLine {
  ClientOptions client;
  datum::tools::CommonOptions common;
  bool serve = false, ipv4 = false, ipv6 = false;
  std::string size = "56";
  double interval = 1, timeout = 5;
  std::vector<CLI::Option*> of_client; // the options that a server does not take
};

void add_common(CLI::App& app, CommandLine& line) {
  ClientOptions& o = line.client;
  datum::tools::add_ia_option(app, line.common);
  app.add_option("-p,--port", o.port, "connection qualifier; a server: 0 for any free one")
      ->type_name("QUAL")
      ->check(datum::tools::whole_number(0))
      ->capture_default_str();
  auto* quiet = app.add_flag("-q,--quiet", o.quiet, "only the summary; the server: no log");
  app.add_flag("-v,--verbose", o.verbose,
               "the path and why, ends, private data, limits; the server: the path of each client")
      ->excludes(quiet);
}

void add_of_client(CLI::App& app, CommandLine& line) {
  ClientOptions& o = line.client;
  app.add_option("HOST", o.host, "the machine on which dat-ping --serve runs");
  datum::tools::add_json_option(app, line.common);
  app.add_option("-c,--count", o.count, "end after so many; without it at Ctrl-C")
      ->type_name("N")
      ->check(datum::tools::whole_number(1));
  app.add_option("-i,--interval", line.interval, "from ping to ping; 0: at once")
      ->type_name("SECONDS")
      ->check(datum::tools::seconds(0, 86400))
      ->capture_default_str();
  app.add_option("-s,--size", line.size, "bytes of a ping, 8 to 1M")
      ->type_name("SIZE")
      ->capture_default_str();
  app.add_option("-W,--timeout", line.timeout, "for the connection, and for each answer")
      ->type_name("SECONDS")
      ->check(datum::tools::seconds(0.001, 3600))
      ->capture_default_str();
  app.add_flag("--poll", o.poll, "spin for the answer instead of sleeping");
  auto* ipv4 = app.add_flag("-4", line.ipv4, "an IPv4 address of HOST");
  app.add_flag("-6", line.ipv6, "an IPv6 address of HOST")->excludes(ipv4);
}

void add_options(CLI::App& app, CommandLine& line) {
  add_of_client(app, line);
  const std::vector<CLI::Option*> all = app.get_options();
  std::copy_if(all.begin(), all.end(), std::back_inserter(line.of_client),
               [&](const CLI::Option* option) { return option != app.get_help_ptr(); });
  app.add_flag("--serve", line.serve, "answer the pings of others");
  add_common(app, line);
}

// CLI11's excludes() would add a remark to each of these options in the help.
void refuse_options_of_clients(const CommandLine& line) {
  for (const CLI::Option* option : line.of_client)
    if (option->count() > 0)
      throw ToolError(ExitCode::Usage,
                      fmt::format("--serve takes no {}; see --help", option->get_name()));
}

ClientOptions finished(const CommandLine& line) {
  ClientOptions o = line.client;
  o.ia = line.common.ia;
  o.json = line.common.json;
  if (!datum::tools::parse_size(line.size, o.size) || o.size < datum::ping::kLeast ||
      o.size > datum::ping::kMost)
    throw ToolError(ExitCode::Usage,
                    fmt::format("--size \"{}\": not a size between 8 and 1M", line.size));
  o.interval = std::chrono::microseconds(static_cast<long>(line.interval * 1e6));
  o.timeout = std::chrono::milliseconds(static_cast<long>(line.timeout * 1e3));
  if (line.ipv4) o.family = AF_INET;
  if (line.ipv6) o.family = AF_INET6;
  if (!line.serve && o.port == 0)
    throw ToolError(
        ExitCode::Usage,
        "--port 0: for a server that takes any free port; give the port that the server "
        "printed");
  return o;
}

// An error before the first ping is an error of set-up. The summary reports later errors.
ExitCode run(const CommandLine& line) {
  if (!line.serve && line.client.host.empty())
    throw ToolError(ExitCode::Usage, "name a HOST, or use --serve (see --help)");
  if (line.serve) refuse_options_of_clients(line);
  datum::tools::catch_interrupts();
  const ClientOptions options = finished(line);
  try {
    if (line.serve)
      return datum::ping::run_server({options.ia, options.port, options.quiet, options.verbose});
    return datum::ping::run_client(options);
  } catch (const ToolError& error) {
    if (error.code() != ExitCode::Interrupted) throw ToolError(ExitCode::Usage, error.what());
    return ExitCode::Interrupted; // a server ends this way, too
  }
}

} // namespace

int main(int argc, char** argv) try {
  CLI::App app("Asks whether a DAT connection works, and how fast.", "dat-ping");
  CommandLine line;
  add_options(app, line);
  app.footer("Exit: 0 every ping was answered, 1 some or all were lost or came back changed,\n"
             "2 usage, or no connection, 3 interrupted before there was one, or a server.\n"
             "See dat-ping(1).");
  return datum::tools::run_tool(app, argc, argv, [&] { return run(line); });
} catch (const std::exception& error) {
  return datum::tools::out_of_memory("dat-ping", error);
}

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat-perf: the command line.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <exception>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/file_limit.h"
#include "common/interrupt.h"
#include "common/options.h"
#include "perf/client.h"
#include "perf/command_line.h"
#include "perf/machine.h"
#include "perf/server.h"

namespace {

using datum::perf::CommandLine;
using datum::tools::ExitCode;
using datum::tools::ToolError;

// An option whose value is a whole number.
template <class T>
void add_number(CLI::App& app, const std::string& name, T& value, const std::string& what,
                const std::string& unit, std::uint64_t least, std::uint64_t most) {
  app.add_option(name, value, what)
      ->type_name(unit)
      ->check(datum::tools::whole_number(least, most))
      ->capture_default_str();
}

void add_roles(CLI::App& app, CommandLine& line) {
  auto* host = app.add_option("HOST", line.host, "the machine on which dat-perf --server runs");
  auto* local = app.add_flag("--local", line.local, "run both sides here, each on its core");
  auto* server = app.add_flag("--server", line.server, "wait for clients, and do what they ask");
  host->excludes(local)->excludes(server);
  local->excludes(server);
  datum::tools::add_ia_option(app, line);
  app.add_option("--port", line.port, "connection qualifier; the server: 0 for any free one")
      ->type_name("QUAL")
      ->check(datum::tools::whole_number(0))
      ->default_str(std::to_string(datum::perf::kDefaultPort));
  app.add_flag("--once", line.once, "the server ends after one client")->needs(server);
  add_number(app, "--timeout", line.timeout_s,
             "give up connecting, or a client that says nothing, after this long", "SECONDS", 1,
             3600);
}

void add_transport(CLI::App& app, CommandLine& line) {
  app.add_option("--netns", line.netns,
                 "run the passive side of --local in network namespace NAME, at ADDRESS: traffic\n"
                 "then crosses the link between the namespaces")
      ->type_name("NAME=ADDRESS")
      ->check(CLI::Validator(datum::perf::netns_objection, ""))
      ->needs("--local");
  app.add_option("--transport", line.transport,
                 "what connections may take: shared memory, TCP, or the best of them. On one\n"
                 "side it restricts both; not given, it is what DATUM_TRANSPORT says")
      ->type_name("auto|shm|tcp")
      ->check(CLI::Validator(datum::perf::transport_objection, ""));
}

// CLI11's own delimiter() cannot be used: after an empty list it takes the next option as a word.
CLI::Option* add_list(CLI::App& app, const std::string& name, const std::string& what,
                      std::vector<std::string>& words, const std::vector<std::string>& allowed) {
  const auto objection = [is_one = datum::tools::one_of(allowed)](const std::string& list) {
    for (std::string word : datum::perf::words_of({list}))
      if (std::string why = is_one(word); !why.empty()) return why;
    return std::string();
  };
  return app
      .add_option_function<std::vector<std::string>>(
          name,
          [&words](const std::vector<std::string>& lists) { words = datum::perf::words_of(lists); },
          what)
      ->type_name("LIST")
      ->check(CLI::Validator(objection, ""))
      ->allow_extra_args(false);
}

void add_tasks(CLI::App& app, CommandLine& line) {
  app.add_flag("--quick", line.quick, "a short table of the most asked questions, in some seconds");
  add_list(app, "-t,--test",
           fmt::format("what to measure: {}", fmt::join(datum::perf::test_names(), " ")),
           line.tests, datum::perf::test_names());
  app.add_option("-s,--size", line.sizes, "bytes: 8,4k,64k or a sweep 1..64M or 1..64M*4")
      ->type_name("LIST")
      ->capture_default_str();
  add_list(app, "-m,--memory", "ordinary, shareable or both, with a comma", line.memories,
           {"ordinary", "shareable"})
      ->default_str("ordinary");
  app.add_flag("--huge", line.huge, "memory on huge pages, if the kernel has some");
  app.add_option("-w,--wait", line.wait, "poll: dat_evd_dequeue; block: dat_evd_wait")
      ->type_name("poll|block")
      ->check(datum::tools::one_of({"poll", "block"}))
      ->capture_default_str();
  app.add_option("--target", line.target,
                 "what the target of RDMA does: poll its EVD, look at its memory only, sleep")
      ->type_name("poll|memory|sleep")
      ->check(datum::tools::one_of({"poll", "memory", "sleep"}))
      ->capture_default_str();
  add_number(app, "--window", line.window, "operations in flight on each endpoint", "N", 1,
             datum::perf::kMaxWindow);
  add_number(app, "--endpoints", line.endpoints, "connections, used in turn", "N", 1,
             datum::perf::kMaxEndpoints);
  add_number(app, "--beside", line.beside, "further connections, on which nothing happens", "N", 0,
             datum::perf::kMaxEndpoints);
}

void add_method(CLI::App& app, CommandLine& line) {
  add_number(app, "--repeat", line.repeat, "repetitions: the table shows min, median, max", "N", 1,
             1000);
  add_number(app, "--time", line.time_ms, "length of a repetition", "MS", 1, 600000);
  add_number(app, "--idle-time", line.idle_s, "how long the test \"idle\" watches", "SECONDS", 1,
             86400);
  app.add_flag("--no-limits", line.no_limits, "do not measure what the machine allows");
  app.add_flag("--compare", line.compare,
               "run the tools of UCX and libfabric, iperf3, sockperf and qperf that measure the\n"
               "same after each line; a server: let its clients do so");
  auto* pin = app.add_flag("--no-pin", line.no_pin, "--local: let the kernel choose the cores")
                  ->needs("--local");
  app.add_option("--core", line.core, "run this process on that core (--local chooses two itself)")
      ->type_name("N")
      ->check(datum::tools::whole_number(0, 1023))
      ->excludes(pin)
      ->excludes("--local");
}

void add_output(CLI::App& app, CommandLine& line) {
  auto* json = app.add_flag("--json", line.json, "JSON on stdout instead of the table");
  app.add_flag("--csv", line.csv, "CSV on stdout instead of the table")
      ->excludes(json)
      ->excludes("--compare");
  app.add_option("--plot", line.plot, "draw the results over the size, with the limits, as SVG")
      ->type_name("FILE")
      ->check(CLI::Validator(datum::perf::plot_objection, ""));
  app.add_flag("-q,--quiet", line.quiet, "no progress line, no log");
}

constexpr std::array kForServers = {"--server",  "--ia",   "--port",      "--once", "--timeout",
                                    "--compare", "--core", "--transport", "--quiet"};

// The client chooses the tests. A server would ignore these options, so it refuses them.
void refuse_options_of_clients(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options())
    if (option->count() > 0 &&
        std::find(kForServers.begin(), kForServers.end(), option->get_name()) == kForServers.end())
      throw ToolError(
          ExitCode::Usage,
          fmt::format("--server takes no {}, its clients do; see --help", option->get_name()));
}

constexpr std::array kNotWithQuick = {"--test",   "--size",   "--memory",    "--huge",  "--wait",
                                      "--target", "--window", "--endpoints", "--beside"};

// The table of --quick is fixed: it has the same tests on every machine.
void refuse_tests_beside_quick(const CLI::App& app) {
  for (const char* name : kNotWithQuick)
    if (app.count(name) > 0)
      throw ToolError(ExitCode::Usage,
                      fmt::format("--quick has tests of its own: leave out {}, or --quick", name));
}

ExitCode serve(const CommandLine& line) {
  datum::perf::ServerOptions options;
  options.ia = line.ia;
  options.port = line.port;
  options.once = line.once;
  options.timeout = std::chrono::seconds(line.timeout_s);
  options.quiet = line.quiet;
  options.compare = line.compare;
  return datum::perf::run_server(options);
}

} // namespace

int main(int argc, char** argv) try {
  CLI::App app("Measures DAT between two processes: latency, rate, bandwidth.", "dat-perf");
  CommandLine line;
  line.port = datum::perf::kDefaultPort;
  add_roles(app, line);
  add_transport(app, line);
  add_tasks(app, line);
  add_method(app, line);
  add_output(app, line);
  app.footer("Latencies of sends and writes are half a round trip, of reads the whole of it.\n"
             "Exit: 0 measured, 1 failed, 2 usage or set-up, 3 interrupted, 4 the other side was\n"
             "lost, 5 refused. See dat-perf(1).");
  return datum::tools::run_tool(app, argc, argv, [&] {
    if (!line.local && !line.server && line.host.empty())
      throw ToolError(ExitCode::Usage, "name a HOST, or use --local or --server (see --help)");
    if (line.server) refuse_options_of_clients(app);
    if (line.quick) refuse_tests_beside_quick(app);
    if (!line.host.empty() && line.port == 0)
      throw ToolError(ExitCode::Usage,
                      "--port 0: for a server that takes any free port; give the port "
                      "that the server printed");
    datum::tools::catch_interrupts();
    datum::tools::raise_file_limit();
    // The provider reads this variable when an IA is opened, on both sides of --local.
    if (!line.transport.empty()) setenv("DATUM_TRANSPORT", line.transport.c_str(), 1);
    if (line.core >= 0)
      datum::perf::pin_to(line.core, "taskset -p $$ shows the usable ones; without --core the "
                                     "kernel chooses");
    return line.server ? serve(line) : datum::perf::run_client(line);
  });
} catch (const std::exception& error) {
  return datum::tools::out_of_memory("dat-perf", error);
}

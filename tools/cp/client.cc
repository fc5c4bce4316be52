// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cp/client.h"

#include <unistd.h>

#include <cstdlib>
#include <optional>

#include <fmt/format.h>

#include "common/std_streams.h"
#include "cp/console.h"
#include "cp/descriptors.h"
#include "cp/handshake.h"
#include "cp/hello.h"
#include "cp/remote_path.h"
#include "cp/roots.h"
#include "cp/sink.h"
#include "cp/source.h"

namespace datum::cp {

using tools::ExitCode;
using tools::ToolError;

namespace {

// The meaning of the command line. Everything local is opened before the client connects to the
// server.
struct Plan {
  RemotePath remote;                // host and port; the path is in job or in remote_paths
  std::vector<Root> roots;          // put
  std::vector<std::string> missing; // put: the reason for each source that is not among the roots
  Destination destination;          // get
  std::vector<std::string> remote_paths;
  Job job;
};

void plan_put(const ClientOptions& options, Plan& plan) {
  plan.remote = parse_remote(options.paths.back());
  RootFolders folders;
  std::vector<std::string> names;
  for (std::size_t i = 0; i + 1 < options.paths.size(); ++i) {
    try {
      plan.roots.push_back(local_root(options.paths[i], folders));
      names.push_back(plan.roots.back().path);
    } catch (const MissingSource& error) {
      plan.missing.emplace_back(error.what());
    }
  }
  require_distinct(names, ExitCode::Usage);
  plan.job.destination = plan.remote.path;
  plan.job.into_folder = options.paths.size() > 2 || names_a_folder(plan.remote.path);
}

void plan_get(const ClientOptions& options, Plan& plan) {
  const std::size_t count = options.paths.size() - 1;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) {
    const RemotePath remote = parse_remote(options.paths[i]);
    if (i > 0 && (remote.host != plan.remote.host || remote.port != plan.remote.port))
      throw ToolError(ExitCode::Usage, "one get talks to one server; run one for each");
    plan.remote = remote;
    plan.remote_paths.push_back(remote.path);
    names.push_back(requested_name(remote.path));
  }
  require_distinct(names, ExitCode::Usage);
  const std::string& to = options.paths.back();
  plan.destination = local_destination(to, count > 1 || names_a_folder(to), options.mode);
  plan.destination.requested = std::move(names);
}

Plan make_plan(const ClientOptions& options) {
  Plan plan;
  plan.job.direction = options.direction;
  plan.job.method = options.method;
  plan.job.mode = options.mode;
  plan.job.chunk_size = options.chunk_size;
  plan.job.depth = options.depth;
  // Only the progress bar uses a Total.
  plan.job.count = options.quiet || isatty(STDERR_FILENO) == 0 ? 0 : 1;
  plan.job.compare = options.compare ? 1 : 0;
  if (options.direction == Direction::Put)
    plan_put(options, plan);
  else
    plan_get(options, plan);
  return plan;
}

// CLI11's envname() cannot be used: an option on the command line must take precedence over the
// environment.
Token require_token(const std::optional<std::string>& given) {
  const char* const environment = std::getenv("DAT_CP_TOKEN");
  const std::string text = given ? *given : environment != nullptr ? environment : "";
  if (text.empty())
    throw ToolError(ExitCode::Usage, "no token (the server prints one; give it with --token or in "
                                     "DAT_CP_TOKEN)");
  const auto token = parse_token(text);
  if (!token)
    throw ToolError(ExitCode::Usage, "the token is not 32 hexadecimal digits (copy the server's "
                                     "\"token:\" line whole)");
  return *token;
}

// Connects to the server. Returns the server's pid.
std::uint32_t greet(Channel& channel, const Plan& plan, const Token& token) {
  const std::string peer = fmt::format("{} port {}", plan.remote.host, plan.remote.port);
  const std::string data = channel.connect(
      tools::resolve(plan.remote.host), plan.remote.port,
      encode(Hello{kProtocolVersion, static_cast<std::uint32_t>(getpid()), token}), peer);
  const auto answer = decode_answer(data);
  if (!answer)
    throw ToolError(ExitCode::Refused,
                    peer + ": what listens there is not dat-cp; is the port right?");
  if (answer->answer == Answer::WrongVersion)
    throw ToolError(ExitCode::Refused,
                    fmt::format("{}: it speaks version {} of the protocol, we {}; install the same "
                                "release on both sides",
                                peer, answer->version, kProtocolVersion));
  if (answer->answer == Answer::WrongToken)
    throw ToolError(ExitCode::Refused, peer + ": wrong token; each is good for one copy, use the "
                                              "last one that the server printed");
  return answer->pid;
}

void send_paths(Channel& channel, const std::vector<std::string>& paths) {
  for (const std::string& path : paths) channel.send(Path{path});
  channel.send(PathsEnd{});
}

void run_job(Channel& channel, Plan plan, Reporter& reporter) {
  channel.send(plan.job);
  const bool put = plan.job.direction == Direction::Put;
  if (!put) send_paths(channel, plan.remote_paths);
  const Terms terms = terms_of(plan.job);
  exchange_slots(channel, terms, put ? Role::Source : Role::Sink);
  if (put)
    Source(channel, terms, std::move(plan.roots), reporter, std::move(plan.missing)).run();
  else
    Sink(channel, terms, std::move(plan.destination), reporter, usual_workers()).run();
}

// Ends a put if none of its sources exists. It calls no server, because that would use up the
// server's token.
ExitCode put_nothing(const ClientOptions& options, const Plan& plan) {
  Console console(terms_of(plan.job), options.quiet, options.common.json);
  for (const std::string& why : plan.missing) console.problem(Severity::Error, why);
  console.finish("put", std::nullopt);
  return ExitCode::Failed;
}

} // namespace

ExitCode run_client(const ClientOptions& options) {
  const Token token = require_token(options.token);
  Plan plan = make_plan(options);
  if (options.direction == Direction::Put && plan.roots.empty()) return put_nothing(options, plan);
  SpareDescriptors spare;
  const tools::Interface ia(options.common.ia);
  Channel channel(ia, options.timeout);
  const std::uint32_t server_pid = greet(channel, plan, token);
  spare.give_back();
  Console console(terms_of(plan.job), options.quiet, options.common.json);
  with_abort(channel, [&] { run_job(channel, std::move(plan), console); });
  // The path is queried while the channel is connected, and after the copy, because the copy may
  // have changed it.
  const std::string path = channel.path();
  const std::string route = fmt::format("process {} to process {}{}{}", getpid(), server_pid,
                                        path.empty() ? "" : " over ", path);
  channel.finish();
  console.finish(options.direction == Direction::Put ? "put" : "get", route);
  const bool complete = console.summary.failed == 0 && console.summary.differing == 0;
  return complete ? ExitCode::Ok : ExitCode::Failed;
}

} // namespace datum::cp

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cp/serving.h"

#include <sys/stat.h>

#include <fmt/format.h>

#include "common/tool_error.h"
#include "cp/file_error.h"
#include "cp/handshake.h"
#include "cp/sink.h"
#include "cp/source.h"

namespace datum::cp {
namespace {

Terms acceptable_terms(const Job& job) {
  if (job.chunk_size < kMinChunk || job.chunk_size > kMaxChunk || job.depth < kMinDepth ||
      job.depth > kMaxDepth)
    protocol_error(fmt::format("a job with {} chunks of {} bytes", job.depth, job.chunk_size));
  return terms_of(job);
}

struct Requests {
  std::vector<Root> roots;
  std::vector<std::string> missing; // the reason for each path that is not among the roots
};

Requests requested_roots(Channel& channel, const Served& served) {
  Requests requests;
  RootFolders folders;
  std::vector<std::string> names;
  for (;;) {
    const LinkEvent event = channel.next();
    const auto* message = std::get_if<Message>(&event);
    if (message == nullptr) protocol_error("data nobody asked for");
    if (std::holds_alternative<PathsEnd>(*message)) break;
    const auto* path = std::get_if<Path>(message);
    if (path == nullptr) protocol_error("something else than a path");
    if (names.size() == kMaxPaths)
      throw tools::ToolError(
          tools::ExitCode::Failed,
          fmt::format("more than {} paths in one get; name a folder", kMaxPaths));
    names.push_back(requested_name(path->path));
    try {
      requests.roots.push_back(served_root(served, path->path, folders));
    } catch (const MissingSource& error) {
      requests.missing.emplace_back(error.what());
    }
  }
  // The client could not distinguish equal names, and each name costs a walk over a tree.
  require_distinct(names, tools::ExitCode::Failed);
  return requests;
}

// A folder that was removed can stay open, but it has no names and takes none.
void require_there(const Served& served) {
  struct stat st = {};
  if (fstat(served.folder, &st) == 0 && st.st_nlink == 0)
    throw tools::ToolError(tools::ExitCode::Failed,
                           fmt::format("the folder {} that is served was removed; serve one that "
                                       "is there",
                                       shown(served.name)));
}

void carry_out(Channel& channel, const Served& served, Reporter& reporter) {
  require_there(served);
  const Job job = expect<Job>(channel, "something else than a job");
  const Terms terms = acceptable_terms(job);
  if (job.direction == Direction::Put) {
    Destination destination = served_destination(served, job.destination, job.into_folder != 0);
    exchange_slots(channel, terms, Role::Sink);
    Sink(channel, terms, std::move(destination), reporter, usual_workers()).run();
  } else {
    Requests requests = requested_roots(channel, served);
    exchange_slots(channel, terms, Role::Source);
    Source(channel, terms, std::move(requests.roots), reporter, std::move(requests.missing)).run();
  }
}

} // namespace

void serve_job(Channel& channel, const Served& served, Reporter& reporter) {
  with_abort(channel, [&] { carry_out(channel, served, reporter); });
  try {
    channel.await_disconnect();
  } catch (const tools::ToolError& error) {
    // A signal that comes now ends the server, but the copy is complete.
    if (error.code() != tools::ExitCode::Interrupted) throw;
  }
}

} // namespace datum::cp

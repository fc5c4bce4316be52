// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cp/session.h"

#include <unistd.h>

#include <fmt/format.h>

#include "common/tool_error.h"

namespace datum::cp {

using tools::ExitCode;
using tools::ToolError;

std::uint64_t& Summary::number_of(Outcome outcome) {
  switch (outcome) {
  case Outcome::Copied: return copied;
  case Outcome::Unchanged: return unchanged;
  case Outcome::WouldCopy: return would_copy;
  case Outcome::Differs: return differing;
  case Outcome::Failed: break;
  }
  return failed;
}

Terms terms_of(const Job& job) {
  return {job.method, job.mode, job.chunk_size, job.depth, job.count != 0, job.compare != 0};
}

void Reporter::outcome(Outcome outcome, const std::string&, std::uint64_t size,
                       const std::string&) {
  ++summary.number_of(outcome);
  if (outcome == Outcome::Unchanged) summary.bytes_unchanged += size;
}

void Reporter::problem(Severity severity, const std::string&) {
  ++(severity == Severity::Error ? summary.failed : summary.left_out);
}

void Reporter::folder(Outcome outcome, const std::string& path, const std::string& text) {
  if (outcome != Outcome::Failed) folders_[path] = outcome;
  this->outcome(outcome, path, 0, text);
}

void Reporter::folder_end(Outcome outcome, const std::string& path, const std::string& text) {
  const auto counted = folders_.extract(path);
  if (outcome != Outcome::Failed) return;
  if (!counted.empty()) --summary.number_of(counted.mapped());
  this->outcome(outcome, path, 0, text);
}

void obey(const Abort& abort) {
  // The peer was interrupted. The command itself is right.
  if (abort.exit_code == static_cast<std::uint8_t>(ExitCode::Interrupted))
    throw ToolError(ExitCode::PeerLost, fmt::format("the other side was interrupted: {}; run the "
                                                    "command again to continue",
                                                    abort.text));
  // The peer waited in vain for this process, which was stopped or whose disk was stuck.
  if (abort.exit_code == static_cast<std::uint8_t>(ExitCode::PeerLost))
    throw ToolError(ExitCode::PeerLost,
                    fmt::format("the other side gave up on this process, {}: {}; run the command "
                                "again to continue",
                                getpid(), abort.text));
  const bool refused = abort.exit_code == static_cast<std::uint8_t>(ExitCode::Refused);
  throw ToolError(refused ? ExitCode::Refused : ExitCode::Failed,
                  fmt::format("the other side stopped: {}", abort.text));
}

void protocol_error(std::string_view what) {
  throw ToolError(ExitCode::Failed,
                  fmt::format("protocol error: the other side sent {}; is it dat-cp of the same "
                              "version?",
                              what));
}

} // namespace datum::cp

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/session.h: what source and sink share: the terms, the counters and the errors of the session.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "cp/link.h"
#include "cp/protocol.h"

namespace datum::cp {

struct Terms {
  Method method{};
  Mode mode{};
  std::uint32_t chunk_size = 0, depth = 0;
  bool count = true; // the source begins with a Total
  // True: compares the contents of files that are equal by size, time and permissions
  bool compare = false;
};

// The terms of a job.
Terms terms_of(const Job& job);

struct Summary {
  std::uint64_t copied = 0, unchanged = 0, would_copy = 0, differing = 0, failed = 0, left_out = 0;
  std::uint64_t compared = 0;      // files whose checksums agree
  std::uint64_t skipped = 0;       // files that were taken for the same by size, time, permissions
  std::uint64_t bytes_moved = 0;   // by RDMA
  std::uint64_t bytes_resumed = 0; // already there from an earlier run, and verified
  std::uint64_t bytes_holes = 0;   // announced, not moved
  std::uint64_t bytes_unchanged = 0;
  std::uint64_t& number_of(Outcome outcome); // the number of names with this outcome
  // The octets that are settled so far, in the unit of Total::bytes.
  [[nodiscard]] std::uint64_t bytes_settled() const {
    return bytes_moved + bytes_resumed + bytes_holes + bytes_unchanged;
  }
};

// Counts outcomes and problems. A derived class shows them.
class Reporter {
 public:
  virtual ~Reporter() = default;
  virtual void total(const Total&) {}
  virtual void progress(std::string_view /*path*/) {}
  // `size`: the size of a file, or 0.
  virtual void outcome(Outcome outcome, const std::string& path, std::uint64_t size,
                       const std::string& text);
  virtual void problem(Severity severity, const std::string& text);

  // A folder is counted once, by outcome(), when it is offered. If its end fails, the failure
  // replaces that outcome.
  void folder(Outcome outcome, const std::string& path, const std::string& text);
  void folder_end(Outcome outcome, const std::string& path, const std::string& text);

  Summary summary;

 private:
  std::map<std::string, Outcome> folders_; // folders whose end has not come, except failed ones
};

// Throws the ToolError that an Abort asks for.
[[noreturn]] void obey(const Abort& abort);

// Throws Failed: the peer broke the protocol.
[[noreturn]] void protocol_error(std::string_view what);

} // namespace datum::cp

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/console.h: the output of the client, during the copy and at its end.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "common/progress.h"
#include "cp/session.h"

namespace datum::cp {

class Console final : public Reporter {
 public:
  Console(Terms terms, bool quiet, bool json);

  void total(const Total& total) override;
  void progress(std::string_view path) override;
  void outcome(Outcome outcome, const std::string& path, std::uint64_t size,
               const std::string& text) override;
  void problem(Severity severity, const std::string& text) override;

  // Prints the last line, or the JSON object. `what`: "put" or "get". Without a route no server was
  // called.
  void finish(const std::string& what, const std::optional<std::string>& route);

 private:
  void complain(const std::string& text);
  [[nodiscard]] std::string moved_text(std::chrono::nanoseconds elapsed) const;
  void print_line(const std::string& what, const std::optional<std::string>& route,
                  std::chrono::nanoseconds elapsed) const;
  void print_json(const std::string& what, const std::optional<std::string>& route,
                  std::chrono::nanoseconds elapsed) const;

  Terms terms_;
  bool quiet_, json_;
  tools::Progress bar_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

} // namespace datum::cp

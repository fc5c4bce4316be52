// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// perf/session.h: the active side: one client, one server, one task after another.
// Lives here: agreeing with the server on each run. Not here: how often and what it means
// (measure.h).
#pragma once

#include <memory>

#include "perf/churn.h"
#include "perf/control.h"
#include "perf/probe.h"
#include "perf/runs.h"
#include "perf/usage.h"

namespace datum::perf {

struct Peer {
  tools::Address address;
  DAT_CONN_QUAL port = 0;
  std::string name;
};

class Session {
 public:
  Session(const tools::Interface& ia, const Peer& peer, std::chrono::milliseconds timeout,
          Probe* probe);
  ~Session(); // says goodbye
  // The peer was found dead or silent: it is not waited for once more.
  void give_up() { peer_lost_ = true; }

  void begin(const Task& task); // connects its endpoints
  void end();
  Outcome run(const Order& order);
  double churn(std::uint32_t at_once, std::uint64_t count);

  // What the passive side does for --compare: which programs it has (a bit for each; throws
  // ToolError(Usage) if it may not run any), the tool's server, and its end.
  std::uint64_t programs();
  Message start_tool(const Message& wanted); // the ports on which it listens
  void end_tool();

  double probe(); // 0: cannot be told, the processes share no page
  Usage peer_usage();
  std::uint64_t peer_processor_time();                               // us
  [[nodiscard]] std::string path() const { return control_.path(); } // "" where it is not told
  [[nodiscard]] const std::string& remark() const { return remark_; }

 private:
  void expect(const Message& message, const char* verb) const;

  const tools::Interface& ia_;
  Peer peer_;
  std::chrono::milliseconds timeout_;
  Probe* probe_;
  Control control_;
  std::unique_ptr<Link> link_;
  std::string remark_;
  std::uint64_t session_ = 0;
  bool peer_lost_ = false;
};

} // namespace datum::perf

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// perf/session.h: the active side: one client, one server, one task after another.
// Lives here: agreeing with the server on each run.
// Not here:   how often a run is repeated and what it means (measure.h).
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
  ~Session(); // closes the connection in order, unless give_up() was called
  // Called if the peer is dead or silent. Then the destructor does not wait for the peer.
  void give_up() { peer_lost_ = true; }

  void begin(const Task& task); // connects the endpoints
  void end();
  Outcome run(const Order& order);
  double churn(std::uint32_t at_once, std::uint64_t count);

  // For --compare. programs(): a bit for each program that the passive side has; throws
  // ToolError(Usage) if that side was started without --compare. start_tool() and end_tool(): start
  // and end the server of a compared tool on the passive side.
  std::uint64_t programs();
  Message start_tool(const Message& wanted); // returns the ports on which the tool listens
  void end_tool();

  // The ns that a cache line takes from one side's core to the other's; 0: unknown (no shared page,
  // or no answer).
  double probe();
  Usage peer_usage();
  std::uint64_t peer_processor_time(); // us
  // "": the provider does not tell the path
  [[nodiscard]] std::string path() const { return control_.path(); }
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

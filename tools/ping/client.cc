// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "ping/client.h"

#include <algorithm>

#include <fmt/format.h>

#include "common/address.h"
#include "common/dat_error.h"
#include "common/human.h"
#include "common/interrupt.h"
#include "common/json.h"
#include "common/std_streams.h"
#include "common/text_line.h"
#include "ping/connection.h"
#include "ping/facts.h"
#include "ping/payload.h"
#include "ping/statistics.h"

namespace datum::ping {

using tools::ExitCode;
using tools::ToolError;

namespace {

using Clock = std::chrono::steady_clock;

std::int64_t ns_since(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
}

class Client {
 public:
  explicit Client(const ClientOptions& options)
      : options_(options), ia_(options.ia),
        evd_(make_evd(ia_, 64, DAT_EVD_DTO_FLAG | DAT_EVD_CONNECTION_FLAG)),
        connection_(ia_, evd_, options.size) {}
  void connect();
  void ping(); // until the count is reached, a signal comes or the connection ends
  ExitCode sum_up() const;

 private:
  enum class Answer { Right, Wrong, None };

  void ping_once(std::uint64_t sequence);
  Answer await_answer(std::uint64_t sequence);
  Answer judge(const DAT_EVENT& event, std::uint64_t sequence);
  void rest(Clock::time_point until);
  void tell_facts() const;
  void look_at_way(bool tell);
  [[nodiscard]] std::string peer_name() const {
    return fmt::format("{} port {}", options_.host, options_.port);
  }
  [[nodiscard]] bool talks() const { return !options_.quiet && !options_.json; }

  ClientOptions options_;
  tools::Interface ia_;
  tools::Evd evd_;
  Connection connection_;
  Statistics statistics_;
  std::int64_t connect_ns_ = 0;
  std::string greeting_; // the private data with which the server accepted
  Facts facts_;
  Bounds bounds_;
  bool is_awaiting_ = false; // the answer to the last ping is outstanding
  std::string end_;          // why the connection ended before the client was done
};

void Client::connect() {
  const auto start = Clock::now();
  greeting_ = tools::connect(connection_.ep(), evd_, tools::resolve(options_.host, options_.family),
                             options_.port, kHello, options_.timeout, peer_name());
  connect_ns_ = ns_since(start);
  facts_ = facts_of(connection_.ep());
  bounds_ = bounds_of(ia_);
  if (!talks()) return;
  tools::print_line("DAT PING {} over {}: {}connected in {}", peer_name(), ia_.name(),
                    facts_.way.path.empty() ? "" : fmt::format("path {}, ", facts_.way.path),
                    tools::human_duration(std::chrono::nanoseconds(connect_ns_)));
  if (options_.verbose) tell_facts();
  tools::flush_output();
}

void Client::tell_facts() const {
  tools::print_line("  adapter       {}, {}", ia_.name(), ia_.address());
  tools::print_text(text_of(facts_, bounds_, kHello, greeting_));
  tools::print_line(
      "  pings         {} bytes, {}; an answer may take {}, waited for {}", options_.size,
      options_.interval.count() == 0 ? "one after the other"
                                     : "every " + tools::human_duration(options_.interval),
      tools::human_duration(options_.timeout), options_.poll ? "spinning" : "asleep");
}

// The first operation may change the path to a faster one. tell: print that change.
void Client::look_at_way(bool tell) {
  Way now = facts_of(connection_.ep()).way;
  if (now.path.empty() || now == facts_.way) return;
  facts_.way = std::move(now);
  if (tell) tools::print_line("path is now {}", text_of(facts_.way));
}

// After a failed receive, a connection event comes, which tells the cause.
Client::Answer Client::judge(const DAT_EVENT& event, std::uint64_t sequence) {
  if (event.event_number != DAT_DTO_COMPLETION_EVENT)
    throw ToolError(ExitCode::PeerLost, tools::connection_failure(event.event_number, peer_name()));
  const auto& done = event.event_data.dto_completion_event_data;
  if (done.status != DAT_DTO_SUCCESS || !Connection::is_receive(done)) return Answer::None;
  const std::span<const std::byte> bytes = connection_.arrived(done);
  const auto found = check(bytes);
  const bool whole = bytes.size() == options_.size;
  connection_.receive_again(done);
  if (!found || !whole) return Answer::Wrong;
  // An answer to an earlier ping has come after the timeout of that ping, which counts as lost.
  return *found == sequence ? Answer::Right : Answer::None;
}

Client::Answer Client::await_answer(std::uint64_t sequence) {
  const tools::Deadline deadline = tools::after(options_.timeout);
  for (std::uint64_t looks = 0;; ++looks) {
    std::optional<DAT_EVENT> event;
    if (!options_.poll) {
      event = tools::wait_event(evd_, deadline);
      if (!event) return Answer::None;
    } else {
      event = tools::poll_event(evd_);
      if (!event && looks % 4096 == 0) {
        tools::throw_if_interrupted();
        if (Clock::now() >= deadline) return Answer::None;
      }
    }
    if (!event) continue;
    if (const Answer answer = judge(*event, sequence); answer != Answer::None) return answer;
  }
}

void Client::ping_once(std::uint64_t sequence) {
  fill(connection_.outgoing(), sequence);
  const auto start = Clock::now();
  connection_.send(options_.size);
  statistics_.sent();
  is_awaiting_ = true;
  const Answer answer = await_answer(sequence);
  is_awaiting_ = false;
  const auto ns = static_cast<double>(ns_since(start));
  if (answer == Answer::Right)
    statistics_.received(ns);
  else if (answer == Answer::Wrong)
    statistics_.corrupt();
  if (!talks()) return;
  if (answer == Answer::Right)
    tools::print_line("{} bytes from {}: seq={} time={:.2f} us", options_.size, peer_name(),
                      sequence, ns / 1e3);
  else
    tools::print_line("{}: seq={} {}", peer_name(), sequence,
                      answer == Answer::Wrong ? "came back with other bytes" : "no answer in time");
  if (options_.verbose) look_at_way(true);
  tools::flush_output();
}

// Waits for events until `until`, so that the end of the connection is noticed at once.
void Client::rest(Clock::time_point until) {
  while (const auto event = tools::wait_event(evd_, until)) judge(*event, UINT64_MAX);
}

void Client::ping() {
  try {
    for (std::uint64_t sequence = 1;; ++sequence) {
      const auto next = Clock::now() + options_.interval;
      ping_once(sequence);
      if (sequence == options_.count) break;
      if (options_.interval.count() > 0) rest(next);
      tools::throw_if_interrupted();
    }
  } catch (const ToolError& error) {
    if (error.code() != ExitCode::Interrupted)
      end_ = error.what();
    else if (is_awaiting_)
      statistics_.interrupted();
  }
  look_at_way(false);
}

ExitCode Client::sum_up() const {
  if (options_.json) {
    tools::JsonObject object;
    object.add("host", options_.host)
        .add("port", options_.port)
        .add("size", options_.size)
        .add("connect_ns", connect_ns_)
        .add("adapter", ia_.name())
        .add("adapter_address", ia_.address())
        .add("path", facts_.way.path)
        .add("path_reason", facts_.way.reason)
        .add("local_address", facts_.local.address)
        .add("local_port", facts_.local.port)
        .add("peer_address", facts_.peer.address)
        .add("peer_port", facts_.peer.port)
        .add("private_data", greeting_)
        .add("max_private_data", bounds_.private_data)
        .add("max_message_size", bounds_.message)
        .add("max_requests", facts_.requests)
        .add("max_receives", facts_.receives)
        .add_raw("max_rdma_reads_in", tools::json_number(facts_.reads_in))
        .add_raw("max_rdma_reads_out", tools::json_number(facts_.reads_out));
    add_to(object, statistics_);
    tools::print_line("{}", object.text());
  } else {
    tools::print_text((talks() ? "\n" : "") +
                      tools::text_line("--- {} dat-ping statistics ---", peer_name()) +
                      text_of(statistics_));
  }
  if (!end_.empty()) tools::log_line(fmt::format("dat-ping: {}", end_));
  return statistics_.all_answered() && end_.empty() ? ExitCode::Ok : ExitCode::Failed;
}

} // namespace

ExitCode run_client(const ClientOptions& options) {
  Client client(options);
  client.connect();
  client.ping();
  return client.sum_up();
}

} // namespace datum::ping

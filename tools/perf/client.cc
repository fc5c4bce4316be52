// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "perf/client.h"

#include <algorithm>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "common/address.h"
#include "common/file_limit.h"
#include "common/progress.h"
#include "common/text_line.h"
#include "perf/compare.h"
#include "perf/local.h"
#include "perf/machine.h"
#include "perf/plot.h"
#include "perf/plot_file.h"
#include "perf/report.h"

namespace datum::perf {

using tools::ExitCode;
using tools::ToolError;

namespace {

constexpr auto kQuickEnough = std::chrono::seconds(5);
constexpr auto kQuickOver = std::chrono::seconds(8);

// Over TCP a connection takes a descriptor on each side for as long as it exists. Over shared
// memory it takes one only while it is made.
bool takes_descriptors(const Task& task) {
  return task.transport == Transport::Tcp || task.kind == Kind::Connect;
}

// Throws before the measurement if there are too few descriptors. Otherwise connections over shared
// memory would wait for descriptors until their time is over. open: the descriptors that a process
// has without the connections.
void require_descriptors(const Task& task, std::uint64_t open, bool compared) {
  const std::uint64_t connections = connections_at_once(task);
  const std::uint64_t wanted = descriptors_for(task, open, compared);
  if (wanted <= tools::file_limit()) return;
  throw ToolError(
      ExitCode::Usage,
      fmt::format("{}: {} connection{} over {} need{} {} descriptors, and this process "
                  "may have {} (ulimit -Hn; root and systemd's LimitNOFILE raise it)",
                  test_name(task), connections, connections == 1 ? "" : "s",
                  task.transport == Transport::Tcp ? "TCP" : "shared memory, made at once,",
                  connections == 1 ? "s" : "", wanted, tools::file_limit()));
}

// A task of a list that cannot be measured is skipped. It is wrong usage only if no task can be
// measured.
void require_some_to_measure(const std::vector<Task>& tasks) {
  const auto cannot_be = [](const Task& task) { return !objection(task).empty(); };
  if (!std::all_of(tasks.begin(), tasks.end(), cannot_be)) return;
  throw ToolError(ExitCode::Usage, fmt::format("nothing to measure: {}: {}",
                                               test_name(tasks.front()), objection(tasks.front())));
}

Plan plan_of(const CommandLine& line) {
  Plan plan;
  plan.repeat = line.quick ? std::min(line.repeat, 3U) : line.repeat;
  plan.tries = line.quick ? 2 : plan.tries;
  plan.run_ns = line.quick ? std::min(line.time_ms, 30U) * 1e6 : line.time_ms * 1e6;
  plan.idle_ns = line.idle_s * 1e9;
  return plan;
}

// The two sides of --local. The constructor makes all that must exist before this process uses DAT.
struct LocalSides {
  LocalSides(const CommandLine& line, bool wants_limits) {
    if (!line.netns.empty()) {
      far = far_side_of(line.netns);
      require_way_to(far);
    }
    const std::vector<int> cores = allowed_cores();
    const bool pin = !line.no_pin && cores.size() >= 2;
    if (wants_limits && cores.size() >= 2) limits = std::make_unique<LimitsHelper>(far);
    ServerOptions options;
    options.ia = line.ia;
    options.port = 0;
    options.compare = line.compare;
    options.far = far;
    if (cores.size() >= 2) options.probe = &probe;
    has_probe = cores.size() >= 2;
    server = std::make_unique<LocalServer>(options, pin ? cores[1] : -1);
    server->await_listening(); // a failure is thrown here, before the client side fails, too
    if (pin) pin_to(cores[0], kAdviceOfLocal);
  }
  FarSide far;
  Probe probe;
  bool has_probe = false;
  std::unique_ptr<LimitsHelper> limits;
  std::unique_ptr<LocalServer> server;
};

class Client {
 public:
  explicit Client(const CommandLine& line)
      : line_(line), plan_(plan_of(line)), tasks_(tasks_of(line)), machine_(this_machine()),
        as_table_(!line.json && !line.csv) {}
  ExitCode run();

 private:
  Peer peer(const tools::Interface& ia);
  void work(Session& session);
  void measure_all(Session& session);
  // "3/11 send-lat 8 B: 1 of 5, ours". The number comes first, because a narrow terminal cuts the
  // end.
  [[nodiscard]] std::string numbered(const std::string& step, std::size_t task) const {
    return fmt::format("{}/{} {}", task, tasks_.size(), step);
  }
  [[nodiscard]] Plan plan_now() const;
  [[nodiscard]] bool late(std::chrono::seconds time) const;
  [[nodiscard]] std::string tools_address() const;
  void compare(Result& result, tools::Progress& progress);
  Result measure_one(Session& session, const Task& task, tools::Progress& progress);
  void print_head() const;
  [[nodiscard]] std::string cores_line() const;
  void print_notes() const;
  void write_plot();
  [[nodiscard]] std::string repetitions() const;
  // Conditions that make all figures less reliable.
  [[nodiscard]] std::vector<std::string> warnings() const;

  CommandLine line_;
  Plan plan_;
  std::vector<Task> tasks_;
  Machine machine_;
  bool as_table_;
  std::string path_; // of the connections, in the provider's words
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::unique_ptr<LocalSides> sides_;
  std::vector<Result> results_;
  std::unique_ptr<Comparer> comparer_; // with --compare
  std::vector<Program> absent_;
  std::optional<PlotFile> plot_; // with --plot
};

Peer Client::peer(const tools::Interface& ia) {
  if (!sides_)
    return {tools::resolve(line_.host), line_.port,
            fmt::format("{} port {}", line_.host, line_.port)};
  const std::string& far = sides_->far.address;
  return {tools::resolve(far.empty() ? ia.address() : far), sides_->server->port(), "server side"};
}

ExitCode Client::run() {
  require_some_to_measure(tasks_);
  if (!line_.plot.empty()) {
    if (std::none_of(tasks_.begin(), tasks_.end(), is_plotted))
      throw ToolError(ExitCode::Usage,
                      "--plot draws latencies, rates and bandwidths over the size, and "
                      "none of these tests has one");
    plot_.emplace(line_.plot);
  }
  const bool wants_limits = line_.local && !line_.no_limits;
  if (line_.local) sides_ = std::make_unique<LocalSides>(line_, wants_limits);
  const tools::Interface ia(line_.ia);
  Session session(ia, peer(ia), std::chrono::seconds(line_.timeout_s),
                  sides_ && sides_->has_probe ? &sides_->probe : nullptr);
  try {
    for (const Task& task : tasks_) require_within_limits(ia, task);
    work(session);
  } catch (const ToolError& error) {
    if (error.code() == ExitCode::PeerLost) session.give_up();
    throw;
  }
  return ExitCode::Ok;
}

void Client::work(Session& session) {
  path_ = session.path();
  for (Task& task : tasks_) task.transport = transport_of(path_);
  if (std::any_of(tasks_.begin(), tasks_.end(), takes_descriptors)) {
    // The limit of a server that the user started separately is not known here.
    const std::uint64_t open =
        std::max(usage_now().descriptors, sides_ ? session.peer_usage().descriptors : 0);
    for (const Task& task : tasks_)
      if (takes_descriptors(task)) require_descriptors(task, open, line_.compare);
  }
  if (line_.compare) {
    comparer_ =
        std::make_unique<Comparer>(session, tools_address(), std::chrono::seconds(line_.timeout_s));
    absent_ = comparer_->absent(tasks_);
  }
  if (as_table_) print_head();
  measure_all(session);
  if (line_.json) tools::print_text(json_of(machine_, path_, plan_, results_, absent_));
  if (line_.csv) tools::print_text(csv_of(results_));
  if (as_table_) print_notes();
  if (plot_) write_plot();
}

void Client::measure_all(Session& session) {
  tools::Progress progress(0, line_.quiet);
  for (const Task& task : tasks_) {
    results_.push_back(measure_one(session, task, progress));
    if (comparer_) compare(results_.back(), progress);
    if (!as_table_) continue;
    progress.wipe();
    tools::print_text(table_row(results_.back()));
    tools::flush_output();
  }
}

std::string Client::tools_address() const {
  if (!line_.local) return line_.host;
  return sides_->far.address.empty() ? "127.0.0.1" : sides_->far.address;
}

void Client::compare(Result& result, tools::Progress& progress) {
  const auto before = std::chrono::steady_clock::now();
  result.comparisons = comparer_->compare(result, plan_.tries, [&](const std::string& step) {
    progress.say(numbered(step, results_.size()));
  });
  start_ += std::chrono::steady_clock::now() - before; // this time does not count against --quick
}

// A busy machine must not make --quick slow: after kQuickEnough each task is measured only once.
Plan Client::plan_now() const {
  Plan plan = plan_;
  if (late(kQuickEnough)) plan.repeat = plan.tries = 1;
  return plan;
}

bool Client::late(std::chrono::seconds time) const {
  return line_.quick && std::chrono::steady_clock::now() - start_ > time;
}

Result Client::measure_one(Session& session, const Task& task, tools::Progress& progress) {
  if (late(kQuickOver)) {
    Result skipped;
    skipped.task = task;
    skipped.skipped = "out of time for a quick table; this machine is busy";
    return skipped;
  }
  return measure(
      session, sides_ ? sides_->limits.get() : nullptr, task, plan_now(),
      [&](const std::string& step) { progress.say(numbered(step, results_.size() + 1)); });
}

void Client::print_head() const {
  tools::print_line("{}", text_of(machine_));
  tools::print_line("Path: {}", path_.empty() ? "this provider does not tell" : path_);
  std::string head;
  for (const std::string& warning : warnings()) head += warning + '\n';
  const auto is_idle = [](const Task& task) { return task.kind == Kind::Idle; };
  if (std::all_of(tasks_.begin(), tasks_.end(), is_idle))
    head += fmt::format("watched for {:.0f} s\n\n{}", plan_.idle_ns / 1e9, idle_head());
  else
    head += fmt::format("min / median / max of {}; percentiles of single rounds from a pass of "
                        "their own\n\n{}",
                        repetitions(), table_head());
  tools::print_text(head);
  tools::flush_output();
}

std::string Client::repetitions() const {
  return fmt::format("{} repetition{} of about {:.0f} ms", plan_.repeat,
                     plan_.repeat == 1 ? "" : "s", plan_.run_ns / 1e6);
}

std::vector<std::string> Client::warnings() const {
  std::vector<std::string> lines;
  if (is_busy(machine_))
    lines.push_back(
        fmt::format("This machine is busy, load {:.1f} on {} core{}: the figures, and the "
                    "limits beside them, mean little.",
                    machine_.load, machine_.cores, machine_.cores == 1 ? "" : "s"));
  if (machine_.cores == 0 && line_.local)
    lines.emplace_back("The kernel does not tell which cores may be used (sched_getaffinity): "
                       "neither side is pinned to one, and no limits stand beside the figures.");
  if (machine_.cores == 1 && line_.local)
    lines.emplace_back("Only one core: both sides take turns on it, and the figures are the "
                       "scheduler's.");
  return lines;
}

std::string Client::cores_line() const {
  std::vector<double> probes;
  for (const Result& result : results_)
    if (result.probe > 0) probes.push_back(result.probe);
  if (!sides_ || !sides_->has_probe)
    return "Cores: distance unknown (the probe needs --local and two cores)\n";
  if (probes.empty()) return {}; // no task with a probe was measured
  const Spread spread = spread_of(probes);
  return fmt::format(
      "Cores: a cache line crosses in {:.0f} / {:.0f} / {:.0f} ns (min / median / max "
      "of the probes): {}\n",
      spread.min, spread.median, spread.max, distance_name(spread.median));
}

void Client::print_notes() const {
  std::string notes;
  for (const Result& result : results_) notes += notes_of(result);
  notes = cores_line() + notes + notes_of_limits(results_) + notes_of_absent(absent_);
  if (!notes.empty()) tools::print_text('\n' + notes);
}

void Client::write_plot() {
  Caption caption;
  caption.lines = {text_of(machine_),
                   fmt::format("{}; path: {}; median of {}", machine_.date,
                               path_.empty() ? "unknown" : path_, repetitions())};
  caption.warnings = warnings();
  plot_->write(plot_svg(results_, caption));
}

} // namespace

ExitCode run_client(const CommandLine& line) {
  return Client(line).run();
}

} // namespace datum::perf

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "perf/measure.h"

#include <algorithm>
#include <cmath>
#include <thread>

#include <fmt/format.h>

#include "common/human.h"
#include "common/interrupt.h"
#include "perf/limit_of.h"
#include "perf/stopwatch.h"

namespace datum::perf {
namespace {

// If the two probes differ by more than this, the cores have moved.
constexpr double kMoved = 0.15;
constexpr std::uint64_t kMostRounds = 50'000'000;
constexpr std::uint64_t kMostSamples = 1'000'000;
constexpr std::uint64_t kChurnFirst = 100;

double value_of(const Task& task, double ns, std::uint64_t rounds) {
  const double each = ns / static_cast<double>(rounds);
  if (task.kind == Kind::Bandwidth) return static_cast<double>(task.size) * 1e9 / each;
  if (task.kind == Kind::Rate || task.kind == Kind::Connect) return 1e9 / each;
  return is_half_round_trip(task) ? each / 2 : each;
}

class Measurement {
 public:
  Measurement(Session& session, LimitsHelper* limits, const Task& task, const Plan& plan,
              const Watch& watch)
      : session_(session), limits_(limits), plan_(plan), watch_(watch) {
    result_.task = task;
    if (limits_ != nullptr) choices_ = limits_of(task);
  }
  Result take();

 private:
  struct Repetition {
    double value = 0;
    std::vector<double> limits; // one for each of choices_
    double before = 0, after = 0;
    [[nodiscard]] bool moved() const { return cores_moved(before, after); }
  };

  Outcome run(std::uint64_t rounds);
  void choose_rounds();
  std::vector<double> measure_limits();
  Repetition repeat_once();
  void repeat();
  void choose_limit(const std::vector<Repetition>& all);
  void tell(const std::string& step) const {
    watch_(label_of(result_.task) + ": " + phase_ + step);
  }
  void sample_rounds();
  void watch_idle();
  [[nodiscard]] std::uint64_t warm_up() const { return std::max<std::uint64_t>(1, rounds_ / 20); }

  Session& session_;
  LimitsHelper* limits_;
  Plan plan_;
  const Watch& watch_;
  std::vector<LimitChoice> choices_;
  std::string phase_; // "2 of 5, "
  Result result_;
  std::uint64_t rounds_ = 1;
  Usage own_before_, peer_before_;
};

Outcome Measurement::run(std::uint64_t rounds) {
  const Task& task = result_.task;
  if (task.kind != Kind::Connect)
    return session_.run({std::max<std::uint64_t>(1, rounds / 20), rounds, false});
  const double ns = session_.churn(task.window, rounds);
  return {ns, ns, {}};
}

// The number of rounds grows until a run is long enough to show how many rounds fit. A run may also
// be long because the machine did something else meanwhile. So the run is repeated, and only the
// second long run counts.
void Measurement::choose_rounds() {
  const Task& task = result_.task;
  std::uint64_t rounds = task.kind == Kind::Connect ? kChurnFirst : 2 * task.endpoints;
  for (;;) {
    double ns = std::max(run(rounds).took_ns, 1.0);
    if (ns >= plan_.run_ns / 16) ns = std::min(ns, std::max(run(rounds).took_ns, 1.0));
    const double fit = plan_.run_ns / ns * static_cast<double>(rounds);
    if (ns >= plan_.run_ns / 16 || rounds >= kMostRounds) {
      const std::uint64_t least = std::max<std::uint64_t>(4, task.endpoints);
      rounds_ = std::clamp(static_cast<std::uint64_t>(fit), least, kMostRounds);
      return;
    }
    rounds = std::min(rounds * 8, kMostRounds);
  }
}

// The value of each of choices_ in the unit of the result; 0: it could not be measured.
std::vector<double> Measurement::measure_limits() {
  std::vector<double> values;
  for (const LimitChoice& choice : choices_) {
    tell("limit " + name_of(choice));
    values.push_back(in_unit_of(result_.task, choice, limits_->measure(choice.limit, choice.size)));
  }
  return values;
}

Measurement::Repetition Measurement::repeat_once() {
  Repetition r;
  r.before = session_.probe();
  r.limits = measure_limits();
  tell("ours");
  r.value = value_of(result_.task, run(rounds_).ns, rounds_);
  r.after = session_.probe();
  return r;
}

void Measurement::repeat() {
  std::vector<Repetition> all;
  std::vector<double> values, probes;
  for (unsigned i = 0; i < plan_.repeat; ++i) {
    Repetition r;
    for (unsigned attempt = 0; attempt < plan_.tries; ++attempt) {
      tools::throw_if_interrupted();
      phase_ = fmt::format("{} of {}, ", i + 1, plan_.repeat);
      r = repeat_once();
      if (!r.moved()) break;
      if (attempt + 1 < plan_.tries) ++result_.repeated;
    }
    if (r.moved()) result_.steady = false;
    values.push_back(r.value);
    if (r.before > 0) probes.insert(probes.end(), {r.before, r.after});
    all.push_back(std::move(r));
  }
  phase_.clear();
  result_.value = spread_of(values);
  result_.probe = spread_of(probes).median;
  choose_limit(all);
}

// All repetitions are compared with one limit: the choice with the best median.
void Measurement::choose_limit(const std::vector<Repetition>& all) {
  const bool small_wins = smaller_is_better(result_.task);
  for (std::size_t i = 0; i < choices_.size(); ++i) {
    std::vector<double> limits, ratios;
    for (const Repetition& r : all) {
      if (!(r.limits[i] > 0)) continue;
      limits.push_back(r.limits[i]);
      ratios.push_back(r.value / r.limits[i]);
    }
    const Spread limit = spread_of(limits);
    const bool is_better = (limit.median < result_.limit.median) == small_wins;
    if (limits.empty() || (!result_.limit_name.empty() && !is_better)) continue;
    result_.limit_name = name_of(choices_[i]);
    result_.limit = limit;
    result_.ratio = spread_of(ratios);
  }
}

// Percentiles need another pass: a time stamp costs some nanoseconds for each round, and must not
// lengthen the measured rounds.
void Measurement::sample_rounds() {
  if (result_.task.kind != Kind::Latency) return;
  tell("percentiles");
  const Order order{warm_up(), std::min(rounds_, kMostSamples), true};
  const std::uint64_t first = ticks();
  const double start = now_ns();
  const Outcome outcome = session_.run(order);
  const double per_tick = (now_ns() - start) / static_cast<double>(ticks() - first);
  const double scale = is_half_round_trip(result_.task) ? per_tick / 2 : per_tick;
  std::vector<double> values;
  values.reserve(outcome.ticks.size());
  for (const std::uint64_t t : outcome.ticks) values.push_back(static_cast<double>(t) * scale);
  result_.percentiles = percentiles_of(std::move(values));
}

void Measurement::watch_idle() {
  const auto memory = [](const Usage& u) { return static_cast<double>(u.memory); };
  const auto descriptors = [](const Usage& u) { return static_cast<double>(u.descriptors); };
  const Usage own_connected = usage_now(), peer_connected = session_.peer_usage();
  if (own_connected.memory > 0 && peer_connected.memory > 0)
    result_.memory_per_pair = (memory(own_connected) - memory(own_before_) +
                               memory(peer_connected) - memory(peer_before_)) /
                              result_.task.endpoints;
  result_.descriptors_per_pair = (descriptors(own_connected) - descriptors(own_before_) +
                                  descriptors(peer_connected) - descriptors(peer_before_)) /
                                 result_.task.endpoints;
  const auto busy = [this] { return processor_time_now() + session_.peer_processor_time(); };
  const std::uint64_t busy_before = busy();
  const double start = now_ns();
  while (now_ns() - start < plan_.idle_ns) {
    tools::throw_if_interrupted();
    tell(fmt::format("watching {} endpoints", result_.task.endpoints));
    // The processor time of this loop counts, too.
    std::this_thread::sleep_for(std::chrono::seconds(1));
  }
  const std::uint64_t busy_us = busy() - busy_before;
  result_.cpu_percent = 100.0 * static_cast<double>(busy_us) * 1e3 / (now_ns() - start);
}

Result Measurement::take() {
  const Task& task = result_.task;
  tell("connecting");
  own_before_ = usage_now();
  peer_before_ = session_.peer_usage();
  if (task.kind != Kind::Connect) {
    const double start = now_ns();
    session_.begin(task);
    result_.setup_ns = now_ns() - start;
    result_.remark = session_.remark();
  }
  if (task.kind == Kind::Idle) {
    watch_idle();
  } else {
    tell("how many rounds");
    choose_rounds();
    result_.rounds = rounds_;
    repeat();
    sample_rounds();
  }
  if (task.kind != Kind::Connect) session_.end();
  return result_;
}

} // namespace

bool cores_moved(double before, double after) {
  return before > 0 && difference(before, after) > kMoved;
}

Result measure(Session& session, LimitsHelper* limits, const Task& task, const Plan& plan,
               const Watch& watch) {
  if (const std::string_view why = objection(task); !why.empty()) {
    Result skipped;
    skipped.task = task;
    skipped.skipped = why;
    return skipped;
  }
  return Measurement(session, limits, task, plan, watch).take();
}

} // namespace datum::perf

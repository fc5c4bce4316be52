// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "perf/report.h"

#include <algorithm>
#include <initializer_list>
#include <span>
#include <string>

#include <fmt/format.h>

#include "common/human.h"
#include "common/json.h"
#include "perf/limit_of.h"

namespace datum::perf {
namespace {

using tools::chosen_size;
using tools::human_size;
using tools::JsonObject;

struct Unit {
  double scale;
  const char* name;
};

constexpr Unit kTimes[] = {{1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
constexpr Unit kRates[] = {{1e6, "M/s"}, {1e3, "k/s"}, {1, "/s"}};
constexpr Unit kBandwidths[] = {{1e9, "GB/s"}, {1e6, "MB/s"}, {1e3, "kB/s"}};

// The largest unit in which the value is at least 1.
Unit fitting(std::span<const Unit> units, double value) {
  for (const Unit& unit : units)
    if (value >= unit.scale) return unit;
  return units.back();
}

Unit unit_for(const Task& task, double value) {
  if (task.kind == Kind::Bandwidth) return fitting(kBandwidths, value);
  if (task.kind == Kind::Rate || task.kind == Kind::Connect) return fitting(kRates, value);
  return fitting(kTimes, value);
}

// Three significant digits; two for a value below 1; from 1000 on, all digits of the integer.
std::string number_text(double value) {
  if (value > 0 && value < 0.0995) return fmt::format("{:#.2g}", value);
  return fmt::format("{:.{}f}", value, value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2);
}

// The value, rounded as the table shows it. The table's ratios are computed from rounded values, so
// they agree with its figures.
double shown(const Task& task, double value) {
  const Unit unit = unit_for(task, value);
  return std::stod(number_text(value / unit.scale)) * unit.scale;
}

std::string ratio_text(double ratio) {
  return number_text(ratio) + 'x';
}

std::string join(std::initializer_list<double> values, const Unit& unit) {
  std::string text;
  for (const double value : values)
    text += (text.empty() ? "" : " / ") + number_text(value / unit.scale);
  return text + ' ' + unit.name;
}

std::string spread_text(const Task& task, const Spread& spread) {
  return join({spread.min, spread.median, spread.max}, unit_for(task, spread.median));
}

std::string percentiles_text(const Percentiles& p) {
  return join({p.p50, p.p99, p.p999, p.max}, fitting(kTimes, p.p50));
}

std::string_view unit_of(const Task& task) {
  if (task.kind == Kind::Bandwidth) return "bytes/s";
  if (task.kind == Kind::Rate || task.kind == Kind::Connect) return "per second";
  return task.kind == Kind::Idle ? "" : "ns";
}

bool has_memory(const Task& task) {
  return task.op != Op::None;
}

// The memory and how both sides wait, as far as this test depends on them, and how many idle
// connections are beside it.
std::string manner_of(const Task& task) {
  if (task.op == Op::None) return "-";
  std::string manner(name_of(task.memory));
  if (task.wait == Wait::Block) manner += ", block";
  if (task.op != Op::Send && task.target == Target::Memory) manner += ", no DAT";
  if (task.op != Op::Send && task.target == Target::Sleep) manner += ", asleep";
  if (task.beside > 0) manner += fmt::format(", +{}", task.beside);
  return manner;
}

std::string idle_text(const Result& result) {
  const auto memory = static_cast<std::uint64_t>(std::max(0.0, result.memory_per_pair));
  return fmt::format(
      "{} idle endpoint{}: {:.2f} % CPU, {} of memory and {:.2f} descriptors a pair, "
      "connected in {:.2f} s",
      result.task.endpoints, result.task.endpoints == 1 ? "" : "s", result.cpu_percent,
      memory > 0 ? human_size(memory) : "an unknown amount", result.descriptors_per_pair,
      result.setup_ns / 1e9);
}

std::string spread_json(const Spread& spread) {
  return JsonObject()
      .add("min", spread.min)
      .add("median", spread.median)
      .add("max", spread.max)
      .text();
}

// Contains the size if it is not the task's: "iperf3 stream 1.0 MiB".
std::string tool_name(const Comparison& comparison, const Task& task) {
  const ToolTest& test = comparison.test;
  std::string name = fmt::format("{} {}", name_of(test.program), test.test);
  return test.size == task.size ? name : name + ' ' + chosen_size(test.size);
}

std::string comparison_row(const Comparison& c, const Task& task, double ours) {
  std::string row = fmt::format("{:<39}", "  " + tool_name(c, task));
  if (!c.failure.empty()) return row + "failed: " + c.failure + '\n';
  const double ratio = shown(task, ours) / shown(task, c.value);
  return row + fmt::format("{:<57}  ours is {}{}\n", value_text(task, c.value), ratio_text(ratio),
                           c.steady ? "" : " ~");
}

// True: the cache-line probe ran. Nothing else can set `steady` to false, so a result that is not
// steady was probed, too.
bool is_probed(const Result& result) {
  return result.probe > 0 || !result.steady;
}

JsonObject& add_probe(JsonObject& object, const Result& r) {
  if (is_probed(r)) return object.add("probe_ns", r.probe).add("steady", r.steady);
  return object.add_raw("probe_ns", tools::kJsonNull).add_raw("steady", tools::kJsonNull);
}

JsonObject& add_memory(JsonObject& object, const Task& task) {
  if (has_memory(task)) return object.add("size", task.size).add("memory", name_of(task.memory));
  return object.add_raw("size", tools::kJsonNull).add_raw("memory", tools::kJsonNull);
}

std::string comparison_json(const Comparison& c, bool probed) {
  JsonObject object;
  object.add("tool", name_of(c.test.program)).add("test", c.test.test).add("size", c.test.size);
  if (!c.failure.empty()) return object.add("failure", c.failure).text();
  object.add("value", c.value).add("ratio", c.ratio);
  return object.add_raw("steady", !probed ? tools::kJsonNull : c.steady ? "true" : "false").text();
}

std::string comparisons_json(const Result& r) {
  std::string list;
  for (const Comparison& c : r.comparisons)
    list += (list.empty() ? "" : ", ") + comparison_json(c, is_probed(r));
  return "[" + list + "]";
}

std::string absent_json(const std::vector<Program>& programs) {
  std::string list;
  for (const Program program : programs)
    list += (list.empty() ? "" : ", ") +
            JsonObject().add("tool", name_of(program)).add("package", package_of(program)).text();
  return "[" + list + "]";
}

std::string result_json(const Result& r) {
  JsonObject object;
  object.add("test", test_name(r.task));
  add_memory(object, r.task)
      .add("wait", name_of(r.task.wait))
      .add("target", name_of(r.task.target))
      .add("window", r.task.window)
      .add("endpoints", r.task.endpoints)
      .add("beside", r.task.beside)
      .add("transport", name_of(r.task.transport));
  if (!r.skipped.empty()) return add_probe(object, r).add("skipped", r.skipped).text();
  if (r.task.kind == Kind::Idle)
    return add_probe(object, r)
        .add("cpu_percent", r.cpu_percent)
        .add("memory_per_pair", r.memory_per_pair)
        .add("descriptors_per_pair", r.descriptors_per_pair)
        .add("setup_ns", r.setup_ns)
        .text();
  object.add("unit", unit_of(r.task))
      .add_raw("value", spread_json(r.value))
      .add("rounds", r.rounds);
  if (r.percentiles)
    object.add_raw("percentiles_ns", JsonObject()
                                         .add("p50", r.percentiles->p50)
                                         .add("p99", r.percentiles->p99)
                                         .add("p99.9", r.percentiles->p999)
                                         .add("max", r.percentiles->max)
                                         .text());
  if (!r.limit_name.empty())
    object.add("limit", r.limit_name)
        .add("limit_holds", limit_holds(r))
        .add_raw("limit_value", spread_json(r.limit))
        .add_raw("ratio", spread_json(r.ratio));
  add_probe(object, r);
  object.add("repeated", r.repeated);
  if (!r.remark.empty()) object.add("remark", r.remark);
  if (!r.comparisons.empty()) object.add_raw("compared", comparisons_json(r));
  return object.text();
}

} // namespace

bool limit_holds(const Result& r) {
  const double ours = shown(r.task, r.value.median), limit = shown(r.task, r.limit.median);
  return smaller_is_better(r.task) ? ours >= limit : ours <= limit;
}

std::string value_text(const Task& task, double value) {
  return join({value}, unit_for(task, value));
}

std::string power_text(const Task& task, double value) {
  const Unit unit = unit_for(task, value);
  return fmt::format("{:g} {}", value / unit.scale, unit.name);
}

std::string table_head() {
  return fmt::format("{:<10}{:>9}  {:<18}{:<26}{:<30}{}\n", "test", "size", "memory",
                     "min / median / max", "rounds: p50 / p99 / p99.9 / max", "  limit, ratio");
}

std::string idle_head() {
  return fmt::format("{:<10}{:>9}  {:<18}{}\n", "test", "size", "memory", "what was watched");
}

std::string table_row(const Result& r) {
  const Task& task = r.task;
  const std::string size = has_memory(task) ? chosen_size(task.size) : "-";
  std::string row = fmt::format("{:<10}{:>9}  {:<17} ", test_name(task), size, manner_of(task));
  if (!r.skipped.empty()) return row + "skipped: " + r.skipped + "\n";
  if (task.kind == Kind::Idle) return row + idle_text(r) + "\n";
  row += fmt::format("{:<25} {:<31}", spread_text(task, r.value),
                     r.percentiles ? percentiles_text(*r.percentiles) : "-");
  if (!r.limit_name.empty())
    row += fmt::format("  {} {}, {}", r.limit_name, value_text(task, r.limit.median),
                       limit_holds(r)
                           ? ratio_text(shown(task, r.value.median) / shown(task, r.limit.median))
                           : "slower than ours");
  row.resize(row.find_last_not_of(' ') + 1);
  row += r.steady ? "\n" : " ~\n";
  for (const Comparison& comparison : r.comparisons)
    row += comparison_row(comparison, task, r.value.median);
  return row;
}

std::string notes_of(const Result& r) {
  std::string notes;
  const std::string what = has_memory(r.task)
                               ? fmt::format("{}, {}", label_of(r.task), manner_of(r.task))
                               : label_of(r.task);
  if (!r.steady)
    notes += fmt::format("~ {}: the distance of the cores changed by more than 15 % during every "
                         "attempt at a repetition; do not compare it\n",
                         what);
  if (r.repeated > 0)
    notes += fmt::format("  {}: {} repetition{} thrown away because the cores moved\n", what,
                         r.repeated, r.repeated == 1 ? "" : "s");
  for (const Comparison& c : r.comparisons)
    if (!c.steady && c.failure.empty())
      notes += fmt::format("~ {} beside {}: the same while {} ran\n", tool_name(c, r.task), what,
                           name_of(c.test.program));
  if (!r.remark.empty()) notes += fmt::format("  {}: {}\n", what, r.remark);
  return notes;
}

std::string notes_of_limits(const std::vector<Result>& results) {
  const auto n = std::count_if(results.begin(), results.end(), [](const Result& r) {
    return !r.limit_name.empty() && !limit_holds(r);
  });
  if (n == 0) return {};
  return fmt::format(
      "  {} limit{} slower than ours: what should bound ours and does not was disturbed, "
      "or measured for too short a time (--time, --repeat)\n",
      n, n == 1 ? " is" : "s are");
}

std::string notes_of_absent(const std::vector<Program>& programs) {
  std::string list;
  for (const Program program : programs)
    list += fmt::format("{}{} (Debian package {})", list.empty() ? "" : ", ", name_of(program),
                        package_of(program));
  return list.empty() ? "" : "Not compared, because not installed: " + list + '\n';
}

std::string json_of(const Machine& machine, const std::string& path, const Plan& plan,
                    const std::vector<Result>& results, const std::vector<Program>& absent) {
  std::string list;
  for (const Result& result : results)
    list += (list.empty() ? "\n  " : ",\n  ") + result_json(result);
  return JsonObject()
             .add_raw(
                 "machine",
                 JsonObject()
                     .add("processor", machine.processor)
                     .add_raw("cores", machine.cores == 0 ? "null" : std::to_string(machine.cores))
                     .add("kernel", machine.kernel)
                     .add("load", machine.load)
                     .add("busy", is_busy(machine))
                     .add("date", machine.date)
                     .text())
             .add("path", path)
             .add("repetitions", plan.repeat)
             .add_raw("absent", absent_json(absent))
             .add_raw("results", "[" + list + "\n]")
             .text() +
         "\n";
}

namespace {

// A field of CSV; empty: the result has no such figure.
std::string cell(bool known, double value) {
  return known ? fmt::format("{:.6g}", value) : std::string();
}

// A field for free text, which may have commas: in quotes, with each quote in it doubled. An empty
// text stays an empty field.
std::string quoted(const std::string& text) {
  if (text.empty()) return {};
  std::string field = "\"";
  for (const char c : text) field += c == '"' ? "\"\"" : std::string(1, c);
  return field + '"';
}

} // namespace

std::string csv_of(const std::vector<Result>& results) {
  std::string text =
      "test,size,memory,wait,target,window,endpoints,unit,min,median,max,p50,p99,"
      "p99.9,max_each,limit,limit_median,ratio,probe_ns,steady,skipped,beside,"
      "transport,limit_holds,cpu_percent,memory_per_pair,descriptors_per_pair,setup_ns,reason\n";
  for (const Result& r : results) {
    const Task& t = r.task;
    const bool measured = r.skipped.empty() && t.kind != Kind::Idle;
    const bool idle = r.skipped.empty() && t.kind == Kind::Idle;
    const bool limited = measured && !r.limit_name.empty();
    const Percentiles p = r.percentiles.value_or(Percentiles{});
    const bool sampled = r.percentiles.has_value();
    text += fmt::format(
        "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},"
        "{},{},{},{}\n",
        test_name(t), has_memory(t) ? std::to_string(t.size) : std::string(),
        has_memory(t) ? name_of(t.memory) : std::string_view(), name_of(t.wait), name_of(t.target),
        t.window, t.endpoints, unit_of(t), cell(measured, r.value.min),
        cell(measured, r.value.median), cell(measured, r.value.max), cell(sampled, p.p50),
        cell(sampled, p.p99), cell(sampled, p.p999), cell(sampled, p.max), r.limit_name,
        cell(limited, r.limit.median), cell(limited, r.value.median / r.limit.median),
        cell(r.probe > 0, r.probe),
        !is_probed(r) ? ""
        : r.steady    ? "yes"
                      : "no",
        r.skipped.empty() ? "no" : "yes", t.beside, name_of(t.transport),
        limited ? (limit_holds(r) ? "yes" : "no") : "", cell(idle, r.cpu_percent),
        cell(idle && r.memory_per_pair != 0, r.memory_per_pair), cell(idle, r.descriptors_per_pair),
        cell(idle, r.setup_ns), quoted(r.skipped));
  }
  return text;
}

} // namespace datum::perf

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "perf/report.h"

#include <fmt/format.h>

#include "common/human.h"
#include "common/json.h"
#include "perf/limit_of.h"

namespace datum::perf {
namespace {

using tools::human_size;
using tools::JsonObject;

std::string time_text(double ns) {
  if (ns < 1e3) return fmt::format("{:.1f} ns", ns);
  if (ns < 1e6) return fmt::format("{:.2f} us", ns / 1e3);
  return fmt::format("{:.2f} ms", ns / 1e6);
}

std::string rate_text(double per_second) {
  if (per_second >= 1e6) return fmt::format("{:.2f} M/s", per_second / 1e6);
  if (per_second >= 1e3) return fmt::format("{:.1f} k/s", per_second / 1e3);
  return fmt::format("{:.1f} /s", per_second);
}

std::string bandwidth_text(double bytes_per_second) {
  if (bytes_per_second >= 1e9) return fmt::format("{:.2f} GB/s", bytes_per_second / 1e9);
  return fmt::format("{:.1f} MB/s", bytes_per_second / 1e6);
}

std::string_view unit_of(const Task& task) {
  if (task.kind == Kind::Bandwidth) return "bytes/s";
  if (task.kind == Kind::Rate || task.kind == Kind::Connect) return "per second";
  return task.kind == Kind::Idle ? "" : "ns";
}

bool has_memory(const Task& task) {
  return task.op != Op::None;
}

// How both sides wait, in one word.
std::string way_of(const Task& task) {
  if (task.op == Op::None) return "-";
  if (task.wait == Wait::Block) return "block";
  if (task.op != Op::Send && task.target == Target::Memory) return "poll/memory";
  if (task.op != Op::Send && task.target == Target::Sleep) return "poll/sleep";
  return "poll";
}

std::string idle_text(const Result& result) {
  return fmt::format("{} idle endpoints: {:.2f} % CPU, {} of memory a pair", result.task.endpoints,
                     result.cpu_percent,
                     result.memory_per_pair > 0
                         ? human_size(static_cast<std::uint64_t>(result.memory_per_pair))
                         : "unknown");
}

std::string spread_json(const Spread& spread) {
  return JsonObject()
      .add("min", spread.min)
      .add("median", spread.median)
      .add("max", spread.max)
      .text();
}

std::string result_json(const Result& r) {
  JsonObject object;
  object.add("test", test_name(r.task))
      .add("size", r.task.size)
      .add("memory", name_of(r.task.memory))
      .add("wait", name_of(r.task.wait))
      .add("target", name_of(r.task.target))
      .add("window", r.task.window)
      .add("endpoints", r.task.endpoints);
  if (!r.skipped.empty()) return object.add("skipped", r.skipped).text();
  if (r.task.kind == Kind::Idle)
    return object.add("cpu_percent", r.cpu_percent)
        .add("memory_per_pair", r.memory_per_pair)
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
        .add_raw("limit_value", spread_json(r.limit))
        .add_raw("ratio", spread_json(r.ratio));
  object.add("probe_ns", r.probe).add("steady", r.steady).add("repeated", r.repeated);
  if (!r.remark.empty()) object.add("remark", r.remark);
  return object.text();
}

} // namespace

std::string value_text(const Task& task, double value) {
  if (task.kind == Kind::Bandwidth) return bandwidth_text(value);
  if (task.kind == Kind::Rate || task.kind == Kind::Connect) return rate_text(value);
  return time_text(value);
}

std::string table_head() {
  return fmt::format("{:<11}{:>9} {:<14} {:<11} {:>11} {:>11} {:>11} {:>10} {:>10} {:>10}  {}\n",
                     "test", "size", "memory", "wait", "min", "median", "max", "p99", "p99.9",
                     "max each", "limit: median, ratio");
}

std::string table_row(const Result& r) {
  const Task& task = r.task;
  const std::string size = has_memory(task) ? human_size(task.size) : "-";
  const std::string memory = has_memory(task) ? std::string(name_of(task.memory)) : "-";
  std::string row =
      fmt::format("{:<11}{:>9} {:<14} {:<11}", test_name(task), size, memory, way_of(task));
  if (!r.skipped.empty()) return row + " skipped: " + r.skipped + "\n";
  if (task.kind == Kind::Idle) return row + " " + idle_text(r) + "\n";
  row += fmt::format(" {:>11} {:>11} {:>11}", value_text(task, r.value.min),
                     value_text(task, r.value.median), value_text(task, r.value.max));
  if (r.percentiles)
    row += fmt::format(" {:>10} {:>10} {:>10}", time_text(r.percentiles->p99),
                       time_text(r.percentiles->p999), time_text(r.percentiles->max));
  else
    row += fmt::format(" {:>10} {:>10} {:>10}", "-", "-", "-");
  if (!r.limit_name.empty())
    row += fmt::format("  {}: {}, {:.2f}x", r.limit_name, value_text(task, r.limit.median),
                       r.ratio.median);
  return row + (r.steady ? "\n" : " ~\n");
}

std::string notes_of(const Result& r) {
  std::string notes;
  const std::string what = fmt::format("{} {}", test_name(r.task), human_size(r.task.size));
  if (!r.steady)
    notes += fmt::format("~ {}: the distance of the cores changed by more than 15 % during every "
                         "attempt at a repetition; do not compare it\n",
                         what);
  if (r.repeated > 0)
    notes += fmt::format("  {}: {} repetition{} thrown away because the cores moved\n", what,
                         r.repeated, r.repeated == 1 ? "" : "s");
  if (!r.remark.empty()) notes += fmt::format("  {}: {}\n", what, r.remark);
  return notes;
}

std::string json_of(const Machine& machine, const Plan& plan, const std::vector<Result>& results) {
  std::string list;
  for (const Result& result : results)
    list += (list.empty() ? "\n  " : ",\n  ") + result_json(result);
  return JsonObject()
             .add_raw("machine", JsonObject()
                                     .add("processor", machine.processor)
                                     .add("cores", machine.cores)
                                     .add("kernel", machine.kernel)
                                     .add("load", machine.load)
                                     .text())
             .add("repetitions", plan.repeat)
             .add_raw("results", "[" + list + "\n]")
             .text() +
         "\n";
}

std::string csv_of(const std::vector<Result>& results) {
  std::string text = "test,size,memory,wait,target,window,endpoints,unit,min,median,max,p50,p99,"
                     "p99.9,max_each,limit,limit_median,ratio,probe_ns,steady,skipped\n";
  for (const Result& r : results) {
    const Percentiles p = r.percentiles.value_or(Percentiles{});
    const Task& t = r.task;
    text += fmt::format("{},{},{},{},{},{},{},{},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},"
                        "{},{:.6g},{:.4g},{:.4g},{},{}\n",
                        test_name(t), t.size, name_of(t.memory), name_of(t.wait), name_of(t.target),
                        t.window, t.endpoints, unit_of(t), r.value.min, r.value.median, r.value.max,
                        p.p50, p.p99, p.p999, p.max, r.limit_name, r.limit.median, r.ratio.median,
                        r.probe, r.steady ? "yes" : "no", r.skipped.empty() ? "no" : "yes");
  }
  return text;
}

} // namespace datum::perf

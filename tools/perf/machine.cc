// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "perf/machine.h"

#include <sched.h>
#include <sys/utsname.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <fstream>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "common/tool_error.h"

namespace datum::perf {
namespace {

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line))
    if (line.starts_with("model name"))
      if (const auto colon = line.find(": "); colon != std::string::npos)
        return line.substr(colon + 2);
  return {};
}

} // namespace

Machine this_machine() {
  Machine machine;
  utsname names = {};
  if (uname(&names) == 0) {
    machine.kernel = fmt::format("{} {}", names.sysname, names.release);
    machine.processor = processor_name();
    if (machine.processor.empty()) machine.processor = names.machine;
  }
  machine.cores = static_cast<unsigned>(allowed_cores().size());
  if (double load = 0; std::ifstream("/proc/loadavg") >> load) machine.load = load;
  machine.date = fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(std::time(nullptr)));
  return machine;
}

std::string text_of(const Machine& machine) {
  const std::string cores = machine.cores == 0 ? "usable cores unknown"
                                               : fmt::format("{} core{} usable", machine.cores,
                                                             machine.cores == 1 ? "" : "s");
  return fmt::format("{}, {}, {}, load {}", machine.processor, cores, machine.kernel,
                     std::isnan(machine.load) ? "unknown" : fmt::format("{:.2f}", machine.load));
}

bool is_busy(const Machine& machine) {
  return machine.cores > 0 && machine.load > machine.cores / 2.0;
}

std::vector<int> allowed_cores() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  std::vector<int> cores;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(static_cast<unsigned>(core), &allowed)) cores.push_back(core);
  return cores;
}

void pin_to(int core, std::string_view advice) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<unsigned>(core), &one);
  if (sched_setaffinity(0, sizeof one, &one) != 0)
    throw tools::ToolError(tools::ExitCode::Usage,
                           fmt::format("core {}: {} ({})", core, std::strerror(errno), advice));
}

} // namespace datum::perf

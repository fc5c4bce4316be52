// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat-info: the command line.
#include <dlfcn.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "common/options.h"
#include "common/text_line.h"
#include "info/print.h"

namespace fs = std::filesystem;

namespace {

using namespace datum::info;
using datum::tools::ExitCode;
using datum::tools::ToolError;

struct CommandLine {
  std::vector<std::string> names;
  datum::tools::CommonOptions common;
  bool attributes = false, check = false, all = false, dat2 = false;
  pid_t pid = 0;
};

struct Wanted {
  std::vector<Adapter> adapters;
  std::vector<std::string> missing; // names that no adapter has
};

Wanted wanted_adapters(const std::vector<std::string>& names) {
  std::vector<Adapter> all = list_adapters(datum::tools::read_conf_file(), names);
  if (names.empty()) return {std::move(all), {}};
  Wanted wanted;
  std::vector<Adapter>& chosen = wanted.adapters;
  for (auto at = names.begin(); at != names.end(); ++at) {
    const std::string& name = *at;
    if (std::find(names.begin(), at, name) != at) continue; // the name is given twice
    const std::size_t before = chosen.size();
    std::copy_if(all.begin(), all.end(), std::back_inserter(chosen),
                 [&](const Adapter& a) { return a.name == name; });
    if (chosen.size() == before) wanted.missing.push_back(name);
  }
  return wanted;
}

void complain_of(const std::vector<std::string>& missing) {
  for (const std::string& name : missing)
    datum::tools::log_line(
        fmt::format("dat-info: \"{}\": no such IA is registered (dat-info without a name lists "
                    "them; dat-info --check looks for mistakes in dat.conf)",
                    name));
}

// A process has one registry, so another program, dat-info2, shows the adapters of DAT 2.0.
#if DAT_VERSION_MAJOR == 1
[[noreturn]] void become_dat2(char** argv) {
  // Without this check the loader would end dat-info2 with a text that has no advice.
  if (dlopen("libdat2.so.2", RTLD_LAZY | RTLD_LOCAL) == nullptr)
    throw ToolError(ExitCode::Failed,
                    fmt::format("{}: programs of DAT 2.0 need that library (Debian's package "
                                "libdat2-2), or dat-run: dat-run dat-info2",
                                dlerror()));
  std::error_code error;
  fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error) self = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  const fs::path other = self.parent_path() / "dat-info2";
  execv(other.c_str(), argv);
  throw ToolError(ExitCode::Failed,
                  fmt::format("{}: {} (is it installed? it belongs beside dat-info)",
                              other.string(), std::strerror(errno)));
}
#endif

// The distributions' provider prints on stderr why each of its adapters fails. dat-info reports
// that itself.
void quiet_others() {
  setenv("DAPL_DBG_TYPE", "0", 0);
}

ExitCode list(const CommandLine& line) {
  auto [adapters, missing] = wanted_adapters(line.names);
  // The text shows Datum's adapters first. JSON keeps the registry's order, and a list of names
  // keeps its own order.
  if (line.names.empty() && !line.common.json) put_own_first(adapters);
  for (Adapter& adapter : adapters) try_open(adapter);
  // JSON shows each foreign adapter, and so does a list of names.
  std::vector<Adapter> foreign;
  if (line.names.empty() && !line.common.json && !line.all) foreign = take_foreign(adapters);
  std::string objects, details;
  for (const Adapter& adapter : adapters) {
    const bool full = line.attributes && adapter.opens;
    const Attributes attributes = full ? attributes_of(adapter) : Attributes{};
    objects +=
        (objects.empty() ? "\n  " : ",\n  ") + json_of(adapter, full ? &attributes : nullptr);
    if (full) details += '\n' + datum::tools::text_line("{}", adapter.name) + text_of(attributes);
  }
  if (line.common.json)
    datum::tools::print_text(fmt::format("[{}\n]\n", objects));
  else if (!adapters.empty() || missing.empty())
    datum::tools::print_text(text_of(adapters, foreign) + details);
  complain_of(missing);
  const bool all_well = std::all_of(adapters.begin(), adapters.end(),
                                    [](const Adapter& a) { return a.opens || !a.tried; });
  return all_well && !adapters.empty() && missing.empty() ? ExitCode::Ok : ExitCode::Failed;
}

ExitCode check(const CommandLine& line) {
  const std::vector<Finding> findings = judge(gather_facts(), line.all);
  datum::tools::print_text(line.common.json ? json_of(findings) : text_of(findings));
  return any_problem(findings) ? ExitCode::Failed : ExitCode::Ok;
}

ExitCode show_process(const CommandLine& line) {
  const ProcessView view = view_process(line.pid);
  datum::tools::print_text(line.common.json ? json_of(view) : text_of(view));
  const std::optional<bool> uses_dat = view.uses_dat();
  if (!uses_dat)
    throw ToolError(ExitCode::Usage,
                    fmt::format("process {}: whether it uses DAT cannot be seen: {}", view.pid,
                                view.gaps.front()));
  return *uses_dat ? ExitCode::Ok : ExitCode::Failed;
}

} // namespace

int main(int argc, char** argv) try {
  CLI::App app("Shows DAT's interface adapters, this machine, or a running program.", "dat-info");
  CommandLine line;
  auto* names = app.add_option("IA", line.names, "show only these interface adapters");
  auto* attributes = app.add_flag("-a,--attributes", line.attributes,
                                  "all attributes of the IA and of its provider");
  auto* all_flag =
      app.add_flag("--all", line.all,
                   "each line of dat.conf, also those of other providers that do not open here");
  auto* dat2_flag = app.add_flag("--dat2", line.dat2, "what programs of DAT 2.0 see, not of 1.2");
  auto* check_flag = app.add_flag(
      "--check", line.check, "look for what is in the way on this machine, and say what to do");
  check_flag->excludes(names)->excludes(attributes);
  app.add_option("-p,--pid", line.pid, "show a running program, by /proc and its own word")
      ->type_name("PID")
      ->check(datum::tools::whole_number(1, INT_MAX))
      ->excludes(names)
      ->excludes(attributes)
      ->excludes(all_flag)
      ->excludes(check_flag)
      ->excludes(dat2_flag);
  datum::tools::add_json_option(app, line.common);
  app.footer("Exit: 0 all IAs that were tried open, no problem found, the program uses DAT; 1 not "
             "so; 2 usage, or no\n"
             "such process, or it cannot be seen whether it uses DAT. See dat-info(1).");
  return datum::tools::run_tool(app, argc, argv, [&] {
#if DAT_VERSION_MAJOR == 1
    if (line.dat2) become_dat2(argv);
#endif
    quiet_others();
    if (line.check) return check(line);
    return line.pid > 0 ? show_process(line) : list(line);
  });
} catch (const std::exception& error) {
  return datum::tools::out_of_memory("dat-info", error);
}

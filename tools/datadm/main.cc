// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// datadm: the command line. The actions are in actions.h.
#include <filesystem>

#include "base/variables.h"
#include "common/options.h"
#include "datadm/actions.h"
#include "registry/conf/conf_file.h"

namespace fs = std::filesystem;
using datum::datadm::Actions;
using datum::tools::ExitCode;

namespace {

// The dat.conf that the registry reads. If none exists yet, the first default path whose folder
// exists.
std::string default_file() {
  const auto location =
      datum::conf::locate(datum::value_of(datum::Variable::ConfFile), datum::conf::kDefaultPaths);
  std::error_code error;
  if (location.overridden || fs::exists(location.path, error)) return location.path;
  for (const std::string_view candidate : datum::conf::kDefaultPaths)
    if (fs::is_directory(fs::path(candidate).parent_path(), error)) return std::string(candidate);
  return location.path;
}

} // namespace

int main(int argc, char** argv) try {
  CLI::App app("Maintain dat.conf, the list of DAT interface adapters", "datadm");
  Actions actions;
  app.add_option("-a,--add", actions.add,
                 "add a line for each adapter of the devices in this service_provider.conf")
      ->type_name("CONF")
      ->allow_extra_args(false);
  app.add_option("-r,--remove", actions.remove,
                 "remove the lines that belong to this service_provider.conf")
      ->type_name("CONF")
      ->allow_extra_args(false);
  app.add_flag("-u,--update", actions.update,
               "look for adapters again: add lines for new ones, remove those of vanished ones");
  app.add_flag("-v,--view", actions.view, "print dat.conf, after the changes");
  actions.file = default_file();
  app.add_option("--file", actions.file, "the dat.conf to work on; also named by DAT_OVERRIDE")
      ->type_name("FILE")
      ->capture_default_str();
  app.footer(
      "Exit status: 0 done, 1 failed (dat.conf is unchanged, unless it was only the printing\n"
      "that failed), 2 wrong command line.");
  return datum::tools::run_tool(app, argc, argv, [&] {
    if (actions.add.empty() && actions.remove.empty() && !actions.update && !actions.view)
      throw datum::tools::ToolError(ExitCode::Usage,
                                    "nothing to do: give -a, -r, -u or -v; see --help");
    carry_out(actions, datum::datadm::adapters_of_this_host("/sys/class/net"));
    return ExitCode::Ok;
  });
} catch (const std::exception& error) {
  return datum::tools::out_of_memory("datadm", error);
}

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "info/foreign_registry.h"

#include <dlfcn.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/ignored_values.h"
#include "info/loaded.h"
#include "registry/conf/conf_file.h"

namespace fs = std::filesystem;

namespace datum::info {
namespace {

constexpr const char* kRegistry = "libdat2.so.2";
constexpr std::string_view kProvider = "libdatum2.so";

// The registry that the loader gives to programs, if that registry is not Datum's. Only Datum's
// registry exports kIgnoredValueIsNews.
std::string path_of_foreign() {
  void* const library = dlopen(kRegistry, RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) return {};
  std::string path;
  if (dlsym(library, kIgnoredValueIsNews) == nullptr) path = path_of_library(kRegistry);
  dlclose(library);
  return path;
}

bool offers_datum(const conf::Document<conf::Entry>& document) {
  return std::any_of(
      document.entries.begin(), document.entries.end(), [](const conf::Entry& entry) {
        return entry.selectable() && entry.provider.api_major == 2 &&
               fs::path(entry.provider.library).filename().string().starts_with(kProvider);
      });
}

// The service_provider.conf that is installed together with this program.
std::string service_provider_conf() {
  std::error_code error;
  fs::path self = fs::read_symlink("/proc/self/exe", error);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel hands it over in this way
  if (error) self = fs::absolute(reinterpret_cast<const char*>(getauxval(AT_EXECFN)));
  return (self.parent_path() / DATUM_DATA_FROM_PROGRAMS "/dat/service_provider.conf")
      .lexically_normal();
}

} // namespace

ForeignRegistry find_foreign_registry(const tools::ConfFile& own) {
  ForeignRegistry found;
  found.path = path_of_foreign();
  if (found.path.empty()) return found;
  found.conf = own.overridden ? own.path : std::string(conf::kForeignPath);
  if (found.conf == own.path) {
    found.offers_datum = offers_datum(own.document);
  } else if (const auto text = conf::read_file(found.conf)) {
    found.offers_datum = offers_datum(conf::parse_dat_conf(*text));
  }
  // Without --file, datadm would choose a dat.conf that the foreign registry does not read.
  std::error_code error;
  const bool elsewhere =
      !own.overridden && fs::exists(fs::path(conf::kDefaultPaths[0]).parent_path(), error);
  found.remedy = fmt::format("datadm {}-a {}", elsewhere ? "--file " + found.conf + " " : "",
                             service_provider_conf());
  return found;
}

} // namespace datum::info

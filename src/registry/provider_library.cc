// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "registry/provider_library.h"
#include "base/text.h"
#include "base/unique_fd.h"

#include <cerrno>
#include <cstdint>
#include <dlfcn.h>
#include <fcntl.h>
#include <map>
#include <set>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace datum::registry {
namespace {

// On every platform with dlsym() a data pointer can be converted to a function pointer.
template <class F>
F function(void* library, const char* name) {
  return reinterpret_cast<F>(reinterpret_cast<std::uintptr_t>(::dlsym(library, name)));
}

std::string loader_error() {
  const char* text = ::dlerror();
  return text == nullptr ? "no reason given" : text;
}

// The folder that libdat was loaded from, with a slash at its end. Empty: the loader does not know
// it.
std::string folder_of_libdat() {
  Dl_info self{};
  if (::dladdr(reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(&folder_of_libdat)),
               &self) == 0 ||
      self.dli_fname == nullptr)
    return {};
  const std::string file = self.dli_fname;
  return file.substr(0, file.rfind('/') + 1);
}

} // namespace

std::string provider_path(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  const std::string own = folder_of_libdat();
  std::vector<std::string> folders;
  if (!own.empty()) folders = {own, own + "datum/"};
  if constexpr (!std::string_view(DATUM_PROVIDER_FOLDER).empty())
    folders.emplace_back(DATUM_PROVIDER_FOLDER "/");
  for (const std::string& folder : folders)
    if (::access((folder + name).c_str(), R_OK) == 0) return folder + name;
  return name;
}

namespace {

// What to do about a library that the loader has just failed to load. If no descriptor is left, the
// loader could not open it, or one that it needs.
const char* remedy() {
  const UniqueFd probe(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!probe && errno == EMFILE) return "this process has no descriptor left: look at `ulimit -n`";
  if (!probe && errno == ENFILE)
    return "this host has no descriptor left: look at /proc/sys/fs/file-max";
  return "install the package it comes from, or name the library by its full path";
}

} // namespace

tl::expected<std::unique_ptr<ProviderLibrary>, std::string>
ProviderLibrary::load_file(const std::string& path) {
  // RTLD_GLOBAL, because providers of the reference implementation use each other's symbols.
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) {
    const std::string error = loader_error();
    return tl::unexpected(text("cannot load {}: {}; {}", path, error, remedy()));
  }
  const auto init = function<DAT_PROVIDER_INIT_FUNC>(library, DAT_PROVIDER_INIT_FUNC_STR);
  const auto fini = function<DAT_PROVIDER_FINI_FUNC>(library, DAT_PROVIDER_FINI_FUNC_STR);
  if (init != nullptr && fini != nullptr)
    return std::unique_ptr<ProviderLibrary>(new ProviderLibrary(init, fini));
  ::dlclose(library);
  return tl::unexpected(
      text("{} does not define {}, so it is no DAT provider; correct the "
           "library in dat.conf",
           path, init == nullptr ? DAT_PROVIDER_INIT_FUNC_STR : DAT_PROVIDER_FINI_FUNC_STR));
}

tl::expected<ProviderLibrary*, LoadFailure> ProviderLibrary::load(const std::string& name) {
  // These objects live as long as the process, like the libraries. The lock is recursive, because a
  // library's constructors run while it is held, and may open IAs of other libraries.
  static auto& mutex = *new std::recursive_mutex;
  static auto& loaded = *new std::map<std::string, std::unique_ptr<ProviderLibrary>>;
  static auto& told = *new std::set<std::string>;

  const std::scoped_lock lock(mutex);
  const std::string path = provider_path(name);
  if (const auto known = loaded.find(path); known != loaded.end()) return known->second.get();
  auto library = load_file(path);
  if (!library) {
    const bool is_new = told.insert(library.error()).second;
    return tl::unexpected(LoadFailure{std::move(library.error()), !is_new});
  }
  return (loaded[path] = std::move(*library)).get();
}

void ProviderLibrary::init(const DAT_PROVIDER_INFO& info, const std::string& instance_data) {
  const std::scoped_lock lock(calls_);
  init_(&info, instance_data.c_str());
}

void ProviderLibrary::fini(const DAT_PROVIDER_INFO& info) {
  const std::scoped_lock lock(calls_);
  fini_(&info);
}

} // namespace datum::registry

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/ignored_values.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <dlfcn.h>
#include <new>
#include <string>

#include "base/log.h"

namespace datum {
namespace {

using IsNews = int (*)(const char* variable, const char* value);

IsNews find_is_news() {
  // Data and function pointers have the same form on every platform with dlsym.
  const auto found = reinterpret_cast<IsNews>(
      reinterpret_cast<std::uintptr_t>(::dlsym(RTLD_DEFAULT, kIgnoredValueIsNews)));
  return found != nullptr ? found : &ignored_value_is_news;
}

// FNV-1a; 0 stands for a null value.
std::uint64_t hash_of(const char* text) {
  if (text == nullptr) return 0;
  std::uint64_t hash = 0xcbf29ce484222325;
  for (; *text != '\0'; ++text) hash = (hash ^ static_cast<unsigned char>(*text)) * 0x100000001b3;
  return hash == 0 ? 1 : hash;
}

// The variables that this copy of the code has complained about. A good value of any other variable
// costs no call of the registry.
std::array<std::atomic<bool>, kVariables> complained{};

} // namespace

int ignored_value_is_news(const char* variable, const char* value) noexcept {
  static std::array<std::atomic<std::uint64_t>, kVariables> last{};
  for (const VariableInfo& info : variables())
    if (std::string_view(info.name) == variable) {
      const std::uint64_t hash = hash_of(value);
      auto& told = last[static_cast<std::size_t>(info.variable)];
      return told.exchange(hash, std::memory_order_relaxed) != hash ? 1 : 0;
    }
  return 1; // this build does not know the variable
}

void tell_ignored(Variable variable, std::string_view value) {
  const VariableInfo& info = about(variable);
  complained[static_cast<std::size_t>(variable)].store(true, std::memory_order_relaxed);
  try {
    if (find_is_news()(info.name, std::string(value).c_str()) == 0) return;
    // log_line() is used instead of log(): a bad DATUM_LOG is reported before there is a level, and
    // warnings are always written.
    log_line(LogLevel::Warn, text("{}=\"{}\" is ignored: expected {}; {}", info.name, value,
                                  info.expected, info.instead));
  } catch (const std::bad_alloc&) {
    log_out_of_memory();
  }
}

void forget_ignored(Variable variable) {
  if (complained[static_cast<std::size_t>(variable)].exchange(false, std::memory_order_relaxed))
    find_is_news()(about(variable).name, nullptr);
}

} // namespace datum

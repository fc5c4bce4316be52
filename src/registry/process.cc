// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "registry/process.h"

#include "registry/conf/interfaces.h"
#include "registry/log.h"
#include "registry/registry.h"

namespace datum::registry {
namespace {

// If the interfaces cannot be listed, only the IA "datum" is built in.
std::vector<std::string> interfaces() {
  auto listed = conf::interfaces_with_address();
  if (listed) return std::move(*listed);
  tell(LogLevel::Info, Topic::StaticRegistry, "{}", listed.error());
  return {};
}

} // namespace

constinit HandleCheck process_handles;
constinit IaTable process_ias;

Registry& process_registry() {
  static auto& registry = *new Registry(read_settings(), &interfaces, process_handles, process_ias);
  return registry;
}

} // namespace datum::registry

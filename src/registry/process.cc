// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "registry/process.h"

#include "registry/registry.h"

namespace datum::registry {

constinit HandleCheck process_handles;
constinit IaTable process_ias;

Registry& process_registry() {
  static auto& registry =
      *new Registry(read_settings(), &interfaces_with_address, process_handles, process_ias);
  return registry;
}

} // namespace datum::registry

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// registry/v2/related.cc: whether two IA names are paths of one adapter. Only providers know, and
// only an open IA can be asked.
#include <optional>
#include <string>

#include "registry/guarded.h"
#include "registry/process.h"
#include "registry/registry.h"

namespace datum::registry {
namespace {

// What the IA that is open under `name` says of `other`; nothing if none is, or it does not know.
std::optional<bool> ask(const std::string& name, std::string other) {
  std::optional<bool> answer;
  process_ias.for_each([&](DAT_IA_HANDLE ia) {
    const DAT_PROVIDER* table = process_handles.table_of(ia);
    if (answer || table == nullptr || table->ia_ha_related_func == nullptr) return;
    if (table->device_name == nullptr || table->device_name != name) return;
    DAT_BOOLEAN related = DAT_FALSE;
    if (table->ia_ha_related_func(ia, other.data(), &related) == DAT_SUCCESS)
      answer = related != DAT_FALSE;
  });
  return answer;
}

DAT_HA_RELATIONSHIP relationship(std::optional<bool> one, std::optional<bool> other) {
  if (!one && !other) return DAT_HA_UNKNOWN;
  if (one && other && *one != *other) return DAT_HA_CONFLICTING;
  return one.value_or(false) || other.value_or(false) ? DAT_HA_TRUE : DAT_HA_FALSE;
}

} // namespace
} // namespace datum::registry

DAT_RETURN dat_registry_providers_related(const DAT_NAME_PTR ia_name, const DAT_NAME_PTR other,
                                          DAT_HA_RELATIONSHIP* answer) {
  using namespace datum::registry;
  if (ia_name == nullptr) return invalid_argument(DAT_INVALID_ARG1);
  if (other == nullptr) return invalid_argument(DAT_INVALID_ARG2);
  if (answer == nullptr) return invalid_argument(DAT_INVALID_ARG3);
  return guarded([&] {
    // A provider knows the names under which its IAs were opened, not what programs call them.
    const std::string one = process_registry().resolve(ia_name);
    const std::string two = process_registry().resolve(other);
    *answer = relationship(ask(one, two), ask(two, one));
    return DAT_SUCCESS;
  });
}

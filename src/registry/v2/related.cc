// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// registry/v2/related.cc: whether two IA names are paths of one adapter. Only providers know that,
// and only an open IA can be asked.
#include <optional>
#include <string>

#include "registry/guarded.h"
#include "registry/process.h"
#include "registry/refused.h"
#include "registry/registry.h"

namespace datum::registry {
namespace {

struct Told {
  bool open = false;           // an IA of the name is open, and was asked
  std::optional<bool> related; // empty: the provider does not know
};

// Asks the IA that is open under `name` about `other`.
Told ask(const std::string& name, std::string other) {
  Told told;
  process_ias.for_each([&](DAT_IA_HANDLE ia) {
    const DAT_PROVIDER* table = process_handles.table_of(ia);
    if (told.related || table == nullptr || table->device_name == nullptr) return;
    if (table->device_name != name) return;
    told.open = true;
    DAT_BOOLEAN related = DAT_FALSE;
    if (table->ia_ha_related_func != nullptr &&
        table->ia_ha_related_func(ia, other.data(), &related) == DAT_SUCCESS)
      told.related = related != DAT_FALSE;
  });
  return told;
}

DAT_HA_RELATIONSHIP to_relationship(bool related) {
  return related ? DAT_HA_TRUE : DAT_HA_FALSE;
}

DAT_HA_RELATIONSHIP relationship(const std::string& one, const std::string& two) {
  const Told first = ask(one, two);
  const Told second = ask(two, one);
  if (first.related && second.related && *first.related != *second.related)
    return DAT_HA_CONFLICTING;
  if (first.related) return to_relationship(*first.related);
  if (second.related) return to_relationship(*second.related);
  // If one IA is open and the registry does not know the other name, that name cannot be a path of
  // the same adapter.
  const bool is_unknown = (first.open && !process_registry().knows(two)) ||
                          (second.open && !process_registry().knows(one));
  return is_unknown ? DAT_HA_FALSE : DAT_HA_UNKNOWN;
}

} // namespace
} // namespace datum::registry

DAT_RETURN dat_registry_providers_related(const DAT_NAME_PTR ia_name, const DAT_NAME_PTR other,
                                          DAT_HA_RELATIONSHIP* answer) {
  using namespace datum::registry;
  constexpr std::string_view kCall = "dat_registry_providers_related";
  if (ia_name == nullptr) return refused_null(kCall, DAT_INVALID_ARG1, "ia_name");
  if (other == nullptr) return refused_null(kCall, DAT_INVALID_ARG2, "other_ia_name");
  if (answer == nullptr) return refused_null(kCall, DAT_INVALID_ARG3, "answer");
  return guarded([&] {
    // A provider knows the names under which its IAs were opened, not the programs' aliases.
    const std::string one = process_registry().resolve(ia_name);
    const std::string two = process_registry().resolve(other);
    *answer = relationship(one, two);
    return DAT_SUCCESS;
  });
}

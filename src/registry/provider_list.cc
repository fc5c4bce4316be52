// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "registry/provider_list.h"

#include <algorithm>
#include <limits>
#include <string>

#include "base/strict.h"
#include "base/text.h"
#include "registry/conf/dat_conf.h"
#include "registry/log.h"
#include "registry/refused.h"
#include "registry/static_entry.h"

namespace datum::registry {
namespace {

static_assert(conf::kMaxEntries < std::numeric_limits<DAT_COUNT>::max(), "with one for \"datum\"");

constexpr std::string_view kList = "dat_registry_list_providers";

bool any_null(DAT_PROVIDER_INFO* const* infos, DAT_COUNT count) {
  return infos == nullptr || std::find(infos, infos + count, nullptr) != infos + count;
}

} // namespace

bool ProviderList::permit_short(Leniencies& leniencies, DAT_COUNT all, DAT_COUNT max) {
  const std::string what =
      text("dat_registry_list_providers: a list of {} for {} entries", max, all);
  if (!leniencies.permit(Leniency::ShortProviderList, what)) return false;
  tell_now_and_then(
      told_.exchange(true, std::memory_order_relaxed) ? LogLevel::Debug : LogLevel::Warn,
      Topic::Errors,
      "dat_registry_list_providers: there are {} entries, of which {} fitted into the program's "
      "list; if what it looks for is not among them, leave only the lines that it needs in "
      "dat.conf, or in a file that DAT_OVERRIDE names",
      all, max);
  return true;
}

DAT_RETURN ProviderList::fill(const std::vector<Key>& keys, DAT_COUNT max, DAT_COUNT* number,
                              DAT_PROVIDER_INFO* infos[]) {
  if (number == nullptr) return refused_null(kList, DAT_INVALID_ARG2, "number_entries");
  const auto all = static_cast<DAT_COUNT>(keys.size());
  *number = all;
  if (max <= 0)
    return refused(
        kList, invalid_argument(DAT_INVALID_ARG1),
        {"max_to_return", std::to_string(max), "at least 1", "dat_registry_list_providers.R3"});
  const DAT_COUNT fitting = std::min(max, all);
  const bool is_short = fitting < all;
  Leniencies& leniencies = strict_mode() ? strict_ : lenient_;
  // A call that fails for another reason does not use the leniency.
  if (!(is_short && leniencies.strict()) && any_null(infos, fitting))
    return refused_null(kList, DAT_INVALID_ARG3, "dat_provider_list, or an entry of it,");
  if (is_short && !permit_short(leniencies, all, max))
    return refused(kList, invalid_argument(DAT_INVALID_ARG1),
                   {"max_to_return", std::to_string(max), text("at least {}", all),
                    "dat_registry_list_providers.R2"});
  *number = fitting;
  for (DAT_COUNT i = 0; i != fitting; ++i) *infos[i] = to_info(keys[static_cast<std::size_t>(i)]);
  return DAT_SUCCESS;
}

} // namespace datum::registry

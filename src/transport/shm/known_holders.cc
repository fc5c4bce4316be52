// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/shm/known_holders.h"

#include <algorithm>

#include "transport/host/name_holder.h"

namespace datum {

OrErrno<std::optional<uid_t>> KnownHolders::find(const std::string& name, Instant now) {
  auto* place = std::ranges::find(known_, name, &Known::name);
  if (place != known_.end() && now - place->asked < kBelieved) return place->holder;
  const auto holder = user_listening_at(name);
  if (!holder) return holder;
  if (place == known_.end()) place = std::ranges::min_element(known_, {}, &Known::asked);
  *place = {name, *holder, now};
  return holder;
}

} // namespace datum

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "core/events/foreign_evds.h"

#include <algorithm>
#include <utility>

#include "base/assertion.h"

namespace datum {
namespace {

// Reserves twice what is wanted: growing by one would move all elements each time.
template <class T>
void grow(std::vector<T>& list, std::size_t wanted) {
  if (list.capacity() < wanted) list.reserve(2 * wanted);
}

} // namespace

// There is one ForeignEvd for each EVD, so that the events of two EPs arrive in the order in which
// they happened.
const std::shared_ptr<ForeignEvd>* ForeignEvds::way_to(const ForeignEvd& evd) const {
  const auto way =
      std::ranges::find_if(fed_, [&](const auto& other) { return other->leads_to_same(evd); });
  return way != fed_.end() ? &*way : nullptr;
}

void ForeignEvds::make_room_to_feed(const std::shared_ptr<ForeignEvd>& evd) {
  if (const auto* way = way_to(*evd)) return (*way)->make_room();
  grow(deliveries_, deliveries_.size() + fed_.size() + 1);
  grow(fed_, fed_.size() + 1);
  evd->make_room();
}

const std::shared_ptr<ForeignEvd>& ForeignEvds::feed(const std::shared_ptr<ForeignEvd>& evd) {
  make_room_to_feed(evd);
  const auto* way = way_to(*evd);
  if (way == nullptr) way = &fed_.emplace_back(evd);
  (*way)->join();
  return *way;
}

void ForeignEvds::stop_feeding(const std::shared_ptr<ForeignEvd>& evd) {
  if (evd->leave()) std::erase(fed_, evd);
  deliver_later(evd);
}

void ForeignEvds::deliver_later(const std::shared_ptr<ForeignEvd>& evd) {
  if (std::exchange(evd->awaits_delivery, true)) return;
  DATUM_ASSERT(deliveries_.size() < deliveries_.capacity());
  deliveries_.push_back(evd);
  adapter_.set_deferred();
}

ForeignEvds::Deliveries ForeignEvds::take_deliveries() {
  Deliveries taken;
  const auto count = static_cast<std::ptrdiff_t>(std::min(taken.size(), deliveries_.size()));
  const auto end = deliveries_.begin() + count;
  std::move(deliveries_.begin(), end, taken.begin());
  deliveries_.erase(deliveries_.begin(), end);
  for (std::ptrdiff_t i = 0; i != count; ++i)
    taken[static_cast<std::size_t>(i)]->awaits_delivery = false;
  if (!deliveries_.empty()) adapter_.set_deferred();
  return taken;
}

} // namespace datum

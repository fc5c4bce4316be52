// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "registry/ia_table.h"

#include "base/assertion.h"

namespace datum::registry {

DAT_IA_HANDLE IaTable::object_of(DAT_IA_HANDLE handle) const noexcept {
  if (is_index(handle))
    return slots_[reinterpret_cast<std::size_t>(handle)].object.load(std::memory_order_acquire);
  return find(handle) == 0 ? nullptr : handle;
}

DAT_IA_HANDLE IaTable::handle_of(DAT_IA_HANDLE object) const noexcept {
  return is_index(object) ? nullptr : reinterpret_cast<DAT_IA_HANDLE>(find(object));
}

std::size_t IaTable::find(DAT_IA_HANDLE object) const noexcept {
  const std::size_t highest = highest_.load(std::memory_order_acquire);
  for (std::size_t i = 1; i <= highest; ++i)
    if (slots_[i].object.load(std::memory_order_acquire) == object) return i;
  return 0;
}

std::optional<std::size_t> IaTable::reserve() {
  MutexLock lock(mutex_);
  // Round robin, so that the value of a closed handle is reused as late as possible.
  for (std::size_t tried = 1; tried < kSize; ++tried) {
    last_ = last_ % (kSize - 1) + 1;
    if (slots_[last_].reserved) continue;
    slots_[last_].reserved = true;
    if (last_ > highest_.load(std::memory_order_relaxed))
      highest_.store(last_, std::memory_order_release);
    return last_;
  }
  return std::nullopt;
}

void IaTable::cancel(std::size_t index) {
  MutexLock lock(mutex_);
  DATUM_ASSERT(slots_[index].reserved);
  slots_[index].reserved = false;
}

DAT_IA_HANDLE IaTable::publish(std::size_t index, DAT_IA_HANDLE object,
                               const IaReferences& references) {
  MutexLock lock(mutex_);
  DATUM_ASSERT(slots_[index].reserved && slots_[index].object.load() == nullptr);
  slots_[index].references = references;
  slots_[index].object.store(object, std::memory_order_release);
  return reinterpret_cast<DAT_IA_HANDLE>(index);
}

std::optional<IaReferences> IaTable::take(DAT_IA_HANDLE handle_or_object) {
  MutexLock lock(mutex_);
  const std::size_t index = is_index(handle_or_object)
                                ? reinterpret_cast<std::size_t>(handle_or_object)
                                : find(handle_or_object);
  IaSlot& slot = slots_[index];
  if (slot.object.exchange(nullptr, std::memory_order_acq_rel) == nullptr) return std::nullopt;
  slot.reserved = false;
  return slot.references;
}

} // namespace datum::registry

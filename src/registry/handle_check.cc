// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "registry/handle_check.h"

#include "registry/memory_word.h"

namespace datum::registry {

const DAT_PROVIDER* HandleCheck::table_of(DAT_HANDLE handle) noexcept {
  if (const DAT_PROVIDER* table = table_if_seen(handle)) return table;
  const auto address = reinterpret_cast<std::uintptr_t>(handle);
  if (!aligned(address)) return nullptr;
  const void* word = nullptr;
  if (!read_word(handle, word) || !tables_.holds(word)) return nullptr;
  pages_[slot(address)].store(page(address), std::memory_order_release);
  return static_cast<const DAT_PROVIDER*>(word);
}

void HandleCheck::forget_pages() noexcept {
  for (auto& seen_page : pages_) seen_page.store(0, std::memory_order_release);
}

} // namespace datum::registry

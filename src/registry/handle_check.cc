// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "registry/handle_check.h"

#include "registry/memory_word.h"

namespace datum::registry {

const DAT_PROVIDER* HandleCheck::table_of(DAT_HANDLE handle) noexcept {
  if (const DAT_PROVIDER* table = table_if_seen(handle)) return table;
  if (!aligned(reinterpret_cast<std::uintptr_t>(handle))) return nullptr;
  const Claim mine = claim(handle);
  const void* word = nullptr;
  if (!read_word(handle, word) || !tables_.holds(word)) return nullptr;
  trust(handle, mine);
  return static_cast<const DAT_PROVIDER*>(word);
}

HandleCheck::Claim HandleCheck::claim(DAT_HANDLE handle) noexcept {
  // The slot is written before distrusted_ is read. So a Distrust that begins after the read
  // changes the slot, and the claim becomes void.
  const std::uintptr_t mine = no_page();
  pages_[slot(reinterpret_cast<std::uintptr_t>(handle))].store(mine, std::memory_order_seq_cst);
  return distrusted_.load(std::memory_order_seq_cst) == 0 ? mine : 0;
}

void HandleCheck::trust(DAT_HANDLE handle, Claim claim) noexcept {
  if (claim == 0) return;
  const auto address = reinterpret_cast<std::uintptr_t>(handle);
  pages_[slot(address)].compare_exchange_strong(claim, page(address), std::memory_order_release,
                                                std::memory_order_relaxed);
}

void HandleCheck::forget_pages() noexcept {
  for (auto& seen_page : pages_) seen_page.store(no_page(), std::memory_order_seq_cst);
}

} // namespace datum::registry

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "facade/bad_handle.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/refusal.h"
#include "facade/handle_space.h"

namespace datum {
namespace {

// In the order of ObjectKind.
constexpr std::array<std::string_view, 12> kKinds{"a CR",   "an EP", "an EVD", "an IA",
                                                  "an LMR", "a PSP", "a PZ",   "an RMR",
                                                  "an RSP", "a CNO", "an SRQ", "a CSP"};

std::string_view name_of(ObjectKind kind) {
  const auto number = static_cast<std::size_t>(kind);
  if (number >= kKinds.size()) return "any object";
  return kKinds[number];
}

std::string describe(const void* handle, ObjectKind wanted) {
  if (handle == nullptr) return "null";
  const auto value = reinterpret_cast<std::uintptr_t>(handle);
  const HandleSlot* slot = HandleSpace::find(handle);
  if (slot == nullptr) return text("{:#x}, which is no handle of this provider", value);
  const std::uint64_t key = slot->key.load(std::memory_order_relaxed);
  if (key == 0) return text("{:#x}, whose object has been freed", value);
  const auto kind = static_cast<ObjectKind>(key & 0xffU);
  if (kind == wanted) return text("{:#x}, {} of another IA", value, name_of(kind));
  return text("{:#x}, which is {}", value, name_of(kind));
}

} // namespace

void note_bad_handle(const void* handle, ObjectKind wanted) noexcept {
  if (!refusals_are_told()) return;
  try {
    note_cause({"", describe(handle, wanted), text("a handle of {}", name_of(wanted)), "",
                Type::InvalidHandle});
  } catch (const std::bad_alloc&) {
    forget_cause();
  }
}

} // namespace datum

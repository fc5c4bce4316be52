// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/refused.h: how a call of the provider table reports that it was refused (base/refusal.h).
// Lives here: the step from a DAT_RETURN to the names of the call, the argument and the return
//             code.
// Not here:   the texts (call_texts.h); the causes, which are noted where they are found.
// Included after the traits of one DAT version, like answer.h.
#pragma once

#include <type_traits>

#include "base/refusal.h"

namespace datum {

// The texts for one call of the provider table.
struct CallText {
  const char* name;
  const char* arguments; // NAME[=ALLOWED[=RULE]], separated by commas
  const char* states;    // the legal states of the object, if the call may return INVALID_STATE
};

// Logs the refusal, and returns `answer`. Logs nothing if `answer` is no refusal.
[[gnu::cold, gnu::noinline]] DAT_RETURN refused(const CallText& call, DAT_RETURN answer) noexcept;
// Used for operations of an extension: the refusal names `call` instead of the call of the table's
// slot.
[[gnu::cold, gnu::noinline]] DAT_RETURN name_refused(const CallText& call,
                                                     DAT_RETURN answer) noexcept;

constexpr bool is_answer(DAT_RETURN answer) {
  return is_answer(static_cast<Type>(DAT_GET_TYPE(answer) >> 16U));
}

// Notes the value of an argument for the refusal that follows. refused() adds everything else.
template <class T>
[[gnu::cold, gnu::noinline]] void note_value(T value) {
  if constexpr (std::is_enum_v<T>)
    note_bits("", static_cast<std::uint64_t>(value), "", "");
  else if constexpr (std::is_pointer_v<T> || std::is_same_v<T, std::uint64_t>)
    note_bits("", value, "", "");
  else
    note_cause("", value, "", "");
}

} // namespace datum

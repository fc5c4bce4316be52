// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/refused.h: how the border of C reports a call that it refuses (base/refusal.h).
// Lives here: the step from a DAT_RETURN to the names of call, argument and answer.
// Not here:   the texts (call_texts.h); the causes, which are noted where they are found.
// Included after the traits of one DAT version, like answer.h.
#pragma once

#include <type_traits>

#include "base/refusal.h"

namespace datum {

// A call of the table in words.
struct CallText {
  const char* name;
  const char* arguments; // in their order, by commas: NAME[=ALLOWED[=RULE]]
  const char* states;    // the states that its object may be in, where INVALID_STATE is an answer
};

// Logs the refusal, and returns `answer`. It logs nothing about an answer that is no refusal.
[[gnu::cold, gnu::noinline]] DAT_RETURN refused(const CallText& call, DAT_RETURN answer) noexcept;
// Makes the refusal name `call`, an operation of an extension, in place of the call of the table's
// slot.
[[gnu::cold, gnu::noinline]] DAT_RETURN name_refused(const CallText& call,
                                                     DAT_RETURN answer) noexcept;

constexpr bool is_answer(DAT_RETURN answer) {
  return is_answer(static_cast<Type>(DAT_GET_TYPE(answer) >> 16U));
}

// Notes the value of an argument for the refusal that follows. The border knows the rest.
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

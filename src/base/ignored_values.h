// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/ignored_values.h: reports a value that is not understood, with one line in a process.
// Lives here: which values this process has reported.
// Not here:   what is understood (variables.h).
// Threads:    any.
// Registry and provider each have a copy of this code, and both read some of the variables. So the
// registry exports its function as datum_ignored_value_is_news, and every copy calls that one.
// Under the registry of another maker, each copy calls its own function.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/variables.h"

namespace datum {

// Writes one line, unless the last value that was reported for the variable is the same.
void tell_ignored(Variable variable, std::string_view value);
// The variable has a good value now, or none. The next ignored value is reported, whatever it is.
void forget_ignored(Variable variable);

// The registry exports this function. It returns 1 if `value` differs from the value of the last
// call for the variable. Null: the variable has no ignored value now. The variable is given by
// name, since the copies may be of different builds.
int ignored_value_is_news(const char* variable, const char* value) noexcept;
inline constexpr const char* kIgnoredValueIsNews = "datum_ignored_value_is_news";

} // namespace datum

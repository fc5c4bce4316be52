// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/ignored_values.h: one line in a process about a value that is not understood.
// Lives here: which values this process has reported.
// Not here:   what is understood (variables.h).
// Threads:    any.
// Registry and provider each have a copy of this code, and both read some of the variables. So the
// registry exports its copy as datum_ignored_value_is_news, and every copy asks that one. Without
// it, under the registry of another maker, each copy asks itself.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/variables.h"

namespace datum {

// Writes one line, unless the last value that was reported for the variable is the same.
void tell_ignored(Variable variable, std::string_view value);
// The variable has a good value now, or none. The next ignored value is reported, whatever it is.
void forget_ignored(Variable variable);

// The registry exports it. 1: `value` differs from the value of the last call for the variable. A
// null value is no value. The variable is given by name, since the copies may be of different
// builds.
int ignored_value_is_news(const char* variable, const char* value) noexcept;
inline constexpr const char* kIgnoredValueIsNews = "datum_ignored_value_is_news";

} // namespace datum

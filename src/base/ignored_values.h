// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/ignored_values.h: the line about a value that is not understood, once in a process.
// Lives here: which values this process has been told of.
// Not here:   what is understood (variables.h).
// Threads:    any.
//
// Registry and provider have this code each for themselves, and read some variables both. So the
// registry exports its copy as datum_ignored_value_is_news, and every copy asks that one; without
// it, under the registry of another maker, it asks itself.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/variables.h"

namespace datum {

// One line, unless this value of it was the last that the process was told of.
void tell_ignored(Variable variable, std::string_view value);
// It has a good value now, or none: the next one that is ignored is told, whatever it is.
void forget_ignored(Variable variable);

// What the registry exports: 1 if that value of the variable is not the last one that it was asked
// for. A null value is no value. By name, since the copies may be of different builds.
int ignored_value_is_news(const char* variable, const char* value) noexcept;
inline constexpr const char* kIgnoredValueIsNews = "datum_ignored_value_is_news";

} // namespace datum

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/strict.h"

#include "base/variables.h"

namespace datum {

bool strict_mode() {
  return read_word(Variable::Strict).value_or(0) != 0;
}

} // namespace datum

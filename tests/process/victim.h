// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/process/victim.h: what a process does that is going to be killed.
#pragma once

#include "executioner.h"

namespace datum::test {

// Prepares, calls ready(), and carries out the operation of the sentence between the tracer's
// marks.
void be_victim(const Sentence& sentence, const Line& survivor, const std::function<void()>& ready);

} // namespace datum::test

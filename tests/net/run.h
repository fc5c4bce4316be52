// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/net/run.h: the options of the command line.
#pragma once

namespace datum::net {

bool run_long(); // --long: more rounds, and the whole conformance suites
// --chosen FILTER: over each wire, run these tests of the conformance suites. nullptr: not given.
const char* chosen_tests();
unsigned first_seed(); // --seed N: seed of the wire and of the mix; 1 by default

} // namespace datum::net

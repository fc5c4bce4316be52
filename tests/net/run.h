// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/net/run.h: what the command line asked for.
#pragma once

namespace datum::net {

bool run_long(); // --long: more rounds, the whole conformance suite
// --chosen FILTER: these tests of the conformance suites, over each wire; nullptr unless given.
const char* chosen_tests();
unsigned first_seed(); // --seed N: of the wire and of the mix; 1 unless given

} // namespace datum::net

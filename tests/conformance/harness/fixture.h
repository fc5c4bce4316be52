// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// harness/fixture.h: what every conformance test may use without creating it.
// Lives here: an open IA or a connected pair, and everything else of the harness by inclusion.
// Not here:   rules; those are the tests.
//
// In a test file:  using DatPzCreate = datum::test::Conformance;
//                  TEST_F(DatPzCreate, R4SuccessGivesAPz) { ... }      claims dat_pz_create.R4
#pragma once

#include "dat.h"
#include <gtest/gtest.h>

#include "connection.h"
#include "events.h"
#include "memory.h"
#include "objects.h"
#include "posts.h"
#include "status.h"
#include "transport.h"

namespace datum::test {

class Conformance : public testing::Test {
 protected:
  void SetUp() override {
    ia = open_ia();
    if (ia == DAT_HANDLE_NULL) GTEST_FAIL() << "no IA " << ia_name();
  }

  Ia ia; // closed gracefully at the end: a test that leaves an object behind fails
};

// For tests of what travels over a connection.
class Connected : public testing::Test {
 protected:
  Side& active() { return pair.active(); }
  Side& passive() { return pair.passive(); }

  ConnectedPair pair;
};

} // namespace datum::test

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/unit/provider/endpoints.h: an adapter with any number of endpoints on one EVD.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "local_world.h"

namespace datum::test {

struct Endpoints {
  explicit Endpoints(int count) {
    for (int i = 0; i < count; ++i) add();
  }
  void add() {
    all.push_back(adapter.create_endpoint({&zone, &evd, &evd}, nullptr, nullptr).value());
  }
  void free(std::size_t at) {
    ASSERT_TRUE(adapter.free(*all[at]).ok());
    all[at] = nullptr;
  }

  LocalWorld world;
  InterfaceAdapter& adapter = *world.a->adapter;
  ProtectionZone& zone = *adapter.create_zone().value();
  EventDispatcher& evd = *adapter.create_evd(8, nullptr, kEvdDto | kEvdRmrBind).value();
  std::vector<Endpoint*> all; // nullptr: freed
};

} // namespace datum::test

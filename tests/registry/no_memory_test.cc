// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/registry/no_memory_test.cc: the registry leaves nothing behind if an allocation fails in
// the middle of a call.
#include <cstdlib>
#include <gtest/gtest.h>

#include "../unit/iwarp/no_memory.h"
#include "registry/guarded.h"
#include "registry/registry.h"

using namespace datum::registry;
using datum::iwarp::test::NoMemory;

namespace {

// Makes libdat log calls that succeed, because those lines take memory as well. Set before libdat
// reads the variable.
const bool kTold = ::setenv("DAT_DBG_TYPE", "0x28", 1) == 0;

constexpr DAT_RETURN kNoMemory = 0x80030002U;

struct Object {
  const DAT_PROVIDER* table;
};

int open_objects = 0;
// More tables than the registry has room for at first, so that it has to grow.
DAT_PROVIDER tables[160];
std::size_t next_table = 0;
Object objects[160];
DAT_EVD_HANDLE const kAsyncEvd = &objects[0];

DAT_RETURN open_object(const DAT_NAME_PTR, DAT_COUNT, DAT_EVD_HANDLE* evd, DAT_IA_HANDLE* ia) {
  objects[next_table].table = &tables[next_table];
  *ia = &objects[next_table++];
  *evd = kAsyncEvd;
  ++open_objects;
  return DAT_SUCCESS;
}

DAT_RETURN close_object(DAT_IA_HANDLE ia, DAT_CLOSE_FLAGS) {
  static_cast<Object*>(ia)->table = nullptr;
  --open_objects;
  return DAT_SUCCESS;
}

class RegistryNoMemory : public testing::Test {
 protected:
  RegistryNoMemory() {
    for (DAT_PROVIDER& table : tables) {
      table.ia_open_func = &open_object;
      table.ia_close_func = &close_object;
    }
    next_table = 0;
    open_objects = 0;
    // A name that is longer than a std::string holds without an allocation.
    std::string("an interface adapter whose name takes memory").copy(info_.ia_name, 255);
    info_.dapl_version_major = 1;
    info_.dapl_version_minor = 2;
  }
  DAT_RETURN open(DAT_IA_HANDLE& ia, DAT_EVD_HANDLE& evd) {
    return guarded([&] { return registry_.open({info_.ia_name, 8, &evd, &ia, 1, 2, false}); });
  }
  // Opens an IA; only the first `allowed` allocations succeed.
  DAT_RETURN open_with(int allowed, DAT_IA_HANDLE& ia, DAT_EVD_HANDLE& evd) {
    const NoMemory scarce(allowed);
    return open(ia, evd);
  }
  std::size_t free_places() {
    std::vector<std::size_t> taken;
    while (const auto place = ias_.reserve()) taken.push_back(*place);
    for (const std::size_t place : taken) ias_.cancel(place);
    return taken.size();
  }

  DAT_PROVIDER_INFO info_{};
  HandleCheck handles_;
  IaTable ias_;
  Registry registry_{RegistrySettings{}, [] { return std::vector<std::string>{}; }, handles_, ias_};
};

} // namespace

// Rules: REGISTRY.4
TEST_F(RegistryNoMemory, OpenThatFailsLeavesNeitherAnIaNorItsPlace) {
  ASSERT_EQ(registry_.add(&tables[159], &info_), DAT_SUCCESS);
  int failed = 0;
  int opened = 0;
  // Each open registers a new table. For some of them the list of known tables has to grow.
  while (next_table < 150) {
    for (int allowed = 0;; ++allowed) {
      DAT_IA_HANDLE ia = DAT_HANDLE_NULL;
      DAT_EVD_HANDLE evd = DAT_HANDLE_NULL;
      const DAT_RETURN ret = open_with(allowed, ia, evd);
      if (ret == DAT_SUCCESS) {
        ++opened;
        EXPECT_EQ(open_objects, 1);
        EXPECT_EQ(registry_.close(ia, DAT_CLOSE_ABRUPT_FLAG), DAT_SUCCESS);
        break;
      }
      ++failed;
      ASSERT_EQ(ret, kNoMemory);
      ASSERT_EQ(ia, DAT_HANDLE_NULL);
      ASSERT_EQ(evd, DAT_HANDLE_NULL);
      ASSERT_EQ(open_objects, 0) << "with " << allowed << " allocations";
    }
  }
  EXPECT_TRUE(kTold);
  EXPECT_GT(failed, opened);
  EXPECT_EQ(free_places(), 4095U);
  EXPECT_EQ(registry_.remove(&tables[159], &info_), DAT_SUCCESS) << "no open counts on it";
}

// Rules: REGISTRY.4
TEST_F(RegistryNoMemory, AddThatFailsRegistersNothing) {
  for (std::size_t i = 0; i != 150; ++i) {
    DAT_PROVIDER_INFO info = info_;
    std::to_string(i).copy(info.ia_name, 255);
    const auto add = [&](int allowed) {
      const NoMemory scarce(allowed);
      return guarded([&] { return registry_.add(&tables[i], &info); });
    };
    int allowed = 0;
    while (add(allowed) == kNoMemory) {
      ASSERT_EQ(registry_.remove(&tables[i], &info), 0x80060025U) << "it is not there";
      ++allowed;
    }
    ASSERT_EQ(registry_.remove(&tables[i], &info), DAT_SUCCESS);
  }
}

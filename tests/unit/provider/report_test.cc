// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Report: a report is written in parts. Between two parts endpoints come and go.
#include "provider/report.h"

#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "base/registry_uses.h"
#include "endpoints.h"
#include "pair.h"
#include "tests/versions/recorded.h"

namespace datum::test {
namespace {

// How often each endpoint was in the report, and the number of lines of other kinds.
struct Told {
  std::map<std::uint32_t, int> endpoints;
  int dispatchers = 0;
  int adapters = 0;

  int read(const std::string& part) {
    int objects = 0;
    std::istringstream lines(part);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream fields(line);
      std::string kind;
      std::uint32_t number = 0;
      fields >> kind >> number;
      if (kind == "ep") ++endpoints[number];
      if (kind == "evd") ++dispatchers;
      if (kind == "ia") ++adapters;
      if (kind == "ep" || kind == "evd") ++objects;
    }
    return objects;
  }
  void read_all(Report& report) {
    for (std::string part = report.next_part(); !part.empty(); part = report.next_part())
      EXPECT_LE(read(part), 64) << "in one part";
  }
};

TEST(Report, APartHasABoundedNumberOfObjects) {
  Endpoints endpoints(150);
  Report report(endpoints.adapter, "fake");
  Told told;
  EXPECT_EQ(told.read(report.next_part()), 64);
  EXPECT_EQ(told.read(report.next_part()), 64);
  EXPECT_EQ(told.read(report.next_part()), 23) << "the other endpoints, and the dispatcher";
  EXPECT_EQ(report.next_part(), "");
  EXPECT_EQ(told.adapters, 1);
  EXPECT_EQ(told.dispatchers, 1);
  EXPECT_EQ(told.endpoints.size(), 150U);
}

// Without leniencies the form is still that of the first release.
// Rules: VERSION.10
TEST(Report, SaysWhatTheFirstReleaseSaid) {
  Pair pair;
  pair.connect();
  ASSERT_TRUE(pair.passive.receive(0, 64, 1).ok());
  for (const std::uint64_t cookie : {2U, 3U}) ASSERT_TRUE(pair.active.receive(0, 64, cookie).ok());
  ASSERT_TRUE(pair.active.send(0, 56, 4).ok());
  ASSERT_TRUE(pair.passive.send(0, 8, 5).ok());
  pair.world.settle();
  EXPECT_EQ(Report(pair.active.adapter, "fake").next_part(), recorded_text("info-report"))
      << kRaise;
}

TEST(Report, LenienciesThatWereUsedFollowTheAdapter) {
  Endpoints endpoints(0);
  EXPECT_TRUE(endpoints.adapter.leniencies().permit(Leniency::SuppressInAttributes, "one"));
  EXPECT_TRUE(endpoints.adapter.leniencies().permit(Leniency::SuppressInAttributes, "two"));
  EXPECT_TRUE(endpoints.adapter.leniencies().permit(Leniency::LongWaitForRecv, "three"));
  Report report(endpoints.adapter, "fake");
  const std::string part = report.next_part();
  EXPECT_EQ(part.substr(0, part.find("evd")), "ia\tfake\n"
                                              "leniency\tsuppress_in_attributes\t2\n"
                                              "leniency\tlong_wait_for_recv\t1\n");
}

// Rules: dat_registry_list_providers.R9.default
TEST(Report, UsesOfTheRegistrysLeniencyStandInEachAnswer) {
  set_short_provider_lists(3);
  Endpoints endpoints(1);
  for (const char* name : {"one", "two"})
    EXPECT_NE(
        Report(endpoints.adapter, name).next_part().find("\nleniency\tshort_provider_list\t3\n"),
        std::string::npos);
}

TEST(Report, WhatGoesMeanwhileIsNotToldAndEverythingElseIsToldOnce) {
  Endpoints endpoints(200);
  Report report(endpoints.adapter, "fake");
  Told told;
  told.read(report.next_part());
  // Frees an endpoint that was reported, the first three of the next part, one in the middle and
  // the last.
  for (const std::size_t at : {3U, 64U, 65U, 66U, 100U, 199U}) endpoints.free(at);
  endpoints.add();
  told.read_all(report);
  EXPECT_EQ(told.endpoints.size(), 196U) << "five were not told, one has come";
  for (const Endpoint* each : endpoints.all) {
    if (each == nullptr) continue;
    EXPECT_EQ(told.endpoints[each->number()], 1) << each->number();
  }
}

TEST(Report, AllThatIsLeftMayGo) {
  Endpoints endpoints(100);
  Report report(endpoints.adapter, "fake");
  Told told;
  told.read(report.next_part());
  for (std::size_t at = 0; at < 100; ++at) endpoints.free(at);
  ASSERT_TRUE(endpoints.adapter.free(endpoints.evd).ok());
  EXPECT_EQ(report.next_part(), "");
}

// An IA answers one asker at a time, but two reports may exist at once.
TEST(Report, TwoAtOnceDoNotDisturbEachOther) {
  Endpoints endpoints(130);
  Report first(endpoints.adapter, "fake");
  Told of_first;
  of_first.read(first.next_part());
  Report second(endpoints.adapter, "fake");
  Told of_second;
  endpoints.free(64);
  endpoints.free(0);
  of_first.read_all(first);
  of_second.read_all(second);
  EXPECT_EQ(of_first.endpoints.size(), 129U) << "the first was told before it went";
  EXPECT_EQ(of_second.endpoints.size(), 128U);
}

} // namespace
} // namespace datum::test

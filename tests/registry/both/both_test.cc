// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/registry/both/both_test.cc: programs that are linked with libdat and libdat2.
#include <gtest/gtest.h>

#include "run_program.h"

namespace {

Ran run(const std::string& name) {
  return run_program({std::string(BOTH_FOLDER) + "/" + name}, {"DAT_OVERRIDE=/dev/null"});
}

constexpr const char* kWentToDat =
    "datum warn: ia \"datum\" u2.0: libdat.so.1 and libdat2.so.2 are both linked into this program "
    "and have the same names, and its calls go to libdat.so.1, which serves DAT 1.2 only; put "
    "-ldat2 in front of -ldat, or load each library with dlopen, or make a shared library of each "
    "part and link it with the one registry that it needs\n";
constexpr const char* kWentToDat2 =
    "datum warn: ia \"datum\" u1.2: libdat2.so.2 and libdat.so.1 are both linked into this program "
    "and have the same names, and its calls go to libdat2.so.2, which serves DAT 2.0 only; put "
    "-ldat in front of -ldat2, or load each library with dlopen, or make a shared library of each "
    "part and link it with the one registry that it needs\n";

class BothRegistries : public testing::TestWithParam<const char*> {
 protected:
  Ran run_linked(const std::string& order) { return run(order + "_" + GetParam()); }
};

} // namespace

INSTANTIATE_TEST_SUITE_P(As, BothRegistries, testing::Values("c", "cc"));

TEST_P(BothRegistries, TheFirstServesItsOwnVersion) {
  for (const auto& [name, out] : {std::pair("both_dat_first_1", "1.2 0x00000000\n"),
                                  std::pair("both_dat2_first_2", "2.0 0x00000000\n")}) {
    const Ran ran = run_linked(name);
    EXPECT_EQ(ran.out, out);
    EXPECT_EQ(ran.err, "");
  }
}

// Rules: REGISTRY.3
TEST_P(BothRegistries, TheFirstSaysThatItGotCallsOfTheSecond) {
  const Ran dat = run_linked("both_dat_first_2");
  EXPECT_EQ(dat.out, "2.0 0x800a0063\n");
  EXPECT_EQ(dat.err, kWentToDat);
  const Ran dat2 = run_linked("both_dat2_first_1");
  EXPECT_EQ(dat2.out, "1.2 0x800a0065\n"); // DAT_MAJOR_NOT_FOUND of DAT 2.0
  EXPECT_EQ(dat2.err, kWentToDat2);
}

// Rules: REGISTRY.3
TEST(BothRegistriesInOne, OnePartWorksAndTheOtherIsTold) {
  const Ran ran = run("both_parts_in_one");
  EXPECT_EQ(ran.out, "1.2 0x00000000\n2.0 0x800a0063\n");
  EXPECT_EQ(ran.err, kWentToDat);
}

#ifndef DATUM_SANITIZE // a sanitizer's libraries may have no undefined names
// Rules: REGISTRY.3
TEST(BothRegistriesInOne, SharedLibraryThatIsLinkedWithNoneGetsTheFirstOfTheProgram) {
  const Ran ran = run("both_unlinked");
  EXPECT_EQ(ran.out, "1.2 0x00000000\n2.0 0x800a0063\n");
  EXPECT_EQ(ran.err, kWentToDat);
}

#endif

TEST(BothRegistriesInOne, SharedLibraryForEachPartIsTheWayOut) {
  for (const char* name : {"both_library_of_dat2", "both_library_of_dat1", "both_libraries"}) {
    const Ran ran = run(name);
    EXPECT_EQ(ran.out, "1.2 0x00000000\n2.0 0x00000000\n") << name;
    EXPECT_EQ(ran.err, "") << name;
  }
}

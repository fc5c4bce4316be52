// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What dat-info finds in the files of DAT, in registries and adapters, and in the environment.
#include <gtest/gtest.h>

#include <cstdlib>

#include "good_facts.h"
#include "judged_variables.h"

namespace datum::info {
namespace {

TEST(InfoCheck, AGoodMachineHasNeitherProblemsNorNotes) {
  for (const Finding& finding : judge(good()))
    EXPECT_EQ(finding.grade, Grade::Fine) << finding.text;
}

TEST(InfoCheck, AMissingFileThatDatOverrideNamesIsAProblem) {
  Facts facts = good();
  facts.conf = {"/tmp/none", true, false, "No such file or directory", {}};
  expect(facts, "DAT_OVERRIDE=/tmp/none", Grade::Problem);
}

TEST(InfoCheck, WhatToDoAboutAFileThatCannotBeReadDependsOnWhy) {
  Facts facts = good();
  facts.conf.present = true;
  const auto step = [&] { return find(judge(facts), facts.conf.error)->step; };
  facts.conf.error = "Is a directory";
  expect(facts, "/etc/dat/dat.conf: Is a directory", Grade::Problem);
  EXPECT_EQ(step(), "put a file there, or nothing: it is not needed");
  facts.conf.overridden = true;
  EXPECT_EQ(step(), "have DAT_OVERRIDE name a file, or unset it");
  facts.conf.error = "Permission denied";
  facts.conf.permissions = true;
  EXPECT_EQ(step(), "correct its permissions");
}

TEST(InfoCheck, ABadLineIsNamedWithFileAndNumber) {
  Facts facts = good();
  facts.conf = {"/etc/dat.conf", false, true, {}, conf::parse_dat_conf("one two\n")};
  expect(facts, "/etc/dat.conf:1: ", Grade::Problem);
}

TEST(InfoCheck, AnAdapterThatDoesNotOpenIsAProblemWithItsCause) {
  Facts facts = good();
  facts.adapters[0].opens = false;
  facts.adapters[0].state = "no such library";
  expect(facts, "no such library", Grade::Problem);
}

ForeignRegistry foreign(bool offers_datum) {
  return {"/usr/lib/libdat2.so.2", "/etc/dat.conf", offers_datum,
          "datadm -a /usr/share/dat/service_provider.conf"};
}

TEST(InfoCheck, ARegistryOfAnotherMakerThatDoesNotKnowDatumComesWithTheLineToRun) {
  Facts facts = good();
  facts.foreign_registry = foreign(false);
  const char* const text = "/usr/lib/libdat2.so.2 is another maker's: programs of DAT 2.0 find "
                           "Datum only if /etc/dat.conf names it, and it does not";
  expect(facts, text, Grade::Note);
  EXPECT_EQ(find(judge(facts), text)->step,
            "as root: datadm -a /usr/share/dat/service_provider.conf; or, for one program: "
            "dat-run PROGRAM");
}

TEST(InfoCheck, ARegistryOfAnotherMakerWithALineForDatumIsFine) {
  Facts facts = good();
  facts.foreign_registry = foreign(true);
  expect(facts, "/etc/dat.conf leads its programs to Datum", Grade::Fine);
}

// The next step for an adapter of this obstacle.
std::string step_for(Obstacle obstacle) {
  Facts facts = good();
  Adapter& adapter = facts.adapters[0];
  adapter.opens = false;
  adapter.obstacle = obstacle;
  adapter.state = "the cause";
  adapter.origin = {true, "/etc/dat.conf:3", "libdatum1.so", "eth7"};
  const auto findings = judge(facts);
  const Finding* const finding = find(findings, "the cause");
  return finding == nullptr ? "" : finding->step;
}

// A search of the whole list for each line would take minutes, longer than a test may.
// Rules: REGISTRY.1
TEST(InfoAdapters, LongFileIsListedInOneGo) {
  std::string text;
  for (int i = 0; i != 100'000; ++i)
    text += "ia-" + std::to_string(i) + " u2.0 threadsafe default m.so p.1.0 \"\" \"\"\n";
  datum::tools::ConfFile file;
  file.path = "f";
  file.document = datum::conf::parse_dat_conf(text);
  const std::vector<Adapter> adapters = list_adapters(file);
  ASSERT_GT(adapters.size(), 100'000U);
  EXPECT_EQ(adapters.back().name, "ia-99999");
  EXPECT_EQ(adapters.back().origin.text, "f:100000");
}

TEST(InfoAdapters, ANameThatDatumAliasStandsForIsThere) {
  datum::tools::ConfFile file;
  file.path = "f";
  file.document =
      datum::conf::parse_dat_conf("ib2 u1.2 threadsafe default other.so p.1.0 \"\" \"\"\n");
  setenv("DATUM_ALIAS", "ib0=datum,ib1=none,ib2=datum", 1);
  const std::vector<Adapter> adapters = list_adapters(file, {"ib0", "ib1", "ib9"});
  unsetenv("DATUM_ALIAS");
  const auto origin = [&](const std::string& name) -> std::string {
    for (const Adapter& adapter : adapters)
      if (adapter.name == name) return adapter.origin.text + " (" + adapter.origin.library + ")";
    return "not there";
  };
  EXPECT_EQ(origin("ib0"), "DATUM_ALIAS=ib0=datum, built in (libdatum1.so)");
  EXPECT_EQ(origin("ib1"), "DATUM_ALIAS=ib1=none ()");
  EXPECT_EQ(origin("ib9"), "not there");
}

TEST(InfoCheck, TheNextStepIsThatOfTheObstacle) {
  EXPECT_NE(step_for(Obstacle::Library).find("is \"libdatum1.so\" installed"), std::string::npos);
  EXPECT_NE(step_for(Obstacle::Interface).find("/etc/dat.conf:3 may name another"),
            std::string::npos);
  EXPECT_NE(step_for(Obstacle::Name).find("another name in /etc/dat.conf:3"), std::string::npos);
  for (const Obstacle obstacle :
       {Obstacle::Interface, Obstacle::Name, Obstacle::Unknown, Obstacle::Version, Obstacle::Other})
    EXPECT_EQ(step_for(obstacle).find("installed"), std::string::npos) << "blames the library";
}

TEST(InfoCheck, TheModuleIsAProblemOnlyIfALibraryIsMissing) {
  Facts facts = good();
  facts.module.clear();
  expect(facts, "libdatum1.so is not in use", Grade::Note);
  facts.adapters[0].obstacle = Obstacle::Library;
  expect(facts, "libdatum1.so was not loaded", Grade::Problem);
}

TEST(InfoCheck, AnAdapterForDat2IsOnlyANote) {
  Facts facts = good();
  Adapter other = facts.adapters[0];
  other.major = 2;
  other.opens = false;
  other.state = "for DAT 2.0 programs";
  facts.adapters.push_back(other);
  expect(facts, "for DAT 2.0 programs", Grade::Note);
}

Adapter foreign(const std::string& name, unsigned major) {
  Adapter adapter;
  adapter.name = name;
  adapter.major = major;
  adapter.tried = major == 1;
  adapter.state = "the cause";
  adapter.origin = {true, "/etc/dat.conf:3", "libdaplofa.so." + std::to_string(major), {}};
  return adapter;
}

TEST(InfoCheck, LinesOfOtherProvidersAreOneNoteAndAllOnRequest) {
  Facts facts = good();
  for (int i = 0; i != 62; ++i) facts.adapters.push_back(foreign("ofa" + std::to_string(i), 2));
  const std::size_t usual = judge(good()).size();
  EXPECT_EQ(judge(facts).size(), usual + 1);
  expect(facts, "62 lines of other providers (libdaplofa.so.2): 62 for DAT 2.0 programs; --all",
         Grade::Note);
  EXPECT_EQ(find(judge(facts), "62 lines")->step, "");
  EXPECT_EQ(judge(facts, true).size(), usual + 62);
  facts.adapters.push_back(foreign("ib0", 1));
  facts.adapters.push_back(foreign("ib1", 1));
  expect(facts, "(libdaplofa.so.1, libdaplofa.so.2): 2 cannot be opened here, 62 for DAT 2.0",
         Grade::Note);
  EXPECT_EQ(find(judge(facts), "64 lines")->step,
            "nothing, unless a program asks for one of them: warnings of libraries that cannot be "
            "loaded are about these");
  EXPECT_TRUE(any_problem(judge(facts, true)));
}

// A user that sets an alias wants the adapter behind it.
TEST(InfoCheck, AnAliasOfAnotherProvidersLineIsJudgedByItself) {
  Facts facts = good();
  for (const char* name : {"ib0", "ib1", "ib2"}) {
    Adapter adapter;
    adapter.name = name;
    adapter.major = 1;
    adapter.origin.library = "libother.so";
    adapter.origin.text = std::string("the line of ") + name;
    adapter.by_alias = adapter.name == "ib2";
    adapter.state = "the cause";
    facts.adapters.push_back(adapter);
  }
  expect(facts, "ib2 u1.0 (the line of ib2): the cause", Grade::Problem);
  EXPECT_EQ(find(judge(facts), "ib1 u1.0"), nullptr);
}

TEST(InfoCheck, OneLineOfAnotherProviderIsJudgedByItself) {
  Facts facts = good();
  facts.adapters.push_back(foreign("ib0", 1));
  expect(facts, "ib0 u1.0 (/etc/dat.conf:3): the cause", Grade::Problem);
}

// Rules: ENV.26
TEST(InfoCheck, EachVariableIsJudgedAlike) {
  for (const char* name : datum::test::kJudgedVariables) {
    Facts facts = good();
    facts.environment = {{name, "-1x"}};
    expect(facts, std::string(name) + "=-1x: not ", Grade::Problem);
  }
  Facts facts = good();
  facts.environment = {{"DATUM_TRANSPORT", "pigeon"}};
  expect(facts, "DATUM_TRANSPORT=pigeon: not auto, shm or tcp; going on as with auto",
         Grade::Problem);
  facts.environment = {{"DATUM_RNR_TIMEOUT", "-1"}};
  expect(facts, "DATUM_RNR_TIMEOUT=-1: not milliseconds, at most 4233600000", Grade::Problem);
  facts.environment = {{"DATUM_STRICT", "on"}};
  expect(facts, "DATUM_STRICT=on is set", Grade::Note);
  facts.environment = {{"DAT_OVERRIDE", ""}};
  expect(facts, "DAT_OVERRIDE= is empty: as if it were not set", Grade::Note);
}

TEST(InfoCheck, ANameThatHasTwoAliasesIsAProblem) {
  Facts facts = good();
  facts.environment = {{"DATUM_ALIAS", "ib0=datum,ib1=datum,ib0=datum-lo"}};
  expect(facts, ": ib0 is there more than once; datum answers to it", Grade::Problem);
  facts.environment = {{"DATUM_ALIAS", "*=datum,*=datum-lo"}};
  expect(facts, ": * is there more than once; datum-lo answers to it", Grade::Problem);
  facts.environment = {{"DATUM_ALIAS", "ib0=datum,ib1=datum,ib0=datum"}};
  expect(facts, "DATUM_ALIAS=ib0=datum,ib1=datum,ib0=datum is set", Grade::Note);
}

TEST(InfoCheck, ANameThatStandsForItselfAloneIsAProblem) {
  Facts facts = good();
  facts.environment = {{"DATUM_ALIAS", "a=a,*=datum"}};
  expect(facts, ": a stands for itself, and no adapter is called so", Grade::Problem);
  facts.environment = {{"DATUM_ALIAS", "*=*"}};
  expect(facts, "programs that ask for a name that is not known find none", Grade::Problem);
  facts.environment = {{"DATUM_ALIAS", "datum=datum"}};
  expect(facts, "DATUM_ALIAS=datum=datum is set", Grade::Note);
  facts.adapters[0].major = 3; // for other programs
  expect(facts, ": datum stands for itself, and no adapter is called so", Grade::Problem);
}

TEST(InfoCheck, AnAliasThatNoProgramCanAskForIsAProblem) {
  Facts facts = good();
  facts.environment = {{"DATUM_ALIAS", "RO_AWARE_x=datum"}};
  expect(facts,
         "no program can ask for RO_AWARE_x: dat_ia_open takes RO_AWARE_ off and looks for \"x\"",
         Grade::Problem);
}

TEST(InfoCheck, TheValueOfAnotherProgramsVariableIsNotShown) {
  Facts facts = good();
  facts.environment = {{"DAT_ELSEWHERE", "5ec3e7"}};
  expect(facts, "DAT_ELSEWHERE is set; Datum's libraries do not read it", Grade::Note);
  EXPECT_EQ(find(judge(facts), "5ec3e7"), nullptr);
}

TEST(InfoCheck, TheTokenOfDatCpIsNoFinding) {
  Facts facts = good();
  facts.environment = {{"DAT_CP_TOKEN", "5ec3e7"}};
  EXPECT_EQ(find(judge(facts), "DAT_CP_TOKEN"), nullptr);
  EXPECT_EQ(find(judge(facts), "5ec3e7"), nullptr);
}

TEST(InfoCheck, AnUnknownSettingIsAProblemAndAKnownOneANote) {
  Facts facts = good();
  facts.environment = {{"DATUM_LOGG", "debug"}};
  expect(facts, "DATUM_LOGG=debug", Grade::Problem);
  facts.environment = {{"DATUM_LOG", "debug"}};
  expect(facts, "DATUM_LOG=debug", Grade::Note);
}

} // namespace
} // namespace datum::info

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "info/check.h"

#include <gtest/gtest.h>

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "info/proc.h"
#include "judged_variables.h"

namespace datum::info {
namespace {

// A machine on which nothing is wrong.
Facts good() {
  Facts facts;
  facts.conf = {"/etc/dat/dat.conf", false, false, {}, {}};
  Adapter adapter;
  adapter.name = "datum";
  adapter.major = 1;
  adapter.minor = 2;
  adapter.opens = true;
  adapter.address = "192.0.2.1";
  adapter.origin.text = "built in";
  facts.adapters = {adapter};
  facts.module = "/usr/lib/libdatum1.so";
  facts.open_files = {4096, 8192};
  facts.cores = 2;
  facts.sibling_access = true;
  facts.shm_free = std::uint64_t{1} << 30U;
  facts.shmem_huge_pages = "always within_size [advise] never deny force";
  facts.namespaces_known = true;
  return facts;
}

const Finding* find(const std::vector<Finding>& findings, const std::string& text) {
  const auto found = std::find_if(findings.begin(), findings.end(), [&](const Finding& f) {
    return f.text.find(text) != std::string::npos;
  });
  return found == findings.end() ? nullptr : &*found;
}

// The finding that mentions text has this grade, and a next step if it is a problem.
void expect(const Facts& facts, const std::string& text, Grade grade) {
  const auto findings = judge(facts);
  const Finding* const finding = find(findings, text);
  ASSERT_NE(finding, nullptr) << text;
  EXPECT_EQ(finding->grade, grade) << finding->text;
  if (grade == Grade::Problem) {
    EXPECT_FALSE(finding->step.empty()) << finding->text;
    EXPECT_TRUE(any_problem(findings));
  } else {
    EXPECT_FALSE(any_problem(findings));
  }
}

TEST(InfoCheck, AGoodMachineHasNeitherProblemsNorNotes) {
  for (const Finding& finding : judge(good()))
    EXPECT_EQ(finding.grade, Grade::Fine) << finding.text;
}

TEST(InfoCheck, AnOlderKernelIsANoteThatSaysWhatIsDifferent) {
  Facts facts = good();
  facts.kernel = "4.18.0-80.el8";
  facts.missing_calls = {{"pidfd_open", "5.3", "one thing"}, {"openat2", "5.6", "another"}};
  expect(facts,
         "Linux 4.18.0-80.el8: works, but without pidfd_open (Linux 5.3): one thing; without "
         "openat2 (Linux 5.6): another",
         Grade::Note);
}

// A newer kernel would not help against a filter.
TEST(InfoCheck, ACallThatAFilterRefusesIsToldApartFromOneThatTheKernelLacks) {
  Facts facts = good();
  facts.kernel = "6.1.0";
  facts.missing_calls = {{"membarrier", "4.14", "one thing", Absence::Refused, EPERM},
                         {"openat2", "5.6", "another", Absence::RefusedOrLacking, ENOSYS}};
  expect(facts, "Linux 6.1.0: new enough for every system call that Datum prefers", Grade::Fine);
  expect(facts,
         "(seccomp) refuses some that Datum can do without: membarrier (Operation not "
         "permitted): one thing",
         Grade::Note);
  expect(facts,
         "a sandbox (seccomp) refuses, or this kernel was built without, some that Datum can "
         "do without: openat2 (Function not implemented; Linux 5.6): another",
         Grade::Note);
  expect(facts, "no filter refuses those that Datum needs", Grade::Fine);
  for (const Finding& finding : judge(facts))
    EXPECT_EQ(finding.step.find("newer kernel"), std::string::npos) << finding.step;
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

TEST(InfoCheck, APortRangeMustBeTwoPortsInOrder) {
  for (const char* text :
       {"", "20000", "20000-", "30000-20000", "80-2000", "2000-65536", "1-2x", "a-b"}) {
    Facts facts = good();
    facts.environment = {{"DATUM_PORT_RANGE", text}};
    expect(facts, std::string("DATUM_PORT_RANGE=") + text + ": not two ports", Grade::Problem);
  }
  Facts facts = good();
  facts.environment = {{"DATUM_PORT_RANGE", "20000-29999"}};
  expect(facts, "DATUM_PORT_RANGE=20000-29999 is set", Grade::Note);
}

TEST(InfoCheck, EphemeralPortsThatStandForQualifiersAreANote) {
  Facts facts = good();
  facts.first_unprivileged_port = 1024;
  facts.ephemeral_ports = "20000\t60999";
  expect(facts, "16384 to 24575 stand for connection qualifiers above 65535", Grade::Note);
  facts.ephemeral_ports = "1024\t16384";
  expect(facts, "16384 to 24575 stand for", Grade::Note);
  for (const char* beside : {"24576\t60999", "1024\t16383", "32768\t60999"}) {
    facts.ephemeral_ports = beside;
    expect(facts, std::string("ephemeral ") + beside + ", privileged below 1024", Grade::Fine);
  }
  // With this range its ports stand for the qualifiers.
  facts.environment = {{"DATUM_PORT_RANGE", "40000-40009"}};
  expect(facts, "40000 to 40009 stand for", Grade::Note);
  facts.ephemeral_ports = "20000\t39999";
  expect(facts, "ephemeral 20000\t39999", Grade::Fine);
}

TEST(InfoCheck, ForbiddenDirectAccessIsANoteThatNamesYama) {
  Facts facts = good();
  facts.sibling_access = false;
  facts.sibling_error = "Operation not permitted";
  facts.ptrace_scope = 1;
  expect(facts, "kernel.yama.ptrace_scope is 1", Grade::Note);
}

TEST(InfoCheck, WithoutMemfdThereAreNoLinks) {
  Facts facts = good();
  facts.memfd_error = "memfd_create: Function not implemented";
  expect(facts, "memfd_create: Function not implemented", Grade::Problem);
}

TEST(InfoCheck, FewOpenFilesAreANote) {
  Facts facts = good();
  facts.open_files = {1024, 4096};
  expect(facts, "1024 (at most 4096)", Grade::Note);
}

TEST(InfoCheck, TooFewOpenFilesForOnePeerAreAProblem) {
  Facts facts = good();
  facts.open_files = {9, 4096};
  expect(facts, "9 (at most 4096)", Grade::Problem);
  EXPECT_EQ(find(judge(facts), "9 (at most 4096)")->step, "ulimit -n 4096");
  facts.open_files = {17, 4096};
  EXPECT_EQ(find(judge(facts), "17 (at most 4096)")->step,
            "for more than one peer process: ulimit -n 4096");
}

TEST(InfoCheck, OpenFilesForTcpAloneAreANote) {
  Facts facts = good();
  facts.open_files = {10, 4096};
  expect(facts, "10 over TCP, which DATUM_TRANSPORT=auto takes", Grade::Note);
  facts.open_files = {16, 4096};
  expect(facts, "has about 17 open", Grade::Note);
  EXPECT_EQ(find(judge(facts), "16 (at most 4096)")->step, "ulimit -n 4096");
}

TEST(InfoCheck, NobodyIsToldToSetALimitThatIsSet) {
  Facts facts = good();
  facts.open_files = {32, 4096};
  EXPECT_EQ(find(judge(facts), "32 (at most 4096)")->step,
            "for more than some 4 peer processes: ulimit -n 4096");
  facts.open_files = {8, 8};
  const std::string step = find(judge(facts), "8 (at most 8)")->step;
  EXPECT_EQ(step.find("ulimit"), std::string::npos) << step;
  EXPECT_NE(step.find("as root raise the hard limit"), std::string::npos) << step;
}

TEST(InfoCheck, LimitsThatCannotBeReadAreNotTakenForNone) {
  Facts facts = good();
  facts.open_files.reset();
  expect(facts, "unknown: the limits of this process cannot be read", Grade::Note);
  const auto findings = judge(facts);
  EXPECT_EQ(find(findings, "0 (at most 0)"), nullptr);
}

TEST(InfoCheck, WhatRootDoesNotSeeIsNotBlamedOnTheUser) {
  Facts facts = good();
  facts.namespaces_known = false;
  expect(facts, "those of process 1 cannot be seen by this user", Grade::Fine);
  facts.root = true;
  expect(facts, "those of process 1 cannot be seen, not even as root", Grade::Fine);
  EXPECT_EQ(find(judge(facts), "by this user"), nullptr);
}

TEST(InfoCheck, ANetworkOfItsOwnIsANote) {
  Facts facts = good();
  facts.own_network = true;
  expect(facts, "network namespace", Grade::Note);
}

TEST(InfoCheck, AnAdapterWithoutANetworkIsANote) {
  Facts facts = good();
  facts.adapters[0].to_other_hosts = "none: no network interface of this host is up";
  expect(facts, "over TCP it reaches none: no network interface of this host is up", Grade::Note);
}

TEST(InfoCheck, ARefusedSystemCallIsAProblemThatSaysWhatFollows) {
  Facts facts = good();
  facts.refused_calls = {{"accept4", "nobody is answered", EPERM},
                         {"sendmsg", "TCP alone", EPERM},
                         {"sendto", "TCP alone", ENOSYS}};
  expect(facts,
         "refuses sendmsg (Operation not permitted), sendto (Function not implemented): TCP alone; "
         "accept4 (Operation not permitted): nobody is answered",
         Grade::Problem);
}

TEST(InfoCheck, AnAdapterWithoutSharedMemoryIsANoteWhereTcpIsLeft) {
  Facts facts = good();
  facts.adapters[0].to_this_host = "TCP; shared memory is not available: it takes 9 descriptors";
  expect(facts, "its processes are reached over TCP; shared memory is not available: it takes 9",
         Grade::Note);
}

TEST(InfoCheck, AnAdapterWithoutSharedMemoryAndTcpIsAProblem) {
  Facts facts = good();
  facts.adapters[0].to_this_host = "none; shared memory is not available: this process";
  expect(facts, "way to its processes: none; shared memory is not available: this process",
         Grade::Problem);
}

// Rules: PROTECT.13
TEST(InfoCheck, ANameThatAnotherUserHoldsIsANote) {
  Facts facts = good();
  facts.held_names = {{{"192.0.2.1", 5000, 1001}, 1000}};
  expect(facts,
         "port 5000 belongs to user 1000, but the socket name @datum/1/192.0.2.1/5000 is held by "
         "user 1001",
         Grade::Note);
}

TEST(InfoCheck, OfManyNamesAFewAreShown) {
  Facts facts = good();
  facts.held_names.assign(1000, {{"*", 5000, 1001}, 1000});
  expect(facts, "992 more", Grade::Note);
  EXPECT_LT(judge(facts).size(), 40U);
}

// Rules: PROTECT.13
TEST(InfoHeldNames, AreComparedWithWhoHasThePort) {
  const auto tcp = [](const char* host, uid_t user) {
    return TcpSocket{0, {host, 5000}, {"0.0.0.0", 0}, "listening", user};
  };
  constexpr unsigned kUnprivileged = 1024;
  const std::vector<PortName> every = {{"*", 5000, 1001}}, one = {{"192.0.2.1", 5000, 1001}};
  const auto held = [&](const std::vector<PortName>& names, const std::vector<TcpSocket>& at) {
    return held_by_others(names, at, kUnprivileged).size();
  };
  EXPECT_EQ(held(every, {tcp("::", 1000)}), 1U);
  EXPECT_EQ(held(every, {tcp("::", 1001)}), 0U);
  EXPECT_EQ(held(every, {}), 0U) << "nobody has the port";
  EXPECT_EQ(held(one, {tcp("192.0.2.1", 1000)}), 1U);
  EXPECT_EQ(held(one, {tcp("192.0.2.2", 1000), tcp("192.0.2.1", 1001)}), 0U);
  EXPECT_EQ(held(one, {tcp("192.0.2.2", 1000)}), 0U) << "another address";
  EXPECT_EQ(held(one, {tcp("::", 1000)}), 0U) << "its service point has the name of every address";
  EXPECT_EQ(held(every, {tcp("192.0.2.1", 1000)}), 0U) << "its service point has another name";
}

// Rules: PROTECT.13
TEST(InfoHeldNames, AtAPrivilegedPortAreOfEveryForm) {
  const auto held = [](std::vector<PortName> names, const char* host) {
    const TcpSocket tcp{0, {host, 610}, {"0.0.0.0", 0}, "listening", 0};
    return held_by_others(names, {tcp}, 1024).size();
  };
  EXPECT_EQ(held({{"7", 610, 1001, "datum/m"}}, "::"), 1U);
  EXPECT_EQ(held({{"7", 610, 1001, "datum/m"}}, "192.0.2.1"), 0U) << "63 are free";
  EXPECT_EQ(held(std::vector<PortName>(64, {"7", 610, 1001, "datum/m"}), "192.0.2.1"), 64U);
  for (const char* family : {"datum/s", "datum/q"}) {
    EXPECT_EQ(held({{"*", 610, 1001, family}}, "192.0.2.1"), 1U);
    EXPECT_EQ(held({{"192.0.2.1", 610, 1001, family}}, "::"), 0U) << "its mark is";
  }
  EXPECT_EQ(held({{"*", 610, 1001, "datum/s"}}, "::"), 1U);
  EXPECT_EQ(held({{"*", 610, 1001, "datum/q"}}, "::"), 0U) << "it takes the other claim";
  EXPECT_EQ(held({{"192.0.2.1", 610, 1001}}, "::"), 1U);
  EXPECT_EQ(held({{"*", 610, 1001}}, "192.0.2.1"), 1U);
  EXPECT_EQ(held({{"7", 610, 1001, "datum/m"}, {"*", 610, 0, "datum/1", true}}, "::"), 0U)
      << "a service point that has its names loses nothing";
}

// Any process can choose such names.
TEST(InfoHeldNames, AreAddressesAndPortsOrNothing) {
  const auto name = parse_port_name("datum/1/fe80::1%2/5000", SOCK_SEQPACKET, 7);
  ASSERT_TRUE(name.has_value());
  EXPECT_EQ(name->host, "fe80::1%2");
  EXPECT_EQ(name->port, 5000);
  EXPECT_EQ(name->holder, 7U);
  for (const char* other :
       {"datum/1/*/70000", "datum/1/\x1b[2J/5000", "datum/1//5000", "datum/1/*/", "datum/1/5000",
        "datum/s/*/5000", "x/datum/1/*/5000", "datum/1/*/5000 "})
    EXPECT_FALSE(parse_port_name(other, SOCK_SEQPACKET, 7).has_value()) << other;
  for (const char* claim : {"datum/s/*/5000", "datum/q/192.0.2.1/5000", "datum/m/63/5000"})
    EXPECT_TRUE(parse_port_name(claim, SOCK_DGRAM, 7).has_value()) << claim;
  for (const char* other : {"datum/m/64/5000", "datum/m/*/5000", "datum/s/63/5000",
                            "datum/1/*/5000", "datum/m/\x1b[2J/5000", "datum/q/*/70000"})
    EXPECT_FALSE(parse_port_name(other, SOCK_DGRAM, 7).has_value()) << other;
}

TEST(InfoProc, MappingsAreReadWithSizeRightsAndDeletion) {
  const auto maps = parse_maps("7f00-8f00 rw-s 00000000 00:01 42   /memfd:datum-link (deleted)\n"
                               "nonsense\n"
                               "1000-3000 r-xp 00000000 08:01 7  /usr/lib/libdat.so.1.2.0\n");
  ASSERT_EQ(maps.size(), 2U);
  EXPECT_EQ(maps[0].size, 0x1000U);
  EXPECT_TRUE(maps[0].writable);
  EXPECT_TRUE(maps[0].deleted);
  EXPECT_EQ(maps[0].inode, 42U);
  EXPECT_EQ(maps[0].path, "/memfd:datum-link");
  EXPECT_FALSE(maps[1].writable);
  EXPECT_FALSE(maps[1].deleted);
}

TEST(InfoProc, NamedUnixSocketsAreReadWithTheirInode) {
  const auto sockets =
      parse_unix_sockets("Num       RefCount Protocol Flags    Type St Inode Path\n"
                         "0000: 00000002 00000000 00010000 0005 01 99 @datum/1/*/5000\n"
                         "0000: 00000003 00000000 00000000 0005 03 98 @datum/1/*/5000\n"
                         "0000: 00000003 00000000 00000000 0001 03 97\n"
                         "0000: 00000002 00000000 00000000 0005 01 96 @datum/1/*/70000\n");
  ASSERT_EQ(sockets.size(), 3U);
  EXPECT_TRUE(sockets[0].listening);
  EXPECT_EQ(sockets[0].inode, 99U);
  EXPECT_EQ(sockets[0].name, "@datum/1/*/5000");
  EXPECT_FALSE(sockets[1].listening);
  EXPECT_TRUE(sockets[1].connected);
  EXPECT_FALSE(sockets[2].listening || sockets[2].connected) << "a name that is only held";
}

TEST(InfoProc, OnlySocketLinksHaveASocketInode) {
  EXPECT_EQ(process_of_memory("/proc/4711/mem"), 4711);
  for (const char* other : {"/proc/4711/maps", "/proc//mem", "/proc/mem", "/proc/self/mem", "/mem"})
    EXPECT_FALSE(process_of_memory(other).has_value()) << other;
  EXPECT_EQ(socket_inode("socket:[4711]"), 4711U);
  EXPECT_FALSE(socket_inode("pipe:[4711]").has_value());
  EXPECT_FALSE(socket_inode("socket:[]").has_value());
}

TEST(InfoProc, AStatusFieldIsFoundByItsWholeName) {
  const char* const status = "Name:\tdat-cp\nState:\tS (sleeping)\nUid:\t1000\t1000\n";
  EXPECT_EQ(status_field(status, "State"), "S (sleeping)");
  EXPECT_EQ(status_field(status, "Stat"), "");
}

TEST(InfoCheck, WithoutProcThereIsOneNoteWithItsRemedy) {
  Facts facts = good();
  facts.proc_mounted = false;
  facts.namespaces_known = false;
  expect(facts, "/proc is not mounted", Grade::Note);
  EXPECT_EQ(find(judge(facts), "/proc is not mounted")->step, "mount -t proc proc /proc");
  expect(facts, "unknown without /proc", Grade::Fine);
}

// As DatumMemoryAllocHuge finds on a kernel with the setting "never".
TEST(InfoCheck, HugePagesOnRequestAreNotDenied) {
  const auto text = [](const char* setting, bool on_request) {
    Facts facts = good();
    facts.shmem_huge_pages = setting;
    facts.huge_pages_on_request = on_request;
    const auto findings = judge(facts);
    const Finding* const finding = find(findings, "shareable memory gets");
    return finding != nullptr ? finding->text : "";
  };
  const std::string none = "shareable memory gets base pages only";
  EXPECT_EQ(text("always [never] deny", true), none + ", except of datum_memory_alloc_huge");
  EXPECT_EQ(text("always [never] deny", false), none);
  EXPECT_EQ(text("always never [deny]", false), none);
  EXPECT_EQ(text("", false), none);
  EXPECT_EQ(text("[advise] never", true), "");
}

} // namespace
} // namespace datum::info

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat-info as a user runs it: its command line, and the list of adapters.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "dat_info.h"
#include "judged_variables.h"

namespace datum::info {
namespace {

namespace fs = std::filesystem;
using test::Ended;
using test::run;

TEST(DatInfo, TheBuiltInAdapterOpens) {
  const Ended ended = run(kInfo + " datum");
  EXPECT_EQ(ended.code, 0);
  EXPECT_NE(ended.output.find("built in"), std::string::npos) << ended.output;
  EXPECT_NE(ended.output.find("opens"), std::string::npos) << ended.output;
}

// The loader ends a program if it finds a file that has the name of a needed library and is none.
TEST(DatInfo, NoLibraryIsTakenFromTheCurrentFolder) {
  char folder[] = "/tmp/dat-info-test-XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  const Ended needed = run("readelf -d " + kInfo + " " + kLibraries + "/libdat.so.1 " + kLibraries +
                           "/libdatum1.so | sed -n 's/.*(NEEDED).*\\[\\(.*\\)\\]/\\1/p'");
  std::istringstream names(needed.output);
  unsigned count = 0;
  for (std::string name; std::getline(names, name); ++count)
    std::ofstream(fs::path(folder) / name) << "no library\n";
  EXPECT_GT(count, 3U) << needed.output;
  const Ended ended =
      run("sh -c 'cd " + std::string(folder) + " && exec " + kInfo + " datum 2>&1'");
  EXPECT_EQ(ended.code, 0) << ended.output;
  EXPECT_NE(ended.output.find("opens"), std::string::npos) << ended.output;
  fs::remove_all(folder);
}

TEST(DatInfo, ANameThatDatumAliasStandsForOpensAndSaysSo) {
  const Ended ended =
      run("env DATUM_ALIAS=ib0=datum DAT_OVERRIDE=/dev/null " + kInfo + " ib0 2>&1");
  EXPECT_EQ(ended.code, 0) << ended.output;
  EXPECT_NE(ended.output.find(" DATUM_ALIAS=ib0=datum, built in"), std::string::npos)
      << ended.output;
  const Ended none = run("env DATUM_ALIAS=ib0=none DAT_OVERRIDE=/dev/null " + kInfo + " ib0 2>&1");
  EXPECT_EQ(none.code, 1) << none.output;
  EXPECT_NE(none.output.find("DATUM_ALIAS stands it for \"ib0\""), std::string::npos)
      << none.output;
}

TEST(DatInfo, WhatOneViewDoesNotTakeIsRefused) {
  for (const std::string options :
       {"--check datum", "--check -a", "-p 1 datum", "-p 1 -a", "-p 1 --all"})
    EXPECT_EQ(run(kInfo + " " + options + " 2>&1").code, 2) << options;
}

TEST(DatInfo, OutputThatIsLostIsAFailure) {
  const Ended full = run(kInfo + " --json datum 2>&1 >/dev/full");
  EXPECT_EQ(full.code, 1);
  EXPECT_EQ(full.output, "dat-info: cannot write to standard output: No space left on device\n");
  EXPECT_EQ(run(kInfo + " --json datum 2>&1 >&-").code, 1);
}

// The space for handles must not take nearly all of the address space that is left.
TEST(DatInfo, ALimitOnAddressSpaceLeavesRoomForTheAdapter) {
  const auto limited = [](const std::string& options) {
    return run("bash -c 'ulimit -v 300000; exec " + kInfo + options + " 2>&1'");
  };
  if (limited(" --version").code != 0) return; // a sanitizer needs more than that for itself
  const Ended ended = limited(" datum");
  EXPECT_EQ(ended.code, 0) << ended.output;
}

TEST(DatInfo, WhatTheKernelWouldNotGiveIsNamed) {
  const Ended ended = run("bash -c 'ulimit -f 1; exec " + kInfo + " datum 2>&1'");
  EXPECT_EQ(ended.code, 1);
  EXPECT_NE(ended.output.find("memory to share with peers cannot be had (memfd): File too large"),
            std::string::npos)
      << ended.output;
}

TEST(DatInfo, WrongUsageIsSaidInItsName) {
  const Ended ended = run(kInfo + " --no-such-option 2>&1");
  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(ended.output.rfind("dat-info: ", 0), 0U) << ended.output;
}

TEST(DatInfo, AnEmptyNameIsSeen) {
  const Ended ended = run(kInfo + " '' 2>&1");
  EXPECT_EQ(ended.code, 1);
  EXPECT_EQ(ended.output.rfind("dat-info: \"\": no such IA is registered (", 0), 0U)
      << ended.output;
}

TEST(DatInfo, AnAdapterOfDatConfIsNamedWithFileAndLine) {
  const DatConf conf(
      "# first line\nmine u1.2 nonthreadsafe default libdatum1.so d.1.0 \"\" \"\"\n");
  const Ended ended = run(conf.with(kInfo + " mine"));
  EXPECT_EQ(ended.code, 0);
  EXPECT_NE(ended.output.find(conf.path + ":2"), std::string::npos) << ended.output;
}

TEST(DatInfo, OwnAdaptersComeFirstAndJsonHasTheListInItsOrder) {
  const DatConf conf(
      "ofa-v2-ib0 u2.0 nonthreadsafe default libdaplofa.so.2 dapl.2.0 \"ib0 0\" \"\"\n"
      "mine u2.0 threadsafe default libdatum2.so datum.0.1 \"\" \"\"\n");
  const std::string text = run(conf.with(kInfo)).output;
  EXPECT_LT(text.find("\ndatum "), text.find("\nmine ")) << text;
  EXPECT_LT(text.find("\nmine "), text.find("\nofa-v2-ib0 ")) << text;
  EXPECT_NE(text.find("\nofa-v2-ib0 "), std::string::npos) << text;
  const std::string json = run(conf.with(kInfo + " --json")).output;
  EXPECT_LT(json.find("\"ofa-v2-ib0\""), json.find("\"mine\"")) << json;
  EXPECT_LT(json.find("\"datum\""), json.find("\"ofa-v2-ib0\"")) << json;
  EXPECT_NE(json.find("\"mine\""), std::string::npos) << json;
}

TEST(DatInfo, AdaptersOfInterfacesAreShownThoughProgramsDoNotSeeThemInTheirLists) {
  const DatConf conf("datum u1.2 nonthreadsafe nondefault libdatum1.so datum.0.1 \"\" \"\"\n");
  const Ended ended = run(conf.with(kInfo + " --json datum datum-lo"));
  EXPECT_EQ(ended.code, 0) << ended.output;
  for (const char* each : {"\"datum\"", "\"datum-lo\""})
    EXPECT_NE(ended.output.find(
                  std::string("{\"name\": ") + each +
                  ", \"dat\": \"1.2\", \"thread_safe\": \"both\", \"listed\": false, \"origin\": "
                  "\"built in\", \"library\": \"libdatum1.so\", \"opens\": true"),
              std::string::npos)
        << ended.output;
  EXPECT_NE(run(kInfo + " datum-lo").output.find("built in, not listed (libdatum1.so)"),
            std::string::npos);
}

TEST(DatInfo, AnAdapterThatIsNamedTwiceIsShownOnce) {
  const Ended ended = run(kInfo + " datum datum");
  EXPECT_EQ(ended.code, 0) << ended.output;
  EXPECT_EQ(count(ended.output, "\ndatum "), 1U) << ended.output;
  EXPECT_EQ(count(ended.output, "\nWhich way connections of datum take, "), 1U) << ended.output;
}

TEST(DatInfo, WhatIsThereIsShownBesideANameThatNothingHas) {
  const std::string told = "dat-info: \"nosuch\": no such IA is registered (";
  const Ended text = run(kInfo + " datum-lo nosuch datum 2>&1");
  EXPECT_EQ(text.code, 1);
  EXPECT_EQ(count(text.output, "\ndatum-lo "), 1U) << text.output;
  EXPECT_EQ(count(text.output, "\ndatum "), 1U) << text.output;
  EXPECT_EQ(count(text.output, told), 1U) << text.output;
  const Ended json = run(kInfo + " --json nosuch datum-lo 2>&1");
  EXPECT_EQ(json.code, 1);
  EXPECT_EQ(count(json.output, "{\"name\": \"datum-lo\""), 1U) << json.output;
  EXPECT_EQ(count(json.output, told), 1U) << json.output;
  EXPECT_EQ(run(kInfo + " --json nosuch 2>/dev/null").output, "[\n]\n");
}

TEST(DatInfo, TheHintNamesTheCheckThatTellsOfWhatFailed) {
  const DatConf foreign(foreign_lines());
  const auto hint = [](const std::string& output) {
    const std::size_t at = output.find("\ndat-info --");
    return at == std::string::npos ? output : output.substr(at + 1, output.find('\n', at + 1) - at);
  };
  const std::string all = "dat-info --dat2 --check --all says what to do.\n";
  EXPECT_EQ(hint(run(foreign.with(kInfo + " --dat2 --all 2>/dev/null")).output), all);
  EXPECT_EQ(hint(run(foreign.with(kInfo + " --dat2 ofa-v2-7 2>/dev/null")).output), all);
  const Ended check = run(foreign.with(kInfo + " --dat2 --check --all 2>/dev/null"));
  EXPECT_EQ(count(check.output, "problem  adapter        ofa-v2-7 u2.0 ("), 1U) << check.output;
  const DatConf own("mine u1.2 nonthreadsafe default libdatum1.so d.1.0 \"nowhere0\" \"\"\n");
  EXPECT_EQ(hint(run(own.with(kInfo + " mine 2>/dev/null")).output),
            "dat-info --check says what to do.\n");
}

TEST(DatInfo, ColumnsAreAsWideAsEscapedNames) {
  const DatConf conf(
      "ib\033[2J0 u1.2 nonthreadsafe default libdatum1.so d.1.0 \"lo\" \"\"\n"
      "\033\033\033\033\033 u1.2 nonthreadsafe default libdatum1.so d.1.0 \"lo\" \"\"\n");
  const std::string text = run(conf.with(kInfo + " 2>/dev/null")).output;
  std::istringstream lines(text.substr(0, text.find("\n\n")));
  std::string head, line;
  ASSERT_TRUE(std::getline(lines, head));
  const std::size_t column = head.find("DAT");
  while (std::getline(lines, line)) EXPECT_EQ(line.substr(column - 1, 5), " 1.2 ") << text;
}

TEST(DatInfo, LinesOfADistributionAreOneLine) {
  const DatConf conf(foreign_lines());
  const Ended brief = run(conf.with(kInfo)), all = run(conf.with(kInfo + " --all"));
  EXPECT_EQ(brief.code, 0) << brief.output;
  EXPECT_EQ(count(brief.output, "ofa-v2-"), 0U) << brief.output;
  EXPECT_NE(brief.output.find("62 lines of other providers (libnowhere.so.9): 62 for DAT 2.0 "
                              "programs; --all shows them"),
            std::string::npos)
      << brief.output;
  EXPECT_EQ(count(all.output, "ofa-v2-"), 62U) << all.output;
  EXPECT_EQ(count(run(conf.with(kInfo + " --json")).output, "ofa-v2-"), 62U);
  EXPECT_EQ(count(run(conf.with(kInfo + " ofa-v2-7")).output, "ofa-v2-7"), 1U);
}

TEST(DatInfo, TheViewOfDat2IsThatOfItsPrograms) {
  const DatConf conf("old u1.2 nonthreadsafe default libdatum1.so datum.0.1 \"\" \"\"\n"
                     "mine u2.0 nonthreadsafe default libdatum2.so datum.0.1 \"\" \"\"\n");
  const Ended list = run(conf.with(kInfo + " --dat2"));
  EXPECT_EQ(list.code, 0) << list.output;
  for (const char* part :
       {"\ndatum-lo 2.0 ", "built in (libdatum2.so)", "\nmine 2.0 ",
        "for DAT 1.2 programs; not tried", "served by ", "/libdat2.so.2\n", "/libdatum2.so\n"})
    EXPECT_NE(squeezed(list.output).find(part), std::string::npos) << part << '\n' << list.output;
  const Ended full = run(kInfo + " --dat2 -a datum");
  EXPECT_EQ(full.code, 0);
  for (const char* part : {"extension_supported InfiniBand", "zb_supported",
                           "provider: DAT_IB_FETCH_AND_ADD", "dapl_version 2.0"})
    EXPECT_NE(squeezed(full.output).find(part), std::string::npos) << part << '\n' << full.output;
  const Ended check = run("env DAT_OVERRIDE= " + kInfo + " --dat2 --check");
  EXPECT_NE(check.output.find("/libdatum2.so"), std::string::npos) << check.output;
  EXPECT_EQ(run(kInfo + " --dat2 -p 1 2>&1").code, 2);
}

TEST(DatInfo, ARegistryOfAnotherMakerHasNoBuiltInAdapters) {
  const DatConf conf("mine u2.0 nonthreadsafe default libdatum2.so datum.0.1 \"\" \"\"\n");
  const Ended ended =
      run(conf.with("env DATUM_ALIAS=ib0=datum LD_LIBRARY_PATH=" DAT_INFO_FOREIGN_REGISTRY " " +
                    kInfo + " --dat2 2>&1"));
  EXPECT_EQ(ended.output.find("built in"), std::string::npos) << ended.output;
  EXPECT_NE(ended.output.find("served by " DAT_INFO_FOREIGN_REGISTRY "/libdat2.so.2"),
            std::string::npos)
      << ended.output;
}

TEST(DatInfo, ManyLinesOfOtherProvidersThatDoNotOpenAreNoFailureForDat2) {
  const DatConf conf(foreign_lines());
  const Ended ended = run(conf.with(kInfo + " --dat2 2>&1"));
  EXPECT_EQ(ended.code, 0) << ended.output;
  EXPECT_EQ(count(ended.output, "cannot load libnowhere.so.9"), 1U) << ended.output;
  EXPECT_NE(ended.output.find("62 lines of other providers (libnowhere.so.9): 62 cannot be opened "
                              "here; --all shows them"),
            std::string::npos)
      << ended.output;
  EXPECT_EQ(run(conf.with(kInfo + " --dat2 --all 2>/dev/null")).code, 1);
}

// The registry and the provider both read some of these variables, and each adapter reads most of
// them again.
// Rules: ENV.27
TEST(DatInfo, AWrongVariableIsToldInOneLineWithItsValue) {
  std::vector<std::string> names(std::begin(test::kJudgedVariables),
                                 std::end(test::kJudgedVariables));
  names.emplace_back("DAT_OVERRIDE");
  for (const std::string& name : names) {
    const Ended ended = run("env " + name + "=-1x " + kInfo + " datum datum-lo 2>&1 >/dev/null");
    EXPECT_EQ(ended.code, 0) << name;
    EXPECT_EQ(count(ended.output, "\n"), 1U) << name << '\n' << ended.output;
    EXPECT_NE(ended.output.find(name), std::string::npos) << ended.output;
    EXPECT_NE(ended.output.find("-1x"), std::string::npos) << ended.output;
  }
}

TEST(DatInfo, AnAdapterForProgramsOfAnotherVersionIsNoFailure) {
  const DatConf conf("later u2.0 nonthreadsafe default libdatum2.so d.2.0 \"\" \"\"\n");
  EXPECT_EQ(run(conf.with(kInfo)).code, 0);
}

TEST(DatInfo, AnAdapterWithoutItsLibraryIsShownWithTheCause) {
  const DatConf conf("lost u1.2 nonthreadsafe default libnowhere.so.9 d.1.0 \"\" \"\"\n");
  const Ended ended = run(conf.with(kInfo + " lost 2>/dev/null"));
  EXPECT_EQ(ended.code, 1);
  EXPECT_NE(ended.output.find("dat_ia_open(lost)"), std::string::npos) << ended.output;
  EXPECT_NE(ended.output.find("libnowhere.so.9"), std::string::npos) << ended.output;
}

TEST(DatInfo, AnAddressOfTheLoopbackBlockNeedsNoInterface) {
  const DatConf conf("mine u1.2 nonthreadsafe default libdatum1.so d.1.0 \"127.9.9.9\" \"\"\n");
  EXPECT_EQ(run(conf.with(kInfo + " mine")).code, 0);
}

TEST(DatInfo, AllAttributesAreShownOnRequest) {
  const Ended plain = run(kInfo + " datum"), full = run(kInfo + " -a datum");
  EXPECT_EQ(full.code, 0);
  EXPECT_EQ(plain.output.find("max_rdma_size"), std::string::npos);
  for (const char* name : {"max_rdma_size", "max_ep_per_srq", "provider_name", "lmr_sync_req"})
    EXPECT_NE(full.output.find(name), std::string::npos) << name;
}

TEST(DatInfo, TypesOfMemoryHaveTheirNames) {
  const Ended ended = run(kInfo + " -a datum");
  const std::size_t at = ended.output.find("lmr_mem_types_supported");
  ASSERT_NE(at, std::string::npos) << ended.output;
  const std::string line = ended.output.substr(at, ended.output.find('\n', at) - at);
  EXPECT_NE(line.find("virtual, LMR, shared virtual, SO virtual"), std::string::npos) << line;
}

TEST(DatInfo, AnUnknownNameIsAFailure) {
  EXPECT_EQ(run(kInfo + " nope 2>/dev/null").code, 1);
}

TEST(DatInfo, JsonHasTheSameAdapters) {
  const Ended ended = run(kInfo + " --json datum");
  EXPECT_EQ(ended.code, 0);
  EXPECT_NE(ended.output.find("\"name\": \"datum\""), std::string::npos) << ended.output;
  EXPECT_NE(ended.output.find("\"opens\": true"), std::string::npos) << ended.output;
}

TEST(DatInfo, NamedAttributesThatAreNumbersAreNumbersInJson) {
  const std::string json = run(kInfo + " -a --json datum").output;
  EXPECT_NE(json.find("\"transport: shm.links\": 0, "), std::string::npos) << json;
  const std::string dat2 = run(kInfo + " -a --dat2 --json datum").output;
  EXPECT_NE(dat2.find("\"provider: DAT_IB_PORT_NUMBER\": 1, "), std::string::npos) << dat2;
  EXPECT_NE(dat2.find("\"provider: DAT_IB_TRANSPORT_MTU\": 4096, "), std::string::npos) << dat2;
}

// The fields of the JSON object of that adapter.
std::string json_of_adapter(const std::string& json, const std::string& name) {
  const std::size_t at = json.find("{\"name\": \"" + name + "\"");
  return at == std::string::npos ? json : json.substr(at, json.find('\n', at) - at);
}

TEST(DatInfo, WhatIsNotKnownOfAnAdapterIsNullInJson) {
  const DatConf conf("absent u1.2 nonthreadsafe default libabsent.so d.1.0 \"\" \"\"\n"
                     "other u2.0 nonthreadsafe default libother.so d.1.0 \"\" \"\"\n");
  const std::string json = run("env DATUM_ALIAS=lost=nosuch " +
                               conf.with(kInfo + " --json --all absent other lost 2>&1"))
                               .output;
  const std::string unknown = ", \"address\": null, \"library_path\": null, ";
  const std::string absent = json_of_adapter(json, "absent");
  EXPECT_NE(absent.find("\"opens\": false, "), std::string::npos) << json;
  EXPECT_NE(absent.find(unknown), std::string::npos) << json;
  const std::string other = json_of_adapter(json, "other");
  EXPECT_NE(other.find("\"opens\": null, "), std::string::npos) << json;
  EXPECT_NE(other.find(unknown), std::string::npos) << json;
  const std::string lost = json_of_adapter(json, "lost");
  EXPECT_NE(lost.find("\"library\": null, "), std::string::npos) << json;
  EXPECT_NE(lost.find(unknown), std::string::npos) << json;
}

// Rules: MESSAGE.3
TEST(DatInfo, ControlCharactersOfDatConfReachNoTerminal) {
  const DatConf conf("bad\033[2J line\n"
                     "ib\033[2J0 u1.2 nonthreadsafe default libdatum1.so d.1.0 \"lo\" \"\"\n"
                     "lost\xc2\x9b u1.2 nonthreadsafe default \033[2Jno.so d.1.0 \"\" \"\"\n");
  for (const char* options : {"", " --check", " -a", " --json", " --check --json"}) {
    const Ended ended = run(conf.with(kInfo + options + " 2>&1"));
    EXPECT_FALSE(disturbs(ended.output)) << options << ended.output;
    const bool json = std::string(options).find("json") != std::string::npos;
    for (const char* name : {json ? "ib\\u001b[2J0" : "ib\\x1b[2J0", "lost\\u009b"})
      EXPECT_NE(ended.output.find(name), std::string::npos) << options << ended.output;
  }
}

// Rules: MESSAGE.3
TEST(DatInfo, ControlCharactersOfANameOrTheEnvironmentReachNoTerminal) {
  const Ended unknown = run(kInfo + " '\033[2J\nall is well' 2>&1");
  EXPECT_NE(unknown.output.find("dat-info: \"\\x1b[2J\\nall is well\": no such IA"),
            std::string::npos)
      << unknown.output;
  EXPECT_FALSE(disturbs(unknown.output)) << unknown.output;
  const Ended check = run("env 'DATUM_FOO=\033[2J\nok all is well' " + kInfo + " --check 2>&1");
  EXPECT_NE(check.output.find("DATUM_FOO=\\x1b[2J\\nok all is well: no such setting"),
            std::string::npos)
      << check.output;
  EXPECT_FALSE(disturbs(check.output)) << check.output;
}

TEST(DatInfo, WhichWayConnectionsTakeAndWhy) {
  const auto told = [](const std::string& transport, const std::string& rest) {
    return run("env DATUM_TRANSPORT=" + transport + " " + kInfo + rest).output;
  };
  EXPECT_NE(told("auto", " datum")
                .find("Which way connections of datum take, to\n"
                      "  this host    shared memory where the listener offers it, else TCP\n"
                      "  other hosts  TCP\n"
                      "  because      DATUM_TRANSPORT=auto\n"),
            std::string::npos);
  EXPECT_NE(told("shm", " datum")
                .find("  this host    shared memory\n"
                      "  other hosts  none\n"
                      "  because      DATUM_TRANSPORT=shm\n"),
            std::string::npos);
  EXPECT_NE(told("tcp", " --json datum")
                .find("\"paths\": {\"this_host\": \"TCP\", \"other_hosts\": \"TCP\", \"reason\": "
                      "\"DATUM_TRANSPORT=tcp\"}"),
            std::string::npos);
  EXPECT_NE(told("tcp", " -a datum").find("transport: path.reason"), std::string::npos);
}

} // namespace
} // namespace datum::info

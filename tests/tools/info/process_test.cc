// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat-info as a user runs it.
#include <gtest/gtest.h>

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "command.h"
#include "judged_variables.h"
#include "tests/abstract_name.h"

namespace datum::info {
namespace {

namespace fs = std::filesystem;
using test::Ended;
using test::run;
using test::Served;

const std::string kInfo = DAT_INFO_PROGRAM;
const std::string kPing = DAT_PING_PROGRAM;
const std::string kLibraries = fs::path(kInfo).parent_path().parent_path() / "lib";

// A dat.conf of the test's own.
class DatConf {
 public:
  explicit DatConf(const std::string& text) {
    char name[] = "/tmp/dat-info-test-XXXXXX";
    const int fd = mkstemp(name);
    if (fd < 0) throw std::runtime_error("mkstemp");
    close(fd);
    path = name;
    std::ofstream(path) << text;
  }
  DatConf(const DatConf&) = delete;
  DatConf& operator=(const DatConf&) = delete;
  ~DatConf() { unlink(path.c_str()); }
  [[nodiscard]] std::string with(const std::string& command) const {
    return "env DAT_OVERRIDE=" + path + " " + command;
  }
  std::string path;
};

TEST(DatInfo, TheBuiltInAdapterOpens) {
  const Ended ended = run(kInfo + " datum");
  EXPECT_EQ(ended.code, 0);
  EXPECT_NE(ended.output.find("built in"), std::string::npos) << ended.output;
  EXPECT_NE(ended.output.find("opens"), std::string::npos) << ended.output;
}

// The loader ends a program for which it finds something that is called like a library and is none.
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

// Handles once took all but a little of the address space there was.
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

TEST(DatInfo, ChecksUnderALimitOnFiles) {
  const Ended ended = run("bash -c 'ulimit -f 1; exec " + kInfo + " --check 2>&1'");
  EXPECT_EQ(ended.code, 1);
  EXPECT_NE(ended.output.find("memfd_create: File too large"), std::string::npos) << ended.output;
  EXPECT_NE(ended.output.find("`ulimit -f`"), std::string::npos) << ended.output;
}

TEST(DatInfo, AProgramWhoseFilesAreLimitedLivesAndSaysWhy) {
  Served server(kPing + " --serve -p 0 -q");
  const rlimit none{0, RLIM_INFINITY};
  ASSERT_EQ(prlimit(server.pid, RLIMIT_FSIZE, &none, nullptr), 0);
  const Ended ended = run(kInfo + " -p " + std::to_string(server.pid));
  EXPECT_EQ(ended.code, 0);
  EXPECT_NE(ended.output.find("longer than a file of that program may be (ulimit -f; "),
            std::string::npos)
      << ended.output;
  EXPECT_EQ(server.end(SIGINT), 0);
}

TEST(DatInfo, ChecksAMachineWithoutProc) {
  const auto without_proc = [](const std::string& command) {
    // The loader needs /proc to know where a program lies, and with it $ORIGIN.
    return run("unshare -m sh -c 'mount --make-rprivate / && umount -l /proc && " +
               ("LD_LIBRARY_PATH=" + kLibraries + " exec " + command + " 2>&1'"));
  };
  if (without_proc("true").code != 0) GTEST_SKIP() << "may not unmount: not root";
  const Ended ended = without_proc(kInfo + " --check");
  EXPECT_NE(ended.output.find("/proc is not mounted"), std::string::npos) << ended.output;
  EXPECT_EQ(ended.output.find("was not loaded"), std::string::npos) << ended.output;
  const Ended other = without_proc(kInfo + " -p 1");
  EXPECT_EQ(other.code, 2);
  EXPECT_NE(other.output.find("/proc is not mounted"), std::string::npos) << other.output;
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

TEST(DatInfo, AProcessNumberIsOne) {
  const Ended ended = run(kInfo + " -p abc 2>&1");
  EXPECT_EQ(ended.code, 2);
  EXPECT_NE(ended.output.find("\"abc\" is not a number from 1 to 2147483647"), std::string::npos)
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

TEST(DatInfo, CheckSaysWhatToDoAboutAFolderThatDatOverrideNames) {
  const Ended ended = run("env DAT_OVERRIDE=/ " + kInfo + " --check 2>/dev/null");
  EXPECT_EQ(ended.code, 1);
  EXPECT_NE(ended.output.find("DAT_OVERRIDE=/: Is a directory"), std::string::npos) << ended.output;
  EXPECT_NE(ended.output.find("-> have DAT_OVERRIDE name a file, or unset it"), std::string::npos)
      << ended.output;
}

TEST(DatInfo, CheckOpensWhatDatumAliasStandsFor) {
  const std::string check = kInfo + " --check 2>/dev/null | grep DATUM_ALIAS=";
  const std::string with = "env DAT_OVERRIDE=/dev/null DATUM_ALIAS=";
  const Ended good = run(with + "x=datum-lo " + check);
  EXPECT_EQ(good.output.rfind(
                "ok       adapter        x u1.2 (DATUM_ALIAS=x=datum-lo, built in) opens", 0),
            0U)
      << good.output;
  const Ended none = run(with + "x=nope " + check);
  EXPECT_EQ(
      none.output.rfind("problem  adapter        x u1.2 (DATUM_ALIAS=x=nope): dat_ia_open(x): ", 0),
      0U)
      << none.output;
  const Ended star = run(with + "*=nope " + check);
  EXPECT_EQ(
      star.output.rfind("problem  adapter        * u1.2 (DATUM_ALIAS=*=nope): dat_ia_open(*): ", 0),
      0U)
      << star.output;
  const Ended step = run(with + "x=nope " + kInfo + " --check 2>&1");
  EXPECT_EQ(step.code, 1);
  EXPECT_NE(
      step.output.find("-> have DATUM_ALIAS name an adapter that dat-info lists, or leave x out"),
      std::string::npos)
      << step.output;
}

std::string foreign_lines() {
  std::string text;
  for (int i = 0; i != 62; ++i)
    text += "ofa-v2-" + std::to_string(i) +
            " u2.0 nonthreadsafe default libnowhere.so.9 dapl.2.0 \"ib0 0\" \"\"\n";
  return text;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

TEST(DatInfo, AnAdapterThatIsNamedTwiceIsShownOnce) {
  const Ended ended = run(kInfo + " datum datum");
  EXPECT_EQ(ended.code, 0) << ended.output;
  EXPECT_EQ(count(ended.output, "\ndatum "), 1U) << ended.output;
  EXPECT_EQ(count(ended.output, "\nWhich way connections of datum take, "), 1U) << ended.output;
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

// Columns are as wide as this machine's names.
std::string squeezed(const std::string& text) {
  return std::regex_replace(text, std::regex(" +"), " ");
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

TEST(DatInfo, ARegistryOfAnotherMakerIsToldWithTheLineToRun) {
  const DatConf empty("");
  const std::string other = "env LD_LIBRARY_PATH=" DAT_INFO_FOREIGN_REGISTRY " " + kInfo;
  const std::string library = DAT_INFO_FOREIGN_REGISTRY "/libdat2.so.2 is another maker's";
  const std::string remedy =
      ": datadm -a " +
      (fs::path(kInfo).parent_path().parent_path() / "share/dat/service_provider.conf").string();
  const Ended first = run(empty.with(other + " --check 2>&1"));
  EXPECT_EQ(first.code, 0) << first.output;
  const Ended second = run(empty.with(other + " --dat2 --check 2>&1"));
  EXPECT_EQ(second.code, 1) << second.output;
  for (const Ended& ended : {first, second}) {
    EXPECT_NE(ended.output.find(library), std::string::npos) << ended.output;
    EXPECT_NE(ended.output.find(empty.path + " names it, and it does not"), std::string::npos)
        << ended.output;
    EXPECT_NE(ended.output.find(remedy), std::string::npos) << ended.output;
  }
  EXPECT_EQ(run(empty.with(kInfo + " --check")).output.find("another maker's"), std::string::npos);
}

TEST(DatInfo, ARegistryOfAnotherMakerWithALineForDatumIsFine) {
  const DatConf conf("mine u2.0 nonthreadsafe default libdatum2.so datum.0.1 \"\" \"\"\n");
  const Ended ended =
      run(conf.with("env LD_LIBRARY_PATH=" DAT_INFO_FOREIGN_REGISTRY " " + kInfo + " --check"));
  EXPECT_EQ(ended.code, 0) << ended.output;
  EXPECT_NE(ended.output.find(conf.path + " leads its programs to Datum"), std::string::npos)
      << ended.output;
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

// The registry and the provider both read some of them, and each adapter reads most of them again.
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

TEST(DatInfo, AMissingInterfaceIsTheCauseAndNotTheLibrary) {
  const DatConf conf("mine u1.2 nonthreadsafe default libdatum1.so d.1.0 \"nowhere0\" \"\"\n");
  const Ended ended = run(conf.with(kInfo + " --check 2>/dev/null"));
  EXPECT_EQ(ended.code, 1);
  for (const std::string& text :
       {std::string("there is no interface nowhere0 here"), conf.path + ":1 may name another one"})
    EXPECT_NE(ended.output.find(text), std::string::npos) << ended.output;
  for (const char* text : {"installed", "ulimit -v"})
    EXPECT_EQ(ended.output.find(text), std::string::npos) << ended.output;
}

TEST(DatInfo, AnAddressThatNoInterfaceHasIsTheCause) {
  for (const char* address : {"203.0.113.77", "2001:db8::77"}) {
    const DatConf conf(std::string("mine u1.2 nonthreadsafe default libdatum1.so d.1.0 \"") +
                       address + "\" \"\"\n");
    const Ended ended = run(conf.with(kInfo + " --check 2>&1"));
    EXPECT_EQ(ended.code, 1);
    for (const std::string& text :
         {std::string("no interface here has the address ") + address,
          std::string("no interface of this host has that address; see `ip address`"),
          conf.path + ":1 may name another one"})
      EXPECT_NE(ended.output.find(text), std::string::npos) << ended.output;
  }
}

TEST(DatInfo, AnAddressOfTheLoopbackBlockNeedsNoInterface) {
  const DatConf conf("mine u1.2 nonthreadsafe default libdatum1.so d.1.0 \"127.9.9.9\" \"\"\n");
  EXPECT_EQ(run(conf.with(kInfo + " mine")).code, 0);
}

TEST(DatInfo, AnInterfaceThatIsDownIsTheCause) {
  // A network namespace of its own has one interface, which is down.
  if (run("unshare -rn true 2>/dev/null").code != 0) GTEST_SKIP() << "no network namespaces here";
  const DatConf conf("mine u1.2 nonthreadsafe default libdatum1.so d.1.0 \"lo\" \"\"\n");
  const Ended ended = run(conf.with("unshare -rn " + kInfo + " --check 2>/dev/null"));
  EXPECT_NE(ended.output.find(": lo is down"), std::string::npos) << ended.output;
  EXPECT_NE(ended.output.find("over TCP it reaches none: no network interface of this host is up"),
            std::string::npos)
      << ended.output;
  for (const char* text : {"installed", "install it", "ulimit -v"})
    EXPECT_EQ(ended.output.find(text), std::string::npos) << ended.output;
}

// Opened by its name, the built-in adapter would open.
TEST(DatInfo, ANameThatNoProgramCanOpenIsTheCause) {
  const DatConf conf("RO_AWARE_datum u1.2 nonthreadsafe default libdatum1.so d.1.0 \"\" \"\"\n");
  const Ended ended = run(conf.with(kInfo + " --check 2>/dev/null"));
  EXPECT_EQ(ended.code, 1);
  EXPECT_NE(ended.output.find("dat_ia_open takes RO_AWARE_ off and looks for \"datum\""),
            std::string::npos)
      << ended.output;
  EXPECT_EQ(ended.output.find("RO_AWARE_datum u1.2 (" + conf.path + ":1) opens"), std::string::npos)
      << ended.output;
  EXPECT_EQ(ended.output.find("installed"), std::string::npos) << ended.output;
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

TEST(DatInfo, CheckNamesTheBadLine) {
  const DatConf conf("what is this\n");
  const Ended ended = run(conf.with(kInfo + " --check 2>/dev/null"));
  EXPECT_EQ(ended.code, 1);
  EXPECT_NE(ended.output.find(conf.path + ":1: "), std::string::npos) << ended.output;
}

TEST(DatInfo, CheckTriesTheModuleAndSaysWhereItIs) {
  const Ended ended = run(kInfo + " --check");
  EXPECT_NE(ended.output.find("libdatum1.so"), std::string::npos) << ended.output;
  EXPECT_NE(ended.output.find("direct access"), std::string::npos) << ended.output;
}

TEST(DatInfo, JsonHasTheSameAdapters) {
  const Ended ended = run(kInfo + " --json datum");
  EXPECT_EQ(ended.code, 0);
  EXPECT_NE(ended.output.find("\"name\": \"datum\""), std::string::npos) << ended.output;
  EXPECT_NE(ended.output.find("\"opens\": true"), std::string::npos) << ended.output;
}

// What begins with ESC clears the screen; what begins with U+009B does so on some terminals.
bool disturbs(const std::string& output) {
  return output.find_first_of("\033\r\a") != std::string::npos ||
         output.find("\xc2\x9b") != std::string::npos;
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

// A program is called what the file is called that started it, and has the environment it likes.
// Rules: MESSAGE.3
TEST(DatInfo, ControlCharactersOfAProcessReachNoTerminal) {
  const std::string program = "/tmp/\033[2J\n" + std::to_string(getpid());
  ASSERT_EQ(symlink(kPing.c_str(), program.c_str()), 0);
  const Served server("env 'DATUM_TRANSPORT=\033[2J\nx' '" + program +
                      "' --serve -p 0 -q 2>/dev/null");
  unlink(program.c_str());
  const std::string pid = std::to_string(server.pid);
  const Ended text = run(kInfo + " -p " + pid + " 2>&1"), json = run(kInfo + " --json -p " + pid);
  EXPECT_FALSE(disturbs(text.output + json.output)) << text.output << json.output;
  EXPECT_NE(text.output.find("process " + pid + " (\\x1b[2J\\n"), std::string::npos) << text.output;
  EXPECT_NE(text.output.find("DATUM_TRANSPORT=\\x1b[2J\\nx when"), std::string::npos)
      << text.output;
  EXPECT_NE(json.output.find("\"command\": \"\\u001b[2J"), std::string::npos) << json.output;
}

TEST(DatInfo, ARunningProgramShowsLibrariesListenersAndThreads) {
  Served server(kPing + " --serve -p 0 -q");
  const Ended ended = run(kInfo + " -p " + std::to_string(server.pid));
  EXPECT_EQ(ended.code, 0);
  EXPECT_NE(ended.output.find("libdatum1.so"), std::string::npos) << ended.output;
  EXPECT_NE(ended.output.find("libdat.so.1"), std::string::npos) << ended.output;
  EXPECT_NE(ended.output.find("@datum/1/*/" + server.port), std::string::npos) << ended.output;
  EXPECT_NE(ended.output.find("datum-"), std::string::npos) << ended.output;
  EXPECT_NE(ended.output.find("IA datum: "), std::string::npos) << ended.output;
}

TEST(DatInfo, NumbersAreNumbersInJson) {
  const Served server(kPing + " --serve -p 0 -q");
  const std::string pid = std::to_string(server.pid);
  const Ended ended = run(kInfo + " --json -p " + pid);
  EXPECT_NE(ended.output.find("\"user\": " + std::to_string(getuid()) + ","), std::string::npos)
      << ended.output;
  const auto limit = [&] {
    const std::string text = run(kInfo + " --json -p " + pid).output;
    const std::size_t at = text.find("\"descriptor_limit\": ");
    return at == std::string::npos ? text : text.substr(at, text.find(',', at) - at);
  };
  rlimit files = {};
  ASSERT_EQ(prlimit(server.pid, RLIMIT_NOFILE, nullptr, &files), 0);
  EXPECT_EQ(limit(), "\"descriptor_limit\": " + std::to_string(files.rlim_cur));
  const Ended attributes = run(kInfo + " --json -a datum");
  EXPECT_NE(attributes.output.find("\"max_srqs\": 4096,"), std::string::npos) << attributes.output;
}

TEST(DatInfo, ALinkedProgramShowsWhomItReachesDirectly) {
  const Served server(kPing + " --serve -p 0 -q");
  // The shell that runs the client asks while the connection stands.
  const std::string client =
      kPing + " 127.0.0.1 -p " + server.port + " -c 500 -i 0.01 -q >/dev/null & client=$!; ";
  const std::string ask = "until " + kInfo + " -p " + std::to_string(server.pid) +
                          " | grep \"processes: $client;\"; do kill -0 $client || break; done; "
                          "kill -INT $client; wait $client";
  const Ended ended = run("sh -c '" + client + ask + "'");
  EXPECT_NE(ended.output.find("direct access  to processes: "), std::string::npos) << ended.output;
}

// What dat-info says of a server while one client is connected with it, over what the two variables
// allow. The shell that runs the client asks until the connection is there.
std::string told_of_a_served_client(const std::string& options, const std::string& of_server,
                                    const std::string& of_client, const std::string& awaited) {
  const Served server("env " + of_server + " " + kPing + " --serve -p 0 -q");
  const std::string client = "env " + of_client + " " + kPing + " 127.0.0.1 -p " + server.port +
                             " -c 500 -i 0.01 -q >/dev/null & client=$!; ";
  const std::string ask = "until told=$(" + kInfo + options + " -p " + std::to_string(server.pid) +
                          ") && case $told in *\"" + awaited +
                          "\"*) true;; *) false;; esac; do kill -0 $client || break; done; "
                          "echo \"$told\"; kill -INT $client; wait $client";
  return run("sh -c '" + client + ask + "'").output;
}

TEST(DatInfo, AProgramShowsItsTcpConnectionsAndWhy) {
  const std::string told =
      told_of_a_served_client("", "DATUM_TRANSPORT=auto", "DATUM_TRANSPORT=tcp", "established");
  EXPECT_NE(told.find("established: this host; the peer chose TCP, or offers nothing else\n"),
            std::string::npos)
      << told;
  EXPECT_NE(told.find("  TCP            1 connection\n    127.0.0.1 port "), std::string::npos)
      << told;
  EXPECT_NE(told.find(" at every address (TCP)"), std::string::npos) << told;
}

TEST(DatInfo, ARunningProgramTellsWhatItsEndpointsDo) {
  const std::string told =
      told_of_a_served_client("", "DATUM_TRANSPORT=auto", "DATUM_TRANSPORT=auto", "CONNECTED with");
  EXPECT_NE(told.find("  IA datum: 1 EP, 2 EVDs\n"), std::string::npos) << told;
  EXPECT_NE(told.find(", path: shm"), std::string::npos) << told;
  for (const char* part : {"      posted ", "outstanding: ", " Recvs; 0 stalls\n", " events; "})
    EXPECT_NE(told.find(part), std::string::npos) << part << "\n" << told;
  const std::string over_tcp =
      told_of_a_served_client("", "DATUM_TRANSPORT=tcp", "DATUM_TRANSPORT=tcp", "CONNECTED with");
  EXPECT_NE(over_tcp.find(", path: tcp (DATUM_TRANSPORT=tcp)\n"), std::string::npos) << over_tcp;
}

TEST(DatInfo, AStoppedProgramDoesNotAnswerAndTheRestIsShown) {
  const Served server(kPing + " --serve -p 0 -q");
  ASSERT_EQ(kill(server.pid, SIGSTOP), 0);
  const Ended ended = run(kInfo + " -p " + std::to_string(server.pid));
  ASSERT_EQ(kill(server.pid, SIGCONT), 0);
  EXPECT_EQ(ended.code, 0);
  EXPECT_NE(ended.output.find("no answer within two seconds"), std::string::npos) << ended.output;
  EXPECT_NE(ended.output.find("listens on"), std::string::npos) << ended.output;
}

TEST(DatInfo, AProgramThatWasGivenTcpAloneSaysSo) {
  const std::string told =
      told_of_a_served_client("", "DATUM_TRANSPORT=tcp", "DATUM_TRANSPORT=auto", "established");
  EXPECT_NE(told.find("established: this host; DATUM_TRANSPORT=tcp in its environment\n"),
            std::string::npos)
      << told;
  EXPECT_NE(told.find("  environment    DATUM_TRANSPORT=tcp when it was started\n"),
            std::string::npos)
      << told;
}

TEST(DatInfo, JsonHasTheTcpSocketsToo) {
  const std::string told = told_of_a_served_client(" --json", "DATUM_TRANSPORT=auto",
                                                   "DATUM_TRANSPORT=tcp", "established");
  for (const char* part : {"\"tcp_listens_on\": [{\"address\": \"", "\"state\": \"established\"",
                           "\"peer_on\": \"this host\"", "\"network_namespace\": \"same\"",
                           "\"path_reason\": \"the peer chose TCP, or offers nothing else\""})
    EXPECT_NE(told.find(part), std::string::npos) << part << "\n" << told;
}

TEST(DatInfo, AProgramInAnotherNetworkNamespaceIsSeenThere) {
  if (run("unshare -n true 2>/dev/null").code != 0) GTEST_SKIP() << "may not unshare: not root";
  const Served server("unshare -n sh -c 'ip link set lo up && exec " + kPing + " --serve -p 0 -q'");
  const Ended ended = run(kInfo + " -p " + std::to_string(server.pid));
  EXPECT_EQ(ended.code, 0);
  EXPECT_NE(ended.output.find("nobody answers in this network namespace"), std::string::npos)
      << ended.output;
  EXPECT_NE(ended.output.find("  network        a namespace of its own: "), std::string::npos)
      << ended.output;
  EXPECT_NE(ended.output.find("port " + server.port + " at every address (TCP)"), std::string::npos)
      << ended.output;
}

// A process of another user that has a name of shared memory.
class NameOfAnother {
 public:
  explicit NameOfAnother(const std::string& name) {
    int ready[2];
    if (pipe(ready) != 0) throw std::runtime_error("pipe");
    pid_ = fork();
    if (pid_ == 0) hold(name, ready[1]);
    close(ready[1]);
    char byte = 0;
    holds = read(ready[0], &byte, 1) == 1;
    close(ready[0]);
  }
  NameOfAnother(const NameOfAnother&) = delete;
  NameOfAnother& operator=(const NameOfAnother&) = delete;
  ~NameOfAnother() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  bool holds = false;

 private:
  [[noreturn]] static void hold(const std::string& name, int ready) {
    constexpr uid_t kNobody = 65534;
    sockaddr_un address;
    const socklen_t length = test::to_sockaddr(name, address);
    if (setuid(kNobody) == 0 && prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 &&
        bind(socket(AF_UNIX, SOCK_SEQPACKET, 0), reinterpret_cast<sockaddr*>(&address), length) ==
            0 &&
        write(ready, "", 1) == 1)
      pause();
    _exit(1);
  }
  pid_t pid_ = -1;
};

// Rules: PROTECT.13
TEST(DatInfo, ANameThatAnotherUserHoldsIsShown) {
  if (geteuid() != 0) GTEST_SKIP() << "becoming another user needs root";
  // Far from what others take. It would be the squatter's if it came first.
  const std::string port = std::to_string(10000 + getpid() % 5000);
  const NameOfAnother name("datum/1/*/" + port);
  ASSERT_TRUE(name.holds);
  const Served server(kPing + " --serve -p " + port + " -q 2>/dev/null");
  const std::string told = run(kInfo + " --check").output;
  EXPECT_NE(told.find("port " + port + " belongs to user 0, but the socket name @datum/1/*/" +
                      port + " is held by user 65534"),
            std::string::npos)
      << told;
}

TEST(DatInfo, ASocketOfAnotherUserIsNamedAsNotVisible) {
  const std::string nobody = "setpriv --reuid 65534 --regid 65534 --clear-groups ";
  if (run(nobody + kInfo + " --version 2>/dev/null").code != 0)
    GTEST_SKIP() << "becoming another user needs root, and the build to be readable";
  const Served server(kPing + " --serve -p 0 -q");
  const Ended ended = run(nobody + kInfo + " -p " + std::to_string(server.pid));
  EXPECT_EQ(ended.code, 1);
  EXPECT_NE(ended.output.find("not visible    its descriptors and sockets: another user's process "
                              "(run as that user, or as root)"),
            std::string::npos)
      << ended.output;
  EXPECT_EQ(ended.output.find("listens on"), std::string::npos) << "nobody knows: " << ended.output;
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

TEST(DatInfo, AProgramWithoutDatIsAFailureAndNoProgramIsUsage) {
  EXPECT_EQ(run(kInfo + " -p " + std::to_string(getpid())).code, 1);
  EXPECT_EQ(run(kInfo + " -p 999999999 2>/dev/null").code, 2);
  EXPECT_EQ(run(kInfo + " -p 1 --check 2>/dev/null").code, 2);
}

} // namespace
} // namespace datum::info

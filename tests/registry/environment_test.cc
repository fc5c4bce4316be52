// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/registry/environment_test.cc: the effects of the environment and of dat.conf, tested in a
// separate process for each case.
#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <sstream>

#include "run_program.h"
#include "temporary.h"

namespace fs = std::filesystem;

namespace {

std::string line(const std::string& name, const std::string& library) {
  return name + " u1.2 nonthreadsafe default \"" + library + "\" stub.1.0 \"\" \"\"\n";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

class Environment : public testing::Test {
 protected:
  Ran probe(std::vector<std::string> arguments, std::vector<std::string> environment) {
    arguments.insert(arguments.begin(), REGISTRY_PROBE);
    return run_program(arguments, environment);
  }
  // Runs the probe with a dat.conf of this text.
  Ran probe_with(const std::string& conf, std::vector<std::string> arguments,
                 std::vector<std::string> environment = {}) {
    environment.push_back("DAT_OVERRIDE=" + file(conf));
    return probe(std::move(arguments), std::move(environment));
  }
  std::string file(const std::string& conf) { return directory_.write("dat.conf", conf); }

  const TemporaryDirectory directory_;
};

// An escape sequence that clears the screen, and a text that looks like a line of the log.
constexpr const char* kHostile = "x\033[2J\xc2\x9b\ndatum warn: all is well";
constexpr const char* kShown = "x\\x1b[2J\\u009b\\ndatum warn: all is well";

// True: the text consists of lines of the log only.
bool is_clean_log(const std::string& text) {
  std::istringstream in(text);
  for (std::string each; std::getline(in, each);)
    if (!each.starts_with("datum ") || each.starts_with("datum warn: all is well") ||
        std::any_of(each.begin(), each.end(), [](char c) { return c >= 0 && c < ' '; }))
      return false;
  return text.find("\xc2\x9b") == std::string::npos;
}

} // namespace

TEST_F(Environment, OverrideNamesTheFile) {
  const Ran ran = probe_with(line("stub", STUB_PROVIDER), {"open", "stub"});
  EXPECT_EQ(ran.out, "stub 0x00000000\n");
  EXPECT_EQ(ran.err, "");
}

TEST_F(Environment, UnreadableOverrideIsSaidOnceAndBuiltInsRemain) {
  const Ran ran = probe({"list"}, {"DAT_OVERRIDE=/nowhere/dat.conf"});
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.out, "datum u1.2 nonthreadsafe\n");
  EXPECT_EQ(ran.err, "datum warn: DAT_OVERRIDE=/nowhere/dat.conf: No such file or directory; only "
                     "built-in IAs are offered (correct the path or the permissions)\n");
}

TEST_F(Environment, AnOverrideThatIsTooLargeIsToldWithTheLimit) {
  const Ran ran = probe({"list"}, {"DAT_OVERRIDE=/dev/zero"});
  EXPECT_EQ(ran.out, "datum u1.2 nonthreadsafe\n");
  EXPECT_EQ(ran.err,
            "datum warn: DAT_OVERRIDE=/dev/zero: it has more than 16 MiB, the most that is "
            "read; only built-in IAs are offered (is it the right file?)\n");
}

// Rules: ENV.28
TEST_F(Environment, AnEmptyOverrideIsNotSet) {
  const Ran ran = probe({"list"}, {"DAT_OVERRIDE="});
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.err, "");
}

// A file as long as that of a distribution, with entries for programs of DAT 2.0 and some for DAT
// 1.2.
static std::string long_file() {
  std::string conf;
  for (int i = 0; i != 62; ++i)
    conf += "ofa-v2-" + std::to_string(i) + " u2.0 nonthreadsafe default a.so a.2.0 \"\" \"\"\n";
  for (int i = 0; i != 9; ++i) conf += line("ib" + std::to_string(i), "a.so");
  return conf;
}

// Rules: dat_registry_list_providers.R6 dat_registry_list_providers.R7
TEST_F(Environment, LinesOfThisVersionAreListedBehindDatum) {
  const Ran ran = probe_with(long_file(), {"list"});
  EXPECT_EQ(ran.out, "datum u1.2 nonthreadsafe\nib0 u1.2 nonthreadsafe\nib1 u1.2 nonthreadsafe\n"
                     "ib2 u1.2 nonthreadsafe\nib3 u1.2 nonthreadsafe\nib4 u1.2 nonthreadsafe\n"
                     "ib5 u1.2 nonthreadsafe\nib6 u1.2 nonthreadsafe\nib7 u1.2 nonthreadsafe\n"
                     "ib8 u1.2 nonthreadsafe\n");
  EXPECT_EQ(ran.err, "");
}

// Rules: dat_registry_list_providers.R2.default C-40.default dat_registry_list_providers.R9.default
TEST_F(Environment, ListThatIsTooShortIsFilledAndSaidOnce) {
  const Ran ran = probe_with(long_file(), {"list-of-8", "3"});
  EXPECT_EQ(ran.status, 0);
  EXPECT_TRUE(ran.out.starts_with("0x00000000 8\n0x00000000 8\n0x00000000 8\n"
                                  "datum u1.2 nonthreadsafe\nib0 u1.2 nonthreadsafe\n"))
      << ran.out;
  EXPECT_EQ(lines(ran.out), 11U);
  EXPECT_EQ(ran.err, "datum warn: dat_registry_list_providers: there are 10 entries, of which 8 "
                     "fitted into the program's list; if what it looks for is not among them, "
                     "leave only the lines that it needs in dat.conf, or in a file that "
                     "DAT_OVERRIDE names\n");
}

// Rules: dat_registry_list_providers.R2 C-40
TEST_F(Environment, ListThatIsTooShortIsRefusedInStrictModeWithTheRule) {
  const Ran ran = probe_with(long_file(), {"list-of-8", "1"}, {"DATUM_STRICT=on"});
  EXPECT_EQ(ran.out, "0x80060024 10\n");
  EXPECT_EQ(lines(ran.err), 1U) << ran.err;
  EXPECT_TRUE(contains(ran.err, "dat_registry_list_providers: a list of 8 for 10 entries: refused, "
                                "since DATUM_STRICT=on: dat_registry_list_providers.R2: "))
      << ran.err;
}

// Rules: REFUSAL.4
TEST_F(Environment, AShortListInALoopIsOneLineASecond) {
  const Ran strict = probe_with(long_file(), {"list-of-8", "200"}, {"DATUM_STRICT=on"});
  EXPECT_GE(lines(strict.err), 1U);
  EXPECT_LT(lines(strict.err), 100U) << "as many as seconds went by";
  const Ran lenient = probe_with(long_file(), {"list-of-8", "200"}, {"DATUM_LOG=debug"});
  EXPECT_LT(lines(lenient.err), 100U);
}

// Rules: dat_registry_list_providers.R9.default
TEST_F(Environment, FirstUseOfTheLeniencyIsSaidAtInfo) {
  const Ran ran = probe_with(long_file(), {"list-of-8", "2"}, {"DATUM_LOG=info"});
  EXPECT_EQ(lines(ran.err), 2U) << ran.err;
  EXPECT_TRUE(contains(ran.err, "datum info: dat_registry_list_providers: a list of 8 for 10 "
                                "entries: let pass; DATUM_STRICT=on refuses it"))
      << ran.err;
}

// Rules: REFUSAL.1
TEST_F(Environment, RefusalsOfTheRegistryAreToldAtDebug) {
  const Ran ran = probe_with("", {"refusals", "ib0"}, {"DATUM_LOG=debug", "DATUM_STRICT=on"});
  for (const char* each :
       {"dat_ia_open: DAT_INVALID_PARAMETER [DAT_INVALID_ARG1]: name is null; allowed: not null "
        "(dat_ia_open(3))",
        "dat_ia_open: DAT_PROVIDER_NOT_FOUND [DAT_NAME_NOT_REGISTERED]: name is ib0; allowed: what "
        "dat-info shows (dat_ia_open.R15)",
        "dat_ia_close: DAT_INVALID_HANDLE [DAT_INVALID_HANDLE_IA]: ia_handle is null; allowed: the "
        "handle of an object that is open (dat_ia_close(3))",
        "dat_pz_free: DAT_INVALID_HANDLE [DAT_INVALID_HANDLE_PZ]: handle is 0x8; allowed: the "
        "handle "
        "of an object that is open (dat_pz_free(3))",
        "dat_registry_list_providers: DAT_INVALID_PARAMETER [DAT_INVALID_ARG1]: max_to_return is "
        "-1; "
        "allowed: at least 1 (dat_registry_list_providers.R3)",
        "dat_ia_query: DAT_INVALID_HANDLE [DAT_INVALID_HANDLE_IA]: ia_handle is 0x4d; allowed: the "
        "handle of an object that is open (dat_ia_query(3))",
        "dat_ia_open: DAT_PROVIDER_NOT_FOUND [DAT_MAJOR_NOT_FOUND]: version is 7.3; allowed: 1.2 "
        "(dat_ia_open.R16)",
        "dat_strerror: DAT_INVALID_PARAMETER [DAT_INVALID_ARG2]: major_message is null; allowed: "
        "not null (dat_strerror(3))"})
    EXPECT_TRUE(contains(ran.err, std::string("datum debug: ") + each + "\n")) << ran.err;
  EXPECT_EQ(probe_with("", {"refusals", "ib0"}).err.find("debug"), std::string::npos);
  EXPECT_TRUE(contains(probe_with("", {"refusals", ""}, {"DATUM_LOG=debug"}).err,
                       "name is \"\"; allowed: what dat-info shows"));
}

// Rules: REGISTRY.3
TEST_F(Environment, CallOfAnotherVersionIsSentToItsOwnLibrary) {
  const Ran ran = probe_with("", {"open-version-2", "datum"});
  EXPECT_EQ(ran.out, "datum 0x800a0063\n");
  EXPECT_EQ(ran.err,
            "datum warn: ia \"datum\" u2.0: the call went to libdat.so.1, which serves DAT "
            "1.2 only; link the program with -ldat2 in place of -ldat\n");
}

TEST_F(Environment, EachBadLineIsSaidOnceWithFileAndLine) {
  const Ran ran = probe_with("# comment\nnonsense\n" + line("stub", STUB_PROVIDER) + "a b c\n",
                             {"open", "stub", "stub"});
  EXPECT_EQ(ran.out, "stub 0x00000000\nstub 0x00000000\n");
  EXPECT_EQ(lines(ran.err), 2U) << ran.err;
  EXPECT_TRUE(contains(ran.err, "dat.conf:2: 1 field instead of 8")) << ran.err;
  EXPECT_TRUE(contains(ran.err, "dat.conf:4: 3 fields instead of 8")) << ran.err;
}

// Rules: MESSAGE.2
TEST_F(Environment, MissingLibraryIsExplainedInOneLine) {
  const Ran ran = probe_with("\n" + line("gone", "/nowhere/libgone.so"), {"open", "gone", "gone"});
  EXPECT_EQ(ran.out, "gone 0x800a0062\ngone 0x800a0062\n");
  EXPECT_EQ(lines(ran.err), 1U) << ran.err;
  EXPECT_TRUE(contains(ran.err, "dat.conf:2: ia \"gone\": cannot load /nowhere/libgone.so: "))
      << ran.err;
  EXPECT_TRUE(contains(ran.err, "No such file or directory")) << ran.err;
}

// Rules: REGISTRY.5
TEST_F(Environment, MissingLibraryOfManyLinesIsExplainedOnce) {
  std::string conf;
  std::vector<std::string> names = {"open"};
  for (int i = 0; i != 20; ++i) {
    names.push_back("gone" + std::to_string(i));
    conf += line(names.back(), "/nowhere/libgone.so");
  }
  conf += line("other", "/nowhere/libother.so");
  names.emplace_back("other");
  const Ran ran = probe_with(conf, names);
  EXPECT_EQ(lines(ran.err), 2U) << ran.err;
  EXPECT_TRUE(contains(ran.err, "dat.conf:1: ia \"gone0\": cannot load /nowhere/libgone.so: "))
      << ran.err;
  EXPECT_TRUE(contains(ran.err, "dat.conf:21: ia \"other\": cannot load /nowhere/libother.so: "))
      << ran.err;
  EXPECT_GE(lines(probe_with(conf, names, {"DATUM_LOG=debug"}).err), 21U);
}

// Rules: REGISTRY.6
TEST_F(Environment, AdviceNamesWhatIsNotSetYet) {
  const Ran alias = probe_with("", {"open", "ib0"}, {"DATUM_ALIAS=ib0=nowhere"});
  EXPECT_TRUE(contains(alias.err,
                       "ia \"nowhere\" u1.2 nonthreadsafe: not known; DATUM_ALIAS stands "
                       "it for \"ib0\": name another IA there, which dat-info shows"))
      << alias.err;
  EXPECT_FALSE(contains(alias.err, "=datum")) << alias.err;
}

// Rules: REGISTRY.6
TEST_F(Environment, ALineForDatumWithoutThreadsIsWhatIsInTheWayOfThreads) {
  const Ran ran = probe_with(line("datum", STUB_PROVIDER), {"thread-safety", "datum"});
  EXPECT_EQ(lines(ran.err), 1U) << ran.err;
  EXPECT_TRUE(contains(ran.err,
                       "ia \"datum\" u1.2 threadsafe: known, but only as nonthreadsafe; its "
                       "line in "))
      << ran.err;
  EXPECT_TRUE(contains(ran.err, " replaces the built-in IA of that name, which is threadsafe, too, "
                                "and u1.2: correct that line, or remove it"))
      << ran.err;
  EXPECT_FALSE(contains(ran.err, "DATUM_ALIAS")) << ran.err;
  const Ran other = probe_with(line("ib0", STUB_PROVIDER), {"thread-safety", "ib0"});
  EXPECT_TRUE(contains(other.err, "add a line with \"threadsafe\" to ")) << other.err;
}

TEST_F(Environment, LibraryThatIsNoProviderIsExplained) {
  const Ran ran = probe_with(line("other", NO_PROVIDER), {"open", "other"});
  EXPECT_EQ(lines(ran.err), 1U) << ran.err;
  EXPECT_TRUE(contains(ran.err, "does not define dat_provider_fini")) << ran.err;
}

TEST_F(Environment, UnknownNameIsExplainedInOneLine) {
  const Ran ran = probe_with("", {"open", "ib0"});
  EXPECT_EQ(ran.out, "ib0 0x800a0062\n");
  EXPECT_EQ(lines(ran.err), 1U) << ran.err;
  EXPECT_TRUE(contains(ran.err, "ia \"ib0\" u1.2 nonthreadsafe: not known")) << ran.err;
  EXPECT_TRUE(contains(ran.err, "DATUM_ALIAS=ib0=datum")) << ran.err;
}

TEST_F(Environment, AliasMapsAName) {
  const Ran ran =
      probe_with(line("stub", STUB_PROVIDER), {"open", "ib0", "ib1"}, {"DATUM_ALIAS=x=y,ib0=stub"});
  EXPECT_EQ(ran.out, "ib0 0x00000000\nib1 0x800a0062\n");
}

TEST_F(Environment, AliasForUnknownNamesLeavesKnownOnesAlone) {
  const Ran ran = probe_with(line("stub", STUB_PROVIDER) + line("gone", "/nowhere/libgone.so"),
                             {"open", "ib0", "gone", "stub"}, {"DATUM_ALIAS=*=stub"});
  EXPECT_EQ(ran.out, "ib0 0x00000000\ngone 0x800a0062\nstub 0x00000000\n");
}

TEST_F(Environment, BadAliasIsSaid) {
  const Ran ran = probe_with("", {"list"}, {"DATUM_ALIAS=ib0"});
  EXPECT_EQ(ran.err,
            "datum warn: DATUM_ALIAS: \"ib0\" is not of the form name=ia and is ignored\n");
}

TEST_F(Environment, LogLevelShowsMoreAndNeverOnStdout) {
  const std::string conf = line("stub", STUB_PROVIDER);
  const Ran quiet = probe_with(conf, {"open", "stub"}, {"DATUM_LOG=info"});
  EXPECT_EQ(quiet.err, "");
  const Ran loud = probe_with(conf, {"open", "stub"}, {"DATUM_LOG=debug"});
  EXPECT_EQ(loud.out, "stub 0x00000000\n");
  EXPECT_TRUE(contains(loud.err, "dat_provider_init")) << loud.err;
}

TEST_F(Environment, DebugMaskChoosesTopics) {
  const std::string conf = "nonsense\n" + line("stub", STUB_PROVIDER);
  EXPECT_EQ(probe_with(conf, {"open", "stub"}, {"DAT_DBG_TYPE=0"}).err, "");
  const Ran provider_api = probe_with(conf, {"open", "stub"}, {"DAT_DBG_TYPE=0x10"});
  EXPECT_TRUE(contains(provider_api.err, "dat_provider_init")) << provider_api.err;
  EXPECT_FALSE(contains(provider_api.err, "dat.conf:1:")) << provider_api.err;
  const Ran dynamic = probe_with(conf, {"open", "stub"}, {"DAT_DBG_TYPE=9"});
  EXPECT_TRUE(contains(dynamic.err, "add returns 0x00000000")) << dynamic.err;
  EXPECT_TRUE(contains(dynamic.err, "dat.conf:1:")) << dynamic.err;
}

// Rules: MESSAGE.3
TEST_F(Environment, ControlCharactersOfDatConfReachNoLog) {
  const std::string name = "ib\033[2J0";
  const Ran ran = probe_with("bad\033[2J line\n" + line(name, "/nowhere/\033[2J.so"),
                             {"open", name, "\033[8mother"}, {"DATUM_LOG=debug"});
  EXPECT_TRUE(is_clean_log(ran.err)) << ran.err;
  EXPECT_TRUE(contains(ran.err, "dat.conf:2: ia \"ib\\x1b[2J0\": cannot load "
                                "/nowhere/\\x1b[2J.so: "))
      << ran.err;
  EXPECT_TRUE(contains(ran.err, "ia \"\\x1b[8mother\" u1.2 nonthreadsafe: not known")) << ran.err;
}

// Rules: MESSAGE.3
TEST_F(Environment, ControlCharactersOfANameMakeNoSecondLine) {
  const Ran ran = probe_with("", {"open", kHostile});
  EXPECT_EQ(lines(ran.err), 1U) << ran.err;
  EXPECT_TRUE(is_clean_log(ran.err)) << ran.err;
  EXPECT_TRUE(contains(ran.err, std::string("ia \"") + kShown + "\" u1.2")) << ran.err;
}

// Rules: MESSAGE.3
TEST_F(Environment, ControlCharactersOfTheEnvironmentReachNoLog) {
  for (const char* variable : {"DAT_OVERRIDE=/nowhere/", "DATUM_ALIAS=", "DAT_DBG_TYPE="}) {
    const Ran ran = probe({"list"}, {std::string(variable) + kHostile});
    EXPECT_EQ(lines(ran.err), 1U) << variable << ran.err;
    EXPECT_TRUE(is_clean_log(ran.err)) << variable << ran.err;
    EXPECT_TRUE(contains(ran.err, kShown)) << variable << ran.err;
  }
}

#ifdef HAS_DATUM1
// Rules: dat_ia_query.R36
TEST_F(Environment, BuiltInAdapterReportsTheThreadSafetyThatIsAskedFor) {
  const Ran ran = probe_with("", {"thread-safety", "datum"});
  EXPECT_EQ(ran.out, "asked 0 told 0\nasked 1 told 1\n");
  EXPECT_EQ(ran.err, "");
}
#endif

// A copy of libdat with a stub as libdatum1.so beside it.
class BuiltInModule : public Environment {
 protected:
  BuiltInModule() {
    fs::copy_file(fs::canonical(LIBDAT), directory_.path() / "libdat.so.1");
    fs::copy_file(STUB_PROVIDER, directory_.path() / "libdatum1.so");
    search_ = "LD_LIBRARY_PATH=" + directory_.path().string();
  }
  std::string search_;
};

TEST_F(BuiltInModule, IsFoundBesideLibdat) {
  const Ran ran = probe_with("", {"open", "datum", "datum-lo"}, {search_});
  EXPECT_EQ(ran.out, "datum 0x00000000\ndatum-lo 0x00000000\n");
  EXPECT_EQ(ran.err, "");
}

// dat.conf(5), field 5
TEST_F(BuiltInModule, IsFoundInAFolderOfItsOwnBesideLibdat) {
  fs::create_directory(directory_.path() / "datum");
  fs::rename(directory_.path() / "libdatum1.so", directory_.path() / "datum/libdatum1.so");
  const Ran ran = probe_with("", {"open", "datum", "datum-lo"}, {search_});
  EXPECT_EQ(ran.out, "datum 0x00000000\ndatum-lo 0x00000000\n");
  EXPECT_EQ(ran.err, "");
}

TEST_F(BuiltInModule, LineForTheSameNameOverridesIt) {
  const Ran ran =
      probe_with(line("datum", "/nowhere/libother.so"), {"open", "datum", "datum-lo"}, {search_});
  EXPECT_EQ(ran.out, "datum 0x800a0062\ndatum-lo 0x00000000\n");
}

TEST_F(BuiltInModule, ThatIsMissingIsExplained) {
  fs::remove(directory_.path() / "libdatum1.so");
  const Ran ran = probe_with("", {"open", "datum"}, {search_});
  EXPECT_EQ(ran.out, "datum 0x800a0062\n");
  EXPECT_EQ(lines(ran.err), 1U) << ran.err;
  EXPECT_TRUE(contains(ran.err, "built in: ia \"datum\": cannot load libdatum1.so: ")) << ran.err;
}

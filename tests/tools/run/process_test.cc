// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat-run as a user runs it. The expected values are those of its manual page.
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "command.h"

namespace datum::run {
namespace {

namespace fs = std::filesystem;
using test::Ended;
using test::run;

const std::string kRun = DAT_RUN_PROGRAM;
const std::string kLibraries = DATUM_LIBRARY_FOLDER;

// The value of the variable in the started program's environment. `before` is its value in
// dat-run's own environment.
std::string variable_of(const std::string& name, const std::string& options,
                        const std::string& before = "") {
  return run("env -u LD_LIBRARY_PATH -u LD_PRELOAD -u DATUM_ALIAS " + before + " " + kRun + " " +
             options + " -- sh -c 'echo \"$" + name + "\"'")
      .output;
}

TEST(DatRun, PutsItsOwnLibrariesInFront) {
  EXPECT_EQ(variable_of("LD_LIBRARY_PATH", ""), kLibraries + "\n");
  EXPECT_EQ(variable_of("LD_LIBRARY_PATH", "", "LD_LIBRARY_PATH=/opt/lib"),
            kLibraries + ":/opt/lib\n");
  EXPECT_EQ(variable_of("LD_LIBRARY_PATH", "", "LD_LIBRARY_PATH="), kLibraries + "\n");
}

TEST(DatRun, NamesOfThePrograms) {
  EXPECT_EQ(variable_of("DATUM_ALIAS", "--as ofa-v2-ib0 --as ib0=datum-lo"),
            "ofa-v2-ib0=datum,ib0=datum-lo\n");
  EXPECT_EQ(variable_of("DATUM_ALIAS", "--as ib0", "DATUM_ALIAS=ib0=datum-eth0"),
            "ib0=datum,ib0=datum-eth0\n");
  EXPECT_EQ(variable_of("DATUM_ALIAS", ""), "\n");
}

TEST(DatRun, WhatIsAskedForReachesTheProgramAndNothingElse) {
  const std::string seen = "echo $DATUM_TRANSPORT,$DATUM_STRICT,$LD_PRELOAD'";
  const std::string without = "env -u DATUM_TRANSPORT -u DATUM_STRICT -u LD_PRELOAD " + kRun;
  EXPECT_EQ(run(without + " sh -c '" + seen).output, ",,\n");
  EXPECT_EQ(run(without + " --transport tcp --strict sh -c '" + seen).output, "tcp,on,\n");
}

#if DATUM_HAVE_MEMORY
TEST(DatRun, TheAllocatorIsPreloadedInFront) {
  const std::string allocator = kLibraries + "/libdatum-malloc.so";
  EXPECT_EQ(variable_of("LD_PRELOAD", "--memory"), allocator + "\n");
}
#endif

TEST(DatRun, ArgumentsBehindTheProgramAreItsOwn) {
  EXPECT_EQ(run(kRun + " echo --strict -- --help").output, "--strict -- --help\n");
  EXPECT_EQ(run(kRun + " -- echo -- x").output, "-- x\n");
}

TEST(DatRun, TheProgramsStatusAndSignalPassThrough) {
  EXPECT_EQ(run(kRun + " sh -c 'exit 42'").code, 42);
  EXPECT_EQ(run("bash -c '" + kRun + " bash -c \"kill -TERM \\$\\$\"; exit $?'").code,
            128 + SIGTERM);
}

TEST(DatRun, IsTheProgramAndNoParentOfIt) {
  EXPECT_EQ(run("bash -c 'echo $$; exec " + kRun + " sh -c \"echo \\$\\$\"' | uniq | wc -l").output,
            "1\n");
}

TEST(DatRun, WhatCannotBeStartedHasTheCodesOfEnv) {
  EXPECT_EQ(run(kRun + " no-such-program 2>/dev/null").code, 127);
  EXPECT_EQ(run(kRun + " /no/such/program 2>/dev/null").code, 127);
  EXPECT_EQ(run(kRun + " /etc/passwd 2>/dev/null").code, 126);
  const Ended missing = run(kRun + " no-such-program 2>&1");
  EXPECT_EQ(missing.output, "dat-run: \"no-such-program\": no such program in PATH\n");
}

TEST(DatRun, AnInterpreterThatIsNotThereIsNamed) {
  const std::string script = "/tmp/dat-run-script-" + std::to_string(getpid());
  for (const char* line : {"#!/no/such/shell -e\n", "#! /no/such/shell\n", "#!/no/such/shell"}) {
    std::ofstream(script) << line;
    ASSERT_EQ(chmod(script.c_str(), 0755), 0);
    const Ended ended = run(kRun + " " + script + " 2>&1");
    EXPECT_EQ(ended.code, 127);
    EXPECT_EQ(ended.output, "dat-run: cannot start " + script +
                                ": its interpreter /no/such/shell: no such program\n");
  }
  std::remove(script.c_str());
}

// A folder of files that cannot be started, and some that can.
class DatRunPath : public testing::Test {
 protected:
  DatRunPath() {
    fs::create_directories(folder_ / "bin");
    fs::create_directories(folder_ / "more");
    fs::permissions(folder_, fs::perms(0755));
  }
  ~DatRunPath() override { fs::remove_all(folder_); }
  void SetUp() override {
    if (start("true").code != 0)
      GTEST_SKIP() << "a user whom modes bind may not execute this build";
  }

  void make(const std::string& name, const std::string& text, mode_t mode) const {
    std::ofstream(folder_ / name) << text;
    ASSERT_EQ(chmod((folder_ / name).c_str(), mode), 0);
  }
  // Starts the program with bin and more in PATH, as a user to whom file modes apply.
  [[nodiscard]] Ended start(const std::string& program, const std::string& before = "") const {
    const std::string nobody = "setpriv --reuid 65534 --regid 65534 --clear-groups ";
    return run("sh -c 'cd " + folder_.string() + " && " + (geteuid() == 0 ? nobody : "") +
               "env PATH=" + before + at("bin") + ":" + at("more") + ":/usr/bin:/bin " + kRun +
               " " + program + "' 2>&1");
  }
  [[nodiscard]] std::string at(const std::string& name) const { return (folder_ / name).string(); }

  fs::path folder_ = "/tmp/dat-run-path-" + std::to_string(getpid());
};

TEST_F(DatRunPath, AFolderThatMayNotBeSearchedHoldsNoProgram) {
  fs::create_directories(folder_ / "closed");
  make("bin/script", "#!/no/such/shell\n", 0755);
  ASSERT_EQ(chmod(at("closed").c_str(), 0), 0);
  const Ended script = start("script", at("closed") + ":");
  EXPECT_EQ(script.code, 127) << script.output;
  EXPECT_EQ(script.output, "dat-run: cannot start " + at("bin/script") +
                               ": its interpreter /no/such/shell: no such program\n");
  const Ended none = start("no-such-program", at("closed") + ":");
  fs::permissions(folder_ / "closed", fs::perms(0755)); // so that the folder can be removed
  EXPECT_EQ(none.code, 127);
  EXPECT_EQ(none.output, "dat-run: \"no-such-program\": no such program in PATH\n");
}

TEST_F(DatRunPath, AFileThatMayNotBeExecutedIsFoundUnlessAnotherMay) {
  make("bin/tool", "echo first\n", 0644);
  const Ended alone = start("tool");
  EXPECT_EQ(alone.code, 126);
  EXPECT_EQ(alone.output, "dat-run: cannot start " + at("bin/tool") + ": Permission denied\n");
  make("more/tool", "echo second\n", 0755); // without a "#!" line: sh runs it
  EXPECT_EQ(start("tool").output, "second\n");
}

TEST_F(DatRunPath, APathThatLeadsNowhereHasTheCodesOfEnv) {
  fs::create_symlink("loop", folder_ / "loop");
  fs::create_symlink("ring", folder_ / "bin/ring");
  fs::create_symlink("nowhere", folder_ / "bin/dangling");
  fs::create_directory(folder_ / "bin/inner");
  make("plain", "", 0755);
  for (const auto& [program, reason] :
       {std::pair("./loop", "Too many levels of symbolic links"),
        std::pair("ring", "Too many levels of symbolic links"),
        std::pair("./plain/x", "Not a directory"), std::pair("./bin", "it is a folder")}) {
    const Ended ended = start(program);
    EXPECT_EQ(ended.code, 126) << program;
    EXPECT_NE(ended.output.find(reason), std::string::npos) << ended.output;
  }
  for (const char* program : {"dangling", "bin/dangling", "inner"})
    EXPECT_EQ(start(program).code, 127) << program;
}

TEST_F(DatRunPath, AnInterpreterThatCannotBeStartedIsNamed) {
  make("shell", "", 0644);
  make("bin/denied", "#!" + at("shell") + "\n", 0755);
  make("bin/folder", "#!" + at("bin") + "\n", 0755);
  make("bin/second", "#!" + at("bin/denied") + "\n", 0755);
  for (const auto& [program, fault] : {std::pair("denied", at("shell") + ": Permission denied"),
                                       std::pair("folder", at("bin") + ": it is a folder"),
                                       std::pair("second", at("shell") + ": Permission denied")}) {
    const Ended ended = start(program);
    EXPECT_EQ(ended.code, 126) << program;
    EXPECT_EQ(ended.output, "dat-run: cannot start " + at(std::string("bin/") + program) +
                                ": its interpreter " + fault + "\n");
  }
}

TEST(DatRun, AWrongCommandLineEndsWith125) {
  for (const char* wrong :
       {"", "--", "--no-such-option true", "--transport pigeon true", "--as '' true",
        "--as a,b true", "--as a=b=c true", "--as =datum true", "--as a= true"}) {
    const Ended ended = run(kRun + " " + wrong + " 2>&1");
    EXPECT_EQ(ended.code, 125) << wrong;
    EXPECT_EQ(ended.output.substr(0, 9), "dat-run: ") << wrong;
  }
}

// The message is the same as that of the other tools.
TEST(DatRun, AnOptionThatThereIsNotIsNamed) {
  EXPECT_EQ(run(kRun + " --bogus true 2>&1").output,
            "dat-run: \"--bogus\" is no option; see dat-run --help\n");
}

TEST(DatRun, ClosedDescriptorsStayClosed) {
  EXPECT_EQ(
      run("bash -c '" + kRun +
          " bash -c \"for d in 0 1 2; do [ ! -e /proc/\\$\\$/fd/\\$d ] || echo \\$d >&3; done\"" +
          " 3>&1 <&- 2>&-'")
          .output,
      "1\n");
}

TEST(DatRun, TheLimitOnFilesEndsTheProgramAsItWouldWithout) {
  const std::string writes =
      "head -c 100000 /dev/zero > /tmp/dat-run-test-" + std::to_string(getpid());
  EXPECT_EQ(run("bash -c 'ulimit -f 1; " + kRun + " sh -c \"" + writes + "\" 2>/dev/null'").code,
            128 + SIGXFSZ);
  std::remove(("/tmp/dat-run-test-" + std::to_string(getpid())).c_str());
}

class Moved : public testing::Test {
 protected:
  Moved() : folder_("/tmp/dat-run-moved-" + std::to_string(getpid())) {
    fs::create_directories(folder_ / "bin");
    fs::copy_file(kRun, folder_ / "bin/dat-run");
    libraries_ = folder_ / fs::relative(kLibraries, fs::path(kRun).parent_path().parent_path());
  }
  ~Moved() override { fs::remove_all(folder_); }
  [[nodiscard]] std::string moved() const { return (folder_ / "bin/dat-run").string(); }

  fs::path folder_, libraries_;
};

TEST_F(Moved, AFolderOfItsOwnBesideTheSystemsLibrariesIsPreferred) {
  fs::create_directories(libraries_ / "datum");
  std::ofstream(libraries_ / "libdat2.so.2");
  const std::string show = " sh -c 'echo $LD_LIBRARY_PATH'";
  EXPECT_EQ(run("env -u LD_LIBRARY_PATH " + moved() + show).output, libraries_.string() + "\n");
  std::ofstream(libraries_ / "datum/libdat2.so.2");
  EXPECT_EQ(run("env -u LD_LIBRARY_PATH " + moved() + show).output,
            (libraries_ / "datum").string() + "\n");
}

TEST_F(Moved, WithoutLibrariesItSaysWhereItLooked) {
  const Ended ended = run(moved() + " true 2>&1");
  EXPECT_EQ(ended.code, 125);
  EXPECT_NE(
      ended.output.find("no libdat2.so.2 and no libdat.so.1 in " + libraries_.string() + "/datum"),
      std::string::npos)
      << ended.output;
}

TEST_F(Moved, AProgramWithRightsOfItsOwnIsToldOf) {
  if (geteuid() != 0) GTEST_SKIP() << "only root gives a file to another user";
  fs::create_directories(libraries_);
  std::ofstream(libraries_ / "libdat2.so.2");
  const fs::path own = folder_ / "own";
  fs::copy_file("/bin/true", own);
  ASSERT_EQ(chown(own.c_str(), 1, 1), 0);
  ASSERT_EQ(chmod(own.c_str(), S_ISUID | 0755), 0);
  const Ended ended = run(moved() + " " + own.string() + " 2>&1");
  EXPECT_EQ(ended.code, 0);
  EXPECT_NE(ended.output.find("own: runs with rights of its own (set-user-ID)"), std::string::npos)
      << ended.output;
}

} // namespace
} // namespace datum::run

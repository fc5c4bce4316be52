// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/registry/datadm_test.cc: tests of datadm: the text that it writes, and the program as an
// administrator runs it.
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <linux/fs.h>
#include <regex>
#include <string>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <utility>

#include "base/unique_fd.h"
#include "common/tool_error.h"
#include "datadm/adapters.h"
#include "datadm/conf_text.h"
#include "registry/conf/conf_file.h"
#include "run_program.h"
#include "temporary.h"
#include "tests/own_network.h"

namespace fs = std::filesystem;
using namespace datum::datadm;
using datum::conf::ServiceEntry;
using Names = std::vector<std::string>;

namespace {

constexpr const char* kFields = " u1.2 nonthreadsafe default udapl_tavor.so.1 SUNW.1.0 \"\"";

ServiceEntry tavor() {
  return datum::conf::parse_service_provider_conf(std::string("driver_name=tavor") + kFields)
      .entries.at(0);
}

std::string tavor_line(const std::string& name) {
  return name + kFields + " \"driver_name=tavor\"\n";
}

Adapters these(Names names) {
  return [names = std::move(names)](const std::string&) { return names; };
}

} // namespace

TEST(DatadmText, AddAppendsALinePerAdapter) {
  ConfText text("# mine\n");
  EXPECT_EQ(text.add(tavor(), these({"ibd0", "ibd1"})),
            (Names{"ibd0 u1.2 nonthreadsafe", "ibd1 u1.2 nonthreadsafe"}));
  EXPECT_EQ(text.text(), "# mine\n" + tavor_line("ibd0") + tavor_line("ibd1"));
}

TEST(DatadmText, AddingTwiceDoesNotDuplicate) {
  ConfText text(tavor_line("ibd0"));
  EXPECT_EQ(text.add(tavor(), these({"ibd0", "ibd1"})), Names{"ibd1 u1.2 nonthreadsafe"});
  EXPECT_EQ(text.add(tavor(), these({"ibd0", "ibd1"})), Names{});
  EXPECT_EQ(text.text(), tavor_line("ibd0") + tavor_line("ibd1"));
}

TEST(DatadmText, OtherThreadSafetyIsAnotherLine) {
  ServiceEntry safe = tavor();
  safe.provider.thread_safe = true;
  ConfText text(tavor_line("ibd0"));
  EXPECT_EQ(text.add(safe, these({"ibd0"})), Names{"ibd0 u1.2 threadsafe"});
}

// If each line caused a search of the whole file, these tests would take minutes.
constexpr int kManyLines = 100'000;

// Rules: REGISTRY.1
TEST(DatadmLongFile, OfOneDeviceIsUpdatedInOneGo) {
  std::string conf;
  Names here;
  for (int i = 0; i != kManyLines; ++i) {
    here.push_back("ibd" + std::to_string(i));
    if (i % 2 == 0) conf += tavor_line(here.back());
  }
  ConfText text(conf);
  EXPECT_EQ(text.update(these(here)).added.size(), 50'000U);
  EXPECT_EQ(text.update(these({"ibd7"})).removed.size(), 99'999U);
  EXPECT_EQ(text.text(), tavor_line("ibd7"));
}

// Rules: REGISTRY.1
TEST(DatadmLongFile, OfManyDevicesIsUpdatedAndTakenAway) {
  std::string conf;
  std::string services;
  for (int i = 0; i != kManyLines; ++i) {
    const std::string device = "\"driver_name=d" + std::to_string(i) + "\"";
    conf += "ib" + std::string(kFields) + " " + device + "\n";
    services += device + kFields + "\n";
  }
  ConfText text(conf);
  EXPECT_EQ(text.update(these({"ib"})).removed.size(), 0U);
  const auto document = datum::conf::parse_service_provider_conf(services);
  EXPECT_EQ(document.entries.size(), 100'000U);
  EXPECT_EQ(text.remove(document.entries).size(), 100'000U);
  EXPECT_EQ(text.text(), "");
}

TEST(DatadmText, RemoveTakesDeviceLibraryAndVersionTogether) {
  const std::string other_library =
      "a u1.2 nonthreadsafe default other.so SUNW.1.0 \"\" \"driver_name=tavor\"\n";
  const std::string other_version =
      "b u1.2 nonthreadsafe default udapl_tavor.so.1 SUNW.2.0 \"\" \"driver_name=tavor\"\n";
  const std::string other_device = "c" + std::string(kFields) + " \"driver_name=hermon\"\n";
  const std::string kept =
      "# comment\n" + other_library + "bad line\n" + other_version + other_device;
  ConfText text(tavor_line("ibd0") + kept + tavor_line("ibd1"));
  EXPECT_EQ(text.remove({tavor()}), (Names{"ibd0 u1.2 nonthreadsafe", "ibd1 u1.2 nonthreadsafe"}));
  EXPECT_EQ(text.text(), kept);
}

TEST(DatadmText, UpdateAddsNewAdaptersAndDropsVanishedOnes) {
  ConfText text("# top\n" + tavor_line("ibd0") + tavor_line("ibd1"));
  const ConfText::Changes changes = text.update(these({"ibd1", "ibd2"}));
  EXPECT_EQ(changes.removed, Names{"ibd0 u1.2 nonthreadsafe"});
  EXPECT_EQ(changes.added, Names{"ibd2 u1.2 nonthreadsafe"});
  EXPECT_EQ(text.text(), "# top\n" + tavor_line("ibd1") + tavor_line("ibd2"));
}

TEST(DatadmText, UpdateLeavesLinesWithoutADevice) {
  const std::string hand_made = "OpenIB-cma u1.2 nonthreadsafe default l.so d.1.2 \"ib0 0\" \"\"\n";
  ConfText text(hand_made);
  const ConfText::Changes changes = text.update(these({}));
  EXPECT_EQ(changes.removed, Names{});
  EXPECT_EQ(text.text(), hand_made);
}

TEST(DatadmText, TextWithoutChangesStaysByteForByte) {
  const std::string odd = "\n  # a\tb  \nbad\r\n" + tavor_line("ibd0");
  EXPECT_EQ(ConfText(odd).text(), odd);
}

TEST(DatadmText, ALastLineWithoutANewlineIsEndedOnlyBeforeAnother) {
  const std::string open = "# a\n# b";
  ConfText text(open);
  EXPECT_EQ(text.text(), open);
  EXPECT_EQ(text.add(tavor(), these({"ibd0"})).size(), 1U);
  EXPECT_EQ(text.text(), open + "\n" + tavor_line("ibd0"));
  EXPECT_EQ(text.remove({tavor()}).size(), 1U);
  EXPECT_EQ(text.text(), open);
}

class SysFs : public testing::Test {
 protected:
  void interface(const std::string& name, const std::string& driver, const std::string& vendor,
                 const std::string& device) {
    const fs::path folder = directory_.path() / name / "device";
    fs::create_directories(folder);
    fs::create_symlink("../../drivers/" + driver, folder / "driver");
    directory_.write(name + "/device/vendor", vendor + "\n");
    directory_.write(name + "/device/device", device + "\n");
  }
  Names find(const std::string& device) { return adapters_of_this_host(directory_.path())(device); }
  const TemporaryDirectory directory_;
};

TEST_F(SysFs, InterfacesByDriver) {
  interface("ib1", "mlx5_core", "0x15b3", "0x1017");
  interface("ib0", "mlx5_core", "0x15b3", "0x1017");
  interface("eth0", "e1000e", "0x8086", "0x10d3");
  fs::create_directories(directory_.path() / "lo");
  EXPECT_EQ(find("driver_name=mlx5_core"), (Names{"ib0", "ib1"}));
  EXPECT_EQ(find("driver_name=tavor"), Names{});
}

TEST_F(SysFs, InterfacesByPciNumbers) {
  interface("ib0", "mlx5_core", "0x15b3", "0x5a44");
  interface("eth0", "e1000e", "0x8086", "0x10d3");
  EXPECT_EQ(find("pci15b3,5a44"), Names{"ib0"});
  EXPECT_EQ(find("pci15b3,1"), Names{});
}

TEST_F(SysFs, OtherDevicesAndAMissingFolderAreErrors) {
  EXPECT_THROW(find("tavor"), datum::tools::ToolError);
  EXPECT_THROW(find("driver_name="), datum::tools::ToolError);
  EXPECT_THROW(adapters_of_this_host("/nowhere")("driver_name=x"), datum::tools::ToolError);
}

class Datadm : public testing::Test {
 protected:
  Ran run(std::vector<std::string> arguments) { return run_on(conf(), std::move(arguments)); }
  static Ran run_on(const std::string& file, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {DATADM, "--file", file});
    return run_program(arguments, {});
  }
  std::string conf() const { return (directory_.path() / "dat.conf").string(); }
  std::string text() const { return datum::conf::read_file(conf()).value_or("absent"); }

  const TemporaryDirectory directory_;
  const std::string services_ = SERVICE_PROVIDER_CONF;
};

TEST_F(Datadm, AddsDatumsAdaptersToANewFile) {
  const Ran ran = run({"-a", services_});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(text().rfind("datum u1.2 nonthreadsafe default libdatum1.so datum.0.1 \"\" "
                         "\"driver_name=datum\"\n",
                         0),
            0U)
      << text();
  EXPECT_NE(text().find("datum-lo u1.2 threadsafe default"), std::string::npos) << text();
  EXPECT_EQ(ran.out, "");
}

// Rules: ENV.28
TEST_F(Datadm, AnEmptyOverrideLeavesTheUsualFile) {
  const Ran ran = run_program({DATADM, "--help"}, {"DAT_OVERRIDE="});
  EXPECT_NE(ran.out.find("/etc/dat"), std::string::npos) << ran.out;
}

TEST_F(Datadm, ViewPrintsTheFileAfterTheChanges) {
  const Ran ran = run({"-v", "-a", services_});
  EXPECT_EQ(ran.out, text());
}

TEST_F(Datadm, RemoveUndoesAddAndKeepsTheRest) {
  directory_.write("dat.conf", "# mine\nib0 u1.2 threadsafe default l.so d.1.2 \"\" \"\"\n");
  const std::string before = text();
  ASSERT_EQ(run({"-a", services_}).status, 0);
  EXPECT_NE(text(), before);
  ASSERT_EQ(run({"-r", services_}).status, 0);
  EXPECT_EQ(text(), before);
}

TEST_F(Datadm, UpdateDropsWhatVanished) {
  directory_.write("dat.conf", "datum-gone0 u1.2 threadsafe default libdatum1.so datum.0.1 \"\" "
                               "\"driver_name=datum\"\n");
  const Ran ran = run({"-u"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(text().find("gone0"), std::string::npos);
  EXPECT_NE(text().find("datum-lo u1.2 threadsafe"), std::string::npos);
}

// The line comes from another vendor's datadm, or from the datadm of another host.
TEST_F(Datadm, UpdateDropsTheLinesOfADriverThatIsNotHereAndSaysSo) {
  const std::string kept = "# mine\nib0 u1.2 nonthreadsafe default l.so d.1.2 \"\" \"\"\n"
                           "ib1 u1.2 nonthreadsafe default l.so d.1.2 \"\" \"a note\"\n";
  directory_.write("dat.conf", tavor_line("ibd0") + kept + tavor_line("ibd1"));
  const Ran ran = run({"-u"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(text(), kept);
  EXPECT_EQ(ran.err, "datadm: this host has no adapter of driver_name=tavor; its lines go\n"
                     "datadm: removed ibd0 u1.2 nonthreadsafe\n"
                     "datadm: removed ibd1 u1.2 nonthreadsafe\n");
}

TEST_F(Datadm, RewriteKeepsModeAndLinkAndLeavesNoDraft) {
  directory_.write("real.conf", "");
  ASSERT_EQ(::chmod((directory_.path() / "real.conf").c_str(), 0640), 0);
  fs::create_symlink("real.conf", conf());
  ASSERT_EQ(run({"-a", services_}).status, 0);
  EXPECT_TRUE(fs::is_symlink(conf()));
  struct stat info {};
  ASSERT_EQ(::stat(conf().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777U, 0640U);
  EXPECT_EQ(std::distance(fs::directory_iterator(directory_.path()), {}), 2);
}

// What chattr(1) does. False: this process or this file system may not.
static bool set_attribute(const std::string& path, unsigned attribute, bool on) {
  const datum::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  unsigned flags = 0;
  if (!fd || ::ioctl(fd.get(), FS_IOC_GETFLAGS, &flags) != 0) return false;
  flags = on ? flags | attribute : flags & ~attribute;
  return ::ioctl(fd.get(), FS_IOC_SETFLAGS, &flags) == 0;
}

struct Attribute {
  unsigned flag;
  const char* name;
  char letter;
};

// No process may change such a file or make one in such a folder, not even one of root.
TEST_F(Datadm, AnAttributeThatForbidsTheChangeIsNamed) {
  directory_.write("dat.conf", "");
  const std::string folder = directory_.path().string();
  for (const Attribute& each :
       {Attribute{FS_IMMUTABLE_FL, "immutable", 'i'}, Attribute{FS_APPEND_FL, "append only", 'a'}})
    for (const auto& [path, failure] :
         {std::pair{conf(), "cannot replace " + conf()},
          std::pair{folder, (each.letter == 'i' ? "cannot create a file in " + folder
                                                : "cannot replace " + conf())}}) {
      if (!set_attribute(path, each.flag, true))
        GTEST_SKIP() << "no attributes of files (chattr) here";
      const Ran ran = run({"-a", services_});
      ASSERT_TRUE(set_attribute(path, each.flag, false));
      EXPECT_EQ(ran.status, 1);
      EXPECT_EQ(ran.err, "datadm: " + failure + ": Operation not permitted (" + path +
                             " has the attribute \"" + each.name + "\", which `lsattr -d " + path +
                             "` shows; as root: `chattr -" + each.letter + " " + path + "`)\n");
      EXPECT_EQ(text(), "");
    }
}

TEST_F(Datadm, ALinkToNothingIsWrittenThrough) {
  fs::create_directory(directory_.path() / "sub");
  fs::create_symlink("sub/second.conf", conf());
  fs::create_symlink("real.conf", directory_.path() / "sub" / "second.conf");
  ASSERT_EQ(run({"-a", services_}).status, 0);
  EXPECT_TRUE(fs::is_symlink(conf()));
  EXPECT_TRUE(fs::is_symlink(directory_.path() / "sub" / "second.conf"));
  EXPECT_TRUE(fs::is_regular_file(directory_.path() / "sub" / "real.conf"));
}

TEST_F(Datadm, LinksThatLeadNowhereOrInCirclesAreErrors) {
  const std::string circle = (directory_.path() / "circle").string();
  fs::create_symlink("circle", circle);
  Ran ran = run_on(circle, {"-a", services_});
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(ran.err, "datadm: cannot follow " + circle + ": Too many levels of symbolic links\n");
  fs::create_symlink("/nowhere/dat.conf", conf());
  ran = run({"-a", services_});
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(ran.err, "datadm: /nowhere/dat.conf: there is no folder /nowhere; create it, or name "
                     "another file\n");
  EXPECT_TRUE(fs::is_symlink(conf()));
}

TEST_F(Datadm, CreatesNoFolder) {
  const fs::path folder = directory_.path() / "absent";
  const Ran ran = run_on((folder / "dat.conf").string(), {"-a", services_});
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(ran.err, "datadm: " + (folder / "dat.conf").string() + ": there is no folder " +
                         folder.string() + "; create it, or name another file\n");
  EXPECT_FALSE(fs::exists(folder));
}

// Without a dat.conf, datadm takes the first place whose folder exists.
TEST_F(Datadm, WithoutAFolderForTheFirstPlaceTheSecondIsWritten) {
  if (const std::string why = datum::test::why_no_namespaces(); !why.empty()) GTEST_SKIP() << why;
  const std::string script = "mount -t tmpfs none /etc && \"$0\" -a \"$1\" && ls /etc";
  const Ran ran = run_program({DATUM_OWN_NETWORK, "--mount", "sh", "-c", script, DATADM, services_},
                              {"PATH=/usr/bin:/bin:/usr/sbin:/sbin"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.out, "dat.conf\n") << ran.err;
}

TEST_F(Datadm, WhatIsNoFileIsNotReplacedByOne) {
  ASSERT_EQ(::mkfifo(conf().c_str(), 0600), 0);
  const Ran ran = run({"-a", services_});
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(ran.err, "datadm: " + conf() + ": is not a regular file\n");
  EXPECT_TRUE(fs::is_fifo(conf()));
  EXPECT_EQ(run_on("", {"-a", services_}).err, "datadm: --file names no file; it is empty\n");
}

TEST_F(Datadm, NoFileIsWrittenThatNothingWouldRead) {
  const std::string full = "#" + std::string((16U << 20U) - 2, 'x') + "\n";
  std::ofstream(conf()) << full;
  const Ran ran = run({"-a", services_});
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(ran.err, "datadm: " + conf() + " would have more than 16 MiB, the most that is read\n");
  EXPECT_EQ(fs::file_size(conf()), full.size());
}

TEST_F(Datadm, AFolderThatIsDeletedMeanwhileIsToldInPlainWords) {
  const std::string script =
      "mkdir \"$1/gone\" && cd \"$1/gone\" && rmdir \"$1/gone\" && exec \"$0\" --file x -a \"$2\"";
  const Ran ran =
      run_program({"/bin/sh", "-c", script, DATADM, directory_.path().string(), services_}, {});
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(ran.err,
            "datadm: x: the folder in which datadm was started is not known: No such file "
            "or directory; is it deleted? Change to another one, or name the file from /\n");
}

// A limit on the size of a file, which acts like a full disk.
TEST_F(Datadm, NothingIsSaidToBeDoneThatIsNot) {
  directory_.write("dat.conf", "nonsense\n");
  const std::string script = "ulimit -f 0 && exec \"$0\" --file \"$1\" -a \"$2\"";
  const Ran ran = run_program({"/bin/sh", "-c", script, DATADM, conf(), services_}, {});
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(ran.err.rfind("datadm: cannot write " + conf() + ".datadm-", 0), 0U) << ran.err;
  EXPECT_NE(ran.err.find(": File too large\n"), std::string::npos) << ran.err;
  EXPECT_EQ(ran.err.find("added"), std::string::npos) << ran.err;
  EXPECT_EQ(text(), "nonsense\n");
}

TEST_F(Datadm, EachLineThatIsAddedIsToldWithVersionAndThreadSafety) {
  const Ran ran = run({"-a", services_});
  for (const char* line :
       {"datadm: added datum-lo u1.2 nonthreadsafe\n", "datadm: added datum-lo u1.2 threadsafe\n",
        "datadm: added datum-lo u2.0 nonthreadsafe\n", "datadm: added datum-lo u2.0 threadsafe\n"})
    EXPECT_NE(ran.err.find(line), std::string::npos) << line << ran.err;
  EXPECT_EQ(run({"-a", services_}).err, "datadm: " + conf() + ": nothing to change\n");
}

TEST_F(Datadm, WhatIsAddedAndRemovedAgainIsNoChange) {
  directory_.write("dat.conf", "# mine\n");
  EXPECT_EQ(run({"-a", services_, "-r", services_}).err,
            "datadm: " + conf() + ": nothing to change\n");
  EXPECT_EQ(text(), "# mine\n");
}

TEST_F(Datadm, OneFaultIsOneError) {
  directory_.write("dat.conf", "# mine\n");
  const std::string script = "exec \"$0\" --file \"$1\" -v > /dev/full";
  const Ran full = run_program({"/bin/sh", "-c", script, DATADM, conf()}, {});
  EXPECT_EQ(full.status, 1);
  EXPECT_EQ(full.err, "datadm: cannot write to standard output: No space left on device\n");
  const std::string fields(kFields);
  const std::string twice = "driver_name=tavor" + fields + "\n";
  const std::string file = directory_.write("s.conf", twice + twice);
  EXPECT_EQ(run({"-a", file, "-a", file}).err,
            "datadm: " + file +
                ":1: this host has no adapter of driver_name=tavor; nothing to add\ndatadm: " +
                conf() + ": nothing to change\n");
}

TEST_F(Datadm, UnchangedFileIsNotReplaced) {
  ASSERT_EQ(run({"-a", services_}).status, 0);
  struct stat before {};
  struct stat after {};
  ASSERT_EQ(::stat(conf().c_str(), &before), 0);
  ASSERT_EQ(run({"-a", services_}).status, 0);
  ASSERT_EQ(::stat(conf().c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);
}

// A place where nothing may be written. Root may write everywhere, so the test sets a limit under
// which no draft can be written.
TEST_F(Datadm, WithNothingToChangeAFileWithoutALastNewlineIsLeftAlone) {
  directory_.write("dat.conf", "# mine");
  const std::string script = "ulimit -f 0 && exec \"$0\" --file \"$1\" -u";
  const Ran ran = run_program({"/bin/sh", "-c", script, DATADM, conf()}, {});
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.err, "datadm: " + conf() + ": nothing to change\n");
  EXPECT_EQ(text(), "# mine");
}

TEST_F(Datadm, BadServiceFileChangesNothing) {
  directory_.write("dat.conf", "# mine\n");
  const std::string bad =
      directory_.write("bad.conf", datum::conf::read_file(services_).value() + "nonsense\n");
  const Ran ran = run({"-a", bad});
  EXPECT_EQ(ran.status, 1);
  EXPECT_NE(ran.err.find("bad.conf:"), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("1 field instead of 7"), std::string::npos) << ran.err;
  EXPECT_EQ(text(), "# mine\n");
}

TEST_F(Datadm, MissingFilesAreErrors) {
  EXPECT_EQ(run({"-v"}).status, 1);
  const Ran ran = run({"-a", "/nowhere/service_provider.conf"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(ran.err, "datadm: /nowhere/service_provider.conf: No such file or directory\n");
  EXPECT_EQ(text(), "absent");
}

TEST_F(Datadm, DeviceWithoutAdaptersIsSaid) {
  const std::string file =
      directory_.write("s.conf", "driver_name=tavor" + std::string(kFields) + "\n");
  const Ran ran = run({"-a", file});
  EXPECT_EQ(ran.status, 0);
  EXPECT_NE(ran.err.find("s.conf:1: this host has no adapter of driver_name=tavor"),
            std::string::npos)
      << ran.err;
}

TEST_F(Datadm, NothingToDoAndUnknownOptionsAreUsageErrors) {
  EXPECT_EQ(run({}).status, 2);
  EXPECT_EQ(run({"--frobnicate"}).status, 2);
  const Ran help = run({"--help"});
  EXPECT_EQ(help.status, 0);
  EXPECT_NE(help.out.find("service_provider.conf"), std::string::npos);
  // Newer versions of CLI11 break the text into lines.
  const std::regex unless("unchanged,\\s+unless\\s+it\\s+was\\s+only\\s+the\\s+printing");
  EXPECT_TRUE(std::regex_search(help.out, unless)) << help.out;
}

// Rules: MESSAGE.3
TEST_F(Datadm, ControlCharactersOfTheFileReachNoTerminal) {
  const std::string hostile = "\033[2J # a\tcomment \xc3\xa4\r\n";
  directory_.write("dat.conf", hostile);
  const Ran view = run({"-v"});
  EXPECT_EQ(view.out, "\\x1b[2J # a\tcomment \xc3\xa4\\r\n");
  const std::string services =
      directory_.write("s\033[2J.conf", "driver_name=\033[2Jtavor" + std::string(kFields) + "\n");
  const Ran add = run({"-a", services});
  EXPECT_EQ(add.err.find('\033'), std::string::npos) << add.err;
  EXPECT_NE(add.err.find("s\\x1b[2J.conf:1: this host has no adapter of "
                         "driver_name=\\x1b[2Jtavor; nothing to add\n"),
            std::string::npos)
      << add.err;
  EXPECT_EQ(text(), hostile);
}

TEST_F(Datadm, OverrideNamesTheFile) {
  directory_.write("dat.conf", "# seen\n");
  const Ran ran = run_program({DATADM, "-v"}, {"DAT_OVERRIDE=" + conf()});
  EXPECT_EQ(ran.out, "# seen\n");
}

TEST(PackagedFiles, ParseWithoutComplaint) {
  const auto services = datum::conf::parse_service_provider_conf(
      datum::conf::read_file(SERVICE_PROVIDER_CONF).value());
  EXPECT_EQ(services.entries.size(), 4U);
  EXPECT_TRUE(services.diagnostics.empty());
  const auto conf = datum::conf::parse_dat_conf(datum::conf::read_file(PACKAGED_DAT_CONF).value());
  EXPECT_TRUE(conf.entries.empty());
  EXPECT_TRUE(conf.diagnostics.empty());
}

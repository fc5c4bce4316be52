// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat-info --check as a user runs it.
#include <gtest/gtest.h>

#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "dat_info.h"
#include "filtered_command.h"
#include "tests/abstract_name.h"

namespace datum::info {
namespace {

namespace fs = std::filesystem;
using test::Ended;
using test::run;
using test::Served;

TEST(DatInfo, ChecksUnderALimitOnFiles) {
  const Ended ended = run("bash -c 'ulimit -f 1; exec " + kInfo + " --check 2>&1'");
  EXPECT_EQ(ended.code, 1);
  EXPECT_NE(ended.output.find("ftruncate: File too large"), std::string::npos) << ended.output;
  EXPECT_NE(ended.output.find("`ulimit -f`"), std::string::npos) << ended.output;
}

std::optional<Ended> check_without(std::uint32_t call) {
  return test::run_without(call, {kInfo, "--check"});
}

TEST(DatInfo, CheckNamesTheCallWithoutWhichNoAdapterOpens) {
  struct {
    std::uint32_t number;
    std::string name;
  } const kAll[] = {{SYS_socket, "socket"},
                    {SYS_epoll_create1, "epoll_create1"},
                    {SYS_eventfd2, "eventfd2"},
                    {SYS_timerfd_create, "timerfd_create"}};
  for (const auto& [number, name] : kAll) {
    const auto ended = check_without(number);
    if (!ended) GTEST_SKIP() << "no filter of system calls here";
    EXPECT_EQ(ended->code, 1);
    EXPECT_NE(squeezed(ended->output)
                  .find("problem system calls the sandbox of this process (seccomp) refuses " +
                        name + " (Operation not permitted): no adapter opens"),
              std::string::npos)
        << ended->output;
  }
}

// What --check says of the system calls that Datum needs, with the consequence.
void expect_refused(const std::optional<Ended>& ended, const std::string& call) {
  EXPECT_EQ(ended->code, 1);
  EXPECT_NE(squeezed(ended->output)
                .find("problem system calls the sandbox of this process (seccomp) refuses " + call),
            std::string::npos)
      << ended->output;
}

const char* const kNoneRefused = "no filter refuses those that Datum needs";

TEST(DatInfo, CheckNamesTheCallThatTellsThePort) {
  const auto ended = check_without(SYS_getsockname);
  if (!ended) GTEST_SKIP() << "no filter of system calls here";
  const std::string said = squeezed(ended->output);
  EXPECT_NE(said.find("refuses some that Datum can do without: getsockname (Operation not "
                      "permitted): a port that the kernel has to choose is not known"),
            std::string::npos)
      << said;
  EXPECT_NE(said.find(kNoneRefused), std::string::npos) << said;
}

TEST(DatInfo, CheckNamesTheMappingOfSharedMemory) {
  const auto ended =
      test::run_filtered([] { return test::forbid_shared_mappings(EPERM); }, {kInfo, "--check"});
  if (!ended) GTEST_SKIP() << "no filter of system calls here";
  expect_refused(ended, "mmap (Operation not permitted): no adapter opens");
}

// At ENOSYS the C library takes clone(2), at EPERM it gives up.
TEST(DatInfo, CheckNamesTheCallThatMakesThreads) {
  const auto refused = check_without(SYS_clone3);
  const auto lacking = test::run_without(SYS_clone3, {kInfo, "--check"}, ENOSYS);
  const auto both = test::run_filtered(
      [] { return test::forbid_call(SYS_clone3, ENOSYS) && test::forbid_call(SYS_clone, EPERM); },
      {kInfo, "--check"});
  const auto only_clone = check_without(SYS_clone);
  if (!refused || !lacking || !both || !only_clone)
    GTEST_SKIP() << "no filter of system calls here";
  expect_refused(refused, "clone3 (Operation not permitted): no adapter opens");
  expect_refused(both, "clone (Operation not permitted): no adapter opens");
  EXPECT_NE(lacking->output.find(kNoneRefused), std::string::npos) << lacking->output;
  // A kernel without clone3 needs clone.
  if (::syscall(SYS_clone3, nullptr, 0) < 0 && errno == ENOSYS)
    expect_refused(only_clone, "clone (Operation not permitted): no adapter opens");
  else
    EXPECT_NE(only_clone->output.find(kNoneRefused), std::string::npos) << only_clone->output;
}

TEST(DatInfo, CheckSaysThatAFilterRefusesMembarrierAndWhatThatCosts) {
  const auto ended = check_without(SYS_membarrier);
  if (!ended) GTEST_SKIP() << "no filter of system calls here";
  const std::string said = squeezed(ended->output);
  EXPECT_NE(said.find("note system calls the sandbox of this process (seccomp) refuses some that "
                      "Datum can do without: membarrier (Operation not permitted): each call of "
                      "DAT takes somewhat longer"),
            std::string::npos)
      << said;
  EXPECT_EQ(said.find("newer kernel"), std::string::npos) << said;
  EXPECT_EQ(said.find("was forbidden"), std::string::npos) << said;
}

// The machine may have other problems.
TEST(DatInfo, ACallThatDatumCanDoWithoutIsNoProblem) {
  const auto before = check_without(SYS_membarrier);
  for (const auto& [number, part] :
       {std::pair{SYS_prlimit64, "prlimit64 (Operation not permitted): the limits of this process "
                                 "are unknown"},
        std::pair{SYS_readv, "readv (Operation not permitted): over TCP long messages take more "
                             "system calls"}}) {
    const auto ended = check_without(static_cast<std::uint32_t>(number));
    if (!before || !ended) GTEST_SKIP() << "no filter of system calls here";
    const std::string said = squeezed(ended->output);
    EXPECT_EQ(ended->code, before->code) << said;
    EXPECT_NE(said.find("ok system calls no filter refuses those that Datum needs"),
              std::string::npos)
        << said;
    EXPECT_NE(said.find("refuses some that Datum can do without: " + std::string(part)),
              std::string::npos)
        << said;
  }
}

TEST(DatInfo, CheckSaysThatTheLimitsAreUnknownWhereAFilterRefusesTheQuestion) {
  const auto ended = check_without(SYS_prlimit64);
  if (!ended) GTEST_SKIP() << "no filter of system calls here";
  const std::string said = squeezed(ended->output);
  EXPECT_NE(said.find("note open files unknown"), std::string::npos) << said;
}

TEST(DatInfo, CheckNamesTheCallThatKeepsMemoryFromBeingShared) {
  const auto made = check_without(SYS_memfd_create), sized = check_without(SYS_ftruncate);
  if (!made || !sized) GTEST_SKIP() << "no filter of system calls here";
  EXPECT_NE(
      squeezed(made->output).find("problem shared memory memfd_create: Operation not permitted"),
      std::string::npos)
      << made->output;
  EXPECT_NE(squeezed(sized->output)
                .find("problem shared memory memfd_create works, but the length of what it made "
                      "cannot be set: ftruncate: Operation not permitted"),
            std::string::npos)
      << sized->output;
}

TEST(DatInfo, ChecksAMachineWithoutProc) {
  const auto without_proc = [](const std::string& command) {
    // Without /proc the loader cannot find the folder of a program, so it cannot resolve $ORIGIN.
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

TEST(DatInfo, CheckSaysWhatToDoAboutAFolderThatDatOverrideNames) {
  const Ended ended = run("env DAT_OVERRIDE=/ " + kInfo + " --check 2>/dev/null");
  EXPECT_EQ(ended.code, 1);
  EXPECT_NE(ended.output.find("DAT_OVERRIDE=/: Is a directory"), std::string::npos) << ended.output;
  EXPECT_NE(ended.output.find("-> have DAT_OVERRIDE name a file, or unset it"), std::string::npos)
      << ended.output;
}

TEST(DatInfo, CheckSaysThatDatOverrideNamesAFifo) {
  const std::string fifo = "/tmp/dat-info-fifo-" + std::to_string(getpid());
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const Ended ended = run("env DAT_OVERRIDE=" + fifo + " " + kInfo + " --check 2>&1");
  unlink(fifo.c_str());
  EXPECT_EQ(ended.code, 1);
  for (const std::string& part :
       {"datum warn: DAT_OVERRIDE=" + fifo + ": it is a FIFO with nothing in it; only built-in IAs",
        "problem  dat.conf       DAT_OVERRIDE=" + fifo + ": it is a FIFO with nothing in it"})
    EXPECT_EQ(count(ended.output, part), 1U) << ended.output;
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

// --check and dat_ia_open() agree on what an alias leads to.
TEST(DatInfo, CheckFindsAliasesThatLeadNowhereAsTheLibraryDoes) {
  for (const auto& [alias, asked] :
       {std::pair("a=a", "a"), std::pair("*=*", "b"), std::pair("RO_AWARE_x=datum", "x"),
        std::pair("RO_AWARE_x=datum", "RO_AWARE_x")}) {
    SCOPED_TRACE(alias);
    const std::string with = std::string("env DAT_OVERRIDE=/dev/null DATUM_ALIAS=") + alias + " ";
    EXPECT_EQ(run(with + kPing + " --serve -p 0 --ia " + asked + " 2>/dev/null").code, 2);
    const Ended check = run(with + kInfo + " --check 2>/dev/null");
    EXPECT_EQ(check.code, 1);
    EXPECT_EQ(count(check.output, std::string("problem  environment    DATUM_ALIAS=") + alias), 1U)
        << check.output;
  }
  for (const char* alias : {"datum=datum", "x=datum"})
    EXPECT_EQ(run(std::string("env DAT_OVERRIDE=/dev/null DATUM_ALIAS=") + alias + " " + kInfo +
                  " --check 2>/dev/null")
                  .code,
              0)
        << alias;
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

// dat_ia_open() of this name would open the built-in adapter.
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

// A process of another user that holds a socket name of shared memory.
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
  // Far from the ports that other tests take.
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

} // namespace
} // namespace datum::info

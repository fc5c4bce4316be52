// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat-cp where the machine says no: full disks, file size limits, other users' files.
#include <grp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <gtest/gtest.h>

#include "bound.h"
#include "folder.h"
#include "program.h"

namespace datum::cp::test {
namespace {

constexpr int kCannotMount = 77;

class CpLimits : public testing::Test {
 protected:
  int put(const Server& server, const std::string& name,
          const std::function<void()>& in_child = {}) {
    Program program({DAT_CP_PROGRAM, "put", "--token", server.token, here_ / name, server.at(name)},
                    in_child);
    const int code = program.wait();
    err_ = program.err();
    return code;
  }
  void expect_said(const std::string& part) {
    EXPECT_NE(err_.find(part), std::string::npos) << err_;
  }
  Folder here_, there_;
  std::string err_;
};

TEST_F(CpLimits, AFileOverTheSizeLimitFailsAndTheOthersDoNot) {
  here_.write("t/large", noise(80 * kMiB));
  here_.write("t/small", "fits");
  Server server(there_.path(), {}, [] {
    const rlimit limit = {64 * kMiB, 64 * kMiB};
    setrlimit(RLIMIT_FSIZE, &limit);
  });
  EXPECT_EQ(put(server, "t"), 1);
  expect_said("cannot write \"t/large\": File too large");
  EXPECT_FALSE(there_.exists("t/large"));
  EXPECT_EQ(there_.read("t/small"), "fits");
  EXPECT_EQ(there_.leftovers("t"), 2);
}

// A server's memory is files that have no name.
TEST_F(CpLimits, AServerWithoutMemoryForACallerRefusesItAndServesTheNext) {
  here_.write("t", "x");
  Server server(there_.path());
  datum::test::bound(server.program.pid(), RLIMIT_FSIZE, kMiB / 2);
  EXPECT_EQ(put(server, "t"), 5);
  expect_said("the program there refused the connection");
  EXPECT_FALSE(there_.exists("t"));
  datum::test::bound(server.program.pid(), RLIMIT_FSIZE, RLIM_INFINITY);
  EXPECT_EQ(put(server, "t"), 0); // with the same token: nothing was copied with it
  EXPECT_EQ(there_.read("t"), "x");
}

// In the child: a file system of 16 MiB over folder, seen by nobody else.
void mount_small(const std::string& folder) {
  const bool own = unshare(CLONE_NEWNS) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0;
  if (!own || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      mount("small", folder.c_str(), "tmpfs", 0, "size=16m") != 0)
    _exit(kCannotMount);
}

bool may_mount(const std::string& folder) {
  Program probe({"/bin/true"}, [&] { mount_small(folder); });
  return probe.wait() == 0;
}

TEST_F(CpLimits, AFullDiskStopsTheCopyAndIsSaidAsSuch) {
  if (!may_mount(there_.path())) GTEST_SKIP() << "may not mount: neither root nor user namespaces";
  here_.write("t/large", noise(20 * kMiB));
  here_.write("t/z", "never reached");
  Server server(there_.path(), {}, [this] { mount_small(there_.path()); });
  EXPECT_EQ(put(server, "t"), 1);
  expect_said("cannot write \"t/large\": No space left on device (make room there");
}

TEST_F(CpLimits, AnUnreadableFileIsNamedAndTheOthersAreCopied) {
  here_.write("t/a", "readable");
  here_.write("t/locked", "secret");
  chmod((here_ / "t/locked").c_str(), 0);
  chmod(here_.path().c_str(), 0755);
  Server server(there_.path());
  EXPECT_EQ(put(server, "t",
                [] {
                  // Root reads everything, so the client must not be root.
                  if (geteuid() == 0 &&
                      (setgroups(0, nullptr) != 0 || setgid(65534) != 0 || setuid(65534) != 0))
                    _exit(99);
                }),
            1);
  expect_said("cannot open \"t/locked\": Permission denied");
  EXPECT_EQ(there_.read("t/a"), "readable");
  EXPECT_FALSE(there_.exists("t/locked"));
}

TEST_F(CpLimits, AFolderThatMayNotBeWrittenIsNamed) {
  here_.write("t", "x");
  chmod(there_.path().c_str(), 0555);
  Server server(there_.path(), {}, [] {
    if (geteuid() == 0 && (setgroups(0, nullptr) != 0 || setgid(65534) != 0 || setuid(65534) != 0))
      _exit(99);
  });
  EXPECT_EQ(put(server, "t"), 1);
  expect_said("cannot create \"t\": Permission denied");
}

TEST_F(CpLimits, AFolderThatMayNotBeWrittenIsNamedOnce) {
  here_.write("t/d/a", "x");
  here_.write("t/d/b", "x");
  here_.write("t/d/sub/c", "x");
  there_.write("t/d/old", "x");
  chmod((there_ / "t/d").c_str(), 0755);
  chmod((there_ / "t").c_str(), 0755);
  chmod(there_.path().c_str(), 0755);
  Server server(there_.path(), {}, [] {
    if (geteuid() == 0 && (setgroups(0, nullptr) != 0 || setgid(65534) != 0 || setuid(65534) != 0))
      _exit(99);
  });
  EXPECT_EQ(put(server, "t"), 1);
  expect_said("Permission denied (nothing can be created in that folder");
  EXPECT_EQ(err_.find("Permission denied"), err_.rfind("Permission denied")) << err_;
}

} // namespace
} // namespace datum::cp::test

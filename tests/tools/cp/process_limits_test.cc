// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat-cp when the system refuses something: full disks, limits, filters of system calls, other
// users' files.
#include <linux/capability.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "bound.h"
#include "folder.h"
#include "program.h"
#include "tests/filter.h"

namespace datum::cp::test {
namespace {

constexpr int kCannotMount = 77;
constexpr int kCannotBeBound = 99;

// For the child: gives up the capabilities by which root ignores file permissions. The process
// stays root, because dat-cp may be in a folder that only root can enter.
void obey_permissions() {
  if (geteuid() != 0) return;
  for (const int right : {CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH})
    if (prctl(PR_CAPBSET_DROP, right, 0, 0, 0) != 0) _exit(kCannotBeBound);
}

class CpLimits : public testing::Test {
 protected:
  int put(const Server& server, const std::string& name,
          const std::function<void()>& in_child = {}) {
    Program program({DAT_CP_PROGRAM, "put", "--token", server.token, here_ / name, server.at(name)},
                    in_child);
    const int code = program.wait();
    err_ = program.err();
    out_ = program.out();
    return code;
  }
  void expect_said(const std::string& part) {
    EXPECT_NE(err_.find(part), std::string::npos) << err_;
  }
  Folder here_, there_;
  std::string err_, out_;
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

// Exit code 4 would make a script try again, as it does after a lost connection.
TEST_F(CpLimits, AShortageOfDescriptorsHereIsNotThePeersFault) {
  here_.write("a", "x");
  Server server(there_.path(), {"--reuse-token"});
  for (const rlim_t most : {8UL, 9UL, 10UL, 11UL, 12UL}) {
    const int code = put(server, "a", [most] {
      const rlimit limit = {most, most};
      setrlimit(RLIMIT_NOFILE, &limit);
    });
    EXPECT_TRUE(code == 2 || code == 1 || code == 0) << most << ": " << code << ' ' << err_;
  }
}

void limit_descriptors(rlim_t most) {
  const rlimit limit = {most, most};
  setrlimit(RLIMIT_NOFILE, &limit);
}

// A tree with more folders, and more files that can be resumed, than there are descriptors.
void write_wide_tree(const Folder& folder) {
  for (const char* name : {"t/a", "t/b", "t/b/c", "t/b/c/d", "t/e", "t/f"})
    for (int i = 0; i < 5; ++i)
      folder.write(std::string(name) + "/" + std::to_string(i), std::string(name) + "x");
  folder.write("t/e/large", noise(5 * kMiB));
  folder.write("t/f/large", noise(5 * kMiB));
}

// Shared memory needs more descriptors than TCP. It must leave enough of them for files.
TEST_F(CpLimits, AServerWithFewDescriptorsTakesAWholeTree) {
  write_wide_tree(here_);
  for (const rlim_t most : {20UL, 22UL, 24UL, 26UL, 28UL, 32UL, 40UL}) {
    SCOPED_TRACE(most);
    const Folder there;
    Server server(there.path(), {}, [most] { limit_descriptors(most); });
    EXPECT_EQ(put(server, "t"), 0) << err_;
    EXPECT_TRUE(out_.starts_with("put: 39 copied, 0 unchanged, 0 failed; ")) << out_;
    EXPECT_TRUE(there.read("t/f/large") == here_.read("t/f/large"));
  }
}

TEST_F(CpLimits, AClientWithFewDescriptorsGetsAWholeTree) {
  write_wide_tree(here_);
  Server server(here_.path(), {"--reuse-token"});
  for (const rlim_t most : {20UL, 24UL, 28UL, 32UL}) {
    SCOPED_TRACE(most);
    const Folder got;
    Program program({DAT_CP_PROGRAM, "get", "--token", server.token, server.at("t"), got / "t"},
                    [most] { limit_descriptors(most); });
    EXPECT_EQ(program.wait(), 0) << program.err();
    EXPECT_TRUE(got.read("t/f/large") == here_.read("t/f/large"));
  }
}

// The folder is not the cause, so the message does not mention it. The message names the process
// whose limit is the cause.
// How many descriptors the server needs before it opens a file depends on the kernel.
TEST_F(CpLimits, AServerWithoutADescriptorForFilesNamesItsLimit) {
  here_.write("a", "x");
  here_.write("b", "x");
  for (rlim_t most = 14; most <= 16; ++most) {
    Server server(there_.path(), {}, [most] { limit_descriptors(most); });
    Program program({DAT_CP_PROGRAM, "put", "--token", server.token, here_ / "a", here_ / "b",
                     server.at("new/")});
    const int code = program.wait();
    err_ = program.err();
    EXPECT_EQ(err_.find("nothing can be created"), std::string::npos) << err_;
    const std::string limit = ": Too many open files (process " +
                              std::to_string(server.program.pid()) + " may have " +
                              std::to_string(most) + ": raise 'ulimit -n' where it is started)";
    if (err_.find(limit) == std::string::npos) continue;
    EXPECT_EQ(code, 1);
    return;
  }
  ADD_FAILURE() << err_;
}

TEST_F(CpLimits, MoreSourcesThanDescriptorsArePut) {
  Server server(there_.path());
  std::vector<std::string> words = {DAT_CP_PROGRAM, "put", "--token", server.token};
  for (int i = 0; i < 1500; ++i) {
    here_.write("t/" + std::to_string(i), "x");
    words.push_back(here_ / "t/" + std::to_string(i));
  }
  words.push_back(server.at(""));
  Program program(words, [] {
    const rlimit limit = {256, 256};
    setrlimit(RLIMIT_NOFILE, &limit);
  });
  EXPECT_EQ(program.wait(), 0) << program.err();
  EXPECT_EQ(there_.read("1499"), "x");
}

// The server has mapped more than the limit allows, so it can map nothing new.
TEST_F(CpLimits, AServerWithoutMemoryForACallerRefusesItAndServesTheNext) {
  here_.write("t", "x");
  Server server(there_.path());
  datum::test::bound(server.program.pid(), RLIMIT_AS, kMiB);
  EXPECT_EQ(put(server, "t"), 5) << err_;
  EXPECT_FALSE(there_.exists("t"));
  datum::test::bound(server.program.pid(), RLIMIT_AS, RLIM_INFINITY);
  EXPECT_EQ(put(server, "t"), 0); // with the same token: nothing was copied with it
  EXPECT_EQ(there_.read("t"), "x");
}

bool has_filters() {
  Program probe({"/bin/true"}, [] {
    if (!datum::test::forbid_call(SYS_memfd_create, EPERM)) _exit(kCannotBeBound);
  });
  return probe.wait() == 0;
}

// datum(7), SANDBOXES: such connections go over TCP.
TEST_F(CpLimits, WhereMemoryForPeersIsRefusedACopyGoesOverTcp) {
  if (!has_filters()) GTEST_SKIP() << "no filter of system calls here";
  here_.write("t", noise(3 * kMiB));
  for (const int error : {EPERM, ENOSYS, EACCES, EINVAL}) {
    const std::function<void()> nothing;
    const std::function<void()> forbid = [error] {
      datum::test::forbid_call(SYS_memfd_create, error);
    };
    for (const bool of_server : {false, true}) {
      SCOPED_TRACE(std::to_string(error) + (of_server ? " server" : " client"));
      const Folder there;
      Server server(there.path(), {}, of_server ? forbid : nothing);
      EXPECT_EQ(put(server, "t", of_server ? nothing : forbid), 0) << err_;
      EXPECT_NE(out_.find(" over tcp"), std::string::npos) << out_;
      EXPECT_TRUE(there.read("t") == here_.read("t"));
    }
  }
}

// A memfd whose length cannot be set cannot be memory for peers.
TEST_F(CpLimits, WhereTheLengthOfMemoryForPeersIsRefusedACopyGoesOverTcp) {
  if (!has_filters()) GTEST_SKIP() << "no filter of system calls here";
  here_.write("t", "small");
  const auto refuse = [](int error) { datum::test::forbid_call(SYS_ftruncate, error); };
  for (const int error : {EPERM, ENOSYS}) {
    SCOPED_TRACE(error);
    const Folder there;
    Server server(there.path(), {}, [&] { refuse(error); });
    EXPECT_EQ(put(server, "t", [&] { refuse(error); }), 0) << err_;
    EXPECT_NE(out_.find(" over tcp"), std::string::npos) << out_;
    EXPECT_EQ(there.read("t"), "small");
  }
}

// If dat-cp cannot read a limit, it assumes that there is none. Memory that it cannot seal is not
// for peers.
TEST_F(CpLimits, WhereLimitsOrSealsAreRefusedACopyIsMade) {
  if (!has_filters()) GTEST_SKIP() << "no filter of system calls here";
  here_.write("t", noise(5 * kMiB));
  for (const std::uint32_t call : {std::uint32_t{SYS_prlimit64}, std::uint32_t{SYS_fcntl}})
    for (const int error : {EPERM, ENOSYS}) {
      SCOPED_TRACE(std::to_string(call) + ' ' + std::to_string(error));
      const Folder there;
      Server server(there.path());
      EXPECT_EQ(put(server, "t", [&] { datum::test::forbid_call(call, error); }), 0) << err_;
      EXPECT_TRUE(there.read("t") == here_.read("t"));
    }
}

// Also a file with a journal, one with a hole, and one that an earlier copy has left unfinished.
TEST_F(CpLimits, WhereNoFileMayBeGivenALengthACopyIsMade) {
  if (!has_filters()) GTEST_SKIP() << "no filter of system calls here";
  here_.write("t/journal", noise(5 * kMiB));
  here_.write("t/hole", "x");
  std::filesystem::resize_file(here_ / "t/hole", 9 * kMiB);
  for (const int error : {EPERM, ENOSYS}) {
    SCOPED_TRACE(error);
    const Folder there;
    Server server(there.path(), {}, [&] { datum::test::forbid_call(SYS_ftruncate, error); });
    EXPECT_EQ(put(server, "t"), 0) << err_;
    for (const char* name : {"t/journal", "t/hole"})
      EXPECT_TRUE(there.read(name) == here_.read(name)) << name;
    EXPECT_EQ(there.leftovers("t"), 0);
  }
}

// A server copies its descriptor of the folder, and reads the folder for a client's get.
TEST_F(CpLimits, AServerWithoutFcntlServes) {
  if (!has_filters()) GTEST_SKIP() << "no filter of system calls here";
  here_.write("t/a", noise(5 * kMiB));
  for (const int error : {EPERM, ENOSYS}) {
    SCOPED_TRACE(error);
    const auto refuse = [&] { datum::test::forbid_call(SYS_fcntl, error); };
    const Folder there;
    {
      Server server(there.path(), {}, refuse);
      EXPECT_EQ(put(server, "t", refuse), 0) << err_;
      EXPECT_TRUE(there.read("t/a") == here_.read("t/a"));
    }
    Server server(there.path(), {}, refuse);
    Program get({DAT_CP_PROGRAM, "get", "--token", server.token, server.at("t"), there_ / "got"},
                refuse);
    EXPECT_EQ(get.wait(), 0) << get.err();
    EXPECT_TRUE(there_.read("got/a") == here_.read("t/a"));
    std::filesystem::remove_all(there_ / "got");
  }
}

// The message names the refused call. It must not claim that another dat-cp has the lock.
TEST_F(CpLimits, ALockThatIsRefusedIsNamed) {
  if (!has_filters()) GTEST_SKIP() << "no filter of system calls here";
  here_.write("t/large", noise(5 * kMiB));
  here_.write("t/small", "x");
  for (const int error : {EPERM, ENOSYS}) {
    SCOPED_TRACE(error);
    const Folder there;
    Server server(there.path(), {}, [&] { datum::test::forbid_call(SYS_flock, error); });
    EXPECT_EQ(put(server, "t"), 1);
    expect_said("cannot lock the temporary file of \"t/large\": " +
                std::string(std::strerror(error)) + " (flock(2) keeps two dat-cp from writing one");
    EXPECT_EQ(err_.find("another dat-cp is"), std::string::npos) << err_;
    EXPECT_EQ(there.read("t/small"), "x");
    EXPECT_EQ(there.leftovers("t"), 0);
  }
}

TEST_F(CpLimits, AJournalThatCannotBeRemovedIsToldAndALaterCopyRemovesIt) {
  if (!has_filters()) GTEST_SKIP() << "no filter of system calls here";
  here_.write("t", noise(5 * kMiB));
  const std::string told = ".journal\": Operation not permitted (nothing needs it any more: "
                           "remove it by hand, or copy \"t\" again)\n";
  const auto refuse = [] { datum::test::forbid_call(SYS_unlinkat, EPERM); };
  {
    Server server(there_.path(), {"--reuse-token"}, refuse);
    EXPECT_EQ(put(server, "t"), 0);
    expect_said("dat-cp: cannot remove \".dat-cp-");
    expect_said(told);
    EXPECT_EQ(there_.leftovers(), 1);
    EXPECT_EQ(put(server, "t"), 0);
    expect_said(told); // each copy reports it while the file is there
  }
  Server server(here_.path(), {"--reuse-token"});
  const auto get = [&](const std::function<void()>& in_child) {
    Program program({DAT_CP_PROGRAM, "get", "--token", server.token, server.at("t"), there_ / "t"},
                    in_child);
    EXPECT_EQ(program.wait(), 0) << program.err();
    err_ = program.err();
    out_ = program.out();
  };
  get(refuse);
  expect_said(told);
  get({});
  EXPECT_EQ(err_, "");
  EXPECT_TRUE(out_.starts_with("get: 0 copied, 1 unchanged, 0 failed; ")) << out_;
  EXPECT_EQ(there_.leftovers(), 0);
}

// A folder is one object. If its mode and time cannot be set at the end, it counts as failed, and
// not as copied as well.
TEST_F(CpLimits, AFolderWhoseModeAndTimeCannotBeSetCountsOnce) {
  if (!has_filters()) GTEST_SKIP() << "no filter of system calls here";
  std::filesystem::create_directory(here_ / "e");
  std::filesystem::create_directory(there_ / "e");
  const auto refuse = [] { datum::test::forbid_call(SYS_utimensat, EPERM); };
  Server server(there_.path(), {}, refuse);
  EXPECT_EQ(put(server, "e"), 1);
  expect_said("cannot set mode and time of \"e\": Operation not permitted (it or its folder is "
              "another user's, or may not be changed, see lsattr(1), or a filter of system calls "
              "refuses the call)");
  EXPECT_TRUE(out_.starts_with("put: 0 copied, 0 unchanged, 1 failed; ")) << out_;
  Server other(here_.path());
  Program get({DAT_CP_PROGRAM, "get", "--token", other.token, other.at("e"), there_ / "e"}, refuse);
  EXPECT_EQ(get.wait(), 1) << get.err();
  EXPECT_TRUE(get.out().starts_with("get: 0 copied, 0 unchanged, 1 failed; ")) << get.out();
  const std::string log = "copied, 0 unchanged, 0 different, 1 failed";
  server.program.signal(SIGINT);
  EXPECT_EQ(server.program.wait(), 3);
  EXPECT_NE(server.program.err().find(": 0 " + log), std::string::npos) << server.program.err();
}

// A shortage is not a policy's refusal. A silent copy over TCP would hide the shortage.
TEST_F(CpLimits, ALackOfMemoryForPeersIsSaid) {
  if (!has_filters()) GTEST_SKIP() << "no filter of system calls here";
  here_.write("t", "x");
  Server server(there_.path(), {"--reuse-token"});
  for (const auto& [error, said] : std::vector<std::pair<int, std::string>>{
           {ENOMEM, "for transfer buffers: Cannot allocate memory (raise 'ulimit -v', "},
           {EMFILE, "for transfer buffers: Too many open files (raise 'ulimit -n')"}}) {
    EXPECT_EQ(
        put(server, "t", [error = error] { datum::test::forbid_call(SYS_memfd_create, error); }),
        2);
    expect_said(said);
  }
  EXPECT_FALSE(there_.exists("t"));
}

// Some filters refuse with EPERM and others with ENOSYS. The server is not at fault.
TEST_F(CpLimits, AConnectThatAFilterRefusesIsNotTakenForAMissingServer) {
  if (!has_filters()) GTEST_SKIP() << "no filter of system calls here";
  here_.write("t", "x");
  Server server(there_.path(), {"--reuse-token"});
  for (const int error : {EPERM, ENOSYS}) {
    SCOPED_TRACE(error);
    EXPECT_EQ(put(server, "t", [error] { datum::test::forbid_call(SYS_connect, error); }), 4);
    expect_said("a security policy of this host refuses it");
    expect_said("host unreachable");
  }
}

bool put_into(const char* path, const std::string& text) {
  std::ofstream file(path);
  file << text << std::flush;
  return file.good();
}

// Without root this needs a user namespace, in which only this user exists.
bool enter_own_mounts() {
  if (unshare(CLONE_NEWNS) == 0) return true;
  const std::string user = std::to_string(geteuid()), group = std::to_string(getegid());
  return unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 &&
         put_into("/proc/self/uid_map", user + ' ' + user + " 1") &&
         put_into("/proc/self/setgroups", "deny") &&
         put_into("/proc/self/gid_map", group + ' ' + group + " 1");
}

// The following functions are for the child. No other process sees its mounts.
void own_mounts_or_exit() {
  if (!enter_own_mounts() || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
    _exit(kCannotMount);
}

void mount_small(const std::string& folder, const char* size = "size=16m") {
  own_mounts_or_exit();
  if (mount("small", folder.c_str(), "tmpfs", 0, size) != 0) _exit(kCannotMount);
}

void mount_read_only(const std::string& folder) {
  own_mounts_or_exit();
  if (mount(folder.c_str(), folder.c_str(), nullptr, MS_BIND, nullptr) != 0 ||
      mount(nullptr, folder.c_str(), nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr) != 0)
    _exit(kCannotMount);
}

bool may_mount(const std::string& folder) {
  Program probe({"/bin/true"}, [&] { mount_small(folder); });
  return probe.wait() == 0;
}

// A file of up to 4 MiB, and one that found room for less than that, leave nothing behind.
TEST_F(CpLimits, AFullDiskIsSaidToBeContinuedOnlyWhereTheNextRunDoes) {
  if (!may_mount(there_.path())) GTEST_SKIP() << "may not mount: neither root nor user namespaces";
  struct {
    std::size_t length;
    const char* size;
    const char* end;
  } const kAll[] = {{3 * kMiB, "size=1m", "run the same command again);"},
                    {20 * kMiB, "size=1m", "run the same command again);"},
                    {20 * kMiB, "size=16m", "run the same command again: it continues);"}};
  for (const auto& [length, size, end] : kAll) {
    SCOPED_TRACE(std::to_string(length) + " " + size);
    here_.write("t", noise(length));
    Server server(there_.path(), {}, [&, most = size] { mount_small(there_.path(), most); });
    EXPECT_EQ(put(server, "t"), 1);
    expect_said(end);
  }
}

TEST_F(CpLimits, AFullDiskStopsTheCopyAndIsSaidOnceWithASummary) {
  if (!may_mount(there_.path())) GTEST_SKIP() << "may not mount: neither root nor user namespaces";
  here_.write("t/large", noise(20 * kMiB));
  // More files that find no room, more than can be under way when the disk is found to be full.
  for (int i = 10; i < 50; ++i) here_.write("t/z" + std::to_string(i), noise(kMiB));
  Server server(there_.path(), {}, [this] { mount_small(there_.path()); });
  EXPECT_EQ(put(server, "t"), 1);
  // Two threads write, so a small file may be the first that finds no room.
  EXPECT_EQ(err_.find("dat-cp: cannot write \"t/"), 0U) << err_;
  expect_said("\": No space left on device (make room there");
  EXPECT_EQ(err_.find("No space"), err_.rfind("No space")) << err_;
  // Small files that overtook the large one may have found room.
  EXPECT_TRUE(out_.starts_with("put: ")) << out_;
  EXPECT_NE(out_.find(" copied, 0 unchanged, "), std::string::npos) << out_;
  EXPECT_EQ(out_.find(" 0 failed"), std::string::npos) << out_;
}

TEST_F(CpLimits, AnUnreadableFileIsNamedAndTheOthersAreCopied) {
  here_.write("t/a", "readable");
  here_.write("t/locked", "secret");
  chmod((here_ / "t/locked").c_str(), 0);
  Server server(there_.path());
  EXPECT_EQ(put(server, "t", &obey_permissions), 1);
  expect_said("cannot open \"" + (here_ / "t/locked") + "\": Permission denied");
  EXPECT_EQ(there_.read("t/a"), "readable");
  EXPECT_FALSE(there_.exists("t/locked"));
}

TEST_F(CpLimits, AnUnreadableSourceIsNamedAsTyped) {
  here_.write("a/b/f", "secret");
  chmod((here_ / "a/b/f").c_str(), 0);
  Server server(there_.path());
  Program put({DAT_CP_PROGRAM, "put", "--token", server.token, here_ / "a/b/f", server.at("")},
              &obey_permissions);
  EXPECT_EQ(put.wait(), 1);
  EXPECT_EQ(put.err(), "dat-cp: cannot open \"" + (here_ / "a/b/f") + "\": Permission denied\n");
  Server other(here_.path(), {}, &obey_permissions);
  Program get({DAT_CP_PROGRAM, "get", "--token", other.token, other.at("a/b/f"), there_ / "f"});
  EXPECT_EQ(get.wait(), 1);
  EXPECT_EQ(get.err(), "dat-cp: cannot open \"a/b/f\": Permission denied\n");
}

TEST_F(CpLimits, AFolderThatMayNotBeWrittenIsNamed) {
  here_.write("t", "x");
  chmod(there_.path().c_str(), 0555);
  Server server(there_.path(), {}, &obey_permissions);
  EXPECT_EQ(put(server, "t"), 1);
  expect_said("cannot create \"t\": Permission denied");
}

mode_t mode_of(const std::string& path) {
  struct stat st = {};
  return stat(path.c_str(), &st) == 0 ? st.st_mode & 07777U : 0;
}

// As in cp(1): only a folder that is copied itself gets other permissions.
TEST_F(CpLimits, AReadOnlyFolderTakesNothingAndStaysReadOnly) {
  here_.write("t", "x");
  std::filesystem::create_directory(there_ / "ro");
  chmod((there_ / "ro").c_str(), 0555);
  Server server(there_.path(), {"--reuse-token"}, &obey_permissions);
  for (const char* destination : {"ro/", "ro/name", "ro"}) {
    SCOPED_TRACE(destination);
    Program program(
        {DAT_CP_PROGRAM, "put", "--token", server.token, here_ / "t", server.at(destination)});
    EXPECT_EQ(program.wait(), 1);
    err_ = program.err();
    expect_said(": Permission denied; nothing can be created in folder \"ro\", so what else");
    EXPECT_EQ(mode_of(there_ / "ro"), 0555U);
    EXPECT_TRUE(std::filesystem::is_empty(there_ / "ro"));
  }
}

// A dry run must end as the copy would.
TEST_F(CpLimits, AReadOnlyFolderIsNamedByAGetAndByADryRun) {
  here_.write("t", "x");
  here_.write("tree/x", "x");
  std::filesystem::create_directory(there_ / "ro");
  chmod((there_ / "ro").c_str(), 0555);
  Server server(here_.path(), {"--reuse-token"});
  for (const std::string option : {"--dry-run", "--method=write"})
    for (const std::string destination : {"ro/", "ro/name", "ro"})
      for (const char* source : {"t", "tree"}) {
        // "ro" itself is copied then, and gets a mode
        if (destination == "ro" && source == std::string("tree")) continue;
        SCOPED_TRACE(option + ' ' + destination + ' ' + source);
        Program program({DAT_CP_PROGRAM, "get", option, "--token", server.token, server.at(source),
                         there_ / destination},
                        &obey_permissions);
        EXPECT_EQ(program.wait(), 1) << program.out();
        err_ = program.err();
        expect_said(": Permission denied; nothing can be created in folder \"" + (there_ / "ro"));
        EXPECT_EQ(program.out().find("would copy \""), std::string::npos) << program.out();
      }
  Program into_new({DAT_CP_PROGRAM, "get", "--dry-run", "--token", server.token, server.at("t"),
                    there_ / "ro/new/"},
                   &obey_permissions);
  EXPECT_EQ(into_new.wait(), 1) << into_new.out();
  err_ = into_new.err();
  expect_said("cannot create folder \"" + (there_ / "ro/new/") + "\": Permission denied");
}

// dat-cp owns the folder, and makes it writable for the copy.
TEST_F(CpLimits, ADryRunKnowsThatAReadOnlyFolderThatIsCopiedTakesWhatIsNew) {
  here_.write("t/ro/new", "x");
  chmod((here_ / "t/ro").c_str(), 0555);
  std::filesystem::create_directories(there_ / "t/ro");
  chmod((there_ / "t/ro").c_str(), 0555);
  Server server(there_.path(), {}, &obey_permissions);
  Program program(
      {DAT_CP_PROGRAM, "put", "--dry-run", "--token", server.token, here_ / "t", server.at("")});
  EXPECT_EQ(program.wait(), 0) << program.err();
  EXPECT_NE(program.out().find("would copy \"t/ro/new\""), std::string::npos) << program.out();
}

TEST_F(CpLimits, AReadOnlyFolderThatIsCopiedTakesWhatIsNewAndIsReadOnlyAgain) {
  here_.write("t/ro/new", "x");
  chmod((here_ / "t/ro").c_str(), 0555);
  std::filesystem::create_directories(there_ / "t/ro");
  chmod((there_ / "t/ro").c_str(), 0555);
  Server server(there_.path(), {}, &obey_permissions);
  EXPECT_EQ(put(server, "t"), 0) << err_;
  EXPECT_EQ(there_.read("t/ro/new"), "x");
  EXPECT_EQ(mode_of(there_ / "t/ro"), 0555U);
}

TEST_F(CpLimits, AFolderThatTakesNothingIsNamedOnce) {
  if (!may_mount(there_.path())) GTEST_SKIP() << "may not mount: neither root nor user namespaces";
  here_.write("t/d/a", "x");
  here_.write("t/d/b", "x");
  here_.write("t/d/sub/c", "x");
  there_.write("t/d/old", "x");
  Server server(there_.path(), {}, [this] { mount_read_only(there_ / "t/d"); });
  EXPECT_EQ(put(server, "t"), 1);
  expect_said("Read-only file system; nothing can be created in folder \"t/d\"");
  EXPECT_EQ(err_.find("Read-only"), err_.rfind("Read-only")) << err_;
}

} // namespace
} // namespace datum::cp::test

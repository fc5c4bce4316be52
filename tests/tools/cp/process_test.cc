// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat-cp as a user runs it: a server process, a client process, and the provider between them.
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <filesystem>

#include <gtest/gtest.h>

#include "folder.h"
#include "full_pipe.h"
#include "program.h"

namespace datum::cp::test {
namespace {

struct Ended {
  int code;
  std::string out, err;
};

Ended client(std::vector<std::string> arguments, const std::function<void()>& in_child = {}) {
  arguments.insert(arguments.begin(), DAT_CP_PROGRAM);
  Program program(arguments, in_child);
  const int code = program.wait();
  return {code, program.out(), program.err()};
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::uint64_t json_number(const std::string& json, const std::string& key) {
  const std::size_t at = json.find("\"" + key + "\": ");
  if (at == std::string::npos) return UINT64_MAX;
  return std::stoull(json.substr(at + key.size() + 4));
}

class CpProcess : public testing::Test {
 protected:
  CpProcess() {
    here_.write("t/a", "alpha");
    here_.write("t/d/b", noise(3 * kMiB));
    here_.write("t/d/empty", "");
    std::filesystem::create_symlink("../a", here_ / "t/d/link");
  }
  void expect_tree(const Folder& folder, const std::string& name) {
    EXPECT_EQ(folder.read(name + "/a"), "alpha");
    EXPECT_TRUE(folder.read(name + "/d/b") == here_.read("t/d/b"));
    EXPECT_EQ(folder.read(name + "/d/empty"), "");
    EXPECT_EQ(std::filesystem::read_symlink(folder / (name + "/d/link")), "../a");
  }
  Folder here_, there_;
};

TEST_F(CpProcess, ATreeGoesThereAndBack) {
  Server server(there_.path());
  const Ended put = client({"put", "--token", server.token, here_ / "t", server.at("copy")});
  EXPECT_EQ(put.code, 0) << put.err;
  EXPECT_TRUE(has(put.out, "put: 6 copied, 0 unchanged, 0 failed; 3.0 MiB by RDMA Write in "))
      << put.out;
  expect_tree(there_, "copy");
  const Ended get =
      client({"get", "--token", server.next_token(), server.at("copy"), here_ / "back"});
  EXPECT_EQ(get.code, 0) << get.err;
  EXPECT_TRUE(has(get.out, "get: 6 copied, 0 unchanged, 0 failed; 3.0 MiB by RDMA Write in "))
      << get.out;
  expect_tree(here_, "back");
}

TEST_F(CpProcess, EitherSideMayMoveTheBytes) {
  Server server(there_.path(), {"--reuse-token"});
  const Ended put =
      client({"put", "--method", "read", "--token", server.token, here_ / "t", server.at("copy")});
  EXPECT_EQ(put.code, 0) << put.err;
  expect_tree(there_, "copy");
  const Ended get = client(
      {"get", "--method", "read", "--token", server.token, server.at("copy"), here_ / "back"});
  EXPECT_EQ(get.code, 0) << get.err;
  EXPECT_TRUE(has(get.out, " by RDMA Read in ")) << get.out;
  expect_tree(here_, "back");
}

TEST_F(CpProcess, EveryChunkSizeAndDepthWorks) {
  Server server(there_.path(), {"--reuse-token"});
  const std::vector<std::pair<std::string, std::string>> sizes = {
      {"4k", "1"}, {"4k", "64"}, {"16M", "1"}, {"16M", "64"}, {"5000", "3"}};
  for (const auto& [chunk, depth] : sizes) {
    const Ended put = client({"put", "--chunk", chunk, "--depth", depth, "--token", server.token,
                              here_ / "t", server.at("copy" + chunk + depth)});
    EXPECT_EQ(put.code, 0) << put.err;
    expect_tree(there_, "copy" + chunk + depth);
  }
}

TEST_F(CpProcess, JsonSaysWhatHappened) {
  Server server(there_.path());
  const Ended put =
      client({"put", "--json", "--token", server.token, here_ / "t", server.at("copy")});
  EXPECT_EQ(put.code, 0) << put.err;
  EXPECT_TRUE(
      put.out.starts_with("{\"command\": \"put\", \"mode\": \"copy\", \"method\": \"write\""))
      << put.out;
  EXPECT_EQ(json_number(put.out, "copied"), 6U);
  EXPECT_EQ(json_number(put.out, "bytes_moved"), 3145733U);
}

// "checksums agree" refers to compared files only.
TEST_F(CpProcess, ChecksumsAreSaidToAgreeOfComparedFilesOnly) {
  Server server(there_.path(), {"--reuse-token"});
  const auto put = [&](const std::string& option) {
    return client({"put", option, "--token", server.token, here_ / "t", server.at("copy")}).out;
  };
  const std::string first = put("--method=write");
  EXPECT_TRUE(has(first, "), checksums agree; ")) << first;
  const std::string second = put("--method=write");
  EXPECT_FALSE(has(second, "agree")) << second;
  EXPECT_TRUE(has(second, "; 3 files not compared: same size, time and permissions (--checksum "))
      << second;
  const std::string third = put("--checksum");
  EXPECT_TRUE(has(third, "put: 0 copied, 6 unchanged, 0 failed; no data moved, ")) << third;
  EXPECT_TRUE(has(third, ", checksums agree; ")) << third;
  here_.write("t/new", "x");
  const std::string fourth = put("--method=write");
  EXPECT_TRUE(has(fourth, ", checksums of 1 file agree; 3 files not compared")) << fourth;
}

TEST_F(CpProcess, AVerifyCountsTheFilesThatItCompared) {
  Server server(there_.path(), {"--reuse-token"});
  const std::vector<std::string> options = {"--token", server.token, "--json", "--verify"};
  const auto verify = [&](std::vector<std::string> words) {
    words.insert(words.begin() + 1, options.begin(), options.end());
    return client(words).out;
  };
  EXPECT_EQ(client({"put", "--token", server.token, here_ / "t", server.at("copy")}).code, 0);
  there_.write("copy/a", "ALPHA");
  for (const std::string& out : {verify({"put", here_ / "t", server.at("copy")}),
                                 verify({"get", server.at("copy"), here_ / "t"})}) {
    EXPECT_EQ(json_number(out, "compared"), 2U) << out; // b and empty
    EXPECT_EQ(json_number(out, "differing"), 1U) << out;
  }
}

// A link that the user names as the destination is followed, as cp(1) does.
TEST_F(CpProcess, AGetToALinkGoesWhereTheLinkLeads) {
  std::filesystem::create_directory(there_ / "folder");
  there_.write("file", "before");
  std::filesystem::create_symlink("folder", there_ / "to-folder");
  std::filesystem::create_symlink("file", there_ / "to-file");
  Server server(here_.path(), {"--reuse-token"});
  const auto get = [&](const std::string& from, const std::string& to,
                       const std::string& option = "--method=write") {
    return client({"get", option, "--token", server.token, server.at(from), there_ / to});
  };
  for (const std::string option : {"--dry-run", "--method=write", "--verify"}) {
    SCOPED_TRACE(option);
    for (const char* to : {"to-folder", "to-file"}) {
      const Ended ended = get("t/a", to, option);
      EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
    }
    EXPECT_EQ(there_.read("file"), option == "--dry-run" ? "before" : "alpha");
    EXPECT_EQ(there_.read("folder/a"), option == "--dry-run" ? "<missing>" : "alpha");
  }
  const Ended tree = get("t", "to-folder");
  EXPECT_EQ(tree.code, 0) << tree.err;
  expect_tree(there_, "folder");
  EXPECT_EQ(get("t", "to-file").code, 1);
  EXPECT_TRUE(std::filesystem::is_symlink(there_ / "to-folder"));
  EXPECT_TRUE(std::filesystem::is_symlink(there_ / "to-file"));
}

TEST_F(CpProcess, AGetToALinkThatLeadsNowhereIsRefused) {
  std::filesystem::create_symlink("nowhere", there_ / "link");
  Server server(here_.path(), {"--reuse-token"});
  for (const char* option : {"--dry-run", "--method=write"}) {
    const Ended ended =
        client({"get", option, "--token", server.token, server.at("t/a"), there_ / "link"});
    EXPECT_EQ(ended.code, 1);
    EXPECT_TRUE(has(ended.err, "link\" is a symbolic link that leads nowhere: No such file"))
        << ended.err;
  }
  EXPECT_TRUE(std::filesystem::is_symlink(there_ / "link"));
  EXPECT_FALSE(there_.exists("nowhere"));
}

// A second run finds the link unchanged.
TEST_F(CpProcess, ALinkTakesThePlaceOfALink) {
  std::filesystem::create_symlink("t", here_ / "current");
  std::filesystem::create_directory(there_ / "t");
  std::filesystem::create_directory(there_ / "older");
  std::filesystem::create_symlink("older", there_ / "got");
  Server server(here_.path(), {"--reuse-token"});
  for (const char* said : {"get: 1 copied, 0 unchanged", "get: 0 copied, 1 unchanged"}) {
    const Ended ended =
        client({"get", "--token", server.token, server.at("current"), there_ / "got"});
    EXPECT_TRUE(has(ended.out, said)) << ended.out << ended.err;
    EXPECT_EQ(std::filesystem::read_symlink(there_ / "got"), "t");
  }
  EXPECT_TRUE(std::filesystem::is_empty(there_ / "t"));
  EXPECT_TRUE(std::filesystem::is_empty(there_ / "older"));
}

// The server does not trust the client's path: it follows no link below the served folder.
TEST_F(CpProcess, APutToALinkDoesNotGoWhereTheLinkLeads) {
  const Folder outside;
  outside.write("file", "mine");
  std::filesystem::create_symlink(outside.path(), there_ / "to-folder");
  std::filesystem::create_symlink(outside / "file", there_ / "to-file");
  Server server(there_.path(), {"--reuse-token"});
  for (const char* to : {"to-folder", "to-file"})
    EXPECT_EQ(client({"put", "--token", server.token, here_ / "t/a", server.at(to)}).code, 0);
  EXPECT_EQ(client({"put", "--token", server.token, here_ / "t", server.at("to-folder/new")}).code,
            1);
  EXPECT_EQ(outside.read("file"), "mine");
  EXPECT_FALSE(outside.exists("a"));
  EXPECT_FALSE(outside.exists("new"));
}

// An unset shell variable gives an empty source. That does not mean the current folder.
TEST_F(CpProcess, AnEmptySourceIsNotThisFolder) {
  Server server(there_.path());
  const Ended put = client({"put", "--token", server.token, "", server.at("copy")});
  EXPECT_EQ(put.code, 1);
  EXPECT_EQ(put.err, "dat-cp: cannot find \"\": No such file or directory\n");
}

TEST_F(CpProcess, AServedFolderThatWasRemovedIsSaidToBe) {
  there_.write("served/a", "alpha");
  Server server(there_ / "served", {"--reuse-token"});
  std::filesystem::remove_all(there_ / "served");
  const std::vector<std::vector<std::string>> all = {
      {"put", "--token", server.token, here_ / "t", server.at("copy")},
      {"get", "--token", server.token, server.at("."), here_ / "got"}};
  for (const auto& words : all) {
    const Ended ended = client(words);
    EXPECT_EQ(ended.code, 1);
    EXPECT_EQ(ended.err, "dat-cp: the other side stopped: the folder \"served\" that is served was "
                         "removed; serve one that is there\n");
  }
}

TEST_F(CpProcess, WrongUsageNamesWhatWasTyped) {
  EXPECT_TRUE(client({"put", "--method", "sing", "a", "b:"})
                  .err.starts_with("dat-cp: --method: \"sing\" is none of write, read\n"));
  EXPECT_EQ(client({"put", "a"}).err,
            "dat-cp: \"a\" is all that is named; there has to be a source and a destination: "
            "SRC... HOST[:PORT]:DEST\n");
}

TEST_F(CpProcess, AFileThatChangedAndKeptItsSizeAndTimeIsFoundByChecksumOnly) {
  Server server(there_.path(), {"--reuse-token"});
  const std::vector<std::string> words = {"--token", server.token, server.at("t"), here_ / "got"};
  const auto get = [&](std::vector<std::string> options) {
    options.insert(options.begin(), "get");
    options.insert(options.end(), words.begin(), words.end());
    return client(options);
  };
  there_.write("t/a", "alpha");
  there_.write("t/b", "beta");
  EXPECT_EQ(get({}).code, 0);
  const auto time = std::filesystem::last_write_time(here_ / "got/a");
  here_.write("got/a", "ALPHA");
  std::filesystem::last_write_time(here_ / "got/a", time);
  const Ended fast = get({"--json"});
  EXPECT_EQ(fast.code, 0) << fast.err;
  EXPECT_EQ(json_number(fast.out, "skipped"), 2U) << fast.out;
  EXPECT_EQ(json_number(fast.out, "compared"), 0U) << fast.out;
  EXPECT_EQ(here_.read("got/a"), "ALPHA");
  const Ended careful = get({"--json", "--checksum"});
  EXPECT_EQ(careful.code, 0) << careful.err;
  EXPECT_EQ(json_number(careful.out, "copied"), 1U) << careful.out;
  EXPECT_EQ(json_number(careful.out, "compared"), 2U) << careful.out;
  EXPECT_EQ(here_.read("got/a"), "alpha");
}

TEST_F(CpProcess, AMissingSourceEndsPutAndGetAlike) {
  Server server(there_.path(), {"--reuse-token"});
  const Ended put = client({"put", "--token", server.token, here_ / "missing", server.at("copy")});
  EXPECT_EQ(put.code, 1);
  EXPECT_TRUE(has(put.err, "missing\": No such file or directory")) << put.err;
  const Ended below =
      client({"put", "--token", server.token, here_ / "missing/x", server.at("copy")});
  EXPECT_EQ(below.code, 1);
  const Ended get = client({"get", "--token", server.token, server.at("missing"), here_ / "copy"});
  EXPECT_EQ(get.code, 1);
  EXPECT_TRUE(has(get.err, "cannot find \"missing\": No such file or directory")) << get.err;
}

TEST_F(CpProcess, AMissingSourceIsCountedInTheSummaryOfPutAndGetAlike) {
  Server server(there_.path(), {"--reuse-token"});
  for (const std::string option : {"--json", "--dry-run", "--method=write"}) {
    SCOPED_TRACE(option);
    const Ended put =
        client({"put", option, "--token", server.token, here_ / "missing", server.at("copy")});
    const Ended get =
        client({"get", option, "--token", server.token, server.at("missing"), here_ / "copy"});
    for (const Ended& ended : {put, get}) {
      EXPECT_EQ(ended.code, 1);
      EXPECT_TRUE(has(ended.err, "missing\": No such file or directory\n")) << ended.err;
      EXPECT_TRUE(has(ended.out, option == "--json"      ? "\"failed\": 1, "
                                 : option == "--dry-run" ? ": would copy 0, 0 unchanged, 1 failed\n"
                                                         : ": 0 copied, 0 unchanged, 1 failed; "))
          << ended.out;
    }
    if (option == "--json") {
      EXPECT_TRUE(has(put.out, "\"route\": null}")) << put.out;
    }
  }
}

// A destination that has to be a folder may be a link to one, as with cp(1). A dry run ends as the
// copy does.
TEST_F(CpProcess, AFolderToCopyIntoThatIsALinkElsewhereIsToldAlike) {
  here_.write("plain", "x");
  std::filesystem::create_symlink(here_ / "plain", here_ / "file");
  std::filesystem::create_symlink(here_ / "nowhere", here_ / "dang");
  std::filesystem::create_symlink(here_ / "loop", here_ / "loop");
  there_.write("f", "x");
  Server server(there_.path(), {"--reuse-token"});
  const auto get = [&](const std::string& option, const std::string& to) {
    const Ended ended =
        client({"get", option, "--token", server.token, server.at("f"), here_ / to});
    EXPECT_EQ(ended.code, 1) << ended.out;
    return ended.err;
  };
  for (const std::string option : {"--dry-run", "--method=write"}) {
    SCOPED_TRACE(option);
    for (const char* plain : {"file/", "plain/"})
      EXPECT_EQ(get(option, plain),
                "dat-cp: cannot use as a folder \"" + (here_ / plain) +
                    "\": Not a directory (what has that name is not a folder: choose another name, "
                    "or remove it)\n");
    const std::string nowhere = "\" is a symbolic link that leads nowhere: ";
    const std::string step = " (remove it, or choose another name)\n";
    EXPECT_EQ(get(option, "dang/"),
              "dat-cp: \"" + (here_ / "dang/") + nowhere + "No such file or directory" + step);
    EXPECT_EQ(get(option, "loop/"), "dat-cp: \"" + (here_ / "loop/") + nowhere +
                                        "Too many levels of symbolic links" + step);
    EXPECT_TRUE(
        has(get(option, "loop/x"), "(symbolic links there lead to each other: remove one)"));
  }
}

// As in cp(1).
TEST_F(CpProcess, EachMissingSourceIsNamedAndTheOthersAreCopied) {
  Server server(here_.path(), {"--reuse-token"});
  const auto expect_told = [](const Ended& ended, const std::string& summary) {
    EXPECT_EQ(ended.code, 1);
    for (const char* name : {"none", "nil"})
      EXPECT_TRUE(has(ended.err, std::string(name) + "\": No such file or directory\n"))
          << ended.err;
    EXPECT_TRUE(has(ended.out, summary)) << ended.out;
  };
  for (const std::string option : {"--dry-run", "--verify", "--method=read"}) {
    SCOPED_TRACE(option);
    const Ended get = client({"get", option, "--token", server.token, server.at("none"),
                              server.at("t/a"), server.at("nil"), there_ / "got"});
    expect_told(get, option == "--dry-run"  ? "get: would copy 1, 0 unchanged, 2 failed"
                     : option == "--verify" ? "get: 0 the same, 1 different, 2 failed"
                                            : "get: 1 copied, 0 unchanged, 2 failed");
    const Ended put = client({"put", option, "--token", server.token, here_ / "none", here_ / "t/a",
                              here_ / "nil", server.at("put")});
    expect_told(put, option == "--dry-run"  ? "put: would copy 1, 0 unchanged, 2 failed"
                     : option == "--verify" ? "put: 0 the same, 1 different, 2 failed"
                                            : "put: 1 copied, 0 unchanged, 2 failed");
  }
  EXPECT_EQ(there_.read("got/a"), "alpha");
  EXPECT_EQ(here_.read("put/a"), "alpha");
}

TEST_F(CpProcess, WhereNoSourceIsThereNobodyIsCalled) {
  const Ended put = client({"put", "--token", "00112233445566778899aabbccddeeff", here_ / "none",
                            here_ / "nil", "127.0.0.1:1:x"});
  EXPECT_EQ(put.code, 1);
  EXPECT_TRUE(has(put.err, "/none\": No such file or directory\ndat-cp: cannot find \""))
      << put.err;
  EXPECT_TRUE(has(put.err, "/nil\": No such file or directory\n")) << put.err;
}

// The copy does not offer this folder, so the folder gets no source's mode.
TEST_F(CpProcess, ANewFolderThatIsOnlyTheDestinationGetsTheModeThatUmaskLeaves) {
  const auto masked = [] { umask(027); };
  Server server(there_.path(), {"--reuse-token"}, masked);
  EXPECT_EQ(client({"put", "--token", server.token, here_ / "t/a", server.at("put/")}).code, 0);
  EXPECT_EQ(
      client({"get", "--token", server.token, server.at("put/a"), here_ / "got/"}, masked).code, 0);
  for (const std::string& path : {there_ / "put", here_ / "got"}) {
    struct stat st = {};
    ASSERT_EQ(stat(path.c_str(), &st), 0);
    EXPECT_EQ(st.st_mode & 07777, 0750U) << path;
  }
}

TEST_F(CpProcess, AFolderThatMakesNoFilesIsNotCalledMissing) {
  Server server(here_.path(), {"--reuse-token"});
  for (const std::string to : {"/proc/dat-cp-makes-none", "/proc/dat-cp-makes-none/"})
    for (const std::string from : {"t", "t/a"}) {
      SCOPED_TRACE(from + " " + to);
      const Ended ended = client({"get", "--token", server.token, server.at(from), to});
      EXPECT_EQ(ended.code, 1);
      EXPECT_FALSE(has(ended.err, "make it first")) << ended.err;
      EXPECT_TRUE(has(ended.err, "its file system makes no files, as /proc")) << ended.err;
    }
}

TEST_F(CpProcess, AMissingFolderOnTheWayIsToBeMadeFirst) {
  Server server(here_.path(), {"--reuse-token"});
  const auto expect_told = [](const Ended& ended) {
    EXPECT_EQ(ended.code, 1);
    EXPECT_TRUE(has(ended.err, "/such")) << ended.err;
    EXPECT_TRUE(has(ended.err, "\": No such file or directory (a folder on the way is not there: "
                               "make it first)"))
        << ended.err;
  };
  for (const std::string to : {"no/such", "no/such/"}) {
    for (const std::string from : {"t", "t/a"}) {
      SCOPED_TRACE(from + " " + to);
      expect_told(client({"put", "--token", server.token, here_ / from, server.at(to)}));
      expect_told(
          client({"put", "--dry-run", "--token", server.token, here_ / from, server.at(to)}));
      expect_told(client({"get", "--token", server.token, server.at(from), there_ / to}));
      expect_told(
          client({"get", "--dry-run", "--token", server.token, server.at(from), there_ / to}));
    }
  }
  EXPECT_FALSE(there_.exists("no"));
}

TEST_F(CpProcess, AFileWhereAFolderIsNeededEndsPutAndGetAlike) {
  here_.write("file", "x");
  there_.write("file", "x");
  Server server(here_.path(), {"--reuse-token"});
  for (const std::string to : {"file", "file/", "file/below"}) {
    for (const std::string option : {"--method=write", "--dry-run"}) {
      SCOPED_TRACE(option + " " + to);
      for (const Ended& ended :
           {client({"put", option, "--token", server.token, here_ / "t", server.at(to)}),
            client({"get", option, "--token", server.token, server.at("t"), there_ / to})}) {
        EXPECT_EQ(ended.code, 1);
        EXPECT_TRUE(has(ended.err, ": Not a directory (what has that name is not a folder: choose "
                                   "another name, or remove it)"))
            << ended.err;
      }
    }
  }
  EXPECT_EQ(there_.read("file"), "x");
}

// A folder that gets another mode or time counts as copied.
TEST_F(CpProcess, AFolderWithAnotherModeOrTimeIsNotCalledUnchanged) {
  Server server(there_.path(), {"--reuse-token"});
  const auto put = [&](const std::string& option) {
    return client({"put", option, "--token", server.token, here_ / "t", server.at("copy")}).out;
  };
  put("--method=write");
  EXPECT_TRUE(has(put("--dry-run"), "put: would copy 0, 6 unchanged, 0 failed\n"));
  EXPECT_TRUE(has(put("--method=write"), "put: 0 copied, 6 unchanged, 0 failed; "));
  chmod((there_ / "copy/d").c_str(), 0700);
  const std::string dry = put("--dry-run");
  EXPECT_TRUE(has(dry, "would copy \"t/d\"\nput: would copy 1, 5 unchanged, 0 failed\n")) << dry;
  EXPECT_TRUE(has(put("--verify"), "put: 6 the same, 0 different, 0 failed\n"));
  const std::string copy = put("--method=write");
  EXPECT_TRUE(has(copy, "put: 1 copied, 5 unchanged, 0 failed; ")) << copy;
  struct stat st = {};
  ASSERT_EQ(stat((there_ / "copy/d").c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 0777U, 0755U);
  std::filesystem::last_write_time(there_ / "copy", std::filesystem::file_time_type());
  EXPECT_TRUE(has(put("--dry-run"), "put: would copy 1, 5 unchanged, 0 failed\n"));
  EXPECT_TRUE(has(put("--method=write"), "put: 1 copied, 5 unchanged, 0 failed; "));
  EXPECT_TRUE(has(put("--method=write"), "put: 0 copied, 6 unchanged, 0 failed; "));
}

// By default the parser of the command line reads a word in brackets as a list of names.
TEST_F(CpProcess, ANameInBracketsIsOneName) {
  here_.write("[a,b]", "x");
  here_.write("[[c]]", "y");
  Server server(there_.path(), {"--reuse-token"});
  const auto in_here = [this] { ASSERT_EQ(chdir(here_.path().c_str()), 0); };
  const Ended put =
      client({"put", "--token", server.token, "[a,b]", "[[c]]", server.at("")}, in_here);
  EXPECT_EQ(put.code, 0) << put.err;
  EXPECT_EQ(there_.read("[a,b]"), "x");
  EXPECT_EQ(there_.read("[[c]]"), "y");
  const Ended get = client({"get", "--token", server.token, server.at("[a,b]"), "[d]"}, in_here);
  EXPECT_EQ(get.code, 0) << get.err;
  EXPECT_EQ(here_.read("[d]"), "x");
  const Ended address = client({"put", "--token", server.token, "t", "[::1]"}, in_here);
  EXPECT_EQ(address.code, 2);
  EXPECT_TRUE(has(address.err, "\"[::1]\": no \":\" after the host")) << address.err;
}

TEST_F(CpProcess, UsageSaysWhatThePathsAre) {
  EXPECT_TRUE(
      has(client({"put", "--help"}).out, "Usage: dat-cp put [OPTIONS] SRC... HOST[:PORT]:DEST\n"));
  EXPECT_TRUE(
      has(client({"get", "--help"}).out, "Usage: dat-cp get [OPTIONS] HOST[:PORT]:SRC... DEST\n"));
}

TEST_F(CpProcess, AWrongTokenIsRefusedAndTheRightOneStillWorks) {
  Server server(there_.path());
  const Ended wrong = client(
      {"put", "--token", "00112233445566778899aabbccddeeff", here_ / "t", server.at("copy")});
  EXPECT_EQ(wrong.code, 5);
  EXPECT_TRUE(has(wrong.err, "wrong token")) << wrong.err;
  EXPECT_FALSE(there_.exists("copy"));
  EXPECT_EQ(client({"put", "--token", server.token, here_ / "t", server.at("copy")}).code, 0);
}

TEST_F(CpProcess, ATokenIsGoodForOneCopy) {
  Server server(there_.path());
  EXPECT_EQ(client({"put", "--token", server.token, here_ / "t", server.at("one")}).code, 0);
  EXPECT_EQ(client({"put", "--token", server.token, here_ / "t", server.at("two")}).code, 5);
  EXPECT_FALSE(there_.exists("two"));
}

TEST_F(CpProcess, TheTokenMayComeFromTheEnvironment) {
  Server server(there_.path());
  const Ended put = client({"put", here_ / "t", server.at("copy")},
                           [&] { setenv("DAT_CP_TOKEN", server.token.c_str(), 1); });
  EXPECT_EQ(put.code, 0) << put.err;
}

TEST_F(CpProcess, ATokenOnTheCommandLineWinsOverTheEnvironment) {
  Server server(there_.path());
  const Ended wrong =
      client({"put", "--token", "00112233445566778899aabbccddeeff", here_ / "t", server.at("copy")},
             [&] { setenv("DAT_CP_TOKEN", server.token.c_str(), 1); });
  EXPECT_EQ(wrong.code, 5) << wrong.err;
  const Ended right = client({"put", "--token", server.token, here_ / "t", server.at("copy")},
                             [] { setenv("DAT_CP_TOKEN", "00112233445566778899aabbccddeeff", 1); });
  EXPECT_EQ(right.code, 0) << right.err;
}

TEST_F(CpProcess, OnceEndsTheServerWithTheResult) {
  Server server(there_.path(), {"--once"});
  EXPECT_EQ(client({"put", "--token", server.token, here_ / "t", server.at("copy")}).code, 0);
  EXPECT_EQ(server.program.wait(), 0);
}

TEST_F(CpProcess, NothingIsWrittenOutsideTheServedFolder) {
  there_.write("served/x", "");
  Folder outside;
  std::filesystem::create_directory_symlink(outside.path(), there_ / "served/out");
  Server server(there_ / "served", {"--reuse-token"});
  for (const std::string& path :
       {std::string("../copy"), std::string("/tmp/dat-cp-escape"), std::string("a/../../copy"),
        std::string("out/copy"), std::string("out/")}) {
    const Ended put = client({"put", "--token", server.token, here_ / "t", server.at(path)});
    EXPECT_EQ(put.code, 1) << path << put.err;
  }
  EXPECT_FALSE(there_.exists("copy"));
  EXPECT_TRUE(std::filesystem::is_empty(outside.path()));
}

TEST_F(CpProcess, NothingIsReadOutsideTheServedFolder) {
  there_.write("served/x", "");
  there_.write("secret", "s");
  std::filesystem::create_directory_symlink("..", there_ / "served/up");
  Server server(there_ / "served", {"--reuse-token"});
  for (const std::string& path : {std::string("../secret"), std::string("/etc/passwd"),
                                  std::string("up/secret"), std::string("x/../../secret")}) {
    const Ended get = client({"get", "--token", server.token, server.at(path), here_ / "stolen"});
    EXPECT_EQ(get.code, 1) << path << get.err;
    EXPECT_FALSE(here_.exists("stolen")) << path;
  }
  // The link itself is inside the served folder, and is copied as a link.
  EXPECT_EQ(client({"get", "--token", server.token, server.at("up"), here_ / "link"}).code, 0);
  EXPECT_EQ(std::filesystem::read_symlink(here_ / "link"), "..");
}

TEST_F(CpProcess, DryRunAndVerifyChangeNothing) {
  Server server(there_.path(), {"--reuse-token"});
  const Ended dry =
      client({"put", "--dry-run", "--token", server.token, here_ / "t", server.at("copy")});
  EXPECT_EQ(dry.code, 0) << dry.err;
  EXPECT_TRUE(has(dry.out, "would copy \"t/d/b\"")) << dry.out;
  EXPECT_FALSE(there_.exists("copy"));
  EXPECT_EQ(client({"put", "--token", server.token, here_ / "t", server.at("copy")}).code, 0);
  EXPECT_EQ(
      client({"put", "--verify", "--token", server.token, here_ / "t", server.at("copy")}).code, 0);
  there_.write("copy/a", "ALPHA");
  const Ended verify =
      client({"put", "--verify", "--token", server.token, here_ / "t", server.at("copy")});
  EXPECT_EQ(verify.code, 1);
  EXPECT_TRUE(has(verify.out, "differs \"t/a\"")) << verify.out;
  EXPECT_EQ(there_.read("copy/a"), "ALPHA");
}

TEST_F(CpProcess, ADryRunOfAGetCreatesNoFolder) {
  there_.write("f", "x");
  Server server(there_.path(), {"--reuse-token"});
  const Ended dry =
      client({"get", "--dry-run", "--token", server.token, server.at("f"), here_ / "new/"});
  EXPECT_EQ(dry.code, 0) << dry.err;
  EXPECT_TRUE(has(dry.out, "would copy \"f\"")) << dry.out;
  const Ended verify =
      client({"get", "--verify", "--token", server.token, server.at("f"), here_ / "new/"});
  EXPECT_EQ(verify.code, 1) << verify.err;
  EXPECT_FALSE(here_.exists("new"));
}

TEST_F(CpProcess, SeveralSourcesGoIntoAFolder) {
  here_.write("u", "you");
  Server server(there_.path(), {"--reuse-token"});
  EXPECT_EQ(
      client({"put", "--token", server.token, here_ / "t", here_ / "u", server.at("new")}).code, 0);
  expect_tree(there_, "new/t");
  EXPECT_EQ(there_.read("new/u"), "you");
  EXPECT_EQ(client({"get", "--token", server.token, server.at("new/u"), server.at("new/t/a"),
                    here_ / "got"})
                .code,
            0);
  EXPECT_EQ(here_.read("got/a"), "alpha");
}

TEST_F(CpProcess, TwoSourcesOfOneNameAreRefusedBeforeAnybodyIsCalled) {
  here_.write("u/a", "another");
  const std::string token = "00112233445566778899aabbccddeeff";
  const std::string why = "two of the sources are called \"a\" and one would replace the other";
  const Ended put = client({"put", "--token", token, here_ / "t/a", here_ / "u/a", "127.0.0.1:"});
  EXPECT_EQ(put.code, 2);
  EXPECT_TRUE(has(put.err, why)) << put.err;
  const Ended get =
      client({"get", "--token", token, "127.0.0.1:t/a", "127.0.0.1:u//a/", here_ / "got"});
  EXPECT_EQ(get.code, 2);
  EXPECT_TRUE(has(get.err, why)) << get.err;
  EXPECT_FALSE(here_.exists("got"));
}

// There are more names than free descriptors.
TEST_F(CpProcess, AGetOfManyNamesTakesThemAll) {
  Server server(there_.path(), {}, [] {
    const rlimit limit = {256, 256};
    setrlimit(RLIMIT_NOFILE, &limit);
  });
  std::vector<std::string> words = {"get", "--json", "--token", server.token};
  for (int i = 0; i < 1500; ++i) {
    there_.write(std::to_string(i), "x");
    words.push_back(server.at(std::to_string(i)));
  }
  words.push_back(here_ / "got/");
  const Ended get = client(words);
  EXPECT_EQ(get.code, 0) << get.err;
  EXPECT_EQ(json_number(get.out, "copied"), 1500U);
}

TEST_F(CpProcess, AFifoAskedForByNameIsAnError) {
  ASSERT_EQ(mkfifo((there_ / "fifo").c_str(), 0600), 0);
  Server server(there_.path());
  const Ended get = client({"get", "--token", server.token, server.at("fifo"), here_ / "got"});
  EXPECT_EQ(get.code, 1) << get.err;
  EXPECT_TRUE(has(get.err, "left out \"fifo\": neither file, folder nor symbolic link")) << get.err;
  EXPECT_FALSE(has(get.err, "did not come")) << get.err;
}

// If dat-cp replaced a FIFO or a device, a copy by root could take a device away from the whole
// machine.
TEST_F(CpProcess, AFifoAtTheDestinationStaysOne) {
  here_.write("file", "x");
  std::filesystem::create_symlink("file", here_ / "link");
  for (const char* name : {"file", "link", "got"})
    ASSERT_EQ(mkfifo((there_ / name).c_str(), 0600), 0);
  Server server(there_.path(), {"--reuse-token"});
  const std::vector<std::string> put = {"--token", server.token, here_ / "file", here_ / "link",
                                        server.at("")};
  const auto with = [&](std::vector<std::string> words) {
    words.insert(words.end(), put.begin(), put.end());
    return client(words);
  };
  const std::string said = "is a device, a named pipe or a socket there, which is not replaced";
  for (const Ended& ended : {with({"put"}), with({"put", "--dry-run"})}) {
    EXPECT_EQ(ended.code, 1) << ended.err;
    EXPECT_TRUE(has(ended.err, "\"file\" " + said)) << ended.err;
    EXPECT_TRUE(has(ended.err, "\"link\" " + said)) << ended.err;
  }
  const Ended verify = with({"put", "--verify"});
  EXPECT_EQ(verify.code, 1) << verify.err;
  EXPECT_TRUE(has(verify.out + verify.err, "no file there")) << verify.out << verify.err;
  Server sender(here_.path());
  const Ended get = client({"get", "--token", sender.token, sender.at("file"), there_ / "got"});
  EXPECT_EQ(get.code, 1) << get.err;
  EXPECT_TRUE(has(get.err, said)) << get.err;
  for (const char* name : {"file", "link", "got"})
    EXPECT_TRUE(std::filesystem::is_fifo(there_ / name)) << name;
}

TEST_F(CpProcess, ManySmallFiles) {
  for (int i = 0; i < 2000; ++i)
    here_.write("m/" + std::to_string(i % 10) + "/" + std::to_string(i), std::to_string(i));
  Server server(there_.path());
  const Ended put = client({"put", "--json", "--token", server.token, here_ / "m", server.at("m")});
  EXPECT_EQ(put.code, 0) << put.err;
  EXPECT_EQ(json_number(put.out, "copied"), 2011U);
  EXPECT_EQ(there_.read("m/9/1999"), "1999");
}

TEST_F(CpProcess, NobodyListeningIsSaidAsSuch) {
  std::string port;
  {
    Server server(there_.path());
    port = server.port;
  }
  const Ended put = client({"put", "--token", "00112233445566778899aabbccddeeff", here_ / "t",
                            "127.0.0.1:" + port + ":x"});
  EXPECT_EQ(put.code, 5) << put.err;
  EXPECT_TRUE(has(put.err, "nobody listens on that port")) << put.err;
}

// A link-local address without its interface. The same command would fail again.
TEST_F(CpProcess, AnAddressThatNothingCanBeSentToIsWrongUsage) {
  const Ended put =
      client({"put", "--token", "00112233445566778899aabbccddeeff", here_ / "t", "[fe80::1]:7:x"});
  EXPECT_EQ(put.code, 2) << put.err;
  EXPECT_TRUE(has(put.err, "needs its interface, as in fe80::1%eth0)")) << put.err;
  EXPECT_FALSE(has(put.err, "again")) << put.err;
}

TEST_F(CpProcess, WrongUsageIsSaidBeforeAnybodyIsCalled) {
  EXPECT_EQ(client({}).code, 2);
  EXPECT_EQ(client({"put", "--depth", "no", "a", "h:x"}).err.rfind("dat-cp: --depth: ", 0), 0U);
  EXPECT_EQ(client({"put", here_ / "t", "h:x"}).code, 2);
  EXPECT_EQ(client({"put", "--token", "short", here_ / "t", "h:x"}).code, 2);
  const std::string token = "00112233445566778899aabbccddeeff";
  const Ended missing = client({"put", "--token", token, here_ / "missing", "127.0.0.1:x"});
  EXPECT_EQ(missing.code, 1);
  EXPECT_TRUE(has(missing.err, "missing\": No such file or directory")) << missing.err;
  EXPECT_EQ(client({"put", "--token", token, here_ / "t", "not-remote"}).code, 2);
  EXPECT_EQ(client({"put", "--chunk", "1", "--token", token, here_ / "t", "127.0.0.1:x"}).code, 2);
  EXPECT_EQ(
      client({"put", "--dry-run", "--verify", "--token", token, here_ / "t", "127.0.0.1:x"}).code,
      2);
  EXPECT_EQ(client({"serve", here_ / "missing"}).code, 2);
  const Ended file = client({"serve", here_ / "t/a"});
  EXPECT_EQ(file.code, 2);
  EXPECT_TRUE(has(file.err, "t/a\": Not a directory")) << file.err;
  EXPECT_EQ(client({"serve", "--ia", "no-such-ia", here_.path()}).code, 2);
  EXPECT_EQ(client({"--help"}).code, 0);
  EXPECT_TRUE(has(client({"--version"}).out, "dat-cp (datum) "));
}

// Waits until a journal in the folder is longer than its header: then a block of 4 MiB has arrived.
void await_first_block(const Folder& folder) {
  const UniqueFd watch(inotify_init1(IN_CLOEXEC));
  inotify_add_watch(watch.get(), folder.path().c_str(), IN_MODIFY | IN_CREATE);
  for (;;) {
    for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
      if (entry.path().extension() == ".journal" && entry.file_size() > 68) return;
    pollfd event = {watch.get(), POLLIN, 0};
    if (poll(&event, 1, 60'000) <= 0) throw std::runtime_error("no block ever arrived");
    char buffer[4096];
    if (read(watch.get(), buffer, sizeof buffer) < 0) throw std::runtime_error("inotify");
  }
}

// Small chunks, one at a time: the copy takes most of a second, and a kill takes microseconds.
std::vector<std::string> slow_put(const Server& server, const std::string& from) {
  return {DAT_CP_PROGRAM, "put", "--chunk",       "4k", "--depth", "1", "--token",
          server.token,   from,  server.at("big")};
}

// For a client whose copy must not end before the test has seen its first block: the test goes
// first where both want a processor.
void run_behind_the_test() {
  static_cast<void>(nice(19));
}

TEST_F(CpProcess, AKilledServerIsNoticedAndTheCopyContinues) {
  here_.write("big", noise(192 * kMiB));
  Server server(there_.path());
  Program put(slow_put(server, here_ / "big"), run_behind_the_test);
  await_first_block(there_);
  server.program.signal(SIGKILL);
  EXPECT_EQ(put.wait(), 4);
  EXPECT_TRUE(has(put.err(), "did the other process die?")) << put.err();
  EXPECT_FALSE(there_.exists("big"));
  EXPECT_EQ(there_.leftovers(), 2);

  Server again(there_.path());
  const Ended rest =
      client({"put", "--json", "--token", again.token, here_ / "big", again.at("big")});
  EXPECT_EQ(rest.code, 0) << rest.err;
  EXPECT_GE(json_number(rest.out, "bytes_resumed"), 4 * kMiB);
  EXPECT_EQ(json_number(rest.out, "bytes_resumed") + json_number(rest.out, "bytes_moved"),
            192 * kMiB);
  EXPECT_TRUE(there_.read("big") == here_.read("big"));
  EXPECT_EQ(there_.leftovers(), 0);
}

TEST_F(CpProcess, AKilledClientDoesNotHurtTheServer) {
  here_.write("big", noise(192 * kMiB));
  Server server(there_.path());
  Program put(slow_put(server, here_ / "big"), run_behind_the_test);
  await_first_block(there_);
  put.signal(SIGKILL);
  EXPECT_EQ(put.wait(), -9);
  const Ended next =
      client({"put", "--json", "--token", server.next_token(), here_ / "big", server.at("big")});
  EXPECT_EQ(next.code, 0) << next.err;
  EXPECT_GE(json_number(next.out, "bytes_resumed"), 4 * kMiB);
  EXPECT_TRUE(there_.read("big") == here_.read("big"));
}

TEST_F(CpProcess, AnInterruptedClientSaysSoOnBothSides) {
  here_.write("big", noise(192 * kMiB));
  Server server(there_.path(), {"--once"});
  Program put(slow_put(server, here_ / "big"), run_behind_the_test);
  await_first_block(there_);
  put.signal(SIGINT);
  EXPECT_EQ(put.wait(), 3);
  EXPECT_EQ(server.program.wait(), 4);
  EXPECT_TRUE(has(server.program.err(), "stopped by signal 2")) << server.program.err();
}

TEST_F(CpProcess, AServerInterruptedInTheMiddleEndsAtOnce) {
  here_.write("big", noise(192 * kMiB));
  Server server(there_.path());
  Program put(slow_put(server, here_ / "big"), run_behind_the_test);
  await_first_block(there_);
  server.program.signal(SIGTERM);
  EXPECT_EQ(server.program.wait(), 3);
  EXPECT_EQ(put.wait(), 4);
  EXPECT_TRUE(has(put.err(), "the other side was interrupted: stopped by signal 15; run the "
                             "command again to continue"))
      << put.err();
  EXPECT_TRUE(has(server.program.err(), ": this server was stopped before the copy was complete\n"
                                        "dat-cp: stopped by signal 15\n"))
      << server.program.err();
  EXPECT_FALSE(there_.exists("big"));
}

TEST_F(CpProcess, WhatIsPrintedWithoutAStdoutGoesIntoNoFile) {
  Server server(there_.path(), {"--reuse-token"});
  const auto without_streams = [] {
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) close(fd);
    setenv("DATUM_LOG", "trace", 1);
  };
  const Ended put =
      client({"put", "--token", server.token, here_ / "t", server.at("copy")}, without_streams);
  EXPECT_EQ(put.code, 1) << "the summary was lost";
  expect_tree(there_, "copy");
  const Ended get =
      client({"get", "--token", server.token, server.at("copy"), here_ / "back"}, without_streams);
  EXPECT_EQ(get.code, 1) << "the summary was lost";
  expect_tree(here_, "back");
}

// The client was stopped, so it does not know that the server gave it up. It must report neither
// that it gave up itself nor that the server is silent.
TEST_F(CpProcess, AClientThatWasStoppedTooLongIsToldThatItWasGivenUp) {
  here_.write("big", noise(192 * kMiB));
  Server server(there_.path(), {"--once", "--timeout", "3"});
  std::vector<std::string> words = slow_put(server, here_ / "big");
  words.insert(words.end(), {"--timeout", "1"});
  Program put(words);
  await_first_block(there_);
  put.signal(SIGSTOP);
  EXPECT_EQ(server.program.wait(), 4);
  EXPECT_TRUE(has(server.program.err(), " process " + std::to_string(put.pid()) +
                                            ": silent for 3 s; the process may be stopped, or its "
                                            "disk stuck\n"))
      << server.program.err();
  const std::string self = std::to_string(put.pid());
  put.signal(SIGCONT);
  EXPECT_EQ(put.wait(), 4);
  EXPECT_EQ(put.err(), "dat-cp: the other side gave up on this process, " + self +
                           ": silent for 3 s; the process may be stopped, or its disk stuck; run "
                           "the command again to continue\n");
}

TEST_F(CpProcess, AServerThatWasStoppedTooLongIsToldThatItWasGivenUp) {
  here_.write("big", noise(192 * kMiB));
  Server server(there_.path(), {"--once"});
  std::vector<std::string> words = slow_put(server, here_ / "big");
  words.insert(words.end(), {"--timeout", "1"});
  Program put(words);
  await_first_block(there_);
  server.program.signal(SIGSTOP);
  const auto stopped = std::chrono::steady_clock::now();
  EXPECT_EQ(put.wait(), 4);
  // Less time than the goodbye to a peer that answers may take.
  EXPECT_LT(std::chrono::steady_clock::now() - stopped, std::chrono::seconds(5));
  EXPECT_TRUE(has(put.err(), " port " + server.port + ": silent for 1 s; ")) << put.err();
  const std::string self = std::to_string(server.program.pid());
  server.program.signal(SIGCONT);
  EXPECT_EQ(server.program.wait(), 4);
  EXPECT_TRUE(has(server.program.err(),
                  ": the other side gave up on this process, " + self + ": silent for 1 s; "))
      << server.program.err();
}

// No client could use this server, because its token is lost.
TEST_F(CpProcess, AServerWhoseTokenIsLostEndsAndSaysSo) {
  for (const std::string option : {"--once", "--reuse-token"}) {
    const Ended full = client({"serve", "--port", "0", option, there_.path()},
                              [] { dup2(open("/dev/full", O_WRONLY), STDOUT_FILENO); });
    EXPECT_EQ(full.code, 1);
    EXPECT_EQ(full.err, "dat-cp: cannot write to standard output: No space left on device\n");
    const Ended closed =
        client({"serve", "--port", "0", option, there_.path()}, [] { close(STDOUT_FILENO); });
    EXPECT_EQ(closed.code, 1);
    EXPECT_EQ(closed.err, "dat-cp: cannot write to standard output: Bad file descriptor\n");
  }
}

TEST_F(CpProcess, AServerWhoseLogHasLostItsReaderServesOn) {
  int log[2];
  ASSERT_EQ(pipe2(log, O_CLOEXEC), 0);
  Server server(there_.path(), {}, [&] { dup2(log[1], STDERR_FILENO); });
  close(log[0]);
  close(log[1]);
  EXPECT_EQ(client({"put", "--token", server.token, here_ / "t", server.at("1")}).code, 0);
  EXPECT_EQ(client({"put", "--token", server.next_token(), here_ / "t", server.at("2")}).code, 0);
}

TEST_F(CpProcess, AServerWhoseLogNobodyReadsServesOnAndEnds) {
  const datum::test::FullPipe log;
  Server server(there_.path(), {}, [&] { dup2(log.writer(), STDERR_FILENO); });
  const std::string wrong(32, '0');
  EXPECT_EQ(client({"put", "--token", wrong, here_ / "t", server.at("1")}).code, 5);
  EXPECT_EQ(client({"put", "--token", server.token, here_ / "t", server.at("1")}).code, 0);
  EXPECT_EQ(client({"put", "--token", server.next_token(), here_ / "t", server.at("2")}).code, 0);
  server.program.signal(SIGTERM);
  EXPECT_EQ(server.program.wait(), 3);
}

TEST_F(CpProcess, AnInterruptedServerEnds) {
  Server server(there_.path());
  server.program.signal(SIGTERM);
  EXPECT_EQ(server.program.wait(), 3);
}

} // namespace
} // namespace datum::cp::test

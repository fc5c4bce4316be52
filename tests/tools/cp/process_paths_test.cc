// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat-cp and the paths that it is given: sources that are missing, several sources, folders on the
// way to the destination.
#include <sys/resource.h>
#include <sys/stat.h>

#include <gtest/gtest.h>

#include "cp_process.h"

namespace datum::cp::test {
namespace {

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

} // namespace
} // namespace datum::cp::test

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat-cp as a user runs it: a server process, a client process, and the provider between them.
// Here: what is copied, compared and said of it.
#include <sys/stat.h>

#include <gtest/gtest.h>

#include "cp_process.h"

namespace datum::cp::test {
namespace {

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

TEST_F(CpProcess, ManySmallFiles) {
  for (int i = 0; i < 2000; ++i)
    here_.write("m/" + std::to_string(i % 10) + "/" + std::to_string(i), std::to_string(i));
  Server server(there_.path());
  const Ended put = client({"put", "--json", "--token", server.token, here_ / "m", server.at("m")});
  EXPECT_EQ(put.code, 0) << put.err;
  EXPECT_EQ(json_number(put.out, "copied"), 2011U);
  EXPECT_EQ(there_.read("m/9/1999"), "1999");
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

TEST_F(CpProcess, WrongUsageNamesWhatWasTyped) {
  EXPECT_TRUE(client({"put", "--method", "sing", "a", "b:"})
                  .err.starts_with("dat-cp: --method: \"sing\" is none of write, read\n"));
  EXPECT_EQ(client({"put", "a"}).err,
            "dat-cp: \"a\" is all that is named; there has to be a source and a destination: "
            "SRC... HOST[:PORT]:DEST\n");
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

TEST_F(CpProcess, UsageSaysWhatThePathsAre) {
  EXPECT_TRUE(
      has(client({"put", "--help"}).out, "Usage: dat-cp put [OPTIONS] SRC... HOST[:PORT]:DEST\n"));
  EXPECT_TRUE(
      has(client({"get", "--help"}).out, "Usage: dat-cp get [OPTIONS] HOST[:PORT]:SRC... DEST\n"));
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

} // namespace
} // namespace datum::cp::test

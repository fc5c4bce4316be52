// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// How a server and a client of dat-cp begin and end with each other: tokens, interrupts, kills,
// stops, and logs that no program reads.
#include <sys/inotify.h>

#include <gtest/gtest.h>

#include "cp_process.h"
#include "full_pipe.h"

namespace datum::cp::test {
namespace {

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

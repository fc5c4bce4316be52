// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "perf/compare_tools.h"

#include <gtest/gtest.h>

#include "common/tool_error.h"
#include "perf/tool_server.h"

namespace datum::perf {
namespace {

using Words = std::vector<std::string>;

Task task_of(const char* test, Transport transport, std::uint64_t size = 8) {
  Task task;
  set_test(task, test);
  task.transport = transport;
  task.size = size;
  return task;
}

// Program, test and size of each tool, for example "ucx_perftest tag_lat 8".
Words names(const Task& task) {
  Words words;
  for (const ToolTest& test : tool_tests(task))
    words.push_back(std::string(name_of(test.program)) + ' ' + test.test + ' ' +
                    std::to_string(test.size));
  return words;
}

Meeting meeting() {
  Meeting meeting;
  meeting.address = "127.0.0.1";
  meeting.port = 1111;
  meeting.data_port = 2222;
  meeting.rounds = 500;
  meeting.loopback = true;
  return meeting;
}

Words client_words(const Task& task, std::size_t index) {
  return client_command(task, tool_tests(task).at(index), meeting()).words;
}

TEST(CompareTools, InSharedMemoryUcxAndLibfabricAnswer) {
  EXPECT_EQ(names(task_of("send-lat", Transport::Shm)),
            (Words{"ucx_perftest tag_lat 8", "fi_pingpong shm 8"}));
  EXPECT_EQ(names(task_of("write-lat", Transport::Shm)), (Words{"ucx_perftest ucp_put_lat 8"}));
  EXPECT_EQ(names(task_of("read-bw", Transport::Shm)), (Words{"ucx_perftest ucp_get 8"}));
  EXPECT_EQ(names(task_of("write-rate", Transport::Shm)), (Words{"ucx_perftest ucp_put_bw 8"}));
}

TEST(CompareTools, OverTcpSocketsAnswerToo) {
  EXPECT_EQ(names(task_of("send-lat", Transport::Tcp)),
            (Words{"ucx_perftest tag_lat 8", "fi_pingpong tcp 8", "sockperf ping-pong 14"}));
  EXPECT_EQ(
      names(task_of("send-bw", Transport::Tcp, 2 << 20)),
      (Words{"ucx_perftest tag_bw 2097152", "iperf3 stream 1048576", "qperf tcp_bw 2097152"}));
  EXPECT_EQ(names(task_of("read-lat", Transport::Tcp)), (Words{"ucx_perftest ucp_get 8"}));
}

TEST(CompareTools, SleepersAreHeldAgainstSleepers) {
  Task task = task_of("send-lat", Transport::Tcp, 100);
  task.wait = Wait::Block;
  EXPECT_EQ(names(task),
            (Words{"ucx_perftest tag_lat 100", "sockperf ping-pong 100", "qperf tcp_lat 100"}));
  EXPECT_EQ(client_words(task, 1), (Words{"sockperf", "ping-pong", "--tcp", "-p", "1111", "-i",
                                          "127.0.0.1", "-m", "100", "-t", "1"}));
}

TEST(CompareTools, NobodyAnswersWhatOnlyDatHas) {
  for (const char* test : {"post", "dequeue", "connect", "idle"})
    EXPECT_EQ(names(task_of(test, Transport::Tcp)), Words{}) << test;
  Task asleep = task_of("write-bw", Transport::Shm);
  asleep.target = Target::Sleep;
  EXPECT_EQ(names(asleep), Words{});
}

TEST(CompareTools, SeveralConnectionsAreStreamsOfIperf) {
  Task task = task_of("send-bw", Transport::Tcp);
  task.endpoints = 3;
  EXPECT_EQ(names(task), (Words{"iperf3 stream 8"}));
  EXPECT_EQ(client_words(task, 0), (Words{"iperf3", "-c", "127.0.0.1", "-p", "1111", "-f", "k",
                                          "-t", "1", "-l", "8", "-P", "3"}));
}

TEST(CompareTools, UcxIsAskedForTheSameWindowAndTransport) {
  const Task task = task_of("send-bw", Transport::Tcp, 4096);
  const Command client = client_command(task, tool_tests(task).at(0), meeting());
  EXPECT_EQ(client.words, (Words{"ucx_perftest", "-p", "1111", "127.0.0.1", "-t", "tag_bw", "-s",
                                 "4096", "-n", "500", "-w", "51", "-f", "-v", "-O", "64"}));
  using Pair = std::pair<std::string, std::string>;
  EXPECT_EQ(client.environment,
            (std::vector<Pair>{
                {"UCX_TLS", "tcp"}, {"UCX_WARN_UNUSED_ENV_VARS", "n"}, {"UCX_NET_DEVICES", "lo"}}));
  const Task local = task_of("send-bw", Transport::Shm);
  EXPECT_EQ(server_command(local, tool_tests(local).at(0), meeting()).environment.at(0),
            (Pair{"UCX_TLS", "posix,cma"}));
}

TEST(CompareTools, BothSidesOfFabricKnowSizeAndCount) {
  const Task task = task_of("send-lat", Transport::Shm);
  EXPECT_EQ(server_command(task, tool_tests(task).at(1), meeting()).words,
            (Words{"fi_pingpong", "-e", "rdm", "-p", "shm", "-S", "8", "-I", "500", "-B", "1111"}));
  EXPECT_EQ(client_words(task, 1), (Words{"fi_pingpong", "-e", "rdm", "-p", "shm", "-S", "8", "-I",
                                          "500", "-P", "1111", "127.0.0.1"}));
}

TEST(CompareTools, RoundsFillATimeWithinBounds) {
  EXPECT_EQ(rounds_at(task_of("send-lat", Transport::Shm), 1000), 150'000U);
  EXPECT_EQ(rounds_at(task_of("read-lat", Transport::Shm), 1000), 300'000U);
  EXPECT_EQ(rounds_at(task_of("send-lat", Transport::Tcp), 10'000), 5000U);
  EXPECT_EQ(rounds_at(task_of("send-bw", Transport::Shm, 1 << 20), 1e6), 20U);
  EXPECT_EQ(rounds_at(task_of("send-rate", Transport::Shm), 1e9), 1'000'000U);
}

TEST(CompareTools, AServerStartsNothingThatIsNotInTheTable) {
  const auto refuses = [](const Message& message) {
    try {
      tool_server_for(message);
    } catch (const tools::ToolError& error) {
      return std::string(error.what()).find("unknown comparison") != std::string::npos;
    }
    return false;
  };
  const Task task = task_of("send-lat", Transport::Shm);
  Meeting none = meeting(), many = meeting();
  none.rounds = 0;
  many.rounds = 1'000'001;
  EXPECT_TRUE(refuses({"tool", {}, {}}));
  EXPECT_TRUE(refuses(to_message(task, 2, meeting())));
  EXPECT_TRUE(refuses(to_message(task, 0, none)));
  EXPECT_TRUE(refuses(to_message(task, 0, many)));
  EXPECT_TRUE(refuses(to_message(task_of("idle", Transport::Tcp), 0, meeting())));
}

TEST(CompareTools, TheKernelTellsWhoListens) {
  constexpr const char* kTable = "  sl  local_address rem_address   st tx_queue rx_queue\n"
                                 "   0: 0100007F:0457 00000000:0000 0A 00000000:00000000\n"
                                 "   1: 0100007F:08AE 0100007F:0457 01 00000000:00000000\n";
  EXPECT_TRUE(listens_in(kTable, 1111));
  EXPECT_FALSE(listens_in(kTable, 2222));
  EXPECT_FALSE(listens_in(kTable, 0x57));
  EXPECT_FALSE(listens_in("", 1111));
}

} // namespace
} // namespace datum::perf

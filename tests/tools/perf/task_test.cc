// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "perf/command_line.h"
#include "perf/limit_of.h"
#include "perf/message.h"

#include <gtest/gtest.h>

#include "common/tool_error.h"

namespace datum::perf {
namespace {

using Sizes = std::vector<std::uint64_t>;

TEST(PerfSizes, AListIsTakenAsItIs) {
  EXPECT_EQ(parse_sizes("8,4k,1M"), (Sizes{8, 4096, 1048576}));
}

TEST(PerfSizes, ASweepDoublesAndIncludesItsEnd) {
  EXPECT_EQ(parse_sizes("1..8"), (Sizes{1, 2, 4, 8}));
}

TEST(PerfSizes, ASweepWithAFactorStopsBeforePassingItsEnd) {
  EXPECT_EQ(parse_sizes("1..100*4"), (Sizes{1, 4, 16, 64}));
}

TEST(PerfSizes, NonsenseIsRefused) {
  for (const char* text : {"", "0", "8,", "x", "65M", "8..4", "1..8*1", "1..8*", "-1"})
    EXPECT_THROW(parse_sizes(text), tools::ToolError) << text;
}

TEST(PerfTasks, WordsOfListsKeepWhatIsEmpty) {
  using List = std::vector<std::string>;
  EXPECT_EQ(words_of({"a,b", "c"}), (List{"a", "b", "c"}));
  EXPECT_EQ(words_of({","}), (List{"", ""}));
  EXPECT_EQ(words_of({"a,"}), (List{"a", ""}));
  EXPECT_EQ(words_of({}), List{});
}

TEST(PerfTasks, EachMemoryIsMeasuredWithEachSize) {
  CommandLine line;
  line.tests = {"write-bw"};
  line.sizes = "8,64";
  line.memories = {"ordinary", "shareable"};
  const std::vector<Task> tasks = tasks_of(line);
  ASSERT_EQ(tasks.size(), 4U);
  EXPECT_EQ(tasks[3].memory, Memory::Shareable);
  EXPECT_EQ(tasks[3].size, 64U);
}

TEST(PerfTasks, ATestThatMovesNothingAppearsOnce) {
  CommandLine line;
  line.tests = {"idle"};
  line.sizes = "1..64M";
  EXPECT_EQ(tasks_of(line).size(), 1U);
}

TEST(PerfTasks, AWindowOfLargeMessagesIsCutTo256MiB) {
  CommandLine line;
  line.tests = {"write-bw"};
  line.sizes = "64M";
  EXPECT_EQ(tasks_of(line).at(0).window, 4U);
}

TEST(PerfTask, SurvivesTheWire) {
  Task task;
  ASSERT_TRUE(set_test(task, "read-bw"));
  task.size = 12345;
  task.memory = Memory::ShareableHuge;
  task.wait = Wait::Block;
  task.target = Target::Sleep;
  task.window = 7;
  task.endpoints = 9;
  task.beside = 11;
  const auto back = to_task(decode(encode(to_message(task))));
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(*back, task);
}

TEST(PerfTask, WhatAPeerMakesUpIsRefused) {
  const Message good = to_message(Task{});
  ASSERT_TRUE(to_task(good).has_value());
  for (const char* name : {"op", "kind", "memory", "wait", "target"}) {
    Message bad = good;
    bad.numbers[name] = 99;
    EXPECT_FALSE(to_task(bad).has_value()) << name;
  }
  {
    Message many = good;
    many.numbers["beside"] = UINT64_MAX;
    EXPECT_FALSE(to_task(many).has_value());
  }
  for (const char* name : {"size", "window", "endpoints"}) {
    Message none = good, huge = good;
    none.numbers.erase(name);
    huge.numbers[name] = UINT64_MAX;
    EXPECT_FALSE(to_task(none).has_value()) << name;
    EXPECT_FALSE(to_task(huge).has_value()) << name;
  }
}

TEST(PerfTask, SomeDescriptorsAreKeptBesideThoseOfConnections) {
  Task task;
  task.endpoints = 60;
  task.beside = 3;
  EXPECT_EQ(descriptors_for(task, 20, false), 85U);
  EXPECT_EQ(descriptors_for(task, 20, true), 91U);
  set_test(task, "connect");
  task.window = 100;
  EXPECT_EQ(descriptors_for(task, 20, false), 128U);
}

TEST(PerfTask, APingPongOfWritesCannotSleep) {
  Task task;
  set_test(task, "write-lat");
  EXPECT_TRUE(objection(task).empty());
  task.wait = Wait::Block;
  EXPECT_FALSE(objection(task).empty());
}

TEST(PerfMessage, NumbersThatAreNoneCountAsMissing) {
  const Message message = decode("run rounds=12x a= b=3 c\nfree text\nsecond line");
  EXPECT_EQ(message.verb, "run");
  EXPECT_EQ(message.number("rounds"), 0U);
  EXPECT_EQ(message.number("b"), 3U);
  EXPECT_EQ(message.text, "free text\\nsecond line") << "nothing in it moves the cursor";
}

TEST(PerfMessage, ALongTextIsCutToWhatABufferHolds) {
  EXPECT_EQ(encode({"error", {}, std::string(5000, 'x')}).size(), 1024U);
}

TEST(PerfLimit, ASmallSendIsHeldAgainstTheRingOnly) {
  Task task;
  task.size = 8;
  const auto limits = limits_of(task);
  ASSERT_EQ(limits.size(), 1U);
  EXPECT_EQ(name_of(limits[0]), "ring 8 B");
}

TEST(PerfLimit, ALargeSendIsHeldAgainstTheBetterOfRingAndCall) {
  Task task;
  task.size = 4096;
  const auto limits = limits_of(task);
  ASSERT_EQ(limits.size(), 2U);
  EXPECT_EQ(name_of(limits[0]), "ring 4 KiB");
  EXPECT_EQ(name_of(limits[1]), "cma-message 4 KiB");
}

Task over_tcp(const char* test) {
  Task task;
  set_test(task, test);
  task.transport = transport_of("tcp");
  return task;
}

TEST(PerfLimit, APollingPingPongOverTcpIsHeldAgainstSocketsThatSpin) {
  for (const char* test : {"send-lat", "write-lat", "read-lat"}) {
    const auto limits = limits_of(over_tcp(test));
    ASSERT_EQ(limits.size(), 1U) << test;
    EXPECT_EQ(name_of(limits[0]), "tcp 8 B") << test;
  }
}

TEST(PerfLimit, WhoeverHasToBeWokenOverTcpIsHeldAgainstEpoll) {
  Task blocking = over_tcp("send-lat"), spinning_target = over_tcp("write-lat");
  blocking.wait = Wait::Block;
  spinning_target.target = Target::Memory;
  for (const Task& task : {blocking, spinning_target}) {
    const auto limits = limits_of(task);
    ASSERT_EQ(limits.size(), 1U) << test_name(task);
    EXPECT_EQ(name_of(limits[0]), "tcp-epoll 8 B") << test_name(task);
  }
}

TEST(PerfLimit, AStreamOverTcpIsHeldAgainstTheBetterOfTwoWaysToSend) {
  Task task = over_tcp("read-bw");
  task.size = 65536;
  const auto limits = limits_of(task);
  ASSERT_EQ(limits.size(), 2U);
  EXPECT_EQ(name_of(limits[0]), "tcp-stream 64 KiB");
  EXPECT_EQ(name_of(limits[1]), "tcp-gather 64 KiB");
  // 65536 bytes in 16384 ns are 4 GB/s.
  EXPECT_DOUBLE_EQ(in_unit_of(task, limits[1], 16384), 4e9);
}

TEST(PerfLimit, OfCallsAndConnectionsOverTcpThereIsNone) {
  for (const char* test : {"post", "dequeue", "connect", "idle"})
    EXPECT_TRUE(limits_of(over_tcp(test)).empty()) << test;
}

TEST(PerfTransport, IsWhatTheProviderCallsThePath) {
  EXPECT_EQ(name_of(transport_of("tcp")), "tcp");
  EXPECT_EQ(name_of(transport_of("shared memory, direct")), "shm");
}

TEST(PerfTransport, WhatThereIsNotIsRefusedWithWhatThereIs) {
  for (const char* text : {"auto", "shm", "tcp"}) EXPECT_EQ(transport_objection(text), "") << text;
  for (const char* text : {"verbs", "udp", "", "TCP"})
    EXPECT_NE(transport_objection(text).find("auto, shm, tcp"), std::string::npos) << text;
}

TEST(PerfPlot, ANameThatPromisesAnotherFormatIsRefused) {
  for (const char* name : {"x.svg", "a.b/x", "/dev/stdout", "x.y.svg"})
    EXPECT_EQ(plot_objection(name), "") << name;
  for (const char* name : {"x.png", "x.svg.gz", "x.SVG", "x."})
    EXPECT_NE(plot_objection(name).find("ends in .svg"), std::string::npos) << name;
}

TEST(PerfLimit, ATimeBecomesABandwidthInTheUnitOfTheResult) {
  Task task;
  set_test(task, "write-bw");
  task.size = 1000;
  // 1000 bytes in 500 ns are 2 GB/s.
  EXPECT_DOUBLE_EQ(in_unit_of(task, {Limit::Memcpy, 1000}, 500), 2e9);
}

} // namespace
} // namespace datum::perf

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// datum-stress: a random mix of all operations over many connections from many threads. Every byte
// is checked where it arrives.
//   datum-stress one|two|child [--seconds N] [--seed N] [--threads N] [--lanes N] [--ia NAME]
//                              [--rounds N] [--may-break 0|1] [--connect-time MS]
//                              [--child PROGRAM]
//   one   one process that connects to itself: N lanes are 2 N endpoints
//   two   two processes; the second one is killed at random moments and started again. It runs this
//         program, or PROGRAM of --child, such as datum-stress2, the same program for DAT 2.0
//   child the second of two processes. The process that starts it talks to it by the lines of
//         child.h, and may so connect two such processes with each other. It reports when it has
//         done N rounds. With --may-break 1 a connection may end at any moment; what has arrived
//         before is still checked. A connect that takes longer than --connect-time fails.
// The seed fixes what each thread does and when a child is killed. It does not fix how threads
// interleave.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>
#include <vector>

#include "chance.h"
#include "child.h"
#include "must.h"
#include "node.h"

using namespace datum::stress;

namespace {

using Clock = std::chrono::steady_clock;
constexpr DAT_TIMEOUT kTurn = 20'000; // us: how often the clock is read

struct Options {
  std::string mode;
  int seconds = 10;
  std::uint64_t rounds = 0;
  bool may_break = false;
  std::string child = "/proc/self/exe";
  Load load;
};

bool read_options(int count, char** words, Options& options) {
  if (count < 2 || count % 2 != 0) return false;
  options.mode = words[1];
  for (int i = 2; i + 1 < count; i += 2) {
    const std::string name = words[i];
    const char* value = words[i + 1];
    const std::uint64_t number = std::strtoull(value, nullptr, 10);
    if (name == "--seconds")
      options.seconds = static_cast<int>(number);
    else if (name == "--seed")
      options.load.seed = number;
    else if (name == "--threads")
      options.load.pairs = static_cast<int>(number / 2);
    else if (name == "--lanes")
      options.load.lanes = static_cast<std::uint32_t>(number);
    else if (name == "--rounds")
      options.rounds = number;
    else if (name == "--may-break")
      options.may_break = number != 0;
    else if (name == "--connect-time")
      options.load.connect_time = static_cast<DAT_TIMEOUT>(number * 1000);
    else if (name == "--child")
      options.child = value;
    else if (name == "--ia")
      options.load.ia = value;
    else
      return false;
  }
  const auto pairs = static_cast<std::uint32_t>(options.load.pairs);
  return pairs != 0 && options.load.lanes >= pairs && options.seconds > 0;
}

void stop_initiators(Node& node) {
  node.tell_initiators_to_stop();
  while (node.initiators_at_work()) node.answer_requests(kTurn);
  node.join_initiators();
}

void run_one(const Options& options) {
  const Clock::time_point end = Clock::now() + std::chrono::seconds(options.seconds);
  Node node(options.load);
  node.start_responders();
  node.set_target(node.own_target());
  node.start_initiators();
  while (Clock::now() < end) node.answer_requests(kTurn);
  stop_initiators(node);
  node.answer_until_idle();
  node.stop_responders();
  std::printf("one process: %u connections, %llu rounds\n", options.load.lanes,
              static_cast<unsigned long long>(node.rounds()));
}

std::string read_line() {
  std::string line;
  std::getline(std::cin, line);
  return line;
}

void run_child(const Options& options) {
  Node node(options.load);
  node.start_responders();
  node.set_peer_may_vanish(options.may_break);
  std::cout << "ready " << node.own_target().text() << std::endl;
  const std::string line = read_line();
  Target target;
  MUST(line.starts_with("target ") && Target::parse(line.substr(7), target));
  node.set_target(target);
  node.start_initiators();
  std::atomic<bool> may_leave{false};
  std::thread reader([&] {
    MUST(read_line() == "stop");
    node.tell_initiators_to_stop();
    MUST(read_line() == "leave");
    may_leave = true;
  });
  bool enough = options.rounds == 0;
  while (node.initiators_at_work()) {
    node.answer_requests(kTurn);
    if (enough || node.rounds() < options.rounds) continue;
    enough = true;
    std::cout << "enough" << std::endl;
  }
  node.join_initiators();
  std::cout << "stopped" << std::endl;
  while (!may_leave) node.answer_requests(kTurn);
  reader.join();
  node.answer_until_idle();
  node.stop_responders();
  std::cout << "done " << node.rounds() << " " << node.broken() << std::endl;
}

std::vector<std::string> child_arguments(const Options& options, int generation) {
  const std::uint64_t seed = options.load.seed + 1000 + static_cast<std::uint64_t>(generation);
  return {options.child, "child",
          "--seed",      std::to_string(seed),
          "--threads",   std::to_string(2 * options.load.pairs),
          "--lanes",     std::to_string(options.load.lanes),
          "--ia",        options.load.ia};
}

void run_two(const Options& options) {
  const Clock::time_point end = Clock::now() + std::chrono::seconds(options.seconds);
  Chance chance(options.load.seed);
  Node node(options.load);
  node.start_responders();
  node.start_initiators();
  for (int generation = 0;; ++generation) {
    Child child(child_arguments(options, generation));
    child.tell("target " + node.own_target().text());
    node.set_target(child.target());
    const auto life = std::chrono::milliseconds(100 + chance.below(2500));
    const Clock::time_point death = Clock::now() + life;
    const bool last = death >= end;
    while (Clock::now() < std::min(death, end)) node.answer_requests(kTurn);
    if (last) {
      stop_initiators(node);
      child.tell("stop");
      child.tell("leave");
      while (!child.is_done()) node.answer_requests(kTurn);
      child.expect_success();
      node.answer_until_idle();
      node.stop_responders();
      std::printf("two processes: %d killed, %u connections each way, %llu rounds\n", generation,
                  options.load.lanes, static_cast<unsigned long long>(node.rounds()));
      return;
    }
    node.set_target(std::nullopt);
    node.set_peer_may_vanish(true);
    child.kill();
    node.answer_until_idle();
    node.set_peer_may_vanish(false);
  }
}

} // namespace

int main(int count, char** words) {
  Options options;
  if (!read_options(count, words, options)) {
    std::fprintf(
        stderr,
        "usage: %s one|two|child [--seconds N] [--seed N] [--threads N] [--lanes N] "
        "[--ia NAME] [--rounds N] [--may-break 0|1] [--connect-time MS] [--child PROGRAM]\n",
        words[0]);
    return 2;
  }
  std::string line;
  for (int i = 0; i < count; ++i) line += std::string(words[i]) + " ";
  set_rerun(line.c_str());
  if (options.mode == "one")
    run_one(options);
  else if (options.mode == "two")
    run_two(options);
  else if (options.mode == "child")
    run_child(options);
  else
    return 2;
  return 0;
}

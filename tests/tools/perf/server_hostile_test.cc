// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat-perf's server against clients that break the rules, give up or die: it serves the next
// client.
#include <gtest/gtest.h>

#include <unistd.h>

#include <regex>

#include "command.h"
#include "common/address.h"
#include "common/tool_error.h"
#include "perf/control.h"
#include "perf/link.h"

namespace datum::perf {
namespace {

using test::run;
using tools::ExitCode;
using tools::ToolError;

const std::string kProgram = DAT_PERF_PROGRAM;
constexpr auto kConnectTime = std::chrono::seconds(10);

class HostileClient : public testing::Test {
 protected:
  std::string client(const std::string& options = "-t send-lat") const {
    return kProgram + " 127.0.0.1 --port " + server_.port +
           " -s 8 --repeat 1 --time 1 --no-limits --json " + options;
  }
  void expect_serves() const { EXPECT_EQ(run(client("--timeout 20") + " 2>&1").code, 0); }
  DAT_CONN_QUAL port() const { return std::stoull(server_.port); }

  std::unique_ptr<Control> connect() const {
    auto control = std::make_unique<Control>(ia_);
    control->connect(tools::resolve("127.0.0.1"), port(), kConnectTime, "server");
    return control;
  }
  // How a connection that sends this greeting ends.
  ExitCode greet(const std::string& greeting) const {
    const Link link(ia_, Task{}, "server");
    try {
      tools::connect(link.ep(0), link.evd(), tools::resolve("127.0.0.1"), port(), greeting,
                     kConnectTime, "server");
    } catch (const ToolError& error) {
      return error.code();
    }
    return ExitCode::Ok;
  }
  // The server's objection to a message, or "" if it has none.
  static std::string objection_to(Control& control, const Message& message) {
    try {
      control.ask(message);
    } catch (const ToolError& error) {
      EXPECT_EQ(error.code(), ExitCode::Failed) << message.verb << ": " << error.what();
      return error.what();
    }
    return "";
  }

  test::Served server_{kProgram + " --server --port 0 --timeout 2 -q"};
  tools::Interface ia_{"datum"};
};

Task reads() {
  Task task;
  task.op = Op::Read;
  return task;
}

TEST_F(HostileClient, StrangersAreRefused) {
  for (const std::string& greeting :
       {std::string(), std::string("dat-perf"), std::string("dat-perf 1 data "),
        std::string("dat-perf 1 data 1"), std::string("dat-perf 1 data churn"),
        std::string(60, '\0'), std::string(200, '\x80')})
    EXPECT_EQ(greet(greeting), ExitCode::Refused) << greeting;
  expect_serves();
}

TEST(DatPerfServer, NamesWhomItRefuses) {
  const std::string log = testing::TempDir() + "dat-perf-refused-" + std::to_string(getpid());
  const test::Served server("bash -c 'exec " + kProgram + " --server --port 0 2>" + log + "'");
  const tools::Interface ia("datum");
  const Link link(ia, Task{}, "server");
  EXPECT_THROW(tools::connect(link.ep(0), link.evd(), tools::resolve("127.0.0.1"),
                              std::stoull(server.port), "stranger", kConnectTime, "server"),
               ToolError);
  const test::Ended said = run("bash -c 'until grep refused " + log + "; do sleep 0.1; done'");
  unlink(log.c_str());
  EXPECT_TRUE(std::regex_match(said.output,
                               std::regex("dat-perf: refused [0-9a-f.:]+: it is not dat-perf\n")))
      << said.output;
}

// The connection reports its end only once, so a second wait for that report would never return.
TEST_F(HostileClient, AnEndThatWasToldIsToldAtOnceTheNextTime) {
  const auto control = connect();
  server_.end(SIGKILL);
  EXPECT_THROW(control->receive(), ToolError);
  try {
    control->ask({"bye", {}, {}});
    ADD_FAILURE() << "an answer";
  } catch (const ToolError& error) {
    EXPECT_EQ(error.code(), ExitCode::PeerLost);
    EXPECT_STREQ(error.what(), "server: the connection has ended");
  }
}

TEST_F(HostileClient, NoProgramRunsForAClientUnlessTheServerWasStartedSo) {
  const auto control = connect();
  EXPECT_EQ(control->ask({"tools", {}, {}}).number("allowed"), 0U);
  Message order = to_message(Task{});
  order.verb = "tool";
  order.numbers["rounds"] = 20;
  EXPECT_NE(objection_to(*control, order).find("without --compare"), std::string::npos);
  control->close();
  expect_serves();
}

TEST_F(HostileClient, WhoConnectsAndSaysNothingLosesItsTurn) {
  const auto silent = connect();
  expect_serves();
}

TEST_F(HostileClient, NonsenseIsAnsweredAndForgotten) {
  const auto control = connect();
  Message none = to_message(Task{}), large = none, window = none;
  none.numbers["size"] = 0;
  large.numbers["size"] = (std::uint64_t{64} << 20U) + 1;
  window.numbers["window"] = 4097;
  for (const Message& message : {Message{"", {}, {}}, Message{"fly", {}, {}}, none, large, window,
                                 Message{"accept", {}, {}}, Message{"run", {{"rounds", 9}}, {}}})
    EXPECT_NE(objection_to(*control, message), "") << encode(message);
  EXPECT_EQ(objection_to(*control, {"usage", {}, {}}), "");
}

// Such a run would never end.
TEST_F(HostileClient, ARunOverNoConnectionsIsRefused) {
  {
    const auto control = connect();
    EXPECT_EQ(objection_to(*control, to_message(reads())), "");
    EXPECT_NE(objection_to(*control, {"run", {{"rounds", 9}}, {}}), "");
  }
  expect_serves();
}

TEST_F(HostileClient, AnotherSessionsConnectionIsNotTaken) {
  {
    const auto control = connect();
    EXPECT_EQ(objection_to(*control, to_message(Task{})), "");
    EXPECT_EQ(control->ask({"accept", {{"session", 12}}, {}}).verb, "accepting");
    EXPECT_EQ(greet("dat-perf 1 data 123"), ExitCode::Refused);
  }
  expect_serves();
}

TEST_F(HostileClient, ASecondAcceptOfTheSameEndpointsIsRefused) {
  const auto control = connect();
  EXPECT_EQ(objection_to(*control, to_message(Task{})), "");
  EXPECT_EQ(control->ask({"accept", {{"session", 12}}, {}}).verb, "accepting");
  EXPECT_EQ(greet("dat-perf 1 data 12"), ExitCode::Ok);
}

TEST_F(HostileClient, ClientsThatGaveUpOrDiedInTheQueueAreSkipped) {
  auto first = connect();
  const std::string queue = "bash -c 'for i in 1 2 3 4; do " + client("--timeout 1") +
                            " & timeout -s KILL 1 " + client() + " & done; wait' 2>&1";
  EXPECT_EQ(run(queue).code, 0);
  first.reset();
  expect_serves();
}

TEST_F(HostileClient, TwentyAtOnceAreServedInTurn) {
  const std::string all =
      "bash -c 'failed=0; for i in {1..20}; do " + client("--timeout 50") +
      " & done; for p in $(jobs -p); do wait $p || failed=$?; done; exit $failed' 2>&1";
  const test::Ended ended = run(all);
  EXPECT_EQ(ended.code, 0) << ended.output;
}

} // namespace
} // namespace datum::perf

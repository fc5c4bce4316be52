// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The random mix of tests/stress between two hosts. Every octet is checked where it arrives. Every
// DTO must complete once and in order, and connections must end as their consumers end them.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "plain_tcp.h"
#include "run.h"
#include "said.h"
#include "two_hosts.h"

namespace datum::net {
namespace {

using std::chrono::milliseconds;

constexpr int kPatienceMs = 100'000; // a healthy library never needs it

// a fifth of the frames that the mix needs for 200 rounds
constexpr std::uint64_t kManyFrames = 2000;

constexpr unsigned kLonger = 20; // factor for the number of rounds with --long

// The DAT version of the program on each host.
struct Versions {
  int here = 1;
  int there = 1;
};

struct Mix {
  unsigned rounds = 100;  // of each host
  bool may_break = false; // true: silence of two seconds breaks a connection
  Versions versions = {};
  int connect_ms = 60'000;                   // how long a connect waits for the other host
  std::function<void()> meanwhile = nullptr; // runs while both hosts work
};

class Node {
 public:
  Node(const Namespace& host, int version, unsigned seed, const Mix& mix)
      : process_(host.command(
            {"/usr/bin/env",
             std::string("DATUM_PEER_TIMEOUT=") + (mix.may_break ? "2000" : "30000"),
             "DAT_OVERRIDE=" DATUM_NET_MIX_CONF,
             version == 1 ? DATUM_NET_STRESS : DATUM_NET_STRESS2, "child", "--ia", "tcp0",
             "--threads", "4", "--lanes", "6", "--seed", std::to_string(seed), "--rounds",
             std::to_string(mix.rounds * (run_long() ? kLonger : 1)), "--may-break",
             mix.may_break ? "1" : "0", "--connect-time", std::to_string(mix.connect_ms)})) {
    target_ = say("ready ");
  }
  const std::string& target() const { return target_; }
  void connect_to(const Node& other) { process_.send("target " + other.target()); }
  void tell(const std::string& word) { process_.send(word); }
  // The next line of the process must begin with `beginning`. Returns the rest of the line.
  std::string say(const std::string& beginning) {
    const std::string line = process_.receive(kPatienceMs);
    EXPECT_TRUE(line.starts_with(beginning)) << line << " instead of " << beginning;
    return line.size() < beginning.size() ? line : line.substr(beginning.size());
  }
  void expect_success() { EXPECT_EQ(process_.wait_for_exit(), 0); }
  // `figures`: "ROUNDS BROKEN".
  void note_done(const std::string& figures) {
    const std::size_t blank = figures.find(' ');
    ASSERT_NE(blank, std::string::npos) << figures;
    broken_ = std::stoull(figures.substr(blank + 1));
  }
  std::uint64_t broken() const { return broken_; }

 private:
  std::uint64_t broken_ = 0;
  test::PeerProcess process_;
  std::string target_;
};

// How many broken connections each side has seen.
struct Broken {
  std::uint64_t here = 0;
  std::uint64_t there = 0;
};

class NetMix : public testing::Test {
 protected:
  static Broken run(TwoHosts& hosts, const Mix& mix) {
    Node one(hosts.here(), mix.versions.here, 2 * first_seed(), mix);
    Node other(hosts.there(), mix.versions.there, 2 * first_seed() + 1, mix);
    one.connect_to(other);
    other.connect_to(one);
    if (mix.meanwhile) mix.meanwhile();
    for (const char* said : {"enough", "stopped", "done "}) {
      for (Node* node : {&one, &other}) {
        const std::string rest = node->say(said);
        if (testing::Test::HasFailure()) return {};
        if (std::string(said) == "done ") node->note_done(rest);
      }
      // A process that ends does not wait until its last message has arrived. So the faults end
      // before the processes do.
      if (std::string(said) == "enough") hosts.wire().set_faults("");
      for (Node* node : {&one, &other}) {
        if (std::string(said) == "enough") node->tell("stop");
        if (std::string(said) == "stopped") node->tell("leave");
      }
    }
    one.expect_success();
    other.expect_success();
    return {one.broken(), other.broken()};
  }
  // Connections may break. The CRC must find every spoilt frame.
  static void run_over_a_wire_that_spoils(const Versions& versions) {
    TwoHosts hosts;
    hosts.wire().set_faults("corrupt=50");
    Said said;
    run(hosts, {.rounds = 300, .may_break = true, .versions = versions});
    EXPECT_GE(hosts.wire().count("corrupted"), 1U);
    if (HasFailure()) return;
    const std::string text = said.take();
    EXPECT_GE(lines_with(text, {"ended by this side: a wrong CRC"}), 1U) << text;
  }
};

// Checks that each of these faults has happened.
void expect_faults(Wire& wire, const std::vector<const char*>& faults) {
  for (const char* fault : faults) EXPECT_GE(wire.count(fault), 1U) << fault;
}

// Waits until `more` more frames have entered the wire.
void await_frames(Wire& wire, std::uint64_t more) {
  const auto entered = [&wire] { return wire.count("offered") - wire.count("cut"); };
  const auto give_up = std::chrono::steady_clock::now() + milliseconds(30'000);
  for (const std::uint64_t wanted = entered() + more; entered() < wanted;) {
    ASSERT_LT(std::chrono::steady_clock::now(), give_up);
    std::this_thread::sleep_for(milliseconds(10));
  }
}

// Cuts the wire once, in the middle of the traffic.
void cut_for(Wire& wire, milliseconds time) {
  await_frames(wire, kManyFrames);
  wire.cut();
  std::this_thread::sleep_for(time);
  EXPECT_GE(wire.count("cut"), 1U);
  wire.mend();
  await_frames(wire, kManyFrames);
}

// Rules: net.M1
TEST_F(NetMix, OverAWireWithoutFaults) {
  TwoHosts hosts;
  run(hosts, {.rounds = 400});
}

// Rules: net.M2
TEST_F(NetMix, OverADelayOf20Milliseconds) {
  TwoHosts hosts;
  hosts.wire().set_faults("delay=20000");
  EXPECT_GE(time_of_connect(hosts), milliseconds(40));
  run(hosts, {.rounds = 40});
}

// Rules: net.M3
TEST_F(NetMix, OverALossOf1Percent) {
  TwoHosts hosts({.impatient = true});
  hosts.wire().set_faults("loss=100");
  run(hosts, {.rounds = 300});
  EXPECT_GE(hosts.wire().count("lost"), 1U);
}

// Rules: net.M4
TEST_F(NetMix, OverALossOf10Percent) {
  TwoHosts hosts({.impatient = true});
  hosts.wire().set_faults("loss=1000");
  run(hosts, {.rounds = 40});
  EXPECT_GE(hosts.wire().count("lost"), 1U);
}

// Rules: net.M5
TEST_F(NetMix, OverAWireThatReorders) {
  TwoHosts hosts;
  hosts.wire().set_faults("reorder=2000");
  run(hosts, {.rounds = 500});
  EXPECT_GE(hosts.wire().count("held_back"), 1U);
}

// Rules: net.M6
TEST_F(NetMix, OverAWireThatDuplicates) {
  TwoHosts hosts;
  hosts.wire().set_faults("duplicate=2000");
  run(hosts, {.rounds = 500});
  EXPECT_GE(hosts.wire().count("duplicated"), 1U);
}

// Rules: net.M7
TEST_F(NetMix, OverAWireWithEveryFaultAtOnce) {
  TwoHosts hosts({.impatient = true});
  hosts.wire().set_faults("delay=2000 loss=200 reorder=500 duplicate=500");
  EXPECT_GE(time_of_connect(hosts), milliseconds(4));
  run(hosts, {.rounds = 150});
  expect_faults(hosts.wire(), {"lost", "held_back", "duplicated"});
}

// Rules: net.M8
TEST_F(NetMix, Over100MegabitsPerSecond) {
  TwoHosts hosts({.slow = true});
  constexpr std::size_t kOctets = 5'200'000;
  EXPECT_GE(time_of_octets(hosts, kOctets), milliseconds(400)); // no faster than 13 MB/s
  run(hosts, {.rounds = 150});
}

// A connection ends at its first spoilt octet. If that octet makes an FPDU longer than the octets
// that follow, the connection ends after it has waited in vain for the rest. No spoilt octet is
// delivered.
// Rules: net.M9
TEST_F(NetMix, OverAWireThatSpoilsWhatTcpTakesForGood) {
  run_over_a_wire_that_spoils({1, 1});
}

// Rules: net.M14
TEST_F(NetMix, OverAWireThatIsCutForFiveSeconds) {
  TwoHosts hosts;
  run(hosts, {.rounds = 200, .meanwhile = [&] { cut_for(hosts.wire(), milliseconds(5000)); }});
}

// Rules: net.M15
TEST_F(NetMix, OverAWireThatIsCutForLongerThanAHostMayBeSilent) {
  TwoHosts hosts;
  const Broken broken = run(hosts, {.rounds = 200, .may_break = true, .meanwhile = [&] {
                                      cut_for(hosts.wire(), milliseconds(4000));
                                    }});
  EXPECT_GE(broken.here, 1U);
  EXPECT_GE(broken.there, 1U);
}

// Established connections break after two seconds of silence, long before the consumers would end
// them. Connects that begin after the cut fail after three seconds.
// Rules: net.M16
TEST_F(NetMix, OverAWireThatIsCutForEver) {
  TwoHosts hosts;
  std::chrono::steady_clock::time_point cut_at;
  const Broken broken =
      run(hosts, {.rounds = 1, .may_break = true, .connect_ms = 3000, .meanwhile = [&] {
                    await_frames(hosts.wire(), kManyFrames);
                    hosts.wire().cut();
                    cut_at = std::chrono::steady_clock::now();
                    std::this_thread::sleep_for(milliseconds(4000));
                  }});
  EXPECT_LE(std::chrono::steady_clock::now() - cut_at, std::chrono::seconds(25));
  EXPECT_GE(hosts.wire().count("cut"), 1U);
  EXPECT_GE(broken.here, 1U);
  EXPECT_GE(broken.there, 1U);
}

// Rules: net.M10
TEST_F(NetMix, OverIpv6) {
  TwoHosts hosts({.ipv6 = true});
  hosts.wire().set_faults("delay=500 reorder=200 duplicate=200");
  run(hosts, {.rounds = 100});
  expect_faults(hosts.wire(), {"held_back", "duplicated"});
}

class NetMtu : public NetMix, public testing::WithParamInterface<int> {};

// Rules: net.M11
TEST_P(NetMtu, EveryOctetArrives) {
  TwoHosts hosts({.mtu = GetParam()});
  run(hosts, {.rounds = 100});
}
INSTANTIATE_TEST_SUITE_P(Of, NetMtu, testing::Values(576, 1280, 9000, 65520),
                         testing::PrintToStringParamName());

class NetVersions : public NetMix, public testing::WithParamInterface<Versions> {};

// Rules: net.M12
TEST_P(NetVersions, OverAWireWithEveryFaultAtOnce) {
  TwoHosts hosts({.impatient = true});
  hosts.wire().set_faults("delay=2000 loss=200 reorder=500 duplicate=500");
  EXPECT_GE(time_of_connect(hosts), milliseconds(4));
  run(hosts, {.rounds = 100, .versions = GetParam()});
  expect_faults(hosts.wire(), {"lost", "held_back", "duplicated"});
}

// Rules: net.M13
TEST_P(NetVersions, OverAWireThatSpoilsWhatTcpTakesForGood) {
  run_over_a_wire_that_spoils(GetParam());
}

std::string name_of(const testing::TestParamInfo<Versions>& info) {
  return "Dat" + std::to_string(info.param.here) + "AndDat" + std::to_string(info.param.there);
}
INSTANTIATE_TEST_SUITE_P(Of, NetVersions,
                         testing::Values(Versions{1, 2}, Versions{2, 1}, Versions{2, 2}), name_of);

} // namespace
} // namespace datum::net

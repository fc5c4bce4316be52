// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// interop/siw: the death of our process. After it only the kernel acts: it closes the socket.
#include <set>

#include "../../conformance/harness/two_processes.h"
#include "fixture.h"

namespace datum::siw {
namespace {

class SiwSurvives : public SiwTest, public testing::WithParamInterface<Initiator> {
 protected:
  void SetUp() override {
    if (GetParam() == Initiator::kDatum) {
      const std::string port = std::to_string(free_port());
      siw.must("listen " + siw_address() + ' ' + port);
      ASSERT_EQ(ours.ask("connect " + port + ' ' + siw_address()), "ok");
      siw.expect_event("CONNECT_REQUEST");
      siw.must("accept 4 -");
    } else {
      const std::string qualifier = ours.ask("listen");
      siw.must("connect " + own_address() + ' ' + qualifier + " 4 -");
      ASSERT_EQ(ours.ask("accept"), "ok");
    }
    siw.expect_event("ESTABLISHED");
    ASSERT_EQ(ours.ask("wait"), "0x04001");
    siw.must("recv 1 0 64");
  }

  test::PeerProcess ours = test::PeerProcess::of_this_program();
};

// Rules: SIW.37
TEST_P(SiwSurvives, OurProcessIsKilled) {
  ours.kill();
  siw.expect_event("DISCONNECTED");
  siw.expect_flushed(1);
}

// Our socket has unread octets when the process dies, so siw sees a reset.
// Rules: SIW.37
TEST_P(SiwSurvives, OurProcessIsKilledWhileSiwWaitsForIt) {
  ours.stop();
  siw.must("read 2 0 0 1 0");
  siw.expect("done 50", "nothing");
  ours.kill();
  siw.expect_event("DISCONNECTED");
  const std::multiset<std::string> ended{siw.ask("done 10000"), siw.ask("done 10000")};
  for (const std::string& each : ended)
    EXPECT_TRUE(each.ends_with("Work Request Flushed Error")) << each;
  EXPECT_TRUE(ended.begin()->starts_with("1 ") && ended.rbegin()->starts_with("2 "))
      << *ended.begin() << ", " << *ended.rbegin();
}

DATUM_SIW_BOTH_WAYS(SiwSurvives);

} // namespace
} // namespace datum::siw

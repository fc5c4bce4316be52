// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The last messages of an IA that is closed at once, over a wire that delays and loses frames.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "leaver.h"
#include "run.h"
#include "two_hosts.h"

namespace datum::net {
namespace {

using test::Buffer;
using test::expect_connection_event;
using test::expect_dto;
using test::post_recv;
using test::post_send;
using test::post_write;

constexpr std::size_t kPieceSize = 16 * 1024;

// A connection whose active side is on the host `there`: a socket belongs to the namespace in which
// it was made.
std::unique_ptr<test::Leaver> connect_from_there(const TwoHosts& hosts, test::Side& side) {
  const test::Listener listener(side.ia());
  std::unique_ptr<test::Leaver> leaver;
  {
    const Visit visit(hosts.there());
    leaver = std::make_unique<test::Leaver>();
    EXPECT_DAT_OK(test::connect(leaver->side().ep(), listener));
  }
  test::Cr cr = test::expect_request(listener.evd());
  EXPECT_DAT_OK(test::accept(cr, side.ep()));
  for (test::Side* each : {&side, &leaver->side()})
    expect_connection_event(each->connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, each->ep());
  return leaver;
}

// Sends a message that is placed, posts Writes after it that the peer will not read, and closes the
// peer's IA.
void leave_in_the_middle(TwoHosts& hosts, DAT_IA_HANDLE ia, unsigned round) {
  hosts.wire().set_faults("delay=1000");
  test::Side side(ia);
  const Buffer source = side.buffer(kPieceSize);
  const std::unique_ptr<test::Leaver> leaver = connect_from_there(hosts, side);
  test::Side& other = leaver->side();
  const Buffer& target = leaver->buffer(kPieceSize);
  // In each round the wire loses different frames.
  hosts.wire().set_faults("delay=1000 loss=1000 seed=" + std::to_string(first_seed() + round));
  EXPECT_DAT_OK(post_recv(other.ep(), {target.segment()}, 1));
  EXPECT_DAT_OK(post_send(side.ep(), {source.segment(0, 64)}, 1));
  for (DAT_UINT64 i = 2; i < 6; ++i)
    EXPECT_DAT_OK(post_write(side.ep(), {source.segment()}, target.remote(), i));
  expect_dto(other.recv_evd(), other.ep(), 1);
  leaver->leave();
  EXPECT_EQ(expect_dto(side.request_evd(), side.ep(), 1), 64U);
  expect_connection_event(side.connect_evd(), DAT_CONNECTION_EVENT_DISCONNECTED, side.ep());
}

// Rules: net.E12
TEST(NetLastWords, ComeThroughAWireThatDelaysAndLoses) {
  TwoHosts hosts({.impatient = true});
  const test::Ia ia = test::open_ia();
  const unsigned rounds = run_long() ? 600 : 60;
  for (unsigned round = 0; round < rounds && !testing::Test::HasFailure(); ++round)
    leave_in_the_middle(hosts, ia, round);
  EXPECT_GE(hosts.wire().count("lost"), 1U);
}

} // namespace
} // namespace datum::net

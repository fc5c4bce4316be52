// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Every way into DISCONNECTED: exactly one event reports it, and all posted requests and Recvs are
// flushed.
#include "fixture.h"
#include "names.h"
#include "states.h"

namespace datum::test {
namespace {

void abrupt(EpInState& staged) {
  EXPECT_DAT_OK(dat_ep_disconnect(staged.ep(), DAT_CLOSE_ABRUPT_FLAG));
}
void graceful(EpInState& staged) {
  EXPECT_DAT_OK(dat_ep_disconnect(staged.ep(), DAT_CLOSE_GRACEFUL_FLAG));
}
void peer_abrupt(EpInState& staged) {
  EXPECT_DAT_OK(dat_ep_disconnect(staged.peer().ep(), DAT_CLOSE_ABRUPT_FLAG));
  expect_connection_event(staged.peer().connect_evd(), kDisconnected, staged.peer().ep());
}
void peer_graceful(EpInState& staged) {
  EXPECT_DAT_OK(dat_ep_disconnect(staged.peer().ep(), DAT_CLOSE_GRACEFUL_FLAG));
  expect_connection_event(staged.peer().connect_evd(), kDisconnected, staged.peer().ep());
}
// The peer writes to an address where no memory is registered: a fatal error that the side under
// test finds.
void peer_trespasses(EpInState& staged) {
  Side& peer = staged.peer();
  Buffer source = peer.buffer(16);
  ASSERT_DAT_OK(post_write(peer.ep(), {source.segment()}, remote_part(0x7fffff00, 0x1000, 16), 1));
  expect_dto(peer.request_evd(), peer.ep(), 1, DAT_DTO_ERR_REMOTE_ACCESS);
  expect_connection_event(peer.connect_evd(), kBroken, peer.ep());
  EXPECT_EQ(ep_state(peer.ep()), DAT_EP_STATE_DISCONNECTED);
}
void peer_rejects(EpInState& staged) {
  EXPECT_DAT_OK(dat_cr_reject(staged.cr().release()));
}
// The peer's provider refuses: the request is handed off to an EVD that has no room.
void peer_has_no_room(EpInState& staged) {
  const DAT_IA_HANDLE ia = staged.peer().ia();
  const Evd evd =
      create_evd(ia, any_value<DAT_EVD_FLAGS>(DAT_EVD_CR_FLAG | DAT_EVD_SOFTWARE_FLAG), 1);
  const DAT_CONN_QUAL qualifier = free_qualifier();
  const Psp psp = create_psp(ia, qualifier, evd);
  while (post_software_event(evd, nullptr) == DAT_SUCCESS) {
  }
  EXPECT_DAT_OK(dat_cr_handoff(staged.cr().release(), qualifier));
}

struct Way {
  const char* name;
  DAT_EP_STATE from;
  void (*go)(EpInState&);
  DAT_EVENT_NUMBER last;
  int sends; // posted in CONNECTED, without a Recv at the peer
};

const Way kWays[] = {
    {"ApPeerRejects", kAP, peer_rejects, DAT_CONNECTION_EVENT_PEER_REJECTED, 0},
    {"ApPeerHasNoRoom", kAP, peer_has_no_room, DAT_CONNECTION_EVENT_NON_PEER_REJECTED, 0},
    {"ApAbrupt", kAP, abrupt, kDisconnected, 0},
    {"ApGraceful", kAP, graceful, kDisconnected, 0},
    {"CpAbrupt", kCP, abrupt, kDisconnected, 0},
    {"CpGraceful", kCP, graceful, kDisconnected, 0},
    {"CAbrupt", kC, abrupt, kDisconnected, 3},
    {"CGraceful", kC, graceful, kDisconnected, 0},
    {"CPeerAbrupt", kC, peer_abrupt, kDisconnected, 3},
    {"CPeerGraceful", kC, peer_graceful, kDisconnected, 3},
    {"CBroken", kC, peer_trespasses, kBroken, 3},
    {"DpAbrupt", kDP, abrupt, kDisconnected, 0},
    {"DpPeerAbrupt", kDP, peer_abrupt, kDisconnected, 0},
    {"DpPeerGraceful", kDP, peer_graceful, kDisconnected, 0},
    {"DpBroken", kDP, peer_trespasses, kBroken, 0},
};

using RuleIntoDisconnected = testing::TestWithParam<Way>;

// Rules: EPEVENT.5 EPEVENT.6 EPEVENT.10 EPEVENT.11 EPEVENT.12 EPEVENT.13 EPEVENT.15
// Rules: DISC.2 DISC.4 DISC.6 DISC.8 dat_ep_disconnect.R9 dat_ep_disconnect.R10
// Rules: dat_ep_disconnect.R11
TEST_P(RuleIntoDisconnected, OneEventAndEverythingFlushed) {
  const Way& way = GetParam();
  const auto staged = put_ep_in_state(way.from);
  if (staged == nullptr) GTEST_SKIP() << "no way into this state on " << transport();
  Side& side = staged->side();
  Buffer buffer = side.buffer(16);
  for (DAT_UINT64 i = 11; i <= 13; ++i) {
    ASSERT_DAT_OK(post_recv(staged->ep(), {buffer.segment()}, i));
  }
  for (int i = 0; i < way.sends; ++i) {
    ASSERT_DAT_OK(post_send(staged->ep(), {buffer.segment()}, static_cast<DAT_UINT64>(21 + i)));
  }
  way.go(*staged);
  const DAT_CONNECTION_EVENT_DATA data =
      expect_connection_event(side.connect_evd(), way.last, staged->ep());
  EXPECT_EQ(data.private_data_size, 0);
  EXPECT_EQ(ep_state(staged->ep()), DAT_EP_STATE_DISCONNECTED);
  for (DAT_UINT64 i = 11; i <= 13; ++i) {
    expect_dto(side.recv_evd(), staged->ep(), i, DAT_DTO_ERR_FLUSHED);
  }
  for (int i = 0; i < way.sends; ++i) {
    expect_dto(side.request_evd(), staged->ep(), static_cast<DAT_UINT64>(21 + i),
               DAT_DTO_ERR_FLUSHED);
  }
  // The graceful disconnect waited for this Send.
  if (way.from == kDP) expect_dto(side.request_evd(), staged->ep(), 1, DAT_DTO_ERR_FLUSHED);
  EXPECT_NO_EVENT(side.connect_evd());
  EXPECT_NO_EVENT(side.recv_evd());
  EXPECT_NO_EVENT(side.request_evd());
}

INSTANTIATE_TEST_SUITE_P(Ways, RuleIntoDisconnected, testing::ValuesIn(kWays),
                         [](const auto& each) { return std::string(each.param.name); });

// Rules: EPEVENT.8 EPEVENT.15
TEST(RuleIntoDisconnectedByTime, ATimeLimitFlushesTheRecvs) {
  const Ia passive_ia = open_ia();
  const Ia active_ia = open_ia();
  Listener listener(passive_ia);
  Side side(active_ia);
  Buffer buffer = side.buffer(16);
  for (DAT_UINT64 i = 1; i <= 2; ++i) {
    ASSERT_DAT_OK(post_recv(side.ep(), {buffer.segment()}, i));
  }
  ASSERT_DAT_OK(connect(side.ep(), listener, {}, 1000));
  expect_connection_event(side.connect_evd(), DAT_CONNECTION_EVENT_TIMED_OUT, side.ep());
  EXPECT_EQ(ep_state(side.ep()), DAT_EP_STATE_DISCONNECTED);
  for (DAT_UINT64 i = 1; i <= 2; ++i) {
    expect_dto(side.recv_evd(), side.ep(), i, DAT_DTO_ERR_FLUSHED);
  }
  EXPECT_NO_EVENT(side.connect_evd());
  // The request may have been sent already. Then it arrives although its requester no longer waits.
  // No request arrives after the PSP has been freed.
  listener.psp().free();
  DAT_EVENT event{};
  while (dat_evd_dequeue(listener.evd(), &event) == DAT_SUCCESS)
    EXPECT_DAT_OK(dat_cr_reject(event.event_data.cr_arrival_event_data.cr_handle));
}

} // namespace
} // namespace datum::test

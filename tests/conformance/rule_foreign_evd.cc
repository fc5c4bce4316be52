// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Endpoints whose connect EVD belongs to another open IA.
#include <algorithm>
#include <deque>
#include <thread>
#include <vector>

#include "fixture.h"
#include "names.h"
#include "threads.h"

namespace datum::test {
namespace {

// An EP of `ia` whose connect EVD belongs to `far_ia`, and the IA of its peer.
class RuleForeignEvd : public Conformance {
 protected:
  void SetUp() override {
    Conformance::SetUp();
    far_ia = open_ia();
    peer_ia = open_ia();
    pz = create_pz(ia);
    far = create_evd(far_ia, DAT_EVD_CONNECTION_FLAG);
    own = create_evd(ia, DAT_EVD_CONNECTION_FLAG);
    dto = create_evd(ia, DAT_EVD_DTO_FLAG);
    ep = create_ep(ia, pz, dto, dto, far);
  }

  DAT_RETURN modify_connect_evd(DAT_EVD_HANDLE evd) {
    DAT_EP_PARAM param{};
    param.connect_evd_handle = evd;
    return dat_ep_modify(ep, DAT_EP_FIELD_CONNECT_EVD_HANDLE, &param);
  }
  void establish_with(Side& peer) { establish(ep, far, peer.ep(), peer.connect_evd(), peer_ia); }
  void close_far_abruptly() {
    EXPECT_DAT_OK(dat_ia_close(far_ia.release(), DAT_CLOSE_ABRUPT_FLAG));
    far.release();
  }

  Ia far_ia;
  Ia peer_ia;
  Pz pz;
  Evd far;
  Evd own;
  Evd dto;
  Ep ep;
};

// Rules: FOREIGN.1
TEST_F(RuleForeignEvd, EachCallThatGivesAnEpItsConnectEvdTakesIt) {
  EXPECT_EQ(query_ep(ep).connect_evd_handle, far);
  const Srq srq = create_srq(ia, pz);
  const DAT_EP_ATTR attributes = default_attributes(ia);
  Ep with_srq;
  ASSERT_DAT_OK(dat_ep_create_with_srq(ia, pz, dto, dto, far, srq, &attributes, with_srq.out()));
  EXPECT_EQ(query_ep(with_srq).connect_evd_handle, far);
  ASSERT_DAT_OK(modify_connect_evd(own));
  EXPECT_EQ(query_ep(ep).connect_evd_handle, own);
  ASSERT_DAT_OK(modify_connect_evd(far));
  EXPECT_EQ(query_ep(ep).connect_evd_handle, far);
  ASSERT_DAT_OK(modify_connect_evd(far)) << "as it is";
  EXPECT_EQ(query_ep(ep).connect_evd_handle, far);
}

// Rules: FOREIGN.1
TEST_F(RuleForeignEvd, WhatIsNoConnectEvdIsNone) {
  const Evd far_dto = create_evd(far_ia, DAT_EVD_DTO_FLAG);
  Evd freed = create_evd(far_ia, DAT_EVD_CONNECTION_FLAG);
  const DAT_EVD_HANDLE stale = freed;
  freed.free();
  Ep none;
  for (const DAT_EVD_HANDLE bad : {far_dto.get(), far_ia.get(), stale}) {
    EXPECT_DAT_ERROR(dat_ep_create(ia, pz, dto, dto, bad, nullptr, none.out()), DAT_INVALID_HANDLE,
                     DAT_INVALID_HANDLE_EVD_CONN);
    EXPECT_DAT_ERROR(modify_connect_evd(bad), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
  }
  EXPECT_EQ(query_ep(ep).connect_evd_handle, far);
}

// Rules: FOREIGN.1 CONV.2
TEST_F(RuleForeignEvd, ACallThatFailsDoesNotHoldIt) {
  Evd other = create_evd(far_ia, DAT_EVD_CONNECTION_FLAG);
  Ep none;
  EXPECT_DAT_ERROR(dat_ep_create(ia, dto, dto, dto, other, nullptr, none.out()), DAT_INVALID_HANDLE,
                   DAT_INVALID_HANDLE_PZ);
  EXPECT_DAT_ERROR(dat_ep_create(ia, pz, dto, dto, other, nullptr, nullptr), DAT_INVALID_PARAMETER,
                   DAT_INVALID_ARG7);
  Side peer(peer_ia);
  establish_with(peer);
  EXPECT_DAT_ERROR(modify_connect_evd(other), DAT_INVALID_STATE, DAT_INVALID_STATE_EP_CONNECTED);
  EXPECT_DAT_OK(dat_evd_free(other.release()));
}

// Rules: FOREIGN.2
TEST_F(RuleForeignEvd, ActiveSide) {
  Side peer(peer_ia);
  for (int round = 0; round < 3; ++round) {
    const Established seen =
        establish(ep, far, peer.ep(), peer.connect_evd(), peer_ia, "a question", "an answer");
    EXPECT_EQ(seen.reply_data, "an answer");
    ASSERT_DAT_OK(dat_ep_disconnect(peer.ep(), DAT_CLOSE_ABRUPT_FLAG));
    expect_connection_event(far, kDisconnected, ep);
    expect_connection_event(peer.connect_evd(), kDisconnected, peer.ep());
    ASSERT_DAT_OK(dat_ep_reset(ep));
    ASSERT_DAT_OK(dat_ep_reset(peer.ep()));
  }
  EXPECT_NO_EVENT(own);
}

// Rules: FOREIGN.2
TEST_F(RuleForeignEvd, PassiveSide) {
  Side peer(peer_ia);
  establish(peer.ep(), peer.connect_evd(), ep, far, ia);
  ASSERT_DAT_OK(dat_ep_disconnect(ep, DAT_CLOSE_ABRUPT_FLAG));
  DAT_EVENT event{};
  EXPECT_DAT_OK(dat_evd_dequeue(far, &event)) << "the event of a call is there when it returns";
  EXPECT_EQ(event.event_number, kDisconnected);
  EXPECT_EQ(event.event_data.connect_event_data.ep_handle, ep);
}

// Rules: FOREIGN.2
TEST_F(RuleForeignEvd, Refused) {
  ASSERT_DAT_OK(connect(ep, address_of(peer_ia), free_qualifier()));
  expect_connection_event(far, kRefused, ep);
}

// Breaks a dozen EPs in one call: they feed one EVD, which overflows. Returns the numbers of the
// EPs in the order in which their events reach `connect_evd`.
std::vector<std::size_t> order_of_breaking(Ia& ia, Ia& peer_ia, DAT_EVD_HANDLE connect_evd) {
  constexpr std::size_t kEps = 12;
  const Pz pz = create_pz(ia);
  const Evd small = create_evd(ia, DAT_EVD_DTO_FLAG, 1);
  const DAT_COUNT room = query_evd(small).evd_qlen;
  std::vector<Ep> eps;
  std::deque<Side> peers;
  for (std::size_t i = 0; i < kEps; ++i) {
    eps.push_back(create_ep(ia, pz, small, small, connect_evd));
    Side& peer = peers.emplace_back(peer_ia);
    establish(eps.back(), connect_evd, peer.ep(), peer.connect_evd(), peer_ia);
  }
  for (DAT_COUNT i = 0; i <= room; ++i) EXPECT_DAT_OK(post_recv(eps.front(), {}, 1));
  EXPECT_DAT_OK(dat_ep_disconnect(eps.front(), DAT_CLOSE_ABRUPT_FLAG));
  std::vector<std::size_t> order;
  DAT_EVENT event{};
  while (dat_evd_dequeue(connect_evd, &event) == DAT_SUCCESS) {
    const auto about = std::ranges::find(eps, event.event_data.connect_event_data.ep_handle,
                                         [](const Ep& ep) { return ep.get(); });
    order.push_back(static_cast<std::size_t>(about - eps.begin()));
  }
  EXPECT_EQ(order.size(), kEps);
  return order;
}

// Rules: FOREIGN.2
TEST_F(RuleForeignEvd, EventsOfSeveralEpsInOneCallComeInTheOrderOfAnOwnEvd) {
  const std::vector<std::size_t> own_order = order_of_breaking(ia, peer_ia, own);
  EXPECT_EQ(order_of_breaking(ia, peer_ia, far), own_order);
}

// Rules: FOREIGN.2
TEST_F(RuleForeignEvd, TheCnoOfTheOtherIaIsTriggered) {
  const Cno cno = create_cno(far_ia);
  const Evd watched = create_evd(far_ia, DAT_EVD_CONNECTION_FLAG, kQueueLength, cno);
  ASSERT_DAT_OK(modify_connect_evd(watched));
  Side peer(peer_ia);
  Listener listener(peer_ia);
  BlockedCall waiting([&] {
    DAT_EVD_HANDLE fired = DAT_HANDLE_NULL;
    const DAT_RETURN status = dat_cno_wait(cno, kPatience, &fired);
    EXPECT_EQ(fired, watched);
    return status;
  });
  ASSERT_DAT_OK(connect(ep, listener));
  Cr cr = listener.expect_request();
  ASSERT_DAT_OK(accept(cr, peer.ep()));
  EXPECT_DAT_OK(waiting.join());
  expect_connection_event(watched, kEstablished, ep);
  expect_connection_event(peer.connect_evd(), kEstablished, peer.ep());
  ep.free();
}

// Rules: FOREIGN.3
TEST_F(RuleForeignEvd, TheEpKeepsItFromBeingFreed) {
  EXPECT_DAT_ERROR(dat_evd_free(far), DAT_INVALID_STATE, DAT_INVALID_STATE_EVD_IN_USE);
  EXPECT_DAT_ERROR(dat_ia_close(far_ia, DAT_CLOSE_GRACEFUL_FLAG), DAT_INVALID_STATE,
                   DAT_INVALID_STATE_IA_IN_USE);
  ASSERT_DAT_OK(modify_connect_evd(own));
  EXPECT_DAT_OK(dat_evd_free(far.release()));
  far = create_evd(far_ia, DAT_EVD_CONNECTION_FLAG);
  ASSERT_DAT_OK(modify_connect_evd(far));
  ep.free();
  EXPECT_DAT_OK(dat_evd_free(far.release()));
  EXPECT_DAT_OK(dat_ia_close(far_ia.release(), DAT_CLOSE_GRACEFUL_FLAG));
}

// Rules: FOREIGN.3
TEST_F(RuleForeignEvd, ManyEpsLetGoOfItWhenTheirIaIsClosedAbruptly) {
  Ia many_ia = open_ia();
  for (int i = 0; i < 100; ++i)
    create_ep(many_ia, DAT_HANDLE_NULL, DAT_HANDLE_NULL, DAT_HANDLE_NULL, far).release();
  ep.free();
  EXPECT_DAT_ERROR(dat_evd_free(far), DAT_INVALID_STATE, DAT_INVALID_STATE_EVD_IN_USE);
  EXPECT_DAT_OK(dat_ia_close(many_ia.release(), DAT_CLOSE_ABRUPT_FLAG));
  EXPECT_DAT_OK(dat_evd_free(far.release()));
}

// Rules: FOREIGN.4
TEST_F(RuleForeignEvd, WhatAFreedEpHasToldStaysWithoutItsData) {
  Side peer(peer_ia);
  Listener listener(peer_ia);
  ASSERT_DAT_OK(connect(ep, listener));
  Cr cr = listener.expect_request();
  ASSERT_DAT_OK(accept(cr, peer.ep(), "an answer"));
  expect_connection_event(peer.connect_evd(), kEstablished, peer.ep());
  while (ep_state(ep) != kC) std::this_thread::yield();
  const DAT_EP_HANDLE freed = ep;
  ep.free();
  const DAT_CONNECTION_EVENT_DATA seen = expect_connection_event(far, kEstablished, freed);
  EXPECT_EQ(seen.private_data_size, 0);
  EXPECT_EQ(seen.private_data, nullptr);
  EXPECT_NO_EVENT(far);
}

// Rules: FOREIGN.5
TEST_F(RuleForeignEvd, WithItsIaClosedTheEpHasNone) {
  Side peer(peer_ia);
  establish_with(peer);
  close_far_abruptly();
  EXPECT_EQ(query_ep(ep).connect_evd_handle, DAT_HANDLE_NULL);
  Buffer source(ia, pz, 16);
  Buffer sink = peer.buffer(16);
  ASSERT_DAT_OK(post_write(ep, {source.segment()}, sink.remote(), 1));
  expect_dto(dto, ep, 1);
  ASSERT_DAT_OK(dat_ep_disconnect(ep, DAT_CLOSE_ABRUPT_FLAG));
  expect_connection_event(peer.connect_evd(), kDisconnected, peer.ep());
  ASSERT_DAT_OK(dat_ep_reset(ep));
  Listener listener(peer_ia);
  EXPECT_DAT_ERROR(connect(ep, listener), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EVD_CONN);
  ASSERT_DAT_OK(modify_connect_evd(own));
  ASSERT_DAT_OK(dat_ep_reset(peer.ep()));
  establish(ep, own, peer.ep(), peer.connect_evd(), peer_ia);
}

// Rules: FOREIGN.6
TEST_F(RuleForeignEvd, AnEventThatFindsItFull) {
  const Evd full = create_evd(
      far_ia, static_cast<DAT_EVD_FLAGS>(DAT_EVD_CONNECTION_FLAG | DAT_EVD_SOFTWARE_FLAG), 1);
  const DAT_COUNT room = query_evd(full).evd_qlen;
  for (DAT_COUNT i = 0; i < room; ++i) EXPECT_DAT_OK(post_software_event(full, nullptr));
  ASSERT_DAT_OK(modify_connect_evd(full));
  Side peer(peer_ia);
  Listener listener(peer_ia);
  ASSERT_DAT_OK(connect(ep, listener));
  Cr cr = listener.expect_request();
  ASSERT_DAT_OK(accept(cr, peer.ep()));
  const DAT_EVENT lost = expect_event(async_evd_of(far_ia), DAT_ASYNC_ERROR_EVD_OVERFLOW);
  EXPECT_EQ(lost.event_data.asynch_error_event_data.dat_handle, full);
  // The consumer would never learn of the connection, so the provider ends it.
  expect_connection_event(peer.connect_evd(), kEstablished, peer.ep());
  expect_connection_event(peer.connect_evd(), kDisconnected, peer.ep());
  EXPECT_EQ(ep_state(ep), kD);
  EXPECT_EQ(drain(full), room);
  ep.free();
}

// Four EPs of one IA whose EVD belongs to another IA, and four peers that accept their requests.
// When an IA is closed, its requests are withdrawn.
class Crowd {
 public:
  Crowd() {
    for (Ep& ep : eps_) {
      ep = create_ep(ep_ia, pz_, DAT_HANDLE_NULL, DAT_HANDLE_NULL, evd);
      EXPECT_DAT_OK(connect(ep, address_of(peer_ia_), qualifier_, "a question"));
    }
  }
  ~Crowd() {
    for (Side& peer : peers_) peer.give_up();
    psp_.release();
    requests_.release();
    EXPECT_DAT_OK(dat_ia_close(peer_ia_.release(), DAT_CLOSE_ABRUPT_FLAG));
  }
  Crowd(const Crowd&) = delete;
  Crowd& operator=(const Crowd&) = delete;

  void meet_peers(bool part) {
    DAT_COUNT more = 0;
    DAT_EVENT event{};
    for (Side& peer : peers_) {
      if (dat_evd_wait(requests_, kQuiet, 1, &event, &more) != DAT_SUCCESS) return;
      Cr cr(event.event_data.cr_arrival_event_data.cr_handle);
      EXPECT_DAT_OK(accept(cr, peer.ep(), "an answer"));
      if (part) {
        EXPECT_DAT_OK(dat_ep_disconnect(peer.ep(), DAT_CLOSE_ABRUPT_FLAG));
      }
    }
  }
  // Takes all events. How many events there are depends on the moment of the close.
  static void read(DAT_EVD_HANDLE evd) {
    DAT_COUNT more = 0;
    DAT_EVENT event{};
    while (dat_evd_wait(evd, kQuiet, 1, &event, &more) == DAT_SUCCESS) continue;
  }
  void close_that_of_the_evd() {
    EXPECT_DAT_OK(dat_ia_close(evd_ia.release(), DAT_CLOSE_ABRUPT_FLAG));
    evd.release();
  }
  void close_that_of_the_eps() {
    EXPECT_DAT_OK(dat_ia_close(ep_ia.release(), DAT_CLOSE_ABRUPT_FLAG));
    for (Ep& ep : eps_) ep.release();
    pz_.release();
  }

  Ia ep_ia = open_ia();
  Ia evd_ia = open_ia();
  Evd evd = create_evd(evd_ia, DAT_EVD_CONNECTION_FLAG);

 private:
  DAT_CONN_QUAL qualifier_ = free_qualifier();
  Ia peer_ia_ = open_ia();
  Evd requests_ = create_evd(peer_ia_, DAT_EVD_CR_FLAG);
  Psp psp_ = create_psp(peer_ia_, qualifier_, requests_);
  Side peers_[4] = {Side(peer_ia_), Side(peer_ia_), Side(peer_ia_), Side(peer_ia_)};
  Pz pz_ = create_pz(ep_ia);
  Ep eps_[4];
};

// The parameter says which IA the test closes while connections come and go: true for the IA of the
// EVD, false for the IA of the EPs.
class RuleForeignEvdClosed : public testing::TestWithParam<bool> {};

// Rules: FOREIGN.7
TEST_P(RuleForeignEvdClosed, AtAnyMoment) {
  for (int round = 0; round < 20; ++round) {
    Crowd crowd;
    std::thread peers([&] { crowd.meet_peers(round % 2 == 0); });
    std::thread reader(&Crowd::read, crowd.evd.get());
    for (int i = 0; i < 50 * round; ++i) std::this_thread::yield();
    if (GetParam())
      crowd.close_that_of_the_evd();
    else
      crowd.close_that_of_the_eps();
    reader.join();
    peers.join();
    // The events that were under way have arrived, and no EP feeds the EVD any more.
    if (!GetParam()) crowd.evd.free();
  }
}

INSTANTIATE_TEST_SUITE_P(Each, RuleForeignEvdClosed, testing::Bool(), [](const auto& closed) {
  return closed.param ? "TheOneOfTheEvd" : "TheOneOfTheEps";
});

// Rules: FOREIGN.7
TEST_F(RuleForeignEvd, TwoIasTellEachOther) {
  constexpr int kRounds = 50;
  Side here(ia);
  Side there(far_ia);
  const Evd near = create_evd(ia, DAT_EVD_CONNECTION_FLAG);
  Ep crossing[2] = {create_ep(ia, here.pz(), DAT_HANDLE_NULL, DAT_HANDLE_NULL, far),
                    create_ep(far_ia, there.pz(), DAT_HANDLE_NULL, DAT_HANDLE_NULL, near)};
  const DAT_EVD_HANDLE told[2] = {far, near};
  Side peers[2] = {Side(peer_ia), Side(peer_ia)};
  Listener listeners[2] = {Listener(peer_ia), Listener(peer_ia)};
  std::thread threads[2];
  for (std::size_t i = 0; i < 2; ++i) {
    threads[i] = std::thread([&, i] {
      for (int round = 0; round < kRounds && !HasFailure(); ++round) {
        EXPECT_DAT_OK(connect(crossing[i], listeners[i]));
        Cr cr = listeners[i].expect_request();
        EXPECT_DAT_OK(accept(cr, peers[i].ep()));
        expect_connection_event(told[i], kEstablished, crossing[i]);
        expect_connection_event(peers[i].connect_evd(), kEstablished, peers[i].ep());
        EXPECT_DAT_OK(
            dat_ep_disconnect(round % 2 == 0 ? crossing[i] : peers[i].ep(), DAT_CLOSE_ABRUPT_FLAG));
        expect_connection_event(told[i], kDisconnected, crossing[i]);
        expect_connection_event(peers[i].connect_evd(), kDisconnected, peers[i].ep());
        EXPECT_DAT_OK(dat_ep_reset(crossing[i]));
        EXPECT_DAT_OK(dat_ep_reset(peers[i].ep()));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

} // namespace
} // namespace datum::test

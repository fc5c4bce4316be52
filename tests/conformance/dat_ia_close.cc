// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat_ia_close(3DAT): a graceful close succeeds only if no object is left; an abrupt close destroys
// all.
#include <atomic>

#include "belongings.h"
#include "each_kind.h"
#include "fixture.h"
#include "threads.h"

namespace datum::test {
namespace {

using DatIaClose = Conformance;

void expect_ia_in_use(DAT_IA_HANDLE ia) {
  EXPECT_DAT_ERROR(dat_ia_close(ia, DAT_CLOSE_GRACEFUL_FLAG), DAT_INVALID_STATE,
                   DAT_INVALID_STATE_IA_IN_USE);
}

void close_abruptly(Ia& ia) {
  EXPECT_DAT_OK(dat_ia_close(ia.release(), DAT_CLOSE_ABRUPT_FLAG));
}

// Rules: dat_ia_close.R1 dat_ia_close.R2 dat_ia_close.R3 dat_ia_close.R24
TEST_F(DatIaClose, BadHandles) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_IA, [](DAT_HANDLE handle) {
    return dat_ia_close(handle, DAT_CLOSE_ABRUPT_FLAG);
  });
}

TEST_F(DatIaClose, R4UnknownFlag) {
  EXPECT_DAT_ERROR(dat_ia_close(ia, any_value<DAT_CLOSE_FLAGS>(2)), DAT_INVALID_PARAMETER,
                   DAT_INVALID_ARG2);
  const Pz still_open = create_pz(ia);
}

TEST_F(DatIaClose, R5GracefulWithoutObjects) {
  EXPECT_DAT_OK(dat_ia_close(ia.release(), DAT_CLOSE_GRACEFUL_FLAG));
}

TEST_F(DatIaClose, R6APzIsLeft) {
  const Pz pz = create_pz(ia);
  expect_ia_in_use(ia);
  DAT_PZ_PARAM param{};
  EXPECT_DAT_OK(dat_pz_query(pz, DAT_PZ_FIELD_ALL, &param)) << "nothing was destroyed";
}

TEST_F(DatIaClose, R7AnEvdIsLeft) {
  const Evd evd = create_evd(ia, DAT_EVD_SOFTWARE_FLAG);
  expect_ia_in_use(ia);
  EXPECT_DAT_OK(post_software_event(evd, nullptr)) << "nothing was destroyed";
}

TEST_F(DatIaClose, R8ACnoIsLeft) {
  const Cno cno = create_cno(ia);
  expect_ia_in_use(ia);
}

TEST_F(DatIaClose, R9AnEpIsLeft) {
  const Ep ep = create_ep(ia, DAT_HANDLE_NULL, DAT_HANDLE_NULL, DAT_HANDLE_NULL, DAT_HANDLE_NULL);
  expect_ia_in_use(ia);
  EXPECT_EQ(ep_state(ep), DAT_EP_STATE_UNCONNECTED);
}

// Rules: dat_ia_close.R10 dat_ia_close.R11 dat_ia_close.R12 dat_ia_close.R13 dat_ia_close.R14
TEST_F(DatIaClose, OneOfEachIsLeft) {
  const EachKind objects(ia);
  expect_ia_in_use(ia);
  for (const auto& [kind, handle] : objects.handles()) {
    DAT_HANDLE_TYPE type{};
    EXPECT_DAT_OK(dat_get_handle_type(handle, &type)) << "kind " << kind << " was destroyed";
  }
}

TEST_F(DatIaClose, R15AnUnansweredRequestIsLeft) {
  const Ia requester_ia = open_ia();
  Side requester(requester_ia);
  Cr cr;
  {
    Listener listener(ia);
    ASSERT_DAT_OK(connect(requester.ep(), listener));
    cr = listener.expect_request();
  }
  expect_ia_in_use(ia);
}

// Rules: dat_ia_close.R16 dat_ia_close.R17 HANDLE.2
TEST_F(DatIaClose, AbruptDestroysOneOfEach) {
  EachKind objects(ia);
  const auto handles = objects.handles();
  close_abruptly(ia);
  objects.give_up();
  for (const auto& [kind, handle] : handles) {
    DAT_HANDLE_TYPE type{};
    EXPECT_DAT_TYPE(dat_get_handle_type(handle, &type), DAT_INVALID_HANDLE) << "kind " << kind;
  }
}

TEST_F(DatIaClose, R18AnEvdWaiterGetsAbort) {
  Evd evd = create_evd(ia, DAT_EVD_SOFTWARE_FLAG);
  BlockedCall waiter([handle = evd.release()] {
    DAT_EVENT event{};
    DAT_COUNT left = 0;
    return dat_evd_wait(handle, DAT_TIMEOUT_INFINITE, 1, &event, &left);
  });
  close_abruptly(ia);
  EXPECT_DAT_TYPE(waiter.join(), DAT_ABORT);
}

TEST_F(DatIaClose, R19ACnoWaiterGetsNull) {
  Cno cno = create_cno(ia);
  DAT_EVD_HANDLE fired = ia; // anything but null
  BlockedCall waiter([&fired, handle = cno.release()] {
    return dat_cno_wait(handle, DAT_TIMEOUT_INFINITE, &fired);
  });
  close_abruptly(ia);
  EXPECT_DAT_OK(waiter.join());
  EXPECT_EQ(fired, DAT_HANDLE_NULL);
}

// Rules: THREAD.11
TEST_F(DatIaClose, AbruptEndsSeveralWaiters) {
  Evd evd = create_evd(ia, DAT_EVD_SOFTWARE_FLAG);
  Cno cno = create_cno(ia);
  const auto wait_cno = [handle = cno.release()] {
    DAT_EVD_HANDLE fired = DAT_HANDLE_NULL;
    return dat_cno_wait(handle, DAT_TIMEOUT_INFINITE, &fired);
  };
  BlockedCall evd_waiter([handle = evd.release()] {
    DAT_EVENT event{};
    DAT_COUNT left = 0;
    return dat_evd_wait(handle, DAT_TIMEOUT_INFINITE, 1, &event, &left);
  });
  BlockedCall first(wait_cno);
  BlockedCall second(wait_cno);
  close_abruptly(ia);
  EXPECT_DAT_TYPE(evd_waiter.join(), DAT_ABORT);
  EXPECT_DAT_OK(first.join());
  EXPECT_DAT_OK(second.join());
}

TEST_F(DatIaClose, R20AnArmedAgentIsReleased) {
  struct Call {
    int count = 0;
    DAT_EVD_HANDLE evd = &count;
  } call;
  const DAT_OS_WAIT_PROXY_AGENT agent{&call, [](DAT_PVOID data, DAT_EVD_HANDLE evd) {
                                        auto* seen = static_cast<Call*>(data);
                                        ++seen->count;
                                        seen->evd = evd;
                                      }};
  create_cno(ia, agent).release();
  close_abruptly(ia);
  EXPECT_EQ(call.count, 1);
  EXPECT_EQ(call.evd, DAT_HANDLE_NULL);
}

// An agent that closes an IA and keeps the answers. A thread of the library may run it, so `calls`
// counts a call at its end: the answers can be read then.
struct Closer {
  DAT_IA_HANDLE ia = DAT_HANDLE_NULL;
  DAT_RETURN graceful = DAT_SUCCESS;
  DAT_RETURN abrupt = DAT_SUCCESS;
  std::atomic<int> calls = 0;
  DAT_OS_WAIT_PROXY_AGENT agent() {
    return {this, [](DAT_PVOID data, DAT_EVD_HANDLE) {
              auto* self = static_cast<Closer*>(data);
              self->graceful = dat_ia_close(self->ia, DAT_CLOSE_GRACEFUL_FLAG);
              self->abrupt = dat_ia_close(self->ia, DAT_CLOSE_ABRUPT_FLAG);
              ++self->calls;
            }};
  }
};

// Rules: dat_ia_close.R28
TEST_F(DatIaClose, AnAgentCannotCloseItsOwnIa) {
  Closer closer{ia};
  const Cno cno = create_cno(ia, closer.agent());
  const Evd evd = create_evd(ia, DAT_EVD_SOFTWARE_FLAG, kQueueLength, cno);
  EXPECT_DAT_OK(post_software_event(evd, pointer_value(1)));
  ASSERT_EQ(closer.calls, 1);
  EXPECT_DAT_ERROR(closer.graceful, DAT_INVALID_STATE, DAT_INVALID_STATE_IA_IN_USE);
  EXPECT_DAT_ERROR(closer.abrupt, DAT_INVALID_STATE, DAT_INVALID_STATE_IA_IN_USE);
  EXPECT_EQ(expect_software_event(evd), pointer_value(1)) << "nothing was closed";
}

// Rules: dat_ia_close.R28
TEST_F(DatIaClose, NorCanAnAgentThatRunsInsideAWait) {
  const Ia peer_ia = open_ia();
  Closer closer{ia};
  const Cno cno = create_cno(ia, closer.agent());
  SideOptions options;
  options.cno = cno;
  Side side(ia, options);
  Side peer(peer_ia);
  Listener listener(peer_ia);
  const Evd other = create_evd(ia, DAT_EVD_SOFTWARE_FLAG);
  ASSERT_DAT_OK(connect(side.ep(), listener));
  Cr cr = listener.expect_request();
  ASSERT_DAT_OK(accept(cr, peer.ep()));
  // The thread that completes the connection calls the agent: either this thread, as it waits, or
  // one of the library.
  while (ep_state(side.ep()) != DAT_EP_STATE_CONNECTED || closer.calls == 0) {
    DAT_EVENT event{};
    DAT_COUNT left = 0;
    EXPECT_DAT_TYPE(dat_evd_wait(other, 1000, 1, &event, &left), DAT_TIMEOUT_EXPIRED);
  }
  EXPECT_DAT_ERROR(closer.graceful, DAT_INVALID_STATE, DAT_INVALID_STATE_IA_IN_USE);
  EXPECT_DAT_ERROR(closer.abrupt, DAT_INVALID_STATE, DAT_INVALID_STATE_IA_IN_USE);
}

// Rules: dat_ia_close.R29
TEST_F(DatIaClose, AnAgentMayCloseAnotherIa) {
  Ia other = open_ia();
  Closer closer{other.release()};
  const Cno cno = create_cno(ia, closer.agent());
  const Evd evd = create_evd(ia, DAT_EVD_SOFTWARE_FLAG, kQueueLength, cno);
  EXPECT_DAT_OK(post_software_event(evd, nullptr));
  EXPECT_DAT_OK(closer.graceful);
  EXPECT_DAT_TYPE(closer.abrupt, DAT_INVALID_HANDLE) << "it is closed already";
}

TEST_F(DatIaClose, R21ConnectedPeersNotice) {
  Side passive(ia);
  Ia active_ia = open_ia();
  auto active = std::make_unique<Side>(active_ia);
  establish(*active, passive);
  EXPECT_DAT_OK(dat_ia_close(active_ia.get(), DAT_CLOSE_ABRUPT_FLAG));
  const DAT_EVENT event = next_event(passive.connect_evd());
  EXPECT_TRUE(event.event_number == DAT_CONNECTION_EVENT_DISCONNECTED ||
              event.event_number == DAT_CONNECTION_EVENT_BROKEN)
      << std::hex << event.event_number;
  active_ia.release();
  active->give_up();
}

TEST_F(DatIaClose, R22TheAutomaticAsyncEvdIsDestroyed) {
  for (const DAT_CLOSE_FLAGS flag : {DAT_CLOSE_GRACEFUL_FLAG, DAT_CLOSE_ABRUPT_FLAG}) {
    Ia opened = open_ia();
    DAT_EVD_HANDLE async_evd = DAT_HANDLE_NULL;
    ASSERT_DAT_OK(dat_ia_query(opened, &async_evd, 0, nullptr, 0, nullptr));
    EXPECT_DAT_OK(dat_ia_close(opened.release(), flag));
    DAT_EVD_PARAM param{};
    EXPECT_DAT_TYPE(dat_evd_query(async_evd, DAT_EVD_FIELD_ALL, &param), DAT_INVALID_HANDLE);
  }
}

TEST_F(DatIaClose, R23ASuppliedAsyncEvdIsLeftAlone) {
  DAT_EVD_HANDLE async_evd = DAT_HANDLE_NULL;
  ASSERT_DAT_OK(dat_ia_query(ia, &async_evd, 0, nullptr, 0, nullptr));
  Ia opened;
  ASSERT_DAT_OK(dat_ia_open(const_cast<char*>(ia_name().c_str()), 8, &async_evd, opened.out()));
  EXPECT_DAT_OK(dat_ia_close(opened.release(), DAT_CLOSE_GRACEFUL_FLAG));
  EXPECT_EQ(query_evd(async_evd).ia_handle, ia);
}

TEST_F(DatIaClose, R24TheNameOpensAgain) {
  EXPECT_DAT_OK(dat_ia_close(ia.release(), DAT_CLOSE_GRACEFUL_FLAG));
  ia = open_ia();
  const Pz pz = create_pz(ia);
}

TEST_F(DatIaClose, R25AnotherInstanceWorksOn) {
  Ia second = open_ia();
  Side side(ia);
  close_abruptly(second);
  Ia third = open_ia();
  Side other(third);
  establish(other, side);
}

TEST_F(DatIaClose, R27NothingIsLeftAfterManyOpens) {
  EXPECT_DAT_OK(dat_ia_close(ia.release(), DAT_CLOSE_GRACEFUL_FLAG));
  const auto round = [] {
    Ia opened = open_ia();
    EachKind objects(opened);
    objects.give_up();
    EXPECT_DAT_OK(dat_ia_close(opened.release(), DAT_CLOSE_ABRUPT_FLAG));
  };
  round(); // makes what the process keeps for good
  const std::ptrdiff_t descriptors = descriptors_in_use();
  const std::ptrdiff_t threads = threads_alive();
  for (int i = 0; i < 20; ++i) round();
  EXPECT_EQ(descriptors_in_use(), descriptors);
  EXPECT_EQ(threads_alive(), threads);
  ia = open_ia();
}

} // namespace
} // namespace datum::test

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Attributes of endpoints that strict mode (DATUM_STRICT=on) and default mode treat differently:
// flags that share an EVD, and SUPPRESS.
#include <memory>

#include "fixture.h"
#include "names.h"
#include "threads.h"
#include "variable.h"

namespace datum::test {
namespace {

constexpr auto kSuppress = DAT_COMPLETION_SUPPRESS_FLAG;
constexpr auto kFlagFields =
    DAT_EP_FIELD_EP_ATTR_RECV_COMPLETION_FLAGS | DAT_EP_FIELD_EP_ATTR_REQUEST_COMPLETION_FLAGS;

Ia open_in_mode(const char* strict) {
  const Variable mode("DATUM_STRICT", strict);
  return open_ia();
}

DAT_EP_ATTR with_flags(DAT_IA_HANDLE ia, DAT_COMPLETION_FLAGS recv, DAT_COMPLETION_FLAGS request) {
  DAT_EP_ATTR attributes = default_attributes(ia);
  attributes.recv_completion_flags = recv;
  attributes.request_completion_flags = request;
  return attributes;
}

// One EVD that gets the completions of both directions of all EPs of an IA. The IA was opened in
// strict or in default mode.
class OneEvd {
 public:
  explicit OneEvd(const char* strict)
      : ia(open_in_mode(strict)), pz(create_pz(ia)), evd(create_evd(ia, kRequestStreams)) {}

  DAT_RETURN add(Ep& ep, DAT_COMPLETION_FLAGS recv, DAT_COMPLETION_FLAGS request) const {
    const DAT_EP_ATTR attributes = with_flags(ia, recv, request);
    return dat_ep_create(ia, pz, evd, evd, DAT_HANDLE_NULL, &attributes, ep.out());
  }
  DAT_RETURN add_with_srq(Ep& ep, const Srq& srq, DAT_COMPLETION_FLAGS recv,
                          DAT_COMPLETION_FLAGS request) const {
    const DAT_EP_ATTR attributes = with_flags(ia, recv, request);
    return dat_ep_create_with_srq(ia, pz, evd, evd, DAT_HANDLE_NULL, srq, &attributes, ep.out());
  }
  // Changes the flags of an EP whose completions of both directions go to `evd`.
  static DAT_RETURN modify(const Ep& ep, DAT_COMPLETION_FLAGS recv, DAT_COMPLETION_FLAGS request) {
    DAT_EP_PARAM param = query_ep(ep);
    param.ep_attr.recv_completion_flags = recv;
    param.ep_attr.request_completion_flags = request;
    return dat_ep_modify(ep, kFlagFields, &param);
  }

  Ia ia;
  Pz pz;
  Evd evd;
};

// Rules: SHARE.5 dat_ep_create.R38
TEST(RuleLeniencies, StrictModeKeepsUnsignalledRequestsFromRecvs) {
  const OneEvd one("on");
  Ep ep;
  EXPECT_DAT_ERROR(one.add(ep, kDefault, kUnsignalled), DAT_INVALID_PARAMETER, DAT_INVALID_ARG6);
  EXPECT_DAT_ERROR(one.add(ep, kThreshold, kUnsignalled), DAT_INVALID_PARAMETER, DAT_INVALID_ARG6);
  const Srq srq = create_srq(one.ia, one.pz);
  EXPECT_DAT_ERROR(one.add_with_srq(ep, srq, kDefault, kUnsignalled), DAT_INVALID_PARAMETER,
                   DAT_INVALID_ARG7);
}

// Rules: dat_ep_modify.R23 SHARE.8
TEST(RuleLeniencies, StrictModeKeepsThemApartAtModify) {
  const OneEvd one("on");
  Ep ep;
  ASSERT_DAT_OK(one.add(ep, kDefault, kDefault));
  EXPECT_DAT_ERROR(OneEvd::modify(ep, kDefault, kUnsignalled), DAT_INVALID_PARAMETER,
                   DAT_INVALID_ARG3);
  EXPECT_EQ(query_ep(ep).ep_attr.request_completion_flags, kDefault);
}

// Rules: SHARE.5.default dat_ep_create.R38.default
TEST(RuleLeniencies, UnsignalledRequestsBesideRecvsOfAnyNumberOfEqualEps) {
  const OneEvd one("off");
  const Srq srq = create_srq(one.ia, one.pz);
  Ep eps[3];
  EXPECT_DAT_OK(one.add(eps[0], kDefault, kUnsignalled));
  EXPECT_DAT_OK(one.add(eps[1], kDefault, kUnsignalled));
  EXPECT_DAT_OK(one.add_with_srq(eps[2], srq, kDefault, kUnsignalled));
  EXPECT_EQ(query_ep(eps[1]).ep_attr.recv_completion_flags, kDefault);
  EXPECT_EQ(query_ep(eps[1]).ep_attr.request_completion_flags, kUnsignalled);
}

// Rules: dat_ep_modify.R23.default
TEST(RuleLeniencies, UnsignalledRequestsBesideRecvsByModify) {
  const OneEvd one("off");
  Ep first;
  ASSERT_DAT_OK(one.add(first, kDefault, kDefault));
  EXPECT_DAT_OK(OneEvd::modify(first, kDefault, kUnsignalled));
  EXPECT_EQ(query_ep(first).ep_attr.request_completion_flags, kUnsignalled);
  Ep equal;
  EXPECT_DAT_OK(one.add(equal, kDefault, kUnsignalled));
  EXPECT_DAT_ERROR(OneEvd::modify(equal, kDefault, kDefault), DAT_INVALID_PARAMETER,
                   DAT_INVALID_ARG3)
      << "the other one is not like that";
}

// Rules: SHARE.1 SHARE.2 SHARE.6
TEST(RuleLeniencies, EpsThatDifferStayApart) {
  const OneEvd one("off");
  Ep first;
  ASSERT_DAT_OK(one.add(first, kDefault, kUnsignalled));
  Ep other;
  for (const DAT_COMPLETION_FLAGS recv : {kDefault, kUnsignalled, kSolicited}) {
    for (const DAT_COMPLETION_FLAGS request : {kDefault, kUnsignalled}) {
      if (recv == kDefault && request == kUnsignalled) continue;
      EXPECT_DAT_ERROR(one.add(other, recv, request), DAT_INVALID_PARAMETER, DAT_INVALID_ARG6)
          << recv << " and " << request;
    }
  }
}

// Rules: SHARE.5 SHARE.6 SHARE.4
TEST(RuleLeniencies, OtherMixturesStayRefused) {
  OneEvd one("off");
  Ep ep;
  EXPECT_DAT_TYPE(one.add(ep, kUnsignalled, kDefault), DAT_INVALID_PARAMETER);
  EXPECT_DAT_TYPE(one.add(ep, kSolicited, kUnsignalled), DAT_INVALID_PARAMETER);
  EXPECT_DAT_TYPE(one.add(ep, kSolicited, kDefault), DAT_INVALID_PARAMETER);
  one.evd = create_evd(one.ia, kEveryStream);
  EXPECT_DAT_TYPE(one.add(ep, kDefault, kUnsignalled), DAT_INVALID_PARAMETER);
}

// Rules: SHARE.5 SHARE.5.default dat_ep_modify.R23
TEST(RuleLeniencies, RecvsOfEvdThresholdStayApart) {
  const OneEvd one("off");
  const Srq srq = create_srq(one.ia, one.pz);
  Ep ep;
  EXPECT_DAT_ERROR(one.add(ep, kThreshold, kUnsignalled), DAT_INVALID_PARAMETER, DAT_INVALID_ARG6);
  EXPECT_DAT_ERROR(one.add_with_srq(ep, srq, kThreshold, kUnsignalled), DAT_INVALID_PARAMETER,
                   DAT_INVALID_ARG7);
  ASSERT_DAT_OK(one.add(ep, kDefault, kUnsignalled));
  EXPECT_DAT_ERROR(OneEvd::modify(ep, kThreshold, kUnsignalled), DAT_INVALID_PARAMETER,
                   DAT_INVALID_ARG3);
  Ep other;
  EXPECT_DAT_ERROR(one.add(other, kThreshold, kUnsignalled), DAT_INVALID_PARAMETER,
                   DAT_INVALID_ARG6);
}

// Two EPs, each with UNSIGNALLED requests and DEFAULT Recvs on one EVD of its IA.
class MixedPair {
 public:
  MixedPair() {
    const Variable mode("DATUM_STRICT", "off");
    PairOptions options;
    options.connected = false;
    for (SideOptions* side : {&options.active, &options.passive}) {
      side->evds = Evds::kNoDto;
      side->change = [](DAT_EP_ATTR& a) {
        a.recv_completion_flags = kDefault;
        a.request_completion_flags = kUnsignalled;
      };
    }
    pair = std::make_unique<ConnectedPair>(options);
    active_evd = feed(pair->active(), active_cno);
    passive_evd = feed(pair->passive(), passive_cno);
    establish(pair->active(), pair->passive());
    source = std::make_unique<Buffer>(pair->active().buffer(64));
    sink = std::make_unique<Buffer>(pair->passive().buffer(64));
  }

  DAT_EP_HANDLE active() const { return pair->active().ep(); }
  DAT_EP_HANDLE passive() const { return pair->passive().ep(); }
  void recv(DAT_EP_HANDLE ep, const Buffer& into, DAT_UINT64 number) const {
    EXPECT_DAT_OK(post_recv(ep, {into.segment()}, number));
  }

  std::unique_ptr<ConnectedPair> pair;
  Cno active_cno;
  Cno passive_cno;
  Evd active_evd;
  Evd passive_evd;
  std::unique_ptr<Buffer> source;
  std::unique_ptr<Buffer> sink;

 private:
  static Evd feed(Side& side, Cno& cno) {
    cno = create_cno(side.ia());
    Evd evd = create_evd(side.ia(), kRequestStreams, kQueueLength, cno);
    DAT_EP_PARAM param = query_ep(side.ep());
    param.recv_evd_handle = evd;
    param.request_evd_handle = evd;
    EXPECT_DAT_OK(dat_ep_modify(
        side.ep(), DAT_EP_FIELD_RECV_EVD_HANDLE | DAT_EP_FIELD_REQUEST_EVD_HANDLE, &param));
    return evd;
  }
};

class MixedEvd : public testing::Test {
 protected:
  void TearDown() override {
    // The EPs feed the EVDs.
    mixed.pair->active().ep().free();
    mixed.pair->passive().ep().free();
  }

  MixedPair mixed;
};

// Rules: SHARE.10
TEST_F(MixedEvd, ARequestTriggersNobodyAndARecvDoes) {
  mixed.recv(mixed.passive(), *mixed.sink, 1);
  EXPECT_DAT_OK(post_send(mixed.active(), {mixed.source->segment(0, 8)}, 10, kUnsignalled));
  poll_dto(mixed.active_evd, mixed.active(), 10);
  EXPECT_UNTRIGGERED(mixed.active_cno);
  EXPECT_TRIGGERED(mixed.passive_cno, mixed.passive_evd);
  poll_dto(mixed.passive_evd, mixed.passive(), 1);
}

// Rules: SHARE.10
TEST_F(MixedEvd, ARequestWakesNobodyAndARecvDoes) {
  const Buffer back = mixed.pair->active().buffer(64);
  mixed.recv(mixed.active(), back, 1);
  mixed.recv(mixed.passive(), *mixed.sink, 2);
  DAT_EVENT event{};
  DAT_COUNT left = -1;
  BlockedCall waiter([&] { return dat_evd_wait(mixed.active_evd, kPatience, 1, &event, &left); });
  EXPECT_DAT_OK(post_send(mixed.active(), {mixed.source->segment(0, 8)}, 10, kUnsignalled));
  poll_dto(mixed.passive_evd, mixed.passive(), 2);
  DAT_BOOLEAN idle = DAT_FALSE;
  while (idle == DAT_FALSE)
    ASSERT_DAT_OK(dat_ep_get_status(mixed.active(), nullptr, nullptr, &idle));
  EXPECT_FALSE(waiter.is_over());
  EXPECT_DAT_OK(post_send(mixed.passive(), {mixed.sink->segment(0, 8)}, 20, kUnsignalled));
  EXPECT_DAT_OK(waiter.join());
  EXPECT_EQ(event.event_data.dto_completion_event_data.user_cookie.as_64, 10U);
  EXPECT_EQ(left, 1) << "the Recv woke it";
  EXPECT_DAT_OK(dat_evd_wait(mixed.active_evd, 0, 1, &event, &left));
  EXPECT_EQ(event.event_data.dto_completion_event_data.user_cookie.as_64, 1U);
}

// Rules: SHARE.10 dat_evd_wait.R12
TEST_F(MixedEvd, AThresholdAboveOneStaysRefused) {
  DAT_EVENT event{};
  DAT_COUNT left = 0;
  EXPECT_DAT_ERROR(dat_evd_wait(mixed.active_evd, 0, 2, &event, &left), DAT_INVALID_STATE,
                   DAT_INVALID_STATE_EVD_CONFIG_NOTIFY);
}

// Rules: dat_ep_create.R32
TEST(RuleLeniencies, StrictModeRefusesSuppressInAttributes) {
  const OneEvd one("on");
  Ep ep;
  EXPECT_DAT_ERROR(one.add(ep, kDefault, kSuppress), DAT_INVALID_PARAMETER, DAT_INVALID_ARG6);
  const Srq srq = create_srq(one.ia, one.pz);
  EXPECT_DAT_ERROR(one.add_with_srq(ep, srq, kDefault, kSuppress), DAT_INVALID_PARAMETER,
                   DAT_INVALID_ARG7);
  ASSERT_DAT_OK(one.add(ep, kDefault, kDefault));
  EXPECT_DAT_ERROR(OneEvd::modify(ep, kDefault, kSuppress), DAT_INVALID_PARAMETER,
                   DAT_INVALID_ARG3);
}

// Rules: dat_ep_create.R32.default
TEST(RuleLeniencies, SuppressInAttributesIsReportedAndSharesAsDefault) {
  const OneEvd one("off");
  const Srq srq = create_srq(one.ia, one.pz);
  Ep eps[4];
  EXPECT_DAT_OK(one.add(eps[0], kDefault, kSuppress));
  EXPECT_EQ(query_ep(eps[0]).ep_attr.request_completion_flags, kSuppress);
  EXPECT_DAT_OK(one.add(eps[1], kDefault, kDefault));
  EXPECT_DAT_OK(one.add_with_srq(eps[2], srq, kThreshold, kSuppress));
  EXPECT_DAT_OK(OneEvd::modify(eps[1], kDefault, kSuppress));
  EXPECT_EQ(query_ep(eps[1]).ep_attr.request_completion_flags, kSuppress);
  EXPECT_DAT_TYPE(one.add(eps[3], kDefault, kUnsignalled), DAT_INVALID_PARAMETER);
}

// Rules: dat_ep_create.R32.default
TEST(RuleLeniencies, SuppressInAttributesActsAsDefault) {
  const Variable mode("DATUM_STRICT", "off");
  ConnectedPair pair(
      with_attributes([](DAT_EP_ATTR& a) { a.request_completion_flags = kSuppress; }));
  const Buffer source = pair.active().buffer(64);
  const Buffer sink = pair.passive().buffer(64);
  for (DAT_UINT64 number : {1U, 2U})
    EXPECT_DAT_OK(post_recv(pair.passive().ep(), {sink.segment()}, number));
  EXPECT_DAT_TYPE(post_send(pair.active().ep(), {source.segment()}, 9, kUnsignalled),
                  DAT_INVALID_PARAMETER);
  EXPECT_DAT_OK(post_send(pair.active().ep(), {source.segment()}, 10, kSuppress));
  EXPECT_DAT_OK(post_send(pair.active().ep(), {source.segment()}, 11));
  expect_dto(pair.active().request_evd(), pair.active().ep(), 11);
  for (DAT_UINT64 number : {1U, 2U})
    expect_dto(pair.passive().recv_evd(), pair.passive().ep(), number);
}

} // namespace
} // namespace datum::test

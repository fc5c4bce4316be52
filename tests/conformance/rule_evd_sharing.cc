// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Which completion flags endpoints may have that share an EVD.
#include "fixture.h"
#include "names.h"

namespace datum::test {
namespace {

class RuleEvdSharing : public Conformance {
 protected:
  void SetUp() override {
    Conformance::SetUp();
    attributes = default_attributes(ia);
    evd = create_evd(ia, kRequestStreams);
    apart = create_evd(ia, kEveryStream);
  }

  // add_recv() makes an EP whose recv completions go to `evd`. add_request() makes an EP whose
  // request completions go there. The completions of the other direction go to `apart`.
  DAT_RETURN add_recv(Ep& ep, DAT_COMPLETION_FLAGS flags) {
    attributes.recv_completion_flags = flags;
    attributes.request_completion_flags = kThreshold;
    return dat_ep_create(ia, DAT_HANDLE_NULL, evd, DAT_HANDLE_NULL, apart, &attributes, ep.out());
  }
  DAT_RETURN add_request(Ep& ep, DAT_COMPLETION_FLAGS flags) {
    attributes.recv_completion_flags = kThreshold;
    attributes.request_completion_flags = flags;
    return dat_ep_create(ia, DAT_HANDLE_NULL, DAT_HANDLE_NULL, evd, apart, &attributes, ep.out());
  }

  DAT_EP_ATTR attributes{};
  Evd evd;
  Evd apart;
};

// Rules: SHARE.1 SHARE.5 dat_ep_create.R38
TEST_F(RuleEvdSharing, UnequalRequestFlags) {
  Ep first;
  Ep second;
  ASSERT_DAT_OK(add_request(first, kUnsignalled));
  EXPECT_DAT_TYPE(add_request(second, kThreshold), DAT_INVALID_PARAMETER);
  EXPECT_DAT_TYPE(add_request(second, kDefault), DAT_INVALID_PARAMETER);
}

// Rules: SHARE.1
TEST_F(RuleEvdSharing, UnsignalledRequestsAfterOthers) {
  Ep first;
  Ep second;
  ASSERT_DAT_OK(add_request(first, kThreshold));
  EXPECT_DAT_TYPE(add_request(second, kUnsignalled), DAT_INVALID_PARAMETER);
}

// Rules: SHARE.2
TEST_F(RuleEvdSharing, UnequalRecvFlags) {
  const DAT_COMPLETION_FLAGS kinds[] = {kUnsignalled, kSolicited, kThreshold};
  for (const DAT_COMPLETION_FLAGS one : kinds) {
    for (const DAT_COMPLETION_FLAGS other : kinds) {
      if (one == other) continue;
      Ep first;
      Ep second;
      ASSERT_DAT_OK(add_recv(first, one));
      EXPECT_DAT_TYPE(add_recv(second, other), DAT_INVALID_PARAMETER) << one << " and " << other;
    }
  }
}

// Rules: SHARE.3
TEST_F(RuleEvdSharing, DefaultGoesWithThreshold) {
  Ep first;
  Ep second;
  Ep third;
  ASSERT_DAT_OK(add_recv(first, kDefault));
  EXPECT_DAT_OK(add_recv(second, kThreshold));
  EXPECT_DAT_OK(add_request(third, kDefault));
}

// Rules: SHARE.4 SHARE.6
TEST_F(RuleEvdSharing, OtherStreamsNeedThreshold) {
  evd = create_evd(ia, kEveryStream);
  const Psp psp = create_psp(ia, free_qualifier(), evd);
  for (const DAT_COMPLETION_FLAGS flags : {kUnsignalled, kSolicited}) {
    Ep ep;
    EXPECT_DAT_TYPE(add_recv(ep, flags), DAT_INVALID_PARAMETER) << flags;
  }
  Ep requester;
  EXPECT_DAT_TYPE(add_request(requester, kUnsignalled), DAT_INVALID_PARAMETER);
  Ep plain;
  EXPECT_DAT_OK(add_recv(plain, kThreshold));
}

// Rules: SHARE.9
TEST_F(RuleEvdSharing, EqualFlags) {
  for (const DAT_COMPLETION_FLAGS flags : {kDefault, kUnsignalled, kSolicited, kThreshold}) {
    Ep first;
    Ep second;
    EXPECT_DAT_OK(add_recv(first, flags)) << flags;
    EXPECT_DAT_OK(add_recv(second, flags)) << flags;
  }
}

// Rules: SHARE.8 dat_ep_modify.R23
TEST_F(RuleEvdSharing, AMismatchByModify) {
  Ep first;
  ASSERT_DAT_OK(add_recv(first, kUnsignalled));
  const Ep second =
      create_ep(ia, DAT_HANDLE_NULL, DAT_HANDLE_NULL, DAT_HANDLE_NULL, DAT_HANDLE_NULL);
  DAT_EP_PARAM param{};
  param.recv_evd_handle = evd;
  EXPECT_DAT_TYPE(dat_ep_modify(second, DAT_EP_FIELD_RECV_EVD_HANDLE, &param),
                  DAT_INVALID_PARAMETER);
  EXPECT_EQ(query_ep(second).recv_evd_handle, DAT_HANDLE_NULL);
}

// Rules: SHARE.7
TEST_F(RuleEvdSharing, AnSrqEpWithThreshold) {
  const Pz pz = create_pz(ia);
  const Srq srq = create_srq(ia, pz);
  attributes.recv_completion_flags = kThreshold;
  Ep with_srq;
  ASSERT_DAT_OK(dat_ep_create_with_srq(ia, pz, evd, DAT_HANDLE_NULL, apart, srq, &attributes,
                                       with_srq.out()));
  Ep other;
  EXPECT_DAT_TYPE(add_recv(other, kUnsignalled), DAT_INVALID_PARAMETER);
  EXPECT_DAT_TYPE(add_recv(other, kSolicited), DAT_INVALID_PARAMETER);
  EXPECT_DAT_OK(add_recv(other, kThreshold));
}

} // namespace
} // namespace datum::test

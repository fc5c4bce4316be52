// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Posted Recvs that may no longer use their memory when the message comes.
#include "fixture.h"

namespace datum::test {
namespace {

class RuleStaleRecvs : public testing::Test {
 protected:
  Side& sender() { return pair.active(); }
  Side& receiver() { return pair.passive(); }

  // A message takes the Recv, which fails. The memory stays unchanged, and both ends break.
  void expect_protection_error(const Buffer& buffer, const std::string& contents) {
    Buffer source = sender().buffer(16);
    source.fill(1);
    ASSERT_DAT_OK(post_send(sender().ep(), {source.segment()}, 2));
    expect_dto(receiver().recv_evd(), receiver().ep(), 1, DAT_DTO_ERR_LOCAL_PROTECTION);
    expect_connection_event(receiver().connect_evd(), DAT_CONNECTION_EVENT_BROKEN, receiver().ep());
    const DAT_EVENT sent = expect_event(sender().request_evd(), DAT_DTO_COMPLETION_EVENT);
    EXPECT_NE(sent.event_data.dto_completion_event_data.status, DAT_DTO_SUCCESS);
    expect_connection_event(sender().connect_evd(), DAT_CONNECTION_EVENT_BROKEN, sender().ep());
    EXPECT_EQ(buffer.text(0, contents.size()), contents);
  }

  ConnectedPair pair{{.active = {}, .passive = {}, .one_ia = false, .connected = false}};
  Buffer sink = receiver().buffer(16);
};

// Rules: dat_lmr_free.R10 OBJ.12
TEST_F(RuleStaleRecvs, TheLmrWasFreed) {
  sink.write(0, "untouched");
  ASSERT_DAT_OK(post_recv(receiver().ep(), {sink.segment()}, 1));
  EXPECT_DAT_OK(dat_lmr_free(sink.lmr().release()));
  establish(sender(), receiver());
  expect_protection_error(sink, "untouched");
}

// Rules: dat_ep_modify.R22
TEST_F(RuleStaleRecvs, TheEpMovedToAnotherZone) {
  sink.write(0, "untouched");
  ASSERT_DAT_OK(post_recv(receiver().ep(), {sink.segment()}, 1));
  const Pz other = create_pz(receiver().ia());
  DAT_EP_PARAM param{};
  param.pz_handle = other;
  ASSERT_DAT_OK(dat_ep_modify(receiver().ep(), DAT_EP_FIELD_PZ_HANDLE, &param));
  establish(sender(), receiver());
  expect_protection_error(sink, "untouched");
  receiver().ep().free(); // before the zone that the receiver has now
}

// Rules: dat_ep_modify.R22
TEST_F(RuleStaleRecvs, ARecvOfTheNewZoneIsFine) {
  const Pz other = create_pz(receiver().ia());
  DAT_EP_PARAM param{};
  param.pz_handle = other;
  ASSERT_DAT_OK(dat_ep_modify(receiver().ep(), DAT_EP_FIELD_PZ_HANDLE, &param));
  Buffer moved(receiver().ia(), other, 16);
  EXPECT_DAT_TYPE(post_recv(receiver().ep(), {sink.segment()}, 9), DAT_PROTECTION_VIOLATION);
  ASSERT_DAT_OK(post_recv(receiver().ep(), {moved.segment()}, 1));
  establish(sender(), receiver());
  Buffer source = sender().buffer(16);
  ASSERT_DAT_OK(post_send(sender().ep(), {source.segment()}, 2));
  expect_dto(receiver().recv_evd(), receiver().ep(), 1);
  expect_dto(sender().request_evd(), sender().ep(), 2);
  receiver().ep().free();
}

} // namespace
} // namespace datum::test

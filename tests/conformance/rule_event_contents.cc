// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The fields that every event has, whatever its kind.
#include "fixture.h"

namespace datum::test {
namespace {

class RuleEventContents : public testing::Test {
 protected:
  // The next event must have this number and name the EVD that a wait or a dequeue took it from.
  void expect_named(DAT_EVD_HANDLE evd, int number, bool waiting) {
    DAT_EVENT event{};
    DAT_COUNT left = 0;
    if (waiting)
      ASSERT_DAT_OK(dat_evd_wait(evd, kPatience, 1, &event, &left));
    else
      event = poll_event(evd);
    EXPECT_EQ(static_cast<int>(event.event_number), number) << std::hex << number;
    EXPECT_EQ(event.evd_handle, evd) << std::hex << number;
    if (number == 0x2001) dat_cr_reject(event.event_data.cr_arrival_event_data.cr_handle);
  }
};

// Rules: EVENT.8
TEST_F(RuleEventContents, EachKindNamesItsEvd) {
  ConnectedPair pair;
  Side& active = pair.active();
  Side& passive = pair.passive();
  Listener listener(pair.passive_ia());
  const Evd software = create_evd(pair.active_ia(), DAT_EVD_SOFTWARE_FLAG);
  const DAT_EVD_HANDLE async = async_evd_of(pair.active_ia());
  const Rmr rmr = create_rmr(active.pz());
  const Ep caller = active.another_ep();
  Buffer source = active.buffer(16);
  Buffer sink = passive.buffer(16);
  for (const bool waiting : {true, false}) {
    ASSERT_DAT_OK(post_software_event(software, nullptr));
    expect_named(software, 0x10001, waiting);
    ASSERT_DAT_OK(post_recv(passive.ep(), {sink.segment()}, 1));
    ASSERT_DAT_OK(post_send(active.ep(), {source.segment()}, 2));
    expect_named(active.request_evd(), 0x1, waiting);
    expect_named(passive.recv_evd(), 0x1, waiting);
    ASSERT_DAT_OK(post_bind(active.ep(), rmr, {}, DAT_MEM_PRIV_ALL_FLAG, 3, nullptr));
    expect_named(active.request_evd(), 0x1001, waiting);
    ASSERT_DAT_OK(connect(caller, listener));
    expect_named(listener.evd(), 0x2001, waiting);
    expect_named(active.connect_evd(), 0x4002, waiting);
    ASSERT_DAT_OK(dat_ep_reset(caller));
    for (const DAT_UINT64 cookie : {4U, 5U})
      ASSERT_DAT_OK(post_recv(active.ep(), {source.segment()}, cookie));
    ASSERT_DAT_OK(dat_ep_set_watermark(active.ep(), 1, DAT_WATERMARK_INFINITE));
    expect_named(async, 0x8005, waiting);
  }
}

} // namespace
} // namespace datum::test

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// interop/siw: what one side may not do, and how the other side answers. A Send or Write to a
// foreign peer completes when TCP has it. So an error that the peer finds later is reported as the
// end of the connection.
#include "../../conformance/harness/variable.h"
#include "fixture.h"

#include <dat2/dat_ib_extensions.h>

namespace datum::siw {
namespace {

class SiwError : public SiwConnected {
 protected:
  void expect_broken() {
    test::expect_connection_event(side.connect_evd(), DAT_CONNECTION_EVENT_BROKEN, side.ep());
    siw.expect_event("DISCONNECTED");
  }
  // The extended operation with cookie 2 fails, and the connection ends.
  void expect_not_for_siw() {
    const DAT_EVENT event = test::next_event(side.request_evd());
    EXPECT_EQ(static_cast<int>(event.event_number), 0x40000);
    const DAT_DTO_COMPLETION_EVENT_DATA& dto = event.event_data.dto_completion_event_data;
    EXPECT_EQ(dto.user_cookie.as_64, 2U);
    EXPECT_EQ(dto.status, DAT_DTO_ERR_REMOTE_RESPONDER);
    expect_broken();
  }
  DAT_RMR_TRIPLET at(const Remote& remote, std::size_t offset, std::size_t length) {
    return test::remote_part(remote.stag, remote.address + offset, length);
  }
  std::string on(const char* verb, std::size_t length, std::uint32_t stag, std::uint64_t address) {
    return std::string(verb) + " 1 0 " + std::to_string(length) + ' ' + std::to_string(stag) + ' ' +
           std::to_string(address);
  }

  static constexpr std::size_t kSize = 64;
  test::Buffer buffer = side.buffer(kSize);
  test::Buffer readable =
      side.buffer(kSize, test::any_value<DAT_MEM_PRIV_FLAGS>(DAT_MEM_PRIV_LOCAL_READ_FLAG |
                                                             DAT_MEM_PRIV_REMOTE_READ_FLAG));
  test::Buffer writable =
      side.buffer(kSize, test::any_value<DAT_MEM_PRIV_FLAGS>(DAT_MEM_PRIV_LOCAL_WRITE_FLAG |
                                                             DAT_MEM_PRIV_REMOTE_WRITE_FLAG));
};

// Rules: SIW.22
TEST_P(SiwError, WriteToAnStagThatSiwDoesNotKnow) {
  ASSERT_DAT_OK(test::post_write(side.ep(), {buffer.segment()},
                                 test::remote_part(0x12345600, 4096, kSize), 1));
  expect_broken();
}

// Rules: SIW.22
TEST_P(SiwError, WriteBeyondSiwsMemory) {
  const DAT_RMR_TRIPLET beyond = at(siw.memory(), (std::size_t{2} << 20) - 1, kSize);
  ASSERT_DAT_OK(test::post_write(side.ep(), {buffer.segment()}, beyond, 1));
  expect_broken();
}

// Rules: SIW.22
TEST_P(SiwError, WriteWithoutTheRight) {
  ASSERT_DAT_OK(
      test::post_write(side.ep(), {buffer.segment()}, at(siw.memory("local-memory"), 0, kSize), 1));
  expect_broken();
}

// Rules: SIW.23
TEST_P(SiwError, ReadFromAnStagThatSiwDoesNotKnow) {
  ASSERT_DAT_OK(test::post_read(side.ep(), {buffer.segment()},
                                test::remote_part(0x12345600, 4096, kSize), 1));
  test::expect_dto(side.request_evd(), side.ep(), 1, DAT_DTO_ERR_REMOTE_ACCESS);
  expect_broken();
}

// Rules: SIW.23
TEST_P(SiwError, ReadBeyondSiwsMemory) {
  const DAT_RMR_TRIPLET beyond = at(siw.memory(), (std::size_t{2} << 20) - 1, kSize);
  ASSERT_DAT_OK(test::post_read(side.ep(), {buffer.segment()}, beyond, 1));
  test::expect_dto(side.request_evd(), side.ep(), 1, DAT_DTO_ERR_REMOTE_ACCESS);
  expect_broken();
}

// siw checks the right to write, but not the right to read.
// Rules: SIW.29
TEST_P(SiwError, ReadWithoutTheRightIsServed) {
  const DAT_RMR_TRIPLET hidden = at(siw.memory("local-memory"), 0, kSize);
  buffer.fill(1);
  ASSERT_DAT_OK(test::post_read(side.ep(), {buffer.segment()}, hidden, 1));
  EXPECT_EQ(test::expect_dto(side.request_evd(), side.ep(), 1), kSize);
  EXPECT_EQ(buffer.text(0, kSize), std::string(kSize, '\0'));
}

// Rules: SIW.22
TEST_P(SiwError, SendThatSiwHasNoReceiveFor) {
  ASSERT_DAT_OK(test::post_send(side.ep(), {buffer.segment()}, 1));
  expect_broken();
}

// Rules: SIW.22
TEST_P(SiwError, SendLongerThanSiwsReceive) {
  siw.must("recv 1 0 8");
  ASSERT_DAT_OK(test::post_send(side.ep(), {buffer.segment()}, 1));
  expect_broken();
}

// Rules: SIW.24
TEST_P(SiwError, WriteOfSiwToAnStagThatWeDoNotKnow) {
  siw.must(on("write", kSize, 0x12345600, 4096));
  expect_broken();
}

// Rules: SIW.24
TEST_P(SiwError, WriteOfSiwBeyondOurMemory) {
  siw.must(on("write", kSize, buffer.rmr_context(), buffer.address(1)));
  expect_broken();
}

// Rules: SIW.24
TEST_P(SiwError, WriteOfSiwWithoutTheRight) {
  siw.must(on("write", kSize, readable.rmr_context(), readable.address()));
  expect_broken();
}

// Rules: SIW.24
TEST_P(SiwError, ReadOfSiwWithoutTheRight) {
  siw.must(on("read", kSize, writable.rmr_context(), writable.address()));
  expect_broken();
}

// Rules: SIW.24
TEST_P(SiwError, SendOfSiwLongerThanOurReceive) {
  ASSERT_DAT_OK(test::post_recv(side.ep(), {buffer.segment(0, 8)}, 2));
  siw.must("send 1 0 64");
  test::expect_dto(side.recv_evd(), side.ep(), 2, DAT_DTO_ERR_LOCAL_LENGTH);
  expect_broken();
}

// Rules: SIW.25
TEST_P(SiwError, SendOfSiwWaitsForOurReceive) {
  siw.must("fill 0 64 6");
  siw.must("send 1 0 64");
  siw.expect_done(1, 64);
  EXPECT_NO_EVENT(side.recv_evd());
  ASSERT_DAT_OK(test::post_recv(side.ep(), {buffer.segment()}, 2));
  EXPECT_EQ(test::expect_dto(side.recv_evd(), side.ep(), 2), 64U);
  EXPECT_TRUE(buffer.holds(6, 0, 64));
}

struct OneSecond {
  const test::Variable wait{"DATUM_RNR_TIMEOUT", "1000"};
};
class SiwErrorSoon : private OneSecond, public SiwError {};
DATUM_SIW_BOTH_WAYS(SiwErrorSoon);

// Rules: SIW.25
TEST_P(SiwErrorSoon, SendOfSiwWaitsNoLongerThanSet) {
  siw.must("send 1 0 64");
  siw.expect_done(1, 64);
  expect_broken();
}

// Rules: SIW.26
TEST_P(SiwError, SendWithInvalidateEndsSiwsRegion) {
  const Remote region = siw.memory();
  siw.must("recv 1 0 64");
  DAT_LMR_TRIPLET piece = buffer.segment(0, 4);
  ASSERT_DAT_OK(dat_ep_post_send_with_invalidate(
      side.ep(), 1, &piece, test::cookie(2), DAT_COMPLETION_DEFAULT_FLAG, DAT_TRUE, region.stag));
  expect_dto(side.request_evd(), 2, 4);
  siw.expect_done(1, 4);
  ASSERT_DAT_OK(test::post_write(side.ep(), {buffer.segment()}, at(region, 0, kSize), 3));
  expect_broken();
}

// Rules: SIW.27
TEST_P(SiwError, FetchAndAddIsNotForSiw) {
  DAT_LMR_TRIPLET sink = buffer.segment(0, 8);
  DAT_RMR_TRIPLET target = at(siw.memory(), 0, 8);
  ASSERT_DAT_OK(dat_ib_post_fetch_and_add(side.ep(), 1, &sink, test::cookie(2), &target,
                                          DAT_COMPLETION_DEFAULT_FLAG));
  expect_not_for_siw();
}

// Rules: SIW.27
TEST_P(SiwError, CompareAndSwapIsNotForSiw) {
  DAT_LMR_TRIPLET sink = buffer.segment(0, 8);
  DAT_RMR_TRIPLET target = at(siw.memory(), 0, 8);
  ASSERT_DAT_OK(dat_ib_post_cmp_and_swap(side.ep(), 0, 1, &sink, test::cookie(2), &target,
                                         DAT_COMPLETION_DEFAULT_FLAG));
  expect_not_for_siw();
}

// The Write that comes before the immediate data may reach siw. siw uses up no receive.
// Rules: SIW.27
TEST_P(SiwError, ImmediateDataAreNotForSiw) {
  siw.must("recv 1 0 64");
  DAT_LMR_TRIPLET source = buffer.segment();
  DAT_RMR_TRIPLET target = at(siw.memory(), 0, kSize);
  ASSERT_DAT_OK(dat_ib_post_rdma_write_immed(side.ep(), 1, &source, test::cookie(2), &target, 5,
                                             DAT_COMPLETION_DEFAULT_FLAG));
  expect_not_for_siw();
  siw.expect_flushed(1);
}

DATUM_SIW_BOTH_WAYS(SiwError);

} // namespace
} // namespace datum::siw

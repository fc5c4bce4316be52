// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Posts that come while the connection seems not yet established, or while the queue seems full.
// The peer's message that changes this has already arrived, so the post must succeed.
#include <atomic>
#include <chrono>
#include <functional>
#include <string>

#if DATUM_DAT_MAJOR == 2
#include <dat2/dat_ib_extensions.h>
#endif

#include "fixture.h"

namespace datum::test {
namespace {

constexpr std::size_t kWord = 64;

bool spin_until(const std::function<bool()>& done) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(kPatience);
  while (!done())
    if (std::chrono::steady_clock::now() > end) return false;
  return true;
}

std::byte seen(const std::byte* place) {
  const std::byte value = *reinterpret_cast<const volatile std::byte*>(place);
  std::atomic_thread_fence(std::memory_order_acquire);
  return value;
}

// A request that an accepter posts once it has seen the peer's data in memory, without a DAT call.
struct Answer {
  const char* name;
  std::function<DAT_RETURN(Side& accepter, Buffer& own, Buffer& peers)> post;
  friend void PrintTo(const Answer& answer, std::ostream* out) { *out << answer.name; }
};

class RuleRefusedPosts : public testing::TestWithParam<Answer> {
 protected:
  void SetUp() override {
    ia = open_ia();
    other = open_ia();
    listener = std::make_unique<Listener>(ia);
  }
  Ia ia;
  Ia other;
  std::unique_ptr<Listener> listener;
};

// The bug shows only if no other thread has taken the peer's message before the post. So the test
// makes many tries.
// Rules: PATH.17
TEST_P(RuleRefusedPosts, AfterThePeersDataWereSeenInMemory) {
  constexpr int kTimes = 40;
  for (int i = 0; i < kTimes && !HasFailure(); ++i) {
    Side requester(other);
    Side accepter(ia);
    Buffer mine = accepter.buffer(kWord);
    Buffer theirs = requester.buffer(kWord);
    std::byte* const last = &mine.bytes()[kWord - 1];
    *last = std::byte{0};
    theirs.bytes()[kWord - 1] = std::byte{0x5a};
    ASSERT_DAT_OK(post_recv(requester.ep(), {theirs.segment(0, 8)}, 1));
    ASSERT_DAT_OK(connect(requester.ep(), *listener));
    Cr cr = listener->expect_request();
    ASSERT_DAT_OK(accept(cr, accepter.ep()));
    expect_connection_event(requester.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED,
                            requester.ep());
    ASSERT_DAT_OK(post_write(requester.ep(), {theirs.segment()}, mine.remote(), 2));
    ASSERT_TRUE(spin_until([&] { return seen(last) == std::byte{0x5a}; }));
    EXPECT_DAT_OK(GetParam().post(accepter, mine, theirs)) << "try " << i;
    expect_connection_event(accepter.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED,
                            accepter.ep());
  }
}

// Rules: PATH.17
TEST_P(RuleRefusedPosts, AfterARecvHasCompleted) {
  Side requester(other);
  Side accepter(ia);
  Buffer mine = accepter.buffer(kWord);
  Buffer theirs = requester.buffer(kWord);
  ASSERT_DAT_OK(post_recv(accepter.ep(), {mine.segment()}, 1));
  ASSERT_DAT_OK(post_recv(requester.ep(), {theirs.segment(0, 8)}, 1));
  ASSERT_DAT_OK(connect(requester.ep(), *listener));
  Cr cr = listener->expect_request();
  ASSERT_DAT_OK(accept(cr, accepter.ep()));
  expect_connection_event(requester.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED,
                          requester.ep());
  ASSERT_DAT_OK(post_send(requester.ep(), {theirs.segment()}, 2));
  expect_dto(accepter.recv_evd(), accepter.ep(), 1);
  EXPECT_DAT_OK(GetParam().post(accepter, mine, theirs));
}

DAT_RETURN answer_by_bind(Side& accepter, Buffer& own, Buffer&) {
  const Rmr rmr = create_rmr(accepter.pz());
  DAT_RMR_CONTEXT context = 0;
  const DAT_RETURN posted =
      post_bind(accepter.ep(), rmr, own.segment(), DAT_MEM_PRIV_REMOTE_READ_FLAG, 3, &context);
  if (posted == DAT_SUCCESS) expect_bind(accepter.request_evd(), rmr, 3);
  return posted;
}

const Answer kAnswers[] = {
    {"Send", [](Side& accepter, Buffer& own,
                Buffer&) { return post_send(accepter.ep(), {own.segment(0, 8)}, 3); }},
    {"Write",
     [](Side& accepter, Buffer& own, Buffer& peers) {
       return post_write(accepter.ep(), {own.segment()}, peers.remote(), 3);
     }},
    {"Read",
     [](Side& accepter, Buffer& own, Buffer& peers) {
       return post_read(accepter.ep(), {own.segment()}, peers.remote(), 3);
     }},
    {"Bind", answer_by_bind},
#if DATUM_DAT_MAJOR == 2
    {"SendWithInvalidate",
     [](Side& accepter, Buffer& own, Buffer&) {
       DAT_LMR_TRIPLET segment = own.segment(0, 8);
       return dat_ep_post_send_with_invalidate(accepter.ep(), 1, &segment, cookie(3),
                                               DAT_COMPLETION_DEFAULT_FLAG, DAT_TRUE, 0x1234);
     }},
    {"WriteWithImmediate",
     [](Side& accepter, Buffer& own, Buffer& peers) {
       DAT_LMR_TRIPLET segment = own.segment();
       DAT_RMR_TRIPLET target = peers.remote();
       return dat_ib_post_rdma_write_immed(accepter.ep(), 1, &segment, cookie(3), &target, 7,
                                           DAT_COMPLETION_DEFAULT_FLAG);
     }},
    {"FetchAndAdd",
     [](Side& accepter, Buffer& own, Buffer& peers) {
       DAT_LMR_TRIPLET sink = own.segment(0, 8);
       DAT_RMR_TRIPLET target = peers.remote(0, 8);
       return dat_ib_post_fetch_and_add(accepter.ep(), 1, &sink, cookie(3), &target,
                                        DAT_COMPLETION_DEFAULT_FLAG);
     }},
#endif
};
INSTANTIATE_TEST_SUITE_P(Answers, RuleRefusedPosts, testing::ValuesIn(kAnswers),
                         [](const auto& each) { return std::string(each.param.name); });

// One thread is the consumer of both sides. It never takes the sender's completions.
class RuleFullQueue : public testing::Test {
 protected:
  static constexpr DAT_COUNT kDepth = 8;
  static constexpr int kPosts = 2000;
  static ConnectedPair shallow() {
    const auto few = [](DAT_EP_ATTR& attributes) {
      attributes.max_request_dtos = kDepth;
      attributes.max_recv_dtos = kDepth;
    };
    return ConnectedPair(with_attributes(few, few));
  }
  Side& poster() { return pair.active(); }
  Side& target() { return pair.passive(); }

  ConnectedPair pair = shallow();
  Buffer source = poster().buffer(8);
  Buffer sink = target().buffer(8);

  void target_finds_nothing() {
    DAT_EVENT none{};
    EXPECT_NE(dat_evd_dequeue(target().recv_evd(), &none), DAT_SUCCESS);
  }
  bool target_polls_until(Buffer& buffer, std::byte value) {
    return spin_until([&] {
      target_finds_nothing();
      return seen(&buffer.bytes()[7]) == value;
    });
  }
};

// Rules: PATH.18
TEST_F(RuleFullQueue, OfSendsThatAllArrived) {
  for (int i = 0; i < kPosts && !HasFailure(); ++i) {
    ASSERT_DAT_OK(post_recv(target().ep(), {sink.segment()}, 1));
    ASSERT_DAT_OK(post_send(poster().ep(), {source.segment()}, 2, DAT_COMPLETION_SUPPRESS_FLAG))
        << i;
    poll_dto(target().recv_evd(), target().ep(), 1);
    target_finds_nothing(); // acknowledges the message
  }
}

// Rules: PATH.18
TEST_F(RuleFullQueue, OfWritesThatAllArrived) {
  for (int i = 0; i < kPosts && !HasFailure(); ++i) {
    const std::byte value{static_cast<unsigned char>(i % 251 + 1)};
    source.bytes()[7] = value;
    ASSERT_DAT_OK(post_write(poster().ep(), {source.segment()}, sink.remote(), 2,
                             DAT_COMPLETION_SUPPRESS_FLAG))
        << i;
    ASSERT_TRUE(target_polls_until(sink, value));
    target_finds_nothing();
  }
}

// Rules: PATH.18
TEST_F(RuleFullQueue, OfReadsThatAllCame) {
  for (int i = 0; i < kPosts / 10 && !HasFailure(); ++i) {
    const std::byte value{static_cast<unsigned char>(i % 251 + 1)};
    sink.bytes()[7] = value;
    ASSERT_DAT_OK(post_read(poster().ep(), {source.segment()}, sink.remote(), 2,
                            DAT_COMPLETION_SUPPRESS_FLAG))
        << i;
    ASSERT_TRUE(target_polls_until(source, value));
  }
}

// Rules: dat_ep_post_send.R18 PATH.18
TEST_F(RuleFullQueue, OfSendsThatNobodyTakesRefuses) {
  for (DAT_COUNT i = 0; i < kDepth; ++i) {
    ASSERT_DAT_OK(post_send(poster().ep(), {source.segment()}, 2, DAT_COMPLETION_SUPPRESS_FLAG));
  }
  EXPECT_DAT_ERROR(post_send(poster().ep(), {source.segment()}, 2), DAT_INSUFFICIENT_RESOURCES,
                   DAT_RESOURCE_MEMORY);
}

} // namespace
} // namespace datum::test

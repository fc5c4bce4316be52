// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Completion flags of the requests that DAT 2.0 and its extensions added: fenced, suppressed,
// unsignalled, solicited. dat2_datagrams.cc tests the flags of datagrams.
#include "dat.h"

#include <dat2/dat_ib_extensions.h>

#include <cstring>
#include <string>

#include "fixture.h"
#include "threads.h"

namespace {

using namespace datum::test;

constexpr std::size_t kMiB = 1U << 20U;
constexpr auto kRightToAtomic = static_cast<DAT_MEM_PRIV_FLAGS>(
    static_cast<int>(DAT_MEM_PRIV_ALL_FLAG) | static_cast<int>(DAT_IB_MEM_PRIV_REMOTE_ATOMIC));

enum class Extended : std::uint8_t { WriteImmediate, FetchAdd, CompareSwap, SendInvalidate };

bool takes_a_recv(Extended operation) {
  return operation == Extended::WriteImmediate || operation == Extended::SendInvalidate;
}

// How often an event of this EVD has woken a waiter.
std::uint64_t wake_ups(DAT_EVD_HANDLE evd) {
  std::uint64_t value = 77;
  EXPECT_DAT_OK(dat_ib_query_counters(evd, DCNT_EVD_WAIT_NOTIFY, &value, 0));
  return value;
}

std::string name_of_operation(const testing::TestParamInfo<Extended>& info) {
  constexpr const char* kNames[] = {"WriteImmediate", "FetchAdd", "CompareSwap", "SendInvalidate"};
  return kNames[static_cast<std::size_t>(info.param)];
}

PairOptions options_with(DAT_COMPLETION_FLAGS request, DAT_COMPLETION_FLAGS recv) {
  return with_attributes([request](DAT_EP_ATTR& a) { a.request_completion_flags = request; },
                         [recv](DAT_EP_ATTR& a) { a.recv_completion_flags = recv; });
}

// Requests between one registered MiB of the active side and one of the passive side.
class ExtendedPosts {
 public:
  explicit ExtendedPosts(DAT_COMPLETION_FLAGS request = DAT_COMPLETION_DEFAULT_FLAG,
                         DAT_COMPLETION_FLAGS recv = DAT_COMPLETION_DEFAULT_FLAG)
      : pair(options_with(request, recv)) {}

  Side& active() { return pair.active(); }
  Side& passive() { return pair.passive(); }

  // The request reads or writes the last 8 octets of `mine` and the last 8 of `theirs`. If the
  // request takes a Recv, post() posts that Recv.
  DAT_RETURN post(Extended operation, DAT_UINT64 number, DAT_COMPLETION_FLAGS flags) {
    return post(operation, number, flags, theirs.remote(kMiB - 8, 8),
                operation == Extended::SendInvalidate ? bound() : 0);
  }
  // Posts a request that the peer has to refuse.
  DAT_RETURN post_wrong(Extended operation, DAT_UINT64 number, DAT_COMPLETION_FLAGS flags) {
    DAT_RMR_TRIPLET wrong = theirs.remote(kMiB - 8, 8);
    wrong.rmr_context = ~wrong.rmr_context;
    return post(operation, number, flags, wrong, theirs.rmr_context());
  }
  // Takes the completion of the request's Recv, if the request takes one.
  void expect_received(Extended operation) {
    if (!takes_a_recv(operation)) return;
    const DAT_EVENT event = poll_event(passive().recv_evd());
    EXPECT_EQ(event.event_data.dto_completion_event_data.user_cookie.as_64, 1U);
    EXPECT_EQ(event.event_data.dto_completion_event_data.status, DAT_DTO_SUCCESS);
  }
  static void expect_posted(const DAT_EVENT& event, DAT_UINT64 number,
                            DAT_DTO_COMPLETION_STATUS status = DAT_DTO_SUCCESS) {
    EXPECT_EQ(event.event_data.dto_completion_event_data.user_cookie.as_64, number);
    EXPECT_EQ(event.event_data.dto_completion_event_data.status, status);
  }

  ConnectedPair pair;
  Buffer mine = active().buffer(kMiB, kRightToAtomic);
  Buffer theirs = passive().buffer(kMiB, kRightToAtomic);
  Buffer inbox = passive().buffer(64);
  std::vector<Rmr> windows;

 private:
  DAT_RETURN post(Extended operation, DAT_UINT64 number, DAT_COMPLETION_FLAGS flags,
                  DAT_RMR_TRIPLET target, DAT_RMR_CONTEXT window) {
    if (takes_a_recv(operation)) {
      EXPECT_DAT_OK(post_recv(passive().ep(), {inbox.segment()}, 1));
    }
    DAT_EP_HANDLE ep = active().ep();
    DAT_LMR_TRIPLET here = mine.segment(kMiB - 8, 8);
    switch (operation) {
    case Extended::WriteImmediate:
      return dat_ib_post_rdma_write_immed(ep, 1, &here, cookie(number), &target, 5, flags);
    case Extended::FetchAdd:
      return dat_ib_post_fetch_and_add(ep, 1, &here, cookie(number), &target, flags);
    case Extended::CompareSwap:
      return dat_ib_post_cmp_and_swap(ep, 0, 1, &here, cookie(number), &target, flags);
    case Extended::SendInvalidate: break;
    }
    return dat_ep_post_send_with_invalidate(ep, 1, &here, cookie(number), flags, DAT_TRUE, window);
  }
  // Binds a new window of the peer. Returns its context.
  DAT_RMR_CONTEXT bound() {
    windows.push_back(create_rmr(passive().pz()));
    DAT_RMR_CONTEXT context = 0;
    EXPECT_DAT_OK(post_bind(passive().ep(), windows.back(), theirs.segment(0, 8),
                            DAT_MEM_PRIV_REMOTE_WRITE_FLAG, 90, &context));
    expect_bind(passive().request_evd(), windows.back(), 90);
    return context;
  }
};

class Dat2ExtendedFlags : public testing::TestWithParam<Extended> {};

// Rules: DAT2.69
TEST_P(Dat2ExtendedFlags, ASuppressedOneThatSucceedsHasNoEvent) {
  ExtendedPosts posts;
  ASSERT_DAT_OK(posts.post(GetParam(), 10, DAT_COMPLETION_SUPPRESS_FLAG));
  posts.expect_received(GetParam());
  // Completions come in posting order.
  ASSERT_DAT_OK(posts.post(GetParam(), 11, DAT_COMPLETION_DEFAULT_FLAG));
  ExtendedPosts::expect_posted(next_event(posts.active().request_evd()), 11);
  EXPECT_NO_EVENT(posts.active().request_evd());
}

// Rules: DAT2.69
TEST_P(Dat2ExtendedFlags, ASuppressedOneThatFailsHasOne) {
  ExtendedPosts posts;
  ASSERT_DAT_OK(posts.post_wrong(GetParam(), 10, DAT_COMPLETION_SUPPRESS_FLAG));
  ExtendedPosts::expect_posted(next_event(posts.active().request_evd()), 10,
                               DAT_DTO_ERR_REMOTE_ACCESS);
}

// Rules: DAT2.70
TEST_P(Dat2ExtendedFlags, AnUnsignalledOneIsQueuedAndDoesNotTrigger) {
  ExtendedPosts posts(DAT_COMPLETION_UNSIGNALLED_FLAG);
  const DAT_EVD_HANDLE evd = posts.active().request_evd();
  const Cno cno = create_cno(posts.active().ia());
  ASSERT_DAT_OK(dat_evd_modify_cno(evd, cno));
  ASSERT_DAT_OK(posts.post(GetParam(), 10, DAT_COMPLETION_UNSIGNALLED_FLAG));
  ExtendedPosts::expect_posted(poll_event(evd), 10);
  EXPECT_UNTRIGGERED(cno);
  ASSERT_DAT_OK(posts.post(GetParam(), 11, DAT_COMPLETION_DEFAULT_FLAG));
  EXPECT_TRIGGERED(cno, evd);
  ExtendedPosts::expect_posted(poll_event(evd), 11);
  ASSERT_DAT_OK(posts.post_wrong(GetParam(), 12, DAT_COMPLETION_UNSIGNALLED_FLAG));
  EXPECT_TRIGGERED(cno, evd) << "an error always does";
  ExtendedPosts::expect_posted(poll_event(evd), 12, DAT_DTO_ERR_REMOTE_ACCESS);
  ASSERT_DAT_OK(dat_evd_modify_cno(evd, DAT_HANDLE_NULL));
}

// Rules: DAT2.70
TEST_P(Dat2ExtendedFlags, AnUnsignalledOneWakesNobody) {
  ExtendedPosts posts(DAT_COMPLETION_UNSIGNALLED_FLAG);
  const DAT_EVD_HANDLE evd = posts.active().request_evd();
  const std::uint64_t before = wake_ups(evd);
  DAT_EVENT event{};
  DAT_COUNT left = -1;
  BlockedCall waiter([&] { return dat_evd_wait(evd, kPatience, 1, &event, &left); });
  ASSERT_DAT_OK(posts.post(GetParam(), 10, DAT_COMPLETION_UNSIGNALLED_FLAG));
  ASSERT_DAT_OK(posts.post(GetParam(), 11, DAT_COMPLETION_DEFAULT_FLAG));
  EXPECT_DAT_OK(waiter.join());
  ExtendedPosts::expect_posted(event, 10);
  EXPECT_EQ(left, 1) << "the second woke it";
  EXPECT_EQ(wake_ups(evd), before + 1);
  ExtendedPosts::expect_posted(poll_event(evd), 11);
}

// Rules: DAT2.70
TEST_P(Dat2ExtendedFlags, UnsignalledIsForEndpointsThatHaveIt) {
  ExtendedPosts posts;
  const DAT_RETURN status = posts.post(GetParam(), 10, DAT_COMPLETION_UNSIGNALLED_FLAG);
  switch (GetParam()) {
  case Extended::FetchAdd: EXPECT_DAT_ERROR(status, DAT_INVALID_PARAMETER, DAT_INVALID_ARG7); break;
  case Extended::SendInvalidate:
    EXPECT_DAT_ERROR(status, DAT_INVALID_PARAMETER, DAT_INVALID_ARG5);
    break;
  default: EXPECT_DAT_ERROR(status, DAT_INVALID_PARAMETER, DAT_INVALID_ARG8); break;
  }
}

// Rules: DAT2.68
TEST_P(Dat2ExtendedFlags, AFencedOneWaitsForTheReadBeforeIt) {
  ExtendedPosts posts;
  const Extended operation = GetParam();
  const bool atomic = !takes_a_recv(operation);
  posts.mine.fill(0);
  posts.theirs.write(kMiB - 8, atomic ? std::string(8, '\0') : "brought.");
  // A Read copies the last octets last.
  ASSERT_DAT_OK(post_read(posts.active().ep(), {posts.mine.segment()}, posts.theirs.remote(), 10));
  if (atomic) {
    // The atomic operation changes the octets that the Read reads. It copies the old octets to
    // another place.
    Buffer old = posts.active().buffer(8);
    DAT_LMR_TRIPLET sink = old.segment();
    DAT_RMR_TRIPLET word = posts.theirs.remote(kMiB - 8, 8);
    const DAT_RETURN status =
        operation == Extended::FetchAdd
            ? dat_ib_post_fetch_and_add(posts.active().ep(), 1, &sink, cookie(11), &word,
                                        DAT_COMPLETION_BARRIER_FENCE_FLAG)
            : dat_ib_post_cmp_and_swap(posts.active().ep(), 0, 1, &sink, cookie(11), &word,
                                       DAT_COMPLETION_BARRIER_FENCE_FLAG);
    ASSERT_DAT_OK(status);
    ExtendedPosts::expect_posted(next_event(posts.active().request_evd()), 10);
    ExtendedPosts::expect_posted(next_event(posts.active().request_evd()), 11);
    EXPECT_EQ(posts.mine.text(kMiB - 8, 8), std::string(8, '\0')) << "read before";
    EXPECT_EQ(old.text(0, 8), std::string(8, '\0'));
    // Takes the lock under which a thread of the peer may have changed the octets. Without that,
    // ThreadSanitizer sees no order between the change and this read.
    EXPECT_NO_EVENT(posts.passive().recv_evd());
    EXPECT_NE(posts.theirs.text(kMiB - 8, 8), std::string(8, '\0'));
    return;
  }
  // The request carries the octets that the Read has brought to the beginning of `theirs`.
  ASSERT_DAT_OK(post_recv(posts.passive().ep(), {posts.inbox.segment()}, 1));
  DAT_LMR_TRIPLET source = posts.mine.segment(kMiB - 8, 8);
  DAT_RMR_TRIPLET target = posts.theirs.remote(0, 8);
  const Rmr window = create_rmr(posts.passive().pz());
  if (operation == Extended::WriteImmediate) {
    ASSERT_DAT_OK(dat_ib_post_rdma_write_immed(posts.active().ep(), 1, &source, cookie(11), &target,
                                               5, DAT_COMPLETION_BARRIER_FENCE_FLAG));
    posts.expect_received(operation);
    EXPECT_EQ(posts.theirs.text(0, 8), "brought.");
  } else {
    DAT_RMR_CONTEXT context = 0;
    ASSERT_DAT_OK(post_bind(posts.passive().ep(), window, posts.theirs.segment(0, 8),
                            DAT_MEM_PRIV_REMOTE_WRITE_FLAG, 90, &context));
    expect_bind(posts.passive().request_evd(), window, 90);
    ASSERT_DAT_OK(dat_ep_post_send_with_invalidate(posts.active().ep(), 1, &source, cookie(11),
                                                   DAT_COMPLETION_BARRIER_FENCE_FLAG, DAT_TRUE,
                                                   context));
    posts.expect_received(operation);
    EXPECT_EQ(posts.inbox.text(0, 8), "brought.");
  }
  ExtendedPosts::expect_posted(next_event(posts.active().request_evd()), 10);
  ExtendedPosts::expect_posted(next_event(posts.active().request_evd()), 11);
}

INSTANTIATE_TEST_SUITE_P(Operations, Dat2ExtendedFlags,
                         testing::Values(Extended::WriteImmediate, Extended::FetchAdd,
                                         Extended::CompareSwap, Extended::SendInvalidate),
                         name_of_operation);

// Rules: DAT2.68
TEST(Dat2Fence, HoldsWhatIsPostedBehindAnAtomicOperationBack) {
  ExtendedPosts posts;
  posts.mine.fill(0);
  posts.theirs.write(kMiB - 8, "counted.");
  ASSERT_DAT_OK(posts.post(Extended::FetchAdd, 10, DAT_COMPLETION_DEFAULT_FLAG));
  ASSERT_DAT_OK(post_recv(posts.passive().ep(), {posts.inbox.segment()}, 1));
  DAT_LMR_TRIPLET source = posts.mine.segment(kMiB - 8, 8);
  DAT_RMR_TRIPLET target = posts.theirs.remote(0, 8);
  ASSERT_DAT_OK(dat_ib_post_rdma_write_immed(posts.active().ep(), 1, &source, cookie(11), &target,
                                             5, DAT_COMPLETION_BARRIER_FENCE_FLAG));
  posts.expect_received(Extended::WriteImmediate);
  EXPECT_EQ(posts.theirs.text(0, 8), "counted.") << "what the number was before";
}

class Dat2Solicited : public testing::TestWithParam<Extended> {};

// Rules: DAT2.71
TEST_P(Dat2Solicited, OneThatSolicitsTriggersAndNoOther) {
  ExtendedPosts posts(DAT_COMPLETION_DEFAULT_FLAG, DAT_COMPLETION_SOLICITED_WAIT_FLAG);
  const DAT_EVD_HANDLE evd = posts.passive().recv_evd();
  const Cno cno = create_cno(posts.passive().ia());
  ASSERT_DAT_OK(dat_evd_modify_cno(evd, cno));
  ASSERT_DAT_OK(posts.post(GetParam(), 10, DAT_COMPLETION_DEFAULT_FLAG));
  posts.expect_received(GetParam());
  EXPECT_UNTRIGGERED(cno);
  ASSERT_DAT_OK(posts.post(GetParam(), 11, DAT_COMPLETION_SOLICITED_WAIT_FLAG));
  EXPECT_TRIGGERED(cno, evd);
  posts.expect_received(GetParam());
  ASSERT_DAT_OK(dat_evd_modify_cno(evd, DAT_HANDLE_NULL));
}

// Rules: DAT2.71
TEST_P(Dat2Solicited, OneThatSolicitsWakesAndNoOther) {
  ExtendedPosts posts(DAT_COMPLETION_DEFAULT_FLAG, DAT_COMPLETION_SOLICITED_WAIT_FLAG);
  const DAT_EVD_HANDLE evd = posts.passive().recv_evd();
  const std::uint64_t before = wake_ups(evd);
  DAT_EVENT event{};
  DAT_COUNT left = -1;
  BlockedCall waiter([&] { return dat_evd_wait(evd, kPatience, 1, &event, &left); });
  ASSERT_DAT_OK(posts.post(GetParam(), 10, DAT_COMPLETION_DEFAULT_FLAG));
  ASSERT_DAT_OK(posts.post(GetParam(), 11, DAT_COMPLETION_SOLICITED_WAIT_FLAG));
  EXPECT_DAT_OK(waiter.join());
  EXPECT_EQ(left, 1) << "the second woke it";
  EXPECT_EQ(wake_ups(evd), before + 1);
  posts.expect_received(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Operations, Dat2Solicited,
                         testing::Values(Extended::WriteImmediate, Extended::SendInvalidate),
                         name_of_operation);

// Rules: DAT2.13 DAT2.71
TEST(Dat2SolicitedInvalidate, WakesWithTheContextOfTheWindowThatCameBack) {
  ExtendedPosts posts(DAT_COMPLETION_DEFAULT_FLAG, DAT_COMPLETION_SOLICITED_WAIT_FLAG);
  Rmr window = create_rmr(posts.passive().pz());
  DAT_RMR_CONTEXT context = 0;
  ASSERT_DAT_OK(post_bind(posts.passive().ep(), window, posts.theirs.segment(0, 8),
                          DAT_MEM_PRIV_REMOTE_WRITE_FLAG, 90, &context));
  expect_bind(posts.passive().request_evd(), window, 90);
  ASSERT_DAT_OK(post_recv(posts.passive().ep(), {posts.inbox.segment()}, 1));
  const DAT_EVD_HANDLE evd = posts.passive().recv_evd();
  const std::uint64_t before = wake_ups(evd);
  DAT_EVENT event{};
  DAT_COUNT left = -1;
  BlockedCall waiter([&] { return dat_evd_wait(evd, kPatience, 1, &event, &left); });
  posts.mine.write(0, "answer");
  DAT_LMR_TRIPLET text = posts.mine.segment(0, 6);
  ASSERT_DAT_OK(dat_ep_post_send_with_invalidate(posts.active().ep(), 1, &text, cookie(10),
                                                 DAT_COMPLETION_SOLICITED_WAIT_FLAG, DAT_TRUE,
                                                 context));
  EXPECT_DAT_OK(waiter.join());
  EXPECT_EQ(wake_ups(evd), before + 1);
  const DAT_DTO_COMPLETION_EVENT_DATA& dto = event.event_data.dto_completion_event_data;
  EXPECT_EQ(event.event_number, DAT_DTO_COMPLETION_EVENT);
  EXPECT_EQ(dto.operation, DAT_DTO_RECEIVE_WITH_INVALIDATE);
  EXPECT_EQ(dto.rmr_context, context);
  EXPECT_EQ(dto.transfered_length, 6U);
  EXPECT_EQ(posts.inbox.text(0, 6), "answer");
  EXPECT_EQ(query_rmr(window).rmr_context, 0U);
}

// Rules: DAT2.71
TEST(Dat2SolicitedAtomic, IsRefused) {
  ExtendedPosts posts;
  EXPECT_DAT_ERROR(posts.post(Extended::FetchAdd, 10, DAT_COMPLETION_SOLICITED_WAIT_FLAG),
                   DAT_INVALID_PARAMETER, DAT_INVALID_ARG7);
  EXPECT_DAT_ERROR(posts.post(Extended::CompareSwap, 10, DAT_COMPLETION_SOLICITED_WAIT_FLAG),
                   DAT_INVALID_PARAMETER, DAT_INVALID_ARG8);
}

} // namespace

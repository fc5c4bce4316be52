// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The InfiniBand extensions: atomic operations and immediate data.
#include "dat.h"

#include <dat2/dat_ib_extensions.h>

#include <cstring>
#include <iterator>
#include <string>
#include <thread>
#include <utility>

#include "fixture.h"

namespace {

using namespace datum::test;

constexpr auto kWithAtomic = static_cast<DAT_MEM_PRIV_FLAGS>(
    static_cast<int>(DAT_MEM_PRIV_ALL_FLAG) | static_cast<int>(DAT_IB_MEM_PRIV_REMOTE_ATOMIC));

struct Completion {
  DAT_EVENT event{};
  DAT_IB_EXTENSION_EVENT_DATA extension{};
  const DAT_DTO_COMPLETION_EVENT_DATA& dto() const {
    return event.event_data.dto_completion_event_data;
  }
};

Completion next_completion(DAT_EVD_HANDLE evd) {
  Completion next;
  next.event = next_event(evd);
  EXPECT_EQ(static_cast<int>(next.event.event_number), 0x40000);
  std::memcpy(&next.extension, next.event.event_extension_data, sizeof next.extension);
  return next;
}

class Dat2Extensions : public Connected {
 protected:
  // Words that a peer's operations change, so every access to them is atomic.
  static std::uint64_t* word(Buffer& buffer, std::size_t offset) {
    return reinterpret_cast<std::uint64_t*>(buffer.bytes().data() + offset);
  }
  static void set(Buffer& buffer, std::size_t offset, std::uint64_t value) {
    __atomic_store_n(word(buffer, offset), value, __ATOMIC_SEQ_CST);
  }
  static std::uint64_t get(Buffer& buffer, std::size_t offset) {
    return __atomic_load_n(word(buffer, offset), __ATOMIC_SEQ_CST);
  }
  DAT_RETURN add(std::uint64_t value, DAT_RMR_TRIPLET target) {
    DAT_LMR_TRIPLET sink = mine.segment(0, 8);
    return dat_ib_post_fetch_and_add(active().ep(), value, &sink, cookie(1), &target,
                                     DAT_COMPLETION_DEFAULT_FLAG);
  }
  DAT_RETURN swap(std::uint64_t expected, std::uint64_t value) {
    DAT_LMR_TRIPLET sink = mine.segment(0, 8);
    DAT_RMR_TRIPLET target = theirs.remote(8, 8);
    return dat_ib_post_cmp_and_swap(active().ep(), expected, value, &sink, cookie(2), &target,
                                    DAT_COMPLETION_DEFAULT_FLAG);
  }

  Buffer mine = active().buffer(64, kWithAtomic);
  Buffer theirs = passive().buffer(64, kWithAtomic);
};

// Rules: DAT2.19
TEST_F(Dat2Extensions, FetchAndAdd) {
  set(theirs, 8, 40);
  ASSERT_DAT_OK(add(2, theirs.remote(8, 8)));
  const Completion done = next_completion(active().request_evd());
  EXPECT_EQ(done.extension.type, DAT_IB_FETCH_AND_ADD);
  EXPECT_EQ(done.extension.status, DAT_OP_SUCCESS);
  EXPECT_EQ(static_cast<int>(done.dto().operation), 0xa);
  EXPECT_EQ(done.dto().user_cookie.as_64, 1U);
  EXPECT_EQ(done.dto().transfered_length, 8U);
  EXPECT_EQ(get(mine, 0), 40U);
  EXPECT_EQ(get(theirs, 8), 42U);
  EXPECT_EQ(get(theirs, 16), 0U);
}

// Rules: DAT2.19
TEST_F(Dat2Extensions, AddsOfPeerAndProcessorAreAllCounted) {
  std::uint64_t* counter = word(theirs, 8);
  std::thread here([counter] {
    for (int i = 0; i < 10000; ++i) __atomic_fetch_add(counter, 1, __ATOMIC_SEQ_CST);
  });
  for (int i = 0; i < 200; ++i) {
    EXPECT_DAT_OK(add(1, theirs.remote(8, 8)));
    next_completion(active().request_evd());
  }
  here.join();
  EXPECT_EQ(get(theirs, 8), 10200U);
}

// Rules: DAT2.20
TEST_F(Dat2Extensions, CompareAndSwap) {
  set(theirs, 8, 7);
  ASSERT_DAT_OK(swap(8, 100));
  EXPECT_EQ(next_completion(active().request_evd()).extension.type, DAT_IB_CMP_AND_SWAP);
  EXPECT_EQ(get(mine, 0), 7U);
  EXPECT_EQ(get(theirs, 8), 7U) << "it was not 8";
  ASSERT_DAT_OK(swap(7, 100));
  next_completion(active().request_evd());
  EXPECT_EQ(get(mine, 0), 7U);
  EXPECT_EQ(get(theirs, 8), 100U);
}

// Rules: DAT2.21
TEST_F(Dat2Extensions, WithoutTheRight) {
  Buffer plain = passive().buffer(64);
  ASSERT_DAT_OK(add(1, plain.remote(0, 8)));
  const Completion done = next_completion(active().request_evd());
  EXPECT_EQ(done.dto().status, DAT_DTO_ERR_REMOTE_ACCESS);
  EXPECT_EQ(done.extension.status, DAT_IB_OP_ERR);
}

// Rules: DAT2.21
TEST_F(Dat2Extensions, NotAligned) {
  set(theirs, 8, 5);
  ASSERT_DAT_OK(add(1, theirs.remote(4, 8)));
  EXPECT_EQ(next_completion(active().request_evd()).dto().status, DAT_DTO_ERR_REMOTE_ACCESS);
  EXPECT_EQ(get(theirs, 8), 5U);
}

// Rules: DAT2.22
TEST_F(Dat2Extensions, WriteWithImmediateData) {
  ASSERT_DAT_OK(post_recv(passive().ep(), {theirs.segment(32, 8)}, 3));
  mine.write(0, "written");
  DAT_LMR_TRIPLET source = mine.segment(0, 7);
  DAT_RMR_TRIPLET target = theirs.remote(0, 7);
  ASSERT_DAT_OK(dat_ib_post_rdma_write_immed(active().ep(), 1, &source, cookie(4), &target,
                                             0x12345678, DAT_COMPLETION_DEFAULT_FLAG));
  const Completion sent = next_completion(active().request_evd());
  EXPECT_EQ(sent.extension.type, DAT_IB_RDMA_WRITE_IMMED);
  EXPECT_EQ(sent.dto().user_cookie.as_64, 4U);
  EXPECT_EQ(sent.dto().transfered_length, 7U);
  const Completion arrived = next_completion(passive().recv_evd());
  EXPECT_EQ(theirs.text(0, 7), "written");
  EXPECT_EQ(arrived.extension.type, DAT_IB_RDMA_WRITE_IMMED_DATA);
  EXPECT_EQ(arrived.extension.val.immed.data, 0x12345678U);
  EXPECT_EQ(arrived.dto().user_cookie.as_64, 3U);
  EXPECT_EQ(arrived.dto().transfered_length, 7U);
  EXPECT_NO_EVENT(active().request_evd());
}

// Rules: DAT2.22
TEST_F(Dat2Extensions, ASuppressedOneTellsThePeerOnly) {
  ASSERT_DAT_OK(post_recv(passive().ep(), {theirs.segment(32, 8)}, 3));
  DAT_LMR_TRIPLET source = mine.segment(0, 0);
  DAT_RMR_TRIPLET target = theirs.remote(0, 0);
  ASSERT_DAT_OK(dat_ib_post_rdma_write_immed(active().ep(), 1, &source, cookie(4), &target, 9,
                                             DAT_COMPLETION_SUPPRESS_FLAG));
  EXPECT_EQ(next_completion(passive().recv_evd()).extension.val.immed.data, 9U);
  EXPECT_NO_EVENT(active().request_evd());
}

// Rules: DAT2.67
TEST(Dat2ExtendedRequests, AsManyWritesWithImmediateDataAsOtherRequests) {
  for (const DAT_COUNT most : {1, 3, 16}) {
    ConnectedPair pair(with_attributes([most](DAT_EP_ATTR& a) { a.max_request_dtos = most; }));
    Side& active = pair.active();
    Buffer mine = active.buffer(8);
    Buffer theirs = pair.passive().buffer(8);
    DAT_LMR_TRIPLET source = mine.segment();
    DAT_RMR_TRIPLET target = theirs.remote();
    const auto write = [&](DAT_COUNT number) {
      return dat_ib_post_rdma_write_immed(active.ep(), 1, &source,
                                          cookie(static_cast<DAT_UINT64>(number)), &target, number,
                                          DAT_COMPLETION_DEFAULT_FLAG);
    };
    for (int round = 0; round != 2; ++round) {
      // These Writes wait for Recvs.
      for (DAT_COUNT i = 0; i != most; ++i) ASSERT_DAT_OK(write(i));
      EXPECT_DAT_TYPE(write(most), DAT_INSUFFICIENT_RESOURCES);
      EXPECT_DAT_TYPE(post_send(active.ep(), {source}, 1), DAT_INSUFFICIENT_RESOURCES);
      for (DAT_COUNT i = 0; i != most; ++i) {
        ASSERT_DAT_OK(post_recv(pair.passive().ep(), {theirs.segment()}, 9));
        EXPECT_EQ(next_completion(pair.passive().recv_evd()).extension.val.immed.data,
                  static_cast<DAT_UINT32>(i));
        EXPECT_EQ(next_completion(active.request_evd()).dto().user_cookie.as_64,
                  static_cast<DAT_UINT64>(i));
      }
    }
  }
}

// Rules: DAT2.67
TEST(Dat2ExtendedRequests, AsManyBesideWhatIsOutstandingAlready) {
  ConnectedPair pair(with_attributes([](DAT_EP_ATTR& a) { a.max_request_dtos = 4; }));
  Side& active = pair.active();
  Side& passive = pair.passive();
  Buffer mine = active.buffer(8);
  Buffer theirs = passive.buffer(8);
  DAT_LMR_TRIPLET source = mine.segment();
  DAT_RMR_TRIPLET target = theirs.remote();
  const auto write = [&](DAT_UINT64 number) {
    return dat_ib_post_rdma_write_immed(active.ep(), 1, &source, cookie(number), &target, 5,
                                        DAT_COMPLETION_DEFAULT_FLAG);
  };
  // This Send waits for a Recv.
  ASSERT_DAT_OK(post_send(active.ep(), {source}, 0));
  for (DAT_UINT64 i = 1; i != 4; ++i) ASSERT_DAT_OK(write(i));
  EXPECT_DAT_TYPE(write(4), DAT_INSUFFICIENT_RESOURCES);
  for (DAT_UINT64 i = 0; i != 4; ++i)
    ASSERT_DAT_OK(post_recv(passive.ep(), {theirs.segment()}, 10 + i));
  expect_dto(active.request_evd(), active.ep(), 0);
  expect_dto(passive.recv_evd(), passive.ep(), 10);
  for (DAT_UINT64 i = 1; i != 4; ++i) {
    EXPECT_EQ(next_completion(active.request_evd()).dto().user_cookie.as_64, i);
    EXPECT_EQ(next_completion(passive.recv_evd()).dto().user_cookie.as_64, 10 + i);
  }
}

// Rules: DAT2.23
TEST_F(Dat2Extensions, NoCollectiveIsOffered) {
  constexpr auto kFlags = DAT_COMPLETION_DEFAULT_FLAG;
  constexpr auto kSum = DAT_IB_COLLECTIVE_REDUCE_OP_SUM;
  constexpr auto kType = DAT_IB_COLLECTIVE_TYPE_UINT8;
  const DAT_HANDLE ia = active().ia();
  const DAT_HANDLE evd = active().request_evd();
  const DAT_HANDLE group = ia; // there is no group, and the handle has to lead to the provider
  const DAT_CONTEXT context{};
  DAT_IB_COLLECTIVE_MEMBER member = nullptr;
  DAT_IB_COLLECTIVE_GROUP info{};
  DAT_UINT32 size = 0;
  DAT_UINT64 clock = 0;
  DAT_COUNT sizes[2] = {1, 1};
  DAT_COUNT places[2] = {0, 1};
  char from[2] = {};
  char to[2] = {};
  const std::pair<const char*, DAT_RETURN> answers[] = {
      {"create_member", dat_ib_collective_create_member(ia, nullptr, &member, &size)},
      {"free_member", dat_ib_collective_free_member(ia, member)},
      {"create_group",
       dat_ib_collective_create_group(&member, 1, 0, 1, &info, evd, active().pz(), context)},
      {"free_group", dat_ib_collective_free_group(group)},
      {"set_clock", dat_ib_collective_set_clock(group, clock, context)},
      {"read_clock", dat_ib_collective_read_clock(group, &clock)},
      {"scatter", dat_ib_collective_scatter(group, from, 1, to, 1, 0, context, kFlags)},
      {"scatterv",
       dat_ib_collective_scatterv(group, from, sizes, places, to, 1, 0, context, kFlags)},
      {"gather", dat_ib_collective_gather(group, from, 1, to, 1, 0, context, kFlags)},
      {"gatherv", dat_ib_collective_gatherv(group, from, 1, to, sizes, places, 0, context, kFlags)},
      {"allgather", dat_ib_collective_allgather(group, from, 1, to, 1, context, kFlags)},
      {"allgatherv",
       dat_ib_collective_allgatherv(group, from, 1, to, sizes, places, context, kFlags)},
      {"alltoall", dat_ib_collective_alltoall(group, from, 1, to, 1, context, kFlags)},
      {"alltoallv",
       dat_ib_collective_alltoallv(group, from, sizes, places, to, sizes, places, context, kFlags)},
      {"reduce", dat_ib_collective_reduce(group, from, 1, to, 1, kSum, kType, 0, context, kFlags)},
      {"allreduce",
       dat_ib_collective_allreduce(group, from, 1, to, 1, kSum, kType, context, kFlags)},
      {"reduce_scatter",
       dat_ib_collective_reduce_scatter(group, from, 1, to, sizes, kSum, kType, context, kFlags)},
      {"scan", dat_ib_collective_scan(group, from, 1, to, 1, kSum, kType, context, kFlags)},
      {"broadcast", dat_ib_collective_broadcast(group, from, 1, 0, context, kFlags)},
      {"barrier", dat_ib_collective_barrier(group, context, kFlags)},
  };
  EXPECT_EQ(std::size(answers), 20U);
  for (const auto& [name, answer] : answers) {
    SCOPED_TRACE(name);
    EXPECT_DAT_TYPE(answer, DAT_NOT_IMPLEMENTED);
  }
  // The same holds for a number that is no operation.
  EXPECT_DAT_TYPE(dat_extension_op(ia, static_cast<DAT_EXTENDED_OP>(30)), DAT_NOT_IMPLEMENTED);
}

class Dat2OpenQuery : public testing::Test {
 protected:
  DAT_RETURN ask(DAT_NAME_PTR of) {
    return dat_ib_open_query(of, &ia, DAT_IA_FIELD_ALL, &attributes, DAT_PROVIDER_FIELD_ALL,
                             &provider);
  }

  std::string name = ia_name();
  DAT_HANDLE ia = DAT_HANDLE_NULL;
  DAT_IA_ATTR attributes{};
  DAT_PROVIDER_ATTR provider{};
};

// Rules: DAT2.66
TEST_F(Dat2OpenQuery, AttributesByName) {
  ASSERT_DAT_OK(ask(name.data()));
  EXPECT_EQ(attributes.extension_version, 209);
  EXPECT_NE(attributes.ia_address_ptr, nullptr);
  EXPECT_EQ(provider.dapl_version_major, 2U);
  ASSERT_DAT_OK(dat_ib_close_query(ia));
  EXPECT_DAT_ERROR(dat_ib_close_query(ia), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_IA);
}

// Rules: DAT2.66
TEST_F(Dat2OpenQuery, HalfOfTheAttributes) {
  ASSERT_DAT_OK(dat_ib_open_query(name.data(), &ia, 0, nullptr, DAT_PROVIDER_FIELD_ALL, &provider));
  EXPECT_EQ(provider.dapl_version_major, 2U);
  ASSERT_DAT_OK(dat_ib_close_query(ia));
}

// Rules: DAT2.66
TEST_F(Dat2OpenQuery, BesideAnOpenIa) {
  const Ia open = open_ia();
  ASSERT_DAT_OK(ask(name.data()));
  EXPECT_NE(ia, open.get());
  ASSERT_DAT_OK(dat_ib_close_query(ia));
  create_pz(open);
}

// Rules: DAT2.66
TEST_F(Dat2OpenQuery, BadArguments) {
  std::string unknown = "no-such-ia";
  EXPECT_DAT_TYPE(ask(unknown.data()), DAT_PROVIDER_NOT_FOUND);
  std::string too_long(300, 'x');
  EXPECT_DAT_ERROR(ask(too_long.data()), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
  EXPECT_DAT_ERROR(ask(nullptr), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
  EXPECT_DAT_ERROR(dat_ib_open_query(name.data(), nullptr, 0, nullptr, 0, nullptr),
                   DAT_INVALID_PARAMETER, DAT_INVALID_ARG4);
  EXPECT_DAT_ERROR(dat_ib_open_query(name.data(), &ia, DAT_IA_FIELD_ALL, nullptr, 0, nullptr),
                   DAT_INVALID_PARAMETER, DAT_INVALID_ARG6);
  EXPECT_DAT_ERROR(dat_ib_open_query(name.data(), &ia, 0, nullptr, DAT_PROVIDER_FIELD_ALL, nullptr),
                   DAT_INVALID_PARAMETER, DAT_INVALID_ARG8);
  EXPECT_EQ(ia, DAT_HANDLE(DAT_HANDLE_NULL));
  EXPECT_DAT_ERROR(dat_ib_close_query(nullptr), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_IA);
}

// Rules: DAT2.25
TEST(Dat2Strerror, NamesOfBothParts) {
  const char* major = nullptr;
  const char* minor = nullptr;
  ASSERT_DAT_OK(dat_strerror(0x8005001aU, &major, &minor));
  EXPECT_STREQ(major, "DAT_INVALID_HANDLE");
  EXPECT_STREQ(minor, "DAT_INVALID_HANDLE_CSP");
  ASSERT_DAT_OK(dat_strerror(0x80170000U, &major, &minor));
  EXPECT_STREQ(major, "DAT_COMM_NOT_SUPPORTED");
  ASSERT_DAT_OK(dat_strerror(0xbfff0000U, &major, &minor));
  EXPECT_STREQ(major, "DAT_NOT_IMPLEMENTED");
  EXPECT_STREQ(minor, "");
  EXPECT_DAT_TYPE(dat_strerror(0x80180000U, &major, &minor), DAT_INVALID_PARAMETER);
  EXPECT_STREQ(major, "unknown error");
}

// DAT_IB_RETURN has no values with the class bit, but C programs pass a whole DAT_RETURN.
DAT_IB_RETURN returned(DAT_RETURN code) {
  return any_value<DAT_IB_RETURN>(static_cast<int>(code));
}

// Rules: DAT2.65
TEST(Dat2Strerror, CodesThatAnExtendedOperationReturns) {
  const char* text = nullptr;
  EXPECT_DAT_OK(dat_strerror_extension(returned(0x10000000U), &text));
  EXPECT_STREQ(text, "DAT_IB_ERR");
  EXPECT_DAT_OK(dat_strerror_extension(returned(0x90000001U), &text));
  EXPECT_STREQ(text, "DAT_IB_COLLECTIVE_ERR");
  EXPECT_DAT_OK(dat_strerror_extension(returned(0x8005000cU), &text));
  EXPECT_STREQ(text, "DAT_INVALID_HANDLE");
  EXPECT_DAT_OK(dat_strerror_extension(returned(0), &text));
  EXPECT_STREQ(text, "DAT_SUCCESS");
  EXPECT_DAT_TYPE(dat_strerror_extension(returned(0x00180000U), &text), DAT_INVALID_PARAMETER);
  EXPECT_STREQ(text, "unknown error");
  EXPECT_DAT_ERROR(dat_strerror_extension(DAT_IB_ERR, nullptr), DAT_INVALID_PARAMETER,
                   DAT_INVALID_ARG2);
}

// Rules: DAT2.65
TEST(Dat2Strerror, StatusOfAnExtendedOperation) {
  const char* text = nullptr;
  EXPECT_DAT_OK(dat_strerror_ext_status(any_value<DAT_IB_STATUS>(0), &text));
  EXPECT_STREQ(text, "DAT_OP_SUCCESS");
  EXPECT_DAT_OK(dat_strerror_ext_status(any_value<DAT_IB_STATUS>(1), &text));
  EXPECT_STREQ(text, "DAT_IB_OP_ERR");
  EXPECT_DAT_ERROR(dat_strerror_ext_status(any_value<DAT_IB_STATUS>(77), &text),
                   DAT_INVALID_PARAMETER, DAT_INVALID_ARG1);
  EXPECT_STREQ(text, "unknown extension status");
  EXPECT_DAT_ERROR(dat_strerror_ext_status(DAT_OP_SUCCESS, nullptr), DAT_INVALID_PARAMETER,
                   DAT_INVALID_ARG2);
}

} // namespace

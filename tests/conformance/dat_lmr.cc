// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat_lmr_query(3DAT), dat_lmr_free(3DAT), dat_lmr_sync_rdma_read(3DAT), ..._write(3DAT).
#include <set>

#include "each_kind.h"
#include <string>

#include "fixture.h"
#include "registration.h"

namespace datum::test {
namespace {

class LmrTest : public Conformance {
 protected:
  void SetUp() override {
    Conformance::SetUp();
    pz = create_pz(ia);
  }

  char memory[1024] = {};
  Pz pz;
};

using DatLmrQuery = LmrTest;
using DatLmrFree = LmrTest;
using DatLmrSyncRdmaRead = LmrTest;
using DatLmrSyncRdmaWrite = LmrTest;

DAT_LMR_PARAM query_lmr(DAT_LMR_HANDLE lmr) {
  DAT_LMR_PARAM param{};
  EXPECT_DAT_OK(dat_lmr_query(lmr, DAT_LMR_FIELD_ALL, &param));
  return param;
}

// Rules: dat_lmr_query.R1 dat_lmr_query.R2 dat_lmr_query.R3
TEST_F(DatLmrQuery, BadHandles) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_LMR, [](DAT_HANDLE handle) {
    DAT_LMR_PARAM param{};
    return dat_lmr_query(handle, DAT_LMR_FIELD_ALL, &param);
  });
}

// Rules: dat_lmr_query.R4 dat_lmr_query.R5 dat_lmr_query.R6
TEST_F(DatLmrQuery, MaskAndStruct) {
  Buffer buffer(ia, pz, 16);
  expect_query_checks(kLmrFields, [&](DAT_UINT64 mask, bool with_struct) {
    DAT_LMR_PARAM param{};
    return dat_lmr_query(buffer.lmr(), any_value<DAT_LMR_PARAM_MASK>(static_cast<int>(mask)),
                         with_struct ? &param : nullptr);
  });
}

// Rules: dat_lmr_query.R7 dat_lmr_query.R8 dat_lmr_query.R9
TEST_F(DatLmrQuery, WhatWasRegistered) {
  Registration r(ia, pz, memory + 5, 700);
  r.privileges = any_value<DAT_MEM_PRIV_FLAGS>(0x13);
  ASSERT_DAT_OK(r.create());
  const DAT_LMR_PARAM param = query_lmr(r.lmr);
  EXPECT_EQ(param.ia_handle, ia);
  EXPECT_EQ(param.pz_handle, pz);
  EXPECT_EQ(param.length, 700U);
  EXPECT_EQ(static_cast<int>(param.mem_priv), 0x13);
  EXPECT_EQ(param.region_desc.for_va, memory + 5);
  EXPECT_EQ(param.lmr_context, r.lmr_context);
  EXPECT_EQ(param.rmr_context, r.rmr_context);
  EXPECT_EQ(param.registered_size, r.registered_size);
  EXPECT_EQ(param.registered_address, r.registered_address);
}

TEST_F(DatLmrQuery, R10VirtualWithoutThePrefix) {
  Buffer buffer(ia, pz, 16);
  EXPECT_EQ(query_lmr(buffer.lmr()).mem_type, kStronglyOrdered);
}

// Rules: dat_lmr_query.R8 dat_lmr_query.R10
TEST_F(DatLmrQuery, WhatIsRegisteredAsStronglyOrderedIsSo) {
  Registration r(ia, pz, memory, 16);
  r.type = kStronglyOrdered;
  ASSERT_DAT_OK(r.create());
  const DAT_LMR_PARAM param = query_lmr(r.lmr);
  EXPECT_EQ(param.mem_type, kStronglyOrdered);
  EXPECT_EQ(param.region_desc.for_va, memory);
}

TEST_F(DatLmrQuery, R11VirtualWithThePrefix) {
  std::string aware = "RO_AWARE_" + ia_name();
  Ia opened;
  DAT_EVD_HANDLE async_evd = DAT_HANDLE_NULL;
  ASSERT_DAT_OK(dat_ia_open(aware.data(), 8, &async_evd, opened.out()));
  const Pz own_pz = create_pz(opened);
  Buffer buffer(opened, own_pz, 16);
  EXPECT_EQ(query_lmr(buffer.lmr()).mem_type, DAT_MEM_TYPE_VIRTUAL);
  // The IA that was opened under its plain name keeps its own memory type.
  Buffer plain(ia, pz, 16);
  EXPECT_EQ(query_lmr(plain.lmr()).mem_type, kStronglyOrdered);
}

TEST_F(DatLmrQuery, R13AnLmrOfAnLmr) {
  Buffer buffer(ia, pz, 16);
  Registration r(ia, pz, nullptr, 16);
  r.type = DAT_MEM_TYPE_LMR;
  r.region.for_lmr_handle = buffer.lmr();
  ASSERT_DAT_OK(r.create());
  EXPECT_EQ(query_lmr(r.lmr).mem_type, DAT_MEM_TYPE_LMR);
}

// Rules: dat_lmr_free.R1 dat_lmr_free.R2 dat_lmr_free.R3
TEST_F(DatLmrFree, BadHandles) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_LMR, dat_lmr_free);
}

TEST_F(DatLmrFree, R4TheMemoryStays) {
  const Pages pages = Pages::private_memory(2);
  pages.data()[0] = 'a';
  pages.data()[Pages::page()] = 'b';
  Registration r(ia, pz, pages.data(), pages.size());
  ASSERT_DAT_OK(r.create());
  EXPECT_DAT_OK(dat_lmr_free(r.lmr.release()));
  EXPECT_EQ(pages.data()[0], 'a');
  EXPECT_EQ(pages.data()[Pages::page()], 'b');
}

TEST_F(DatLmrFree, R6AnLmrMadeFromItStays) {
  Registration first(ia, pz, memory, sizeof memory);
  ASSERT_DAT_OK(first.create());
  Registration second(ia, pz, nullptr, 0);
  second.type = DAT_MEM_TYPE_LMR;
  second.region.for_lmr_handle = first.lmr;
  ASSERT_DAT_OK(second.create());
  EXPECT_DAT_OK(dat_lmr_free(first.lmr.release()));
  const DAT_LMR_TRIPLET segment =
      local_part(second.lmr_context, reinterpret_cast<DAT_VADDR>(memory), sizeof memory);
  EXPECT_DAT_OK(dat_lmr_sync_rdma_read(ia, &segment, 1));
}

TEST_F(DatLmrFree, R7LocalUseAfterwards) {
  Side side(ia);
  Buffer buffer = side.buffer(64);
  const DAT_LMR_TRIPLET segment = buffer.segment();
  EXPECT_DAT_OK(post_recv(side.ep(), {segment}, 1));
  buffer.lmr().free();
  EXPECT_DAT_TYPE(post_recv(side.ep(), {segment}, 2), DAT_PRIVILEGES_VIOLATION);
}

// Rules: dat_lmr_free.R9 MEM.9
TEST_F(DatLmrFree, ContextsAreNotReusedAtOnce) {
  std::set<DAT_LMR_CONTEXT> local;
  std::set<DAT_RMR_CONTEXT> remote;
  for (int i = 0; i < 200; ++i) {
    Registration r(ia, pz, memory, sizeof memory);
    ASSERT_DAT_OK(r.create());
    EXPECT_TRUE(local.insert(r.lmr_context).second) << "local context again after " << i;
    EXPECT_TRUE(remote.insert(r.rmr_context).second) << "remote context again after " << i;
  }
}

using SyncCall = DAT_RETURN (*)(DAT_IA_HANDLE, const DAT_LMR_TRIPLET*, DAT_VLEN);

void expect_sync_handle_checks(DAT_IA_HANDLE ia, SyncCall sync) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_IA,
                       [&](DAT_HANDLE handle) { return sync(handle, nullptr, 0); });
}

void expect_valid_lists(DAT_IA_HANDLE ia, DAT_PZ_HANDLE pz, SyncCall sync) {
  const Pz other_pz = create_pz(ia);
  Buffer first(ia, pz, 64, DAT_MEM_PRIV_NONE_FLAG);
  Buffer second(ia, other_pz, 64);
  const DAT_LMR_TRIPLET segments[] = {first.segment(), second.segment(10, 20),
                                      first.segment(63, 1)};
  EXPECT_DAT_OK(sync(ia, segments, 1));
  EXPECT_DAT_OK(sync(ia, segments, 3)) << "different LMRs and zones";
  EXPECT_DAT_OK(sync(ia, nullptr, 0)) << "nothing";
  const DAT_LMR_TRIPLET garbage = local_part(0x12345678, 0x10, 0);
  EXPECT_DAT_OK(sync(ia, &garbage, 1)) << "a segment of nothing";
}

void expect_bad_segments(DAT_IA_HANDLE ia, DAT_PZ_HANDLE pz, SyncCall sync) {
  Buffer buffer(ia, pz, 64);
  DAT_LMR_TRIPLET segment = buffer.segment();
  segment.lmr_context = ~segment.lmr_context;
  EXPECT_DAT_TYPE(sync(ia, &segment, 1), DAT_INVALID_PARAMETER) << "unknown context";
  segment = buffer.segment(1, 64);
  EXPECT_DAT_TYPE(sync(ia, &segment, 1), DAT_INVALID_PARAMETER) << "one byte past the end";
  segment = buffer.segment(0, 64);
  --segment.virtual_address;
  EXPECT_DAT_TYPE(sync(ia, &segment, 1), DAT_INVALID_PARAMETER) << "one byte before the start";
  segment = buffer.segment(8, 0);
  segment.segment_length = ~SegmentLength{0} - 4;
  EXPECT_DAT_TYPE(sync(ia, &segment, 1), DAT_INVALID_PARAMETER) << "wraps around";
  const DAT_LMR_TRIPLET second_bad[] = {buffer.segment(), buffer.segment(60, 5)};
  EXPECT_DAT_TYPE(sync(ia, second_bad, 2), DAT_INVALID_PARAMETER) << "the second of two";
}

void expect_too_many_refused(DAT_IA_HANDLE ia, DAT_PZ_HANDLE pz, SyncCall sync) {
  Buffer buffer(ia, pz, 64);
  const DAT_LMR_TRIPLET segment = buffer.segment();
  for (const DAT_VLEN count : {~DAT_VLEN{0}, DAT_VLEN{1} << 63U, DAT_VLEN{1} << 59U})
    EXPECT_DAT_ERROR(sync(ia, &segment, count), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3) << count;
}

// Rules: dat_lmr_sync_rdma_read.R1 dat_lmr_sync_rdma_read.R2 dat_lmr_sync_rdma_read.R3
TEST_F(DatLmrSyncRdmaRead, BadHandles) {
  expect_sync_handle_checks(ia, dat_lmr_sync_rdma_read);
}

// Rules: dat_lmr_sync_rdma_read.R4 dat_lmr_sync_rdma_read.R5 dat_lmr_sync_rdma_read.R8 MEM.10
// Rules: dat_lmr_sync_rdma_read.R10
TEST_F(DatLmrSyncRdmaRead, ValidLists) {
  expect_valid_lists(ia, pz, dat_lmr_sync_rdma_read);
}

// Rules: dat_lmr_sync_rdma_read.R6 dat_lmr_sync_rdma_read.R7 MEM.4
TEST_F(DatLmrSyncRdmaRead, BadSegments) {
  expect_bad_segments(ia, pz, dat_lmr_sync_rdma_read);
}

TEST_F(DatLmrSyncRdmaRead, R9NullList) {
  EXPECT_DAT_ERROR(dat_lmr_sync_rdma_read(ia, nullptr, 1), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
}

TEST_F(DatLmrSyncRdmaRead, R11MoreSegmentsThanMemoryHolds) {
  expect_too_many_refused(ia, pz, dat_lmr_sync_rdma_read);
}

// Rules: dat_lmr_sync_rdma_write.R1 dat_lmr_sync_rdma_write.R2 dat_lmr_sync_rdma_write.R3
TEST_F(DatLmrSyncRdmaWrite, BadHandles) {
  expect_sync_handle_checks(ia, dat_lmr_sync_rdma_write);
}

// Rules: dat_lmr_sync_rdma_write.R4 dat_lmr_sync_rdma_write.R5 dat_lmr_sync_rdma_write.R9
// Rules: dat_lmr_sync_rdma_write.R10
TEST_F(DatLmrSyncRdmaWrite, ValidLists) {
  expect_valid_lists(ia, pz, dat_lmr_sync_rdma_write);
}

// Rules: dat_lmr_sync_rdma_write.R6 dat_lmr_sync_rdma_write.R7
TEST_F(DatLmrSyncRdmaWrite, BadSegments) {
  expect_bad_segments(ia, pz, dat_lmr_sync_rdma_write);
}

TEST_F(DatLmrSyncRdmaWrite, R8NullList) {
  EXPECT_DAT_ERROR(dat_lmr_sync_rdma_write(ia, nullptr, 1), DAT_INVALID_PARAMETER,
                   DAT_INVALID_ARG2);
}

TEST_F(DatLmrSyncRdmaWrite, R11MoreSegmentsThanMemoryHolds) {
  expect_too_many_refused(ia, pz, dat_lmr_sync_rdma_write);
}

} // namespace
} // namespace datum::test

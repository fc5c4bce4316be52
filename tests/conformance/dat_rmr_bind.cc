// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat_rmr_bind(3DAT): its arguments, one at a time.
#include <functional>

#include "each_kind.h"
#include "fixture.h"
#include "names.h"

namespace datum::test {
namespace {

// The arguments of a bind that would succeed, to be changed one at a time.
struct BindArguments {
  DAT_RMR_HANDLE rmr;
  DAT_LMR_TRIPLET range;
  DAT_MEM_PRIV_FLAGS privileges = DAT_MEM_PRIV_ALL_FLAG;
  DAT_EP_HANDLE ep;
  DAT_COMPLETION_FLAGS flags = DAT_COMPLETION_DEFAULT_FLAG;

  DAT_RETURN call() const { return post_bind(ep, rmr, range, privileges, 1, nullptr, flags); }
};

class DatRmrBind : public testing::Test {
 protected:
  void SetUp() override {
    arguments.rmr = rmr;
    arguments.range = buffer.segment();
    arguments.ep = side().ep();
  }

  // The binding side.
  Side& side() { return pair.passive(); }

  DAT_RETURN bind_with(const std::function<void(BindArguments&)>& change) {
    BindArguments changed = arguments;
    change(changed);
    return changed.call();
  }
  void expect_refused(DAT_RETURN type, const std::function<void(BindArguments&)>& change) {
    EXPECT_DAT_TYPE(bind_with(change), type);
    EXPECT_EQ(query_rmr(rmr).rmr_context, 0U) << "still unbound";
  }

  ConnectedPair pair;
  Buffer buffer = side().buffer(64);
  Rmr rmr = create_rmr(side().pz());
  BindArguments arguments{};
};

// Rules: dat_rmr_bind.R1 dat_rmr_bind.R2 dat_rmr_bind.R3
TEST_F(DatRmrBind, BadHandles) {
  expect_handle_checks(pair.passive_ia(), DAT_HANDLE_TYPE_RMR, [&](DAT_HANDLE handle) {
    return bind_with([&](BindArguments& a) { a.rmr = handle; });
  });
}

TEST_F(DatRmrBind, R6BadEps) {
  expect_handle_checks(pair.passive_ia(), DAT_HANDLE_TYPE_EP, [&](DAT_HANDLE handle) {
    return bind_with([&](BindArguments& a) { a.ep = handle; });
  });
  EXPECT_DAT_ERROR(bind_with([&](BindArguments& a) { a.ep = pair.active().ep(); }),
                   DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EP)
      << "an EP of another instance";
}

TEST_F(DatRmrBind, R7NoTriplet) {
  EXPECT_DAT_ERROR(dat_rmr_bind(rmr, nullptr, DAT_MEM_PRIV_ALL_FLAG, side().ep(), cookie(1),
                                DAT_COMPLETION_DEFAULT_FLAG, nullptr),
                   DAT_INVALID_PARAMETER, kArgBindTriplet);
}

TEST_F(DatRmrBind, R8UnknownContexts) {
  Buffer freed = side().buffer(64);
  const DAT_LMR_TRIPLET stale = freed.segment();
  freed.lmr().free();
  expect_refused(DAT_INVALID_PARAMETER, [&](BindArguments& a) { a.range = stale; });
  for (const DAT_LMR_CONTEXT unknown : {0U, ~arguments.range.lmr_context, 0x7fffff00U}) {
    expect_refused(DAT_INVALID_PARAMETER, [&](BindArguments& a) { a.range.lmr_context = unknown; });
  }
}

TEST_F(DatRmrBind, R9RangesOutsideTheLmr) {
  expect_refused(DAT_INVALID_PARAMETER, [](BindArguments& a) { ++a.range.virtual_address; });
  expect_refused(DAT_INVALID_PARAMETER, [](BindArguments& a) { --a.range.virtual_address; });
  expect_refused(DAT_INVALID_PARAMETER, [](BindArguments& a) { ++a.range.segment_length; });
  expect_refused(DAT_INVALID_PARAMETER,
                 [](BindArguments& a) { a.range.segment_length = ~SegmentLength{0}; });
  expect_refused(DAT_INVALID_PARAMETER, [](BindArguments& a) { a.range.virtual_address += 64; });
}

TEST_F(DatRmrBind, R10ThreeTimesTheSamePz) {
  const DAT_IA_HANDLE ia = pair.passive_ia();
  const Pz other = create_pz(ia);
  const Rmr other_rmr = create_rmr(other);
  const Buffer other_buffer(ia, other, 64);
  expect_refused(DAT_PROTECTION_VIOLATION,
                 [&](BindArguments& a) { a.range = other_buffer.segment(); });
  expect_refused(DAT_PROTECTION_VIOLATION, [&](BindArguments& a) { a.rmr = other_rmr; });
  expect_refused(DAT_PROTECTION_VIOLATION, [&](BindArguments& a) {
    a.rmr = other_rmr;
    a.range = other_buffer.segment();
  });
}

TEST_F(DatRmrBind, R11RemoteReadNeedsLocalRead) {
  const Buffer write_only = side().buffer(64, DAT_MEM_PRIV_LOCAL_WRITE_FLAG);
  for (const DAT_MEM_PRIV_FLAGS privileges : {kRemoteRead, DAT_MEM_PRIV_ALL_FLAG}) {
    const auto ask = [&](BindArguments& a) {
      a.range = write_only.segment();
      a.privileges = privileges;
    };
    if (kAlwaysReadable)
      EXPECT_DAT_OK(bind_with(ask));
    else
      expect_refused(DAT_PRIVILEGES_VIOLATION, ask);
  }
  EXPECT_DAT_OK(bind_with([&](BindArguments& a) {
    a.range = write_only.segment();
    a.privileges = kRemoteWrite;
  }));
  rmr.free(); // before the LMR that the RMR holds
}

TEST_F(DatRmrBind, R12RemoteWriteNeedsLocalWrite) {
  const Buffer read_only = side().buffer(64, DAT_MEM_PRIV_LOCAL_READ_FLAG);
  for (const DAT_MEM_PRIV_FLAGS privileges : {kRemoteWrite, DAT_MEM_PRIV_ALL_FLAG}) {
    expect_refused(DAT_PRIVILEGES_VIOLATION, [&](BindArguments& a) {
      a.range = read_only.segment();
      a.privileges = privileges;
    });
  }
  EXPECT_DAT_OK(bind_with([&](BindArguments& a) {
    a.range = read_only.segment();
    a.privileges = kRemoteRead;
  }));
  rmr.free(); // before the LMR that the RMR holds
}

TEST_F(DatRmrBind, R13OnlyRemotePrivileges) {
  for (const int bits : {0x01, 0x10, 0x11, 0x03, 0x30, 0x32, 0x13, 0x04, 0x40, 0x133}) {
    EXPECT_DAT_ERROR(
        bind_with([&](BindArguments& a) { a.privileges = any_value<DAT_MEM_PRIV_FLAGS>(bits); }),
        DAT_INVALID_PARAMETER, kArgBindPrivileges)
        << std::hex << bits;
  }
  for (const int bits : {0x02, 0x20, 0x22, 0x33}) {
    EXPECT_DAT_OK(bind_with([&](BindArguments& a) {
      a.privileges = any_value<DAT_MEM_PRIV_FLAGS>(bits);
    })) << std::hex
        << bits;
  }
}

// Rules: dat_rmr_bind.R17 FLAGS.8 FLAGS.13 FLAGS.14
TEST_F(DatRmrBind, FlagsThatABindDoesNotTake) {
  for (const int flags : {0x02, 0x04, 0x10, 0x20, 0x40, 0x03, 0x80}) {
    expect_refused(DAT_INVALID_PARAMETER,
                   [&](BindArguments& a) { a.flags = any_value<DAT_COMPLETION_FLAGS>(flags); });
  }
  for (const int flags : {0x00, 0x01, 0x08, 0x09}) {
    EXPECT_DAT_OK(bind_with([&](BindArguments& a) {
      a.flags = any_value<DAT_COMPLETION_FLAGS>(flags);
    })) << flags;
  }
}

TEST_F(DatRmrBind, R19NobodyWantsTheContext) {
  ASSERT_DAT_OK(post_bind(side().ep(), rmr, buffer.segment(), kRemoteRead, 7, nullptr));
  expect_bind(side().request_evd(), rmr, 7);
  EXPECT_NE(query_rmr(rmr).rmr_context, 0U);
}

// Rules: dat_rmr_bind.R16
TEST(DatRmrBindEvd, TheRequestEvdMustTakeBinds) {
  const Ia active_ia = open_ia();
  const Ia ia = open_ia();
  Side active(active_ia);
  const Pz pz = create_pz(ia);
  const Evd recv = create_evd(ia, DAT_EVD_DTO_FLAG);
  const Evd request = create_evd(ia, DAT_EVD_DTO_FLAG);
  const Evd connect_evd = create_evd(ia, DAT_EVD_CONNECTION_FLAG);
  const Ep ep = create_ep(ia, pz, recv, request, connect_evd);
  establish(active.ep(), active.connect_evd(), ep, connect_evd, ia);
  const Buffer buffer(ia, pz, 64);
  const Rmr rmr = create_rmr(pz);
  EXPECT_DAT_ERROR(post_bind(ep, rmr, buffer.segment(), DAT_MEM_PRIV_ALL_FLAG, 1, nullptr),
                   DAT_INVALID_STATE, DAT_INVALID_STATE_EP_EVD_REQUEST);
  EXPECT_EQ(query_rmr(rmr).rmr_context, 0U);
}

} // namespace
} // namespace datum::test

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// interop/siw/fixture.h: an endpoint of ours and a queue pair of siw, connected in either
// direction.
#pragma once

#include "../../conformance/harness/fixture.h"
#include "siw_peer.h"

namespace datum::siw {

enum class Initiator { kDatum, kSiw };

// Both sides, not connected.
class SiwTest : public testing::Test {
 protected:
  // The number of RDMA Reads that siw is asked to serve. siw serves as many as it is asked for.
  static constexpr int kReads = 4;

  void connect_to_siw(std::string_view request = {}, std::string_view reply = {},
                      int reads = kReads);
  void connect_from_siw(std::string_view request = {}, std::string_view reply = {});
  void connect(Initiator initiator);

  // An address of siw's for dat_ep_connect().
  static DAT_IA_ADDRESS_PTR address();
  // Our address, in the form that siw's orders take.
  std::string own_address() const;

  static test::SideOptions wide_queues();
  void expect_dto(DAT_EVD_HANDLE evd, DAT_UINT64 cookie, std::size_t length);

  test::Ia ia{test::open_ia()};
  test::Side side{ia, wide_queues()};
  SiwPeer siw;
};

// Both sides, connected. The tests run once with each side as the initiator.
class SiwConnected : public SiwTest, public testing::WithParamInterface<Initiator> {
 protected:
  void SetUp() override { connect(GetParam()); }
};

std::string initiator_name(const testing::TestParamInfo<Initiator>& info);

} // namespace datum::siw

#define DATUM_SIW_BOTH_WAYS(suite)                                                                 \
  INSTANTIATE_TEST_SUITE_P(Initiator, suite, testing::Values(Initiator::kDatum, Initiator::kSiw),  \
                           initiator_name)

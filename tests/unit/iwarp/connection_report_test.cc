// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// ConnectionReport: the consumer is told one result of its connection and one end, and nothing
// after that.
#include "transport/iwarp/connection_report.h"

#include <gtest/gtest.h>

#include "pair.h"

namespace datum::iwarp::test {
namespace {

class ReportAlone : public ::testing::Test {
 protected:
  ReportAlone() { stream_.terms.reads_out = 4; }
  Log told() { return events_.take_log(); }

  StandIn events_;
  Stream stream_;
  ConnectionReport report_{stream_, events_};
};

TEST_F(ReportAlone, BeforeTheConsumerConnectsNobodyIsTold) {
  report_.fail(ConnectFailure::NonPeerRejected, {});
  report_.end(CloseReason::Broken);
  EXPECT_EQ(told(), Log{});
}

TEST_F(ReportAlone, AnEstablishedConnectionEndsOnce) {
  report_.begin(events_);
  EXPECT_FALSE(report_.is_established());
  report_.establish(from_hex("4f4b"));
  EXPECT_TRUE(report_.is_established());
  EXPECT_EQ(told(), Log{"established 4f4b reads 4"});
  report_.end(CloseReason::Disconnected);
  report_.end(CloseReason::Broken);
  EXPECT_EQ(told(), Log{"disconnected"});
}

TEST_F(ReportAlone, AFailureIsTheOnlyReport) {
  report_.begin(events_);
  report_.fail(ConnectFailure::PeerRejected, from_hex("676f"));
  report_.fail(ConnectFailure::NonPeerRejected, {});
  report_.end(CloseReason::Broken);
  EXPECT_EQ(told(), Log{"failed: peer rejected 676f"});
  EXPECT_FALSE(report_.is_established());
}

TEST_F(ReportAlone, AnEndBeforeItIsEstablishedIsAFailure) {
  report_.begin(events_);
  report_.end(CloseReason::Broken);
  EXPECT_EQ(told(), Log{"failed: non-peer rejected"});
}

TEST_F(ReportAlone, WithinACallOfTheConsumersAFailureWaits) {
  report_.begin(events_);
  report_.fail_later();
  EXPECT_TRUE(report_.has_to_fail());
  EXPECT_EQ(told(), Log{});
  report_.fail(ConnectFailure::NonPeerRejected, {});
  EXPECT_FALSE(report_.has_to_fail());
  EXPECT_EQ(told(), Log{"failed: non-peer rejected"});
}

TEST_F(ReportAlone, AConsumerThatHasClosedIsToldNothing) {
  report_.begin(events_);
  report_.fail_later();
  report_.stop();
  EXPECT_FALSE(report_.has_to_fail());
  report_.end(CloseReason::Broken);
  EXPECT_EQ(told(), Log{});
}

} // namespace
} // namespace datum::iwarp::test

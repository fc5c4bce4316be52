// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// OutstandingReads: this side's Reads and Atomics until the peer has answered them.
#include "transport/iwarp/outstanding_reads.h"

#include "bare_stream.h"

namespace datum::iwarp::test {
namespace {

class Outstanding : public ::testing::Test, protected BareStream {
 protected:
  Outstanding() {
    reads_.begin(1);
    EXPECT_TRUE(reads_.make_room());
    work_.length = 100;
  }
  OutstandingReads reads_{stream};
  WorkRequest work_;
};

TEST_F(Outstanding, EachHasAnMsnAndASinkOfItsOwn) {
  const OutstandingRead read = reads_.add_read(work_);
  const OutstandingRead atomic = reads_.add_atomic(work_);
  EXPECT_EQ(read.msn, 1U);
  EXPECT_EQ(read.length, 100U);
  EXPECT_EQ(read.sink_offset(), std::uint64_t{1} << 32U);
  EXPECT_EQ(atomic.msn, 2U);
  EXPECT_EQ(atomic.length, 8U);
  EXPECT_TRUE(atomic.atomic);
  EXPECT_EQ(reads_.oldest()->msn, 1U);
}

// Rules: iwarp.T8
TEST_F(Outstanding, NoMoreThanThePeerServes) {
  reads_.add_read(work_);
  EXPECT_FALSE(reads_.full());
  reads_.add_read(work_);
  EXPECT_TRUE(reads_.full());
  reads_.end_oldest();
  EXPECT_FALSE(reads_.full());
}

TEST_F(Outstanding, TheyEndInOrderAndTheConsumerIsTold) {
  reads_.add_read(work_);
  reads_.add_read(work_);
  reads_.end_oldest();
  EXPECT_EQ(events.take_log(), Log{"read done"});
  EXPECT_EQ(reads_.oldest()->msn, 2U);
  reads_.end_oldest();
  EXPECT_EQ(reads_.oldest(), nullptr);
  EXPECT_TRUE(reads_.empty());
}

TEST_F(Outstanding, OneOfNothingIsNotTheConsumers) {
  const OutstandingRead own = reads_.add_own();
  EXPECT_EQ(own.sink_offset(), 0U);
  reads_.add_read(work_);
  EXPECT_EQ(reads_.size(), 2U);
  EXPECT_EQ(reads_.of_consumer(), 1U);
  reads_.end_oldest();
  EXPECT_EQ(events.log(), Log{}) << "the consumer knows nothing of it";
  EXPECT_EQ(reads_.of_consumer(), 1U);
}

TEST_F(Outstanding, AnAnswerIsOpenFromItsFirstOctetOn) {
  EXPECT_FALSE(reads_.response_open());
  reads_.add_read(work_);
  EXPECT_FALSE(reads_.response_open());
  reads_.oldest()->done = 1;
  EXPECT_TRUE(reads_.response_open());
}

// Rules: iwarp.E10
TEST_F(Outstanding, ATerminateNamesOneBehindTheConsumersOthers) {
  reads_.add_own();
  reads_.add_read(work_);
  reads_.add_atomic(work_);
  const auto read = reads_.find_msn(2);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->before, 0U);
  EXPECT_FALSE(read->atomic);
  const auto atomic = reads_.find_msn(3);
  ASSERT_TRUE(atomic);
  EXPECT_EQ(atomic->before, 1U);
  EXPECT_TRUE(atomic->atomic);
  EXPECT_FALSE(reads_.find_msn(1)) << "nobody could be told";
  EXPECT_FALSE(reads_.find_msn(4));
}

TEST_F(Outstanding, OrByAnyOffsetInItsSink) {
  reads_.add_read(work_);
  reads_.add_read(work_);
  const auto found = reads_.find_sink((std::uint64_t{2} << 32U) + 50);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->before, 1U);
  EXPECT_FALSE(reads_.find_sink(std::uint64_t{3} << 32U));
}

} // namespace
} // namespace datum::iwarp::test

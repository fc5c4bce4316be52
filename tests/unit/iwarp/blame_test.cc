// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// blamed_by(): which of this side's requests the peer's Terminate blames, and for what.
#include "transport/iwarp/blame.h"

#include "bare_stream.h"

namespace datum::iwarp::test {
namespace {

class Blame : public ::testing::Test, protected BareStream {
 protected:
  Blame() {
    unfinished_.begin(1);
    reads_.begin(1);
    work_.length = 100;
  }
  void send(std::uint32_t msn) {
    ASSERT_TRUE(unfinished_.make_room());
    unfinished_.add_send(&work_, msn);
  }
  void write(std::uint64_t address) {
    work_.remote = {9, address, 100};
    ASSERT_TRUE(unfinished_.make_room());
    unfinished_.add_write(work_);
  }
  void read() {
    ASSERT_TRUE(reads_.make_room());
    reads_.add_read(work_);
  }
  void atomic() {
    ASSERT_TRUE(reads_.make_room());
    reads_.add_atomic(work_);
  }
  std::optional<BlamedRequest> blamed(const Terminate& terminate) const {
    return blamed_by(terminate, unfinished_, reads_);
  }
  // A Terminate that echoes the header of the message with that MSN.
  static Terminate echo(ErrorCode error, std::uint32_t queue, std::uint32_t msn,
                        Rdmap opcode = Rdmap::Send) {
    return make_terminate(error, 100, octets_of(untagged(opcode, queue, msn)));
  }
  using Answer = std::optional<BlamedRequest>;

  UnfinishedRequests unfinished_{stream};
  OutstandingReads reads_{stream};
  WorkRequest work_;
};

// Rules: iwarp.E10
TEST_F(Blame, ASendWithoutARecvWasNotExpected) {
  send(1);
  send(2);
  EXPECT_EQ(blamed(echo(error::kNoBuffer, kSendQueue, 2)),
            (Answer{{RequestClass::Placed, DtoStatus::ReceiverNotReady, 1}}));
  EXPECT_EQ(blamed(echo(error::kTooLong, kSendQueue, 1)),
            (Answer{{RequestClass::Placed, DtoStatus::RemoteResponder, 0}}));
}

// Rules: iwarp.E11
TEST_F(Blame, WhatHasEndedIsNamedInVain) {
  send(2);
  EXPECT_EQ(blamed(echo(error::kNoBuffer, kSendQueue, 1)), std::nullopt);
  EXPECT_EQ(blamed(echo(error::kProtectionStag, kReadQueue, 1)), std::nullopt);
}

// Rules: iwarp.E10
TEST_F(Blame, AWriteIsNamedByWhereItGoes) {
  write(1000);
  write(2000);
  const Terminate terminate =
      make_terminate(error::kTaggedBounds, 100, octets_of(tagged(Rdmap::Write, 9, 2050)));
  EXPECT_EQ(blamed(terminate), (Answer{{RequestClass::Placed, DtoStatus::RemoteAccess, 1}}));
}

TEST_F(Blame, ATaggedHeaderOfNoWriteNamesNone) {
  write(1000);
  EXPECT_EQ(blamed(make_terminate(error::kTaggedBounds, 100,
                                  octets_of(tagged(Rdmap::ReadResponse, 9, 1000)))),
            std::nullopt);
}

// Rules: iwarp.E10
TEST_F(Blame, AReadIsNamedByItsSink) {
  read();
  read();
  const ReadRequest second{.sink_stag = 1, .sink_offset = (std::uint64_t{2} << 32U) + 50};
  EXPECT_EQ(blamed(make_terminate(error::kProtectionBounds, 77, second)),
            (Answer{{RequestClass::Read, DtoStatus::RemoteAccess, 1}}))
      << "whatever its MSN is: siw has another number there";
}

// Rules: iwarp.E10
TEST_F(Blame, WithoutItsRequestAReadIsNamedByItsMsn) {
  read();
  read();
  EXPECT_EQ(blamed(echo(error::kStreamCatastrophic, kReadQueue, 2, Rdmap::ReadRequest)),
            (Answer{{RequestClass::Read, DtoStatus::RemoteResponder, 1}}));
}

TEST_F(Blame, AnAtomicThatIsNotAlignedIsABadAddress) {
  read();
  atomic();
  EXPECT_EQ(blamed(echo(error::kStreamCatastrophic, kReadQueue, 2, Rdmap::AtomicRequest)),
            (Answer{{RequestClass::Read, DtoStatus::RemoteAccess, 1}}));
}

TEST_F(Blame, OnlyASendCanLackItsRecv) {
  read();
  EXPECT_EQ(blamed(echo(error::kNoBuffer, kReadQueue, 1, Rdmap::ReadRequest)),
            (Answer{{RequestClass::Read, DtoStatus::RemoteResponder, 0}}));
}

TEST_F(Blame, AnStagThatCannotBeInvalidatedIsOneThatCannotBeUsed) {
  send(1);
  for (const ErrorCode error : {error::kCannotInvalidate, error::kProtectionInvalidate})
    EXPECT_EQ(blamed(echo(error, kSendQueue, 1)),
              (Answer{{RequestClass::Placed, DtoStatus::RemoteAccess, 0}}));
}

// An error type has one meaning in RDMAP, and others in DDP and MPA.
TEST_F(Blame, ATypeMeansWhatItsLayerSays) {
  send(1);
  EXPECT_EQ(blamed(echo({2, 1, 0}, kSendQueue, 1)),
            (Answer{{RequestClass::Placed, DtoStatus::RemoteResponder, 0}}));
  EXPECT_EQ(blamed(echo(error::kQueueNumber, kSendQueue, 1)),
            (Answer{{RequestClass::Placed, DtoStatus::RemoteResponder, 0}}));
}

TEST_F(Blame, AnotherQueueNamesNone) {
  send(1);
  read();
  EXPECT_EQ(blamed(echo(error::kTooLong, kTerminateQueue, 1)), std::nullopt);
}

TEST_F(Blame, WithoutAnEchoItIsTheOldestRead) {
  send(1);
  EXPECT_EQ(blamed(make_terminate(error::kLocal)), std::nullopt);
  read();
  EXPECT_EQ(blamed(make_terminate(error::kLocal)),
            (Answer{{RequestClass::Read, DtoStatus::RemoteResponder, 0}}));
  EXPECT_EQ(blamed(make_terminate(error::kCrc)), std::nullopt) << "MPA knows of no Read";
}

TEST_F(Blame, AReadThatIsNotTheConsumersIsNotBlamed) {
  ASSERT_TRUE(reads_.make_room());
  reads_.add_own();
  EXPECT_EQ(blamed(make_terminate(error::kLocal)), std::nullopt);
}

} // namespace
} // namespace datum::iwarp::test

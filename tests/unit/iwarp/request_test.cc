// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// to_request(): the message on the wire for each request of the seam.
#include "transport/iwarp/request.h"

#include <gtest/gtest.h>

namespace datum::iwarp::test {
namespace {

WorkRequest work_of(Opcode opcode, bool solicited = false) {
  WorkRequest work;
  work.opcode = opcode;
  work.solicited = solicited;
  return work;
}

// Rules: iwarp.T18
TEST(WireRequest, EachOpcodeAndWhetherItIsSolicited) {
  struct Row {
    Opcode seam;
    Rdmap plain;
    Rdmap solicited;
  };
  constexpr Row kRows[] = {
      {Opcode::Send, Rdmap::Send, Rdmap::SendSolicited},
      {Opcode::SendInvalidate, Rdmap::SendInvalidate, Rdmap::SendSolicitedInvalidate},
      {Opcode::WriteImmediate, Rdmap::Immediate, Rdmap::ImmediateSolicited},
      {Opcode::RdmaWrite, Rdmap::Write, Rdmap::Write},
      {Opcode::RdmaRead, Rdmap::ReadRequest, Rdmap::ReadRequest},
      {Opcode::FetchAdd, Rdmap::AtomicRequest, Rdmap::AtomicRequest},
      {Opcode::CompareSwap, Rdmap::AtomicRequest, Rdmap::AtomicRequest},
  };
  for (const Row& row : kRows) {
    EXPECT_EQ(to_request(work_of(row.seam)).opcode, row.plain);
    EXPECT_EQ(to_request(work_of(row.seam, true)).opcode, row.solicited);
  }
}

TEST(WireRequest, ItNamesTheWork) {
  const WorkRequest work = work_of(Opcode::Send);
  EXPECT_EQ(to_request(work).work, &work);
}

// Rules: iwarp.T18
TEST(WireRequest, InvalidateNamesTheStag) {
  WorkRequest work = work_of(Opcode::SendInvalidate);
  work.extra.note = {Opcode::SendInvalidate, 77, 0};
  EXPECT_EQ(to_request(work).invalidate, 77U);
  EXPECT_EQ(to_request(work).immediate, 0U);
}

// Rules: iwarp.T18
TEST(WireRequest, ImmediateDataIsTheNumberAndHowMuchTheWriteHad) {
  WorkRequest work = work_of(Opcode::WriteImmediate);
  work.extra.note = {Opcode::WriteImmediate, 0x11223344, 0x55};
  EXPECT_EQ(to_request(work).immediate, 0x1122334400000055U);
  EXPECT_EQ(to_request(work).invalidate, 0U);
}

// Rules: iwarp.T4
TEST(WireRequest, AtomicsSayWhereAndWhat) {
  WorkRequest work = work_of(Opcode::FetchAdd);
  work.remote = {9, 4096, 8};
  work.extra.atomic = {.operand = 5, .compare = 6};
  const AtomicRequest add = to_request(work).atomic;
  EXPECT_EQ(add.operation, AtomicOperation::FetchAdd);
  EXPECT_EQ(add.stag, 9U);
  EXPECT_EQ(add.offset, 4096U);
  EXPECT_EQ(add.data, 5U);
  EXPECT_EQ(add.compare, 0U);
  work.opcode = Opcode::CompareSwap;
  const AtomicRequest swap = to_request(work).atomic;
  EXPECT_EQ(swap.operation, AtomicOperation::CompareSwap);
  EXPECT_EQ(swap.data, 5U);
  EXPECT_EQ(swap.compare, 6U);
  EXPECT_EQ(swap.mask, ~std::uint64_t{0}) << "all of it is compared";
}

} // namespace
} // namespace datum::iwarp::test

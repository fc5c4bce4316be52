// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat_set_consumer_context(3DAT), dat_get_consumer_context(3DAT).
#include "each_kind.h"
#include "fixture.h"

namespace datum::test {
namespace {

using DatSetConsumerContext = Conformance;
using DatGetConsumerContext = Conformance;

DAT_UINT64 context_of(DAT_HANDLE handle) {
  DAT_CONTEXT context = cookie(0x5a5a5a5a5a5a5a5a);
  EXPECT_DAT_OK(dat_get_consumer_context(handle, &context));
  return context.as_64;
}

TEST_F(DatSetConsumerContext, R1Null) {
  EXPECT_DAT_TYPE(dat_set_consumer_context(DAT_HANDLE_NULL, cookie(1)), DAT_INVALID_HANDLE);
}

TEST_F(DatSetConsumerContext, R2Destroyed) {
  Pz pz = create_pz(ia);
  const DAT_HANDLE handle = pz;
  pz.free();
  EXPECT_DAT_TYPE(dat_set_consumer_context(handle, cookie(1)), DAT_INVALID_HANDLE);
}

// Rules: dat_set_consumer_context.R3 dat_set_consumer_context.R6
TEST_F(DatSetConsumerContext, EveryKindKeepsItsOwn) {
  const EachKind objects(ia);
  PendingRequest request(ia);
  auto handles = objects.handles();
  handles.emplace_back(DAT_HANDLE_TYPE_CR, request.cr());
  for (const auto& [kind, handle] : handles) {
    EXPECT_DAT_OK(dat_set_consumer_context(handle, cookie(1000 + static_cast<DAT_UINT64>(kind))))
        << "kind " << kind;
  }
  for (const auto& [kind, handle] : handles) {
    EXPECT_EQ(context_of(handle), 1000 + static_cast<DAT_UINT64>(kind)) << "kind " << kind;
  }
}

TEST_F(DatSetConsumerContext, R4TheSecondReplacesTheFirst) {
  const Pz pz = create_pz(ia);
  EXPECT_DAT_OK(dat_set_consumer_context(pz, cookie(1)));
  EXPECT_DAT_OK(dat_set_consumer_context(pz, cookie(2)));
  EXPECT_EQ(context_of(pz), 2U);
}

TEST_F(DatSetConsumerContext, R5All64Bits) {
  const Pz pz = create_pz(ia);
  EXPECT_DAT_OK(dat_set_consumer_context(pz, cookie(0xfedcba9876543210)));
  EXPECT_EQ(context_of(pz), 0xfedcba9876543210);
}

TEST_F(DatGetConsumerContext, R1Null) {
  DAT_CONTEXT context{};
  EXPECT_DAT_TYPE(dat_get_consumer_context(DAT_HANDLE_NULL, &context), DAT_INVALID_HANDLE);
}

TEST_F(DatGetConsumerContext, R2Destroyed) {
  Pz pz = create_pz(ia);
  const DAT_HANDLE handle = pz;
  pz.free();
  DAT_CONTEXT context{};
  EXPECT_DAT_TYPE(dat_get_consumer_context(handle, &context), DAT_INVALID_HANDLE);
}

TEST_F(DatGetConsumerContext, R3ZeroAtFirst) {
  const EachKind objects(ia);
  PendingRequest request(ia);
  auto handles = objects.handles();
  handles.emplace_back(DAT_HANDLE_TYPE_CR, request.cr());
  for (const auto& [kind, handle] : handles) EXPECT_EQ(context_of(handle), 0U) << "kind " << kind;
}

TEST_F(DatGetConsumerContext, R4NullPointer) {
  const Pz pz = create_pz(ia);
  EXPECT_DAT_ERROR(dat_get_consumer_context(pz, nullptr), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
}

} // namespace
} // namespace datum::test

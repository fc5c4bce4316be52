// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <gtest/gtest.h>

#include "facade/v1/traits.h"

#include "facade/answer.h"

namespace datum {
namespace {

struct Case {
  Status status;
  DAT_RETURN code;
};

// The numbers are those of the binary interface. They do not come from the tables under test.
constexpr Case kCases[] = {
    {kOk, 0x00000000},
    {{Type::Abort}, 0x80010000},
    {{Type::ConnQualInUse}, 0x80020000},
    {{Type::InsufficientResources, Detail::ResourceMemory}, 0x80030002},
    {{Type::InsufficientResources, Detail::ResourceTevd}, 0x80030005},
    {{Type::InsufficientResources, Detail::ResourceSrq}, 0x8003000a},
    {{Type::InternalError}, 0x80040000},
    {{Type::InvalidHandle, Detail::HandleIa}, 0x8005000b},
    {{Type::InvalidHandle, Detail::HandleEp}, 0x8005000c},
    {{Type::InvalidHandle, Detail::HandleCr}, 0x80050012},
    {{Type::InvalidHandle, Detail::HandleEvdCr}, 0x80050014},
    {{Type::InvalidHandle, Detail::HandleEvdConn}, 0x80050017},
    {{Type::InvalidHandle, Detail::HandleSrq}, 0x80050019},
    {{Type::InvalidHandle, Detail::Handle1}, 0x8005001a},
    {{Type::InvalidHandle, Detail::Handle10}, 0x80050023},
    {{Type::InvalidParameter, Detail::Arg1}, 0x80060024},
    {{Type::InvalidParameter, Detail::Arg10}, 0x8006002d},
    {{Type::InvalidState, Detail::EpUnconnected}, 0x8007002e},
    {{Type::InvalidState, Detail::EpDisconnectPending}, 0x80070036},
    {{Type::InvalidState, Detail::EpNotReady}, 0x80070038},
    {{Type::InvalidState, Detail::EpEvdConnect}, 0x8007003d},
    {{Type::InvalidState, Detail::CnoInUse}, 0x80070042},
    {{Type::InvalidState, Detail::EvdUnwaitable}, 0x80070048},
    {{Type::InvalidState, Detail::EvdInUse}, 0x80070049},
    {{Type::InvalidState, Detail::EvdWaiter}, 0x8007004d},
    {{Type::InvalidState, Detail::IaInUse}, 0x8007004f},
    {{Type::InvalidState, Detail::PzInUse}, 0x80070052},
    {{Type::InvalidState, Detail::SrqInUse}, 0x80070056},
    {{Type::LengthError}, 0x80080000},
    {{Type::ModelNotSupported}, 0x80090000},
    {{Type::ProviderNotFound}, 0x800a0000},
    {{Type::PrivilegesViolation, Detail::PrivilegesRead}, 0x800b0057},
    {{Type::ProtectionViolation, Detail::ProtectionRdmaWrite}, 0x800c005e},
    {{Type::QueueEmpty}, 0x800d0000},
    {{Type::QueueFull}, 0x800e0000},
    {{Type::TimeoutExpired}, 0x800f0000},
    {{Type::ProviderAlreadyRegistered}, 0x80100000},
    {{Type::ProviderInUse}, 0x80110000},
    {{Type::InvalidAddress, Detail::AddressUnsupported}, 0x8012005f},
    {{Type::InvalidAddress, Detail::AddressMalformed}, 0x80120061},
    {{Type::InterruptedCall, Detail::Interrupted}, 0x80130001},
    {{Type::ConnQualUnavailable}, 0x80140000},
};

TEST(ReturnCode, HasClassTypeAndSubtypeOfDat12) {
  for (const auto& [status, code] : kCases) EXPECT_EQ(encode<V1>(status), code);
}

DAT_RETURN out_of_memory(int) {
  throw std::bad_alloc();
}
DAT_RETURN too_long(int) {
  throw std::length_error("queue");
}
DAT_RETURN defect(int) {
  throw 1;
}

TEST(ReturnCode, NoExceptionLeavesTheTable) {
  EXPECT_EQ((Shield<V1, &out_of_memory, &calls::kEpFree>::call(0)), 0x80030002);
  EXPECT_EQ((Shield<V1, &too_long, &calls::kEpFree>::call(0)), 0x80030002);
  EXPECT_EQ((Shield<V1, &defect, &calls::kEpFree>::call(0)), 0x80040000);
}

} // namespace
} // namespace datum

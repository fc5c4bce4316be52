// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// This test is a program of its own. Refusals are logged at level debug, and a process reads the
// level only once.
#include "base/refusal.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <string>
#include <thread>

namespace datum {
namespace {

const int kDebug = setenv("DATUM_LOG", "debug", 1);

std::string told(const std::function<void()>& act) {
  testing::internal::CaptureStderr();
  act();
  return testing::internal::GetCapturedStderr();
}

// Rules: REFUSAL.1
TEST(Refusal, ALineSaysCallAnswerAttributeValueAllowedAndRule) {
  ASSERT_EQ(kDebug, 0);
  EXPECT_EQ(told([] {
              note_bits("request_completion_flags", 0x2, "0x0 or 0x4", "dat_ep_create.R32");
              tell_refusal("dat_ep_create", "DAT_INVALID_PARAMETER DAT_INVALID_ARG6",
                           {"ep_attributes", "", "", "dat_ep_create(3)"});
            }),
            "datum debug: dat_ep_create: DAT_INVALID_PARAMETER DAT_INVALID_ARG6: "
            "request_completion_flags is 0x2; allowed: 0x0 or 0x4 (dat_ep_create.R32)\n");
}

// Rules: REFUSAL.1
TEST(Refusal, WhatTheNoteDoesNotSayTheBorderSays) {
  EXPECT_EQ(told([] {
              note_cause("", -3, "", "");
              tell_refusal("dat_evd_create", "DAT_INVALID_PARAMETER DAT_INVALID_ARG2",
                           {"evd_min_qlen", "", "at least 1", "dat_evd_create.R6"});
            }),
            "datum debug: dat_evd_create: DAT_INVALID_PARAMETER DAT_INVALID_ARG2: "
            "evd_min_qlen is -3; allowed: at least 1 (dat_evd_create.R6)\n");
}

TEST(Refusal, ANoteIsOfOneRefusalAndOfOneThread) {
  const Cause border{"evd_handle", "", "", ""};
  const auto tell = [&] { tell_refusal("dat_evd_free", "DAT_INVALID_STATE", border); };
  const auto tell_elsewhere = [&] { tell_refusal("dat_ep_free", "DAT_INVALID_STATE", border); };
  EXPECT_EQ(told([&] {
              note_cause("flags", 1, "", "");
              std::thread(tell_elsewhere).join();
            }),
            "datum debug: dat_ep_free: DAT_INVALID_STATE: evd_handle (dat_ep_free(3))\n");
  EXPECT_EQ(told(tell),
            "datum debug: dat_evd_free: DAT_INVALID_STATE: flags is 1 (dat_evd_free(3))\n");
  EXPECT_EQ(told(tell),
            "datum debug: dat_evd_free: DAT_INVALID_STATE: evd_handle (dat_evd_free(3))\n");
}

TEST(Refusal, ANoteForAnAnswerOfAnotherTypeIsNone) {
  EXPECT_EQ(told([] {
              note_cause({"cno_handle", "null", "a handle of a CNO", "", Type::InvalidHandle});
              tell_refusal(
                  "dat_evd_query", "DAT_INVALID_PARAMETER DAT_INVALID_ARG3",
                  {"evd_param", "null", "not null", "dat_evd_query.R5", Type::InvalidParameter});
            }),
            "datum debug: dat_evd_query: DAT_INVALID_PARAMETER DAT_INVALID_ARG3: "
            "evd_param is null; allowed: not null (dat_evd_query.R5)\n");
}

TEST(Refusal, WhatIsTooLongIsCut) {
  const std::string line = told([] {
    note_cause({std::string(1000, 'w'), std::string(1000, 'v'), std::string(1000, 'a'),
                std::string(1000, 'r')});
    tell_refusal("dat_ep_create", "DAT_INVALID_PARAMETER", {});
  });
  EXPECT_EQ(line, "datum debug: dat_ep_create: DAT_INVALID_PARAMETER: " + std::string(64, 'w') +
                      " is " + std::string(96, 'v') + "; allowed: " + std::string(160, 'a') + " (" +
                      std::string(64, 'r') + ")\n");
}

// Rules: REFUSAL.3
TEST(Refusal, AnswersAreNone) {
  for (const Type type :
       {Type::QueueEmpty, Type::TimeoutExpired, Type::InterruptedCall, Type::Abort})
    EXPECT_TRUE(is_answer(type));
  for (const Type type : {Type::InvalidParameter, Type::InvalidHandle, Type::InvalidState,
                          Type::InsufficientResources, Type::QueueFull, Type::ConnQualInUse})
    EXPECT_FALSE(is_answer(type));
}

// Rules: REFUSAL.2
TEST(RefusalFilter, TheSameLineOnceASecond) {
  RefusalFilter filter;
  EXPECT_TRUE(filter.judge(7, 5).tell);
  EXPECT_FALSE(filter.judge(7, 6).tell);
  EXPECT_FALSE(filter.judge(7, 1'000'000'004).tell);
  EXPECT_TRUE(filter.judge(8, 6).tell);
  const RefusalFilter::LineChoice later = filter.judge(7, 1'000'000'005);
  EXPECT_TRUE(later.tell);
  EXPECT_EQ(later.left_out, 2U);
  EXPECT_FALSE(filter.judge(7, 2'000'000'004).tell);
  EXPECT_EQ(filter.judge(7, 2'000'000'005).left_out, 1U);
}

// Rules: REFUSAL.2
TEST(RefusalFilter, MoreDifferentLinesThanItHoldsDoNotBringTheSameOneBack) {
  RefusalFilter filter;
  int told = 0;
  for (std::uint64_t hash = 0; hash != 100'000; ++hash) told += filter.judge(hash, 5).tell ? 1 : 0;
  EXPECT_EQ(told, 4096);
  for (std::uint64_t hash = 0; hash != 100'000; ++hash)
    ASSERT_FALSE(filter.judge(hash, 6).tell) << hash;
}

} // namespace
} // namespace datum

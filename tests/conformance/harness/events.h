// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// harness/events.h: events that must come, and events that must not.
// Lives here: waiting for the next event with a generous limit, and the usual checks of its
//             contents.
// Not here:   what leads to an event.
#pragma once

#include "dat.h"
#include <gtest/gtest.h>

#include "objects.h"

namespace datum::test {

// In us: five seconds times DATUM_TEST_PATIENCE. A healthy library never needs that long.
extern const DAT_TIMEOUT kPatience;
inline constexpr DAT_TIMEOUT kQuiet = 20'000; // us: how long no_event() waits for an unwanted event

// The next event. If none comes, the test fails and the event has number 0.
DAT_EVENT next_event(DAT_EVD_HANDLE evd, DAT_TIMEOUT timeout = kPatience);

// The next event, which must have this number.
DAT_EVENT expect_event(DAT_EVD_HANDLE evd, DAT_EVENT_NUMBER number);

// The next event by polling: for completions that do not notify and so wake no thread.
DAT_EVENT poll_event(DAT_EVD_HANDLE evd);

// Expects a DTO completion with this EP, cookie and status. Returns transfered_length.
DAT_VLEN expect_dto(DAT_EVD_HANDLE evd, DAT_EP_HANDLE ep, DAT_UINT64 cookie,
                    DAT_DTO_COMPLETION_STATUS status = DAT_DTO_SUCCESS);
// The same as expect_dto(), but polls.
DAT_VLEN poll_dto(DAT_EVD_HANDLE evd, DAT_EP_HANDLE ep, DAT_UINT64 cookie,
                  DAT_DTO_COMPLETION_STATUS status = DAT_DTO_SUCCESS);
void expect_bind(DAT_EVD_HANDLE evd, DAT_RMR_HANDLE rmr, DAT_UINT64 cookie,
                 DAT_DTO_COMPLETION_STATUS status = DAT_DTO_SUCCESS);
// Expects a connection event of this EP. Returns its data.
DAT_CONNECTION_EVENT_DATA expect_connection_event(DAT_EVD_HANDLE evd, DAT_EVENT_NUMBER number,
                                                  DAT_EP_HANDLE ep);
// Expects a connection request. The returned owner rejects it if the test does not answer.
Cr expect_request(DAT_EVD_HANDLE evd);

// True: no event is there and none comes within kQuiet.
testing::AssertionResult no_event(const char* evd_text, DAT_EVD_HANDLE evd);

// Software events, for tests of EVDs and CNOs.
DAT_RETURN post_software_event(DAT_EVD_HANDLE evd, void* pointer);
void* expect_software_event(DAT_EVD_HANDLE evd);
// A pointer that tests recognise and never follow.
void* pointer_value(std::uintptr_t number);

// Takes the CNO's trigger without waiting, which clears it. is_triggered() also checks which EVD
// has triggered the CNO.
testing::AssertionResult is_untriggered(const char* cno_text, DAT_CNO_HANDLE cno);
testing::AssertionResult is_triggered(const char* cno_text, const char* evd_text,
                                      DAT_CNO_HANDLE cno, DAT_EVD_HANDLE evd);

// The EVD of asynchronous errors that dat_ia_open() made.
DAT_EVD_HANDLE async_evd_of(DAT_IA_HANDLE ia);
// Expects the low watermark event of this SRQ on the async EVD of `ia`.
void expect_low_watermark(DAT_IA_HANDLE ia, DAT_SRQ_HANDLE srq);

// Takes all events that can be dequeued now. Returns how many.
int drain(DAT_EVD_HANDLE evd);

} // namespace datum::test

#define EXPECT_NO_EVENT(evd) EXPECT_PRED_FORMAT1(::datum::test::no_event, (evd))
#define EXPECT_UNTRIGGERED(cno) EXPECT_PRED_FORMAT1(::datum::test::is_untriggered, (cno))
#define EXPECT_TRIGGERED(cno, evd) EXPECT_PRED_FORMAT2(::datum::test::is_triggered, (cno), (evd))

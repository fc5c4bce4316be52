// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "events.h"

#include <chrono>
#include <thread>

#include "transport.h"

namespace datum::test {

const DAT_TIMEOUT kPatience = 5'000'000U * static_cast<DAT_TIMEOUT>(times_as_patient());

namespace {

DAT_VLEN check_dto(const DAT_EVENT& event, DAT_EP_HANDLE ep, DAT_UINT64 wanted,
                   DAT_DTO_COMPLETION_STATUS status) {
  EXPECT_EQ(event.event_number, DAT_DTO_COMPLETION_EVENT);
  if (event.event_number != DAT_DTO_COMPLETION_EVENT) return 0;
  const DAT_DTO_COMPLETION_EVENT_DATA& dto = event.event_data.dto_completion_event_data;
  EXPECT_EQ(dto.ep_handle, ep);
  EXPECT_EQ(dto.user_cookie.as_64, wanted);
  EXPECT_EQ(dto.status, status) << "cookie " << wanted;
  return dto.transfered_length;
}

} // namespace

DAT_EVENT poll_event(DAT_EVD_HANDLE evd) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(kPatience);
  DAT_EVENT event{};
  DAT_RETURN status = dat_evd_dequeue(evd, &event);
  while (DAT_GET_TYPE(status) == DAT_QUEUE_EMPTY && std::chrono::steady_clock::now() < end) {
    std::this_thread::yield();
    status = dat_evd_dequeue(evd, &event);
  }
  EXPECT_DAT_OK(status) << "polling for an event";
  return status == DAT_SUCCESS ? event : DAT_EVENT{};
}

DAT_EVENT next_event(DAT_EVD_HANDLE evd, DAT_TIMEOUT timeout) {
  DAT_EVENT event{};
  DAT_COUNT left = 0;
  const DAT_RETURN status = dat_evd_wait(evd, timeout, 1, &event, &left);
  EXPECT_DAT_OK(status) << "waiting for an event";
  if (status != DAT_SUCCESS) return {};
  EXPECT_EQ(event.evd_handle, evd) << "evd_handle of event " << std::hex << event.event_number;
  return event;
}

DAT_EVENT expect_event(DAT_EVD_HANDLE evd, DAT_EVENT_NUMBER number) {
  const DAT_EVENT event = next_event(evd);
  EXPECT_EQ(event.event_number, number)
      << std::hex << "0x" << event.event_number << " instead of 0x" << number;
  return event.event_number == number ? event : DAT_EVENT{};
}

DAT_VLEN expect_dto(DAT_EVD_HANDLE evd, DAT_EP_HANDLE ep, DAT_UINT64 wanted,
                    DAT_DTO_COMPLETION_STATUS status) {
  return check_dto(next_event(evd), ep, wanted, status);
}

DAT_VLEN poll_dto(DAT_EVD_HANDLE evd, DAT_EP_HANDLE ep, DAT_UINT64 wanted,
                  DAT_DTO_COMPLETION_STATUS status) {
  return check_dto(poll_event(evd), ep, wanted, status);
}

void expect_bind(DAT_EVD_HANDLE evd, DAT_RMR_HANDLE rmr, DAT_UINT64 wanted,
                 DAT_DTO_COMPLETION_STATUS status) {
  const DAT_EVENT event = expect_event(evd, DAT_RMR_BIND_COMPLETION_EVENT);
  const DAT_RMR_BIND_COMPLETION_EVENT_DATA& bind = event.event_data.rmr_completion_event_data;
  EXPECT_EQ(bind.rmr_handle, rmr);
  EXPECT_EQ(bind.user_cookie.as_64, wanted);
  EXPECT_EQ(bind.status, status) << "cookie " << wanted;
}

DAT_CONNECTION_EVENT_DATA expect_connection_event(DAT_EVD_HANDLE evd, DAT_EVENT_NUMBER number,
                                                  DAT_EP_HANDLE ep) {
  const DAT_EVENT event = expect_event(evd, number);
  EXPECT_EQ(event.event_data.connect_event_data.ep_handle, ep);
  return event.event_data.connect_event_data;
}

Cr expect_request(DAT_EVD_HANDLE evd) {
  const DAT_EVENT event = expect_event(evd, DAT_CONNECTION_REQUEST_EVENT);
  return Cr(event.event_data.cr_arrival_event_data.cr_handle);
}

testing::AssertionResult no_event(const char* evd_text, DAT_EVD_HANDLE evd) {
  DAT_EVENT event{};
  DAT_COUNT left = 0;
  // An event that was caused before this call has mostly arrived within this time.
  const auto way = static_cast<DAT_TIMEOUT>(time_on_the_way().count());
  const DAT_RETURN status = dat_evd_wait(evd, kQuiet + way / 4, 1, &event, &left);
  if (DAT_GET_TYPE(status) == DAT_TIMEOUT_EXPIRED) return testing::AssertionSuccess();
  if (status != DAT_SUCCESS) {
    return testing::AssertionFailure() << "waiting on " << evd_text << ": " << status_name(status);
  }
  return testing::AssertionFailure()
         << evd_text << " holds event "
         << (testing::Message() << "0x" << std::hex << event.event_number) << ", expected none";
}

DAT_RETURN post_software_event(DAT_EVD_HANDLE evd, void* pointer) {
  DAT_EVENT event{};
  event.event_number = DAT_SOFTWARE_EVENT;
  event.event_data.software_event_data.pointer = pointer;
  return dat_evd_post_se(evd, &event);
}

void* expect_software_event(DAT_EVD_HANDLE evd) {
  return expect_event(evd, DAT_SOFTWARE_EVENT).event_data.software_event_data.pointer;
}

void* pointer_value(std::uintptr_t number) {
  return reinterpret_cast<void*>(number); // NOLINT(performance-no-int-to-ptr)
}

testing::AssertionResult is_untriggered(const char* cno_text, DAT_CNO_HANDLE cno) {
  DAT_EVD_HANDLE fired = cno;
  const DAT_RETURN status = dat_cno_wait(cno, 0, &fired);
  if (DAT_GET_TYPE(status) == DAT_QUEUE_EMPTY) return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << cno_text << ": expected DAT_QUEUE_EMPTY, found " << status_name(status);
}

testing::AssertionResult is_triggered(const char* cno_text, const char* evd_text,
                                      DAT_CNO_HANDLE cno, DAT_EVD_HANDLE evd) {
  DAT_EVD_HANDLE fired = cno;
  // Another thread may trigger the CNO, so this call waits.
  const DAT_RETURN status = dat_cno_wait(cno, kPatience, &fired);
  if (status != DAT_SUCCESS) {
    return testing::AssertionFailure() << cno_text << " is not triggered: " << status_name(status);
  }
  if (fired == evd) return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << cno_text << " was triggered by another EVD than " << evd_text;
}

DAT_EVD_HANDLE async_evd_of(DAT_IA_HANDLE ia) {
  DAT_EVD_HANDLE evd = DAT_HANDLE_NULL;
  EXPECT_DAT_OK(dat_ia_query(ia, &evd, 0, nullptr, 0, nullptr));
  return evd;
}

void expect_low_watermark(DAT_IA_HANDLE ia, DAT_SRQ_HANDLE srq) {
  const DAT_EVENT event = expect_event(async_evd_of(ia), any_value<DAT_EVENT_NUMBER>(0x8005));
  EXPECT_EQ(event.event_data.asynch_error_event_data.dat_handle, srq);
  EXPECT_EQ(event.event_data.asynch_error_event_data.reason, 2U);
}

int drain(DAT_EVD_HANDLE evd) {
  DAT_EVENT event{};
  int taken = 0;
  while (dat_evd_dequeue(evd, &event) == DAT_SUCCESS) ++taken;
  return taken;
}

} // namespace datum::test

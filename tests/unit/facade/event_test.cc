// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <cstring>
#include <gtest/gtest.h>

#include "facade/v1/traits.h"

namespace datum {
namespace {

// An event of DAT 1.2 has 48 bytes, one of DAT 2.0 more. The guard shows a write past the 48 bytes.
struct Guarded {
  DAT_EVENT event;
  unsigned char guard[72];
};

// The adapter, as far as an event needs it: its address.
struct StandIn {
  const StandIn& transport() const { return *this; }
  const Address& address() const { return local; }
  Address local{};
};

class EventV1 : public ::testing::Test {
 protected:
  EventV1() { std::memset(&out, 0xa5, sizeof out); }
  void write(const Event& event) {
    write_event<V1>(event, evd, adapter, out.event);
    EXPECT_EQ(out.event.evd_handle, evd);
    for (const unsigned char byte : out.guard) ASSERT_EQ(byte, 0xa5);
  }

  int objects[4] = {};
  void* const evd = &objects[0];
  void* const object = &objects[1];
  const StandIn adapter{};
  const Address& address = adapter.local;
  Guarded out;
};

TEST_F(EventV1, DtoCompletion) {
  Event event;
  event.kind = EventKind::Dto;
  event.status = DtoStatus::ReceiverNotReady;
  event.object = object;
  event.cookie = 0xfedcba9876543210;
  event.value = 0x123456789;
  write(event);
  EXPECT_EQ(out.event.event_number, 0x00001U);
  const auto& data = out.event.event_data.dto_completion_event_data;
  EXPECT_EQ(data.ep_handle, object);
  EXPECT_EQ(data.user_cookie.as_64, 0xfedcba9876543210U);
  EXPECT_EQ(data.status, 9U);
  EXPECT_EQ(data.transfered_length, 0x123456789U);
}

TEST_F(EventV1, BindCompletion) {
  Event event;
  event.kind = EventKind::Bind;
  event.status = DtoStatus::BindFailed;
  event.object = object;
  event.cookie = 5;
  write(event);
  EXPECT_EQ(out.event.event_number, 0x01001U);
  const auto& data = out.event.event_data.rmr_completion_event_data;
  EXPECT_EQ(data.rmr_handle, object);
  EXPECT_EQ(data.user_cookie.as_64, 5U);
  EXPECT_EQ(data.status, 11U);
}

TEST_F(EventV1, ConnectionRequest) {
  Event event;
  event.kind = EventKind::ConnectionRequest;
  event.object = object;
  event.value = 0x500000000;
  event.data = &objects[2];
  write(event);
  EXPECT_EQ(out.event.event_number, 0x02001U);
  const auto& data = out.event.event_data.cr_arrival_event_data;
  EXPECT_EQ(data.sp_handle.psp_handle, object);
  EXPECT_EQ(static_cast<void*>(data.local_ia_address_ptr), &address);
  EXPECT_EQ(data.conn_qual, 0x500000000U);
  EXPECT_EQ(data.cr_handle, &objects[2]);
}

TEST_F(EventV1, TheRequestOfAnRspNamesNoServicePoint) {
  Event event;
  event.kind = EventKind::ConnectionRequest;
  event.object = object;
  event.size = 1;
  write(event);
  EXPECT_EQ(out.event.event_data.cr_arrival_event_data.sp_handle.rsp_handle, DAT_HANDLE_NULL);
}

TEST_F(EventV1, ConnectionEvents) {
  const std::pair<EventKind, std::uint32_t> numbers[] = {
      {EventKind::Established, 0x04001},     {EventKind::PeerRejected, 0x04002},
      {EventKind::NonPeerRejected, 0x04003}, {EventKind::AcceptCompletionError, 0x04004},
      {EventKind::Disconnected, 0x04005},    {EventKind::Broken, 0x04006},
      {EventKind::TimedOut, 0x04007},        {EventKind::Unreachable, 0x04008}};
  for (const auto& [kind, number] : numbers) {
    Event event;
    event.kind = kind;
    event.object = object;
    event.data = "abc";
    event.size = 3;
    write(event);
    EXPECT_EQ(out.event.event_number, number);
    const auto& data = out.event.event_data.connect_event_data;
    EXPECT_EQ(data.ep_handle, object);
    // Only an accept has private data in DAT 1.2.
    const bool accepted = number == 0x04001;
    EXPECT_EQ(data.private_data_size, accepted ? 3 : 0);
    EXPECT_STREQ(static_cast<const char*>(data.private_data), accepted ? "abc" : nullptr);
  }
}

TEST_F(EventV1, AsynchronousAndSoftwareEvents) {
  Event event;
  event.kind = EventKind::AsyncEvdOverflow;
  event.object = object;
  event.value = 0;
  write(event);
  EXPECT_EQ(out.event.event_number, 0x08001U);
  EXPECT_EQ(out.event.event_data.asynch_error_event_data.dat_handle, object);
  EXPECT_EQ(out.event.event_data.asynch_error_event_data.reason, 0);
  event.kind = EventKind::AsyncWatermark;
  event.value = 2;
  write(event);
  EXPECT_EQ(out.event.event_number, 0x08005U);
  EXPECT_EQ(out.event.event_data.asynch_error_event_data.reason, 2);
  event.kind = EventKind::Software;
  event.cookie = 0x1234567890;
  write(event);
  EXPECT_EQ(out.event.event_number, 0x10001U);
  EXPECT_EQ(out.event.event_data.software_event_data.pointer,
            reinterpret_cast<void*>(0x1234567890));
}

} // namespace
} // namespace datum

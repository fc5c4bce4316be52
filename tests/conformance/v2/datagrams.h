// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// v2/datagrams.h: endpoints of datagrams, and their events.
// Lives here: a fixture with two such endpoints, resolving, sending, and the checks that most tests
// make.
// Not here:   rules; those are the tests. The calls are macros with casts of C.
#pragma once

#include "dat.h"

#include <dat2/dat_ib_extensions.h>

#include <cstring>
#include <string>

#include "fixture.h"

namespace datum::test {

inline constexpr std::size_t kHeaderRoom = 40;

inline SideOptions datagrams() {
  SideOptions options;
  options.change = [](DAT_EP_ATTR& attributes) {
    attributes.service_type = any_value<DAT_SERVICE_TYPE>(1);
    attributes.max_recv_dtos = 64;
    attributes.max_request_dtos = 64;
  };
  return options;
}

// An event of an endpoint of datagrams, or of a listener.
struct Told {
  DAT_EVENT event{};
  DAT_IB_EXTENSION_EVENT_DATA extension{};
  const DAT_CONNECTION_EVENT_DATA& connection() const {
    return event.event_data.connect_event_data;
  }
};

inline Told expect_told(DAT_EVD_HANDLE evd, int number, DAT_IB_EXT_TYPE type) {
  Told told;
  told.event = next_event(evd);
  EXPECT_EQ(static_cast<int>(told.event.event_number), number);
  std::memcpy(&told.extension, told.event.event_extension_data, sizeof told.extension);
  EXPECT_EQ(told.extension.type, type);
  return told;
}

inline Cr expect_datagrams_request(const Listener& listener) {
  const Told told = expect_told(listener.evd(), 0x40001, DAT_IB_UD_CONNECT_REQUEST);
  return Cr(told.event.event_data.cr_arrival_event_data.cr_handle);
}

inline Told expect_resolved(const Side& side, DAT_IB_EXT_TYPE type) {
  Told told = expect_told(side.connect_evd(), 0x40002, type);
  EXPECT_EQ(told.extension.status, DAT_OP_SUCCESS);
  EXPECT_NE(told.extension.remote_ah.ah, nullptr);
  EXPECT_NE(told.extension.remote_ah.qpn, 0U);
  return told;
}

inline Told expect_failure(const Side& side) {
  Told told = expect_told(side.connect_evd(), 0x40004, DAT_IB_UD_CONNECT_ERROR);
  EXPECT_EQ(told.extension.status, DAT_IB_OP_ERR);
  EXPECT_EQ(told.extension.remote_ah.ah, nullptr);
  return told;
}

// The address handles that each side has for the other.
struct Resolved {
  DAT_IB_ADDR_HANDLE of_passive{};
  DAT_IB_ADDR_HANDLE of_active{};
};

inline Resolved resolve(Side& active, Side& passive) {
  Listener listener(passive.ia());
  EXPECT_DAT_OK(connect(active.ep(), listener));
  Cr cr = expect_datagrams_request(listener);
  EXPECT_DAT_OK(accept(cr, passive.ep()));
  Resolved names;
  names.of_passive = expect_resolved(active, DAT_IB_UD_REMOTE_AH).extension.remote_ah;
  names.of_active = expect_resolved(passive, DAT_IB_UD_PASSIVE_REMOTE_AH).extension.remote_ah;
  return names;
}

inline DAT_RETURN send(Side& from, DAT_IB_ADDR_HANDLE to, DAT_LMR_TRIPLET part,
                       DAT_UINT64 number = 1, int flags = 0) {
  return dat_ib_post_send_ud(from.ep(), 1, &part, &to, cookie(number), flags);
}

inline DAT_RETURN forget(Side& side, DAT_IB_ADDR_HANDLE which) {
  return dat_ib_ud_ah_free(side.ep(), &which);
}

inline void expect_sent(Side& from, DAT_UINT64 number, std::size_t length) {
  const Told told = expect_told(from.request_evd(), 0x40000, DAT_IB_UD_SEND);
  const DAT_DTO_COMPLETION_EVENT_DATA& dto = told.event.event_data.dto_completion_event_data;
  EXPECT_EQ(told.extension.status, DAT_OP_SUCCESS);
  EXPECT_EQ(dto.ep_handle, from.ep());
  EXPECT_EQ(dto.user_cookie.as_64, number);
  EXPECT_EQ(dto.status, DAT_DTO_SUCCESS);
  EXPECT_EQ(static_cast<int>(dto.operation), 13);
  EXPECT_EQ(dto.transfered_length, length);
}

class Dat2Datagrams : public testing::Test {
 protected:
  // Posts a Recv, sends the datagram, and checks that it arrives.
  void expect_passes(Side& from, DAT_IB_ADDR_HANDLE to, Buffer& source, Side& at, Buffer& sink,
                     std::string_view text) {
    ASSERT_DAT_OK(post_recv(at.ep(), {sink.segment()}, 7));
    source.write(0, text);
    ASSERT_DAT_OK(send(from, to, source.segment(0, text.size()), 8));
    expect_sent(from, 8, text.size());
    EXPECT_EQ(expect_dto(at.recv_evd(), at.ep(), 7), kHeaderRoom + text.size());
    EXPECT_EQ(sink.text(kHeaderRoom, text.size()), text);
  }
  void there_and_back() {
    const Resolved names = resolve(here, there);
    expect_passes(here, names.of_passive, mine, there, theirs, "there");
    expect_passes(there, names.of_active, theirs, here, mine, "and back");
  }

  Ia here_ia = open_ia();
  Ia there_ia = open_ia();
  Side here{here_ia, datagrams()};
  Side there{there_ia, datagrams()};
  Buffer mine = here.buffer(8192);
  Buffer theirs = there.buffer(8192);
};

} // namespace datum::test

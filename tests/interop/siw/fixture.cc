// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fixture.h"

#include <arpa/inet.h>
#include <netinet/in.h>

namespace datum::siw {

DAT_IA_ADDRESS_PTR SiwTest::address() {
  static sockaddr_in name{};
  name.sin_family = AF_INET;
  EXPECT_EQ(inet_pton(AF_INET, siw_address().c_str(), &name.sin_addr), 1);
  return reinterpret_cast<DAT_IA_ADDRESS_PTR>(&name);
}

std::string SiwTest::own_address() const {
  const auto* name = reinterpret_cast<const sockaddr_in*>(test::address_of(ia));
  char text[INET_ADDRSTRLEN];
  inet_ntop(AF_INET, &name->sin_addr, text, sizeof text);
  return text;
}

void SiwTest::connect_to_siw(std::string_view request, std::string_view reply, int reads) {
  const std::uint16_t port = free_port();
  siw.must("listen " + siw_address() + ' ' + std::to_string(port));
  ASSERT_DAT_OK(test::connect(side.ep(), address(), port, request));
  EXPECT_EQ(siw.expect_event("CONNECT_REQUEST"), request);
  siw.must("accept " + std::to_string(reads) + ' ' + hexadecimal(reply));
  const auto seen = test::expect_connection_event(side.connect_evd(),
                                                  DAT_CONNECTION_EVENT_ESTABLISHED, side.ep());
  EXPECT_EQ(test::reply_data(seen), reply);
  siw.expect_event("ESTABLISHED");
}

void SiwTest::connect_from_siw(std::string_view request, std::string_view reply) {
  test::Listener listener(ia);
  siw.must("connect " + own_address() + ' ' + std::to_string(listener.qualifier()) + ' ' +
           std::to_string(kReads) + ' ' + hexadecimal(request));
  test::Cr cr = listener.expect_request();
  EXPECT_EQ(test::request_data(cr), request);
  ASSERT_DAT_OK(test::accept(cr, side.ep(), reply));
  EXPECT_EQ(siw.expect_event("ESTABLISHED"), reply);
  test::expect_connection_event(side.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, side.ep());
}

void SiwTest::connect(Initiator initiator) {
  if (initiator == Initiator::kDatum) {
    connect_to_siw();
    return;
  }
  connect_from_siw();
  // The responder may not send first (RFC 5044 section 7.1.2), and siw sends nothing by itself.
  siw.must("write 0 0 0 1 0");
  siw.expect_done(0, 0);
}

test::SideOptions SiwTest::wide_queues() {
  test::SideOptions options;
  options.queue_length = 512;
  options.change = [](DAT_EP_ATTR& attributes) {
    attributes.max_recv_dtos = attributes.max_request_dtos = 256;
  };
  return options;
}

void SiwTest::expect_dto(DAT_EVD_HANDLE evd, DAT_UINT64 cookie, std::size_t length) {
  EXPECT_EQ(test::expect_dto(evd, side.ep(), cookie), length);
}

std::string initiator_name(const testing::TestParamInfo<Initiator>& info) {
  return info.param == Initiator::kDatum ? "Datum" : "Siw";
}

} // namespace datum::siw

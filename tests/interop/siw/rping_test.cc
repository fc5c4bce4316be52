// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// interop/siw: rdma-core's program rping at the other end of a connection, as client and as server.
// In each round the client sends the name of its source. The server reads the source, and sends a
// word that it has done so. Then the client sends the name of its sink. The server writes there
// what it has read, and sends a word again.
#include <endian.h>

#include <cstring>

#include "fixture.h"
#include "processes.h"

namespace datum::siw {
namespace {

constexpr int kRounds = 5;
constexpr std::size_t kPingSize = 100;

// How rping names memory in its messages. All fields are in network byte order.
struct Name {
  std::uint64_t address;
  std::uint32_t stag;
  std::uint32_t size;
};
static_assert(sizeof(Name) == 16);

class Rping : public SiwTest {
 protected:
  void offer(const test::Buffer& buffer) {
    const Name name{htobe64(buffer.address()), htobe32(buffer.rmr_context()),
                    htobe32(static_cast<std::uint32_t>(kPingSize))};
    messages.write(0, {reinterpret_cast<const char*>(&name), sizeof name});
    say();
  }
  void say() {
    ASSERT_DAT_OK(test::post_send(side.ep(), {messages.segment(0, sizeof(Name))}, 1));
    test::expect_dto(side.request_evd(), side.ep(), 1);
  }
  void await_word() {
    ASSERT_EQ(test::expect_dto(side.recv_evd(), side.ep(), 2), sizeof(Name));
    post_receive();
  }
  DAT_RMR_TRIPLET await_name() {
    EXPECT_EQ(test::expect_dto(side.recv_evd(), side.ep(), 2), sizeof(Name));
    Name name{};
    std::memcpy(&name, messages.text(sizeof(Name), sizeof(Name)).data(), sizeof name);
    post_receive();
    return test::remote_part(be32toh(name.stag), be64toh(name.address), be32toh(name.size));
  }
  void post_receive() {
    ASSERT_DAT_OK(test::post_recv(side.ep(), {messages.segment(sizeof(Name), sizeof(Name))}, 2));
  }

  test::Buffer messages = side.buffer(2 * sizeof(Name));
  test::Buffer source = side.buffer(kPingSize);
  test::Buffer sink = side.buffer(kPingSize);
};

// Rules: SIW.28
TEST_F(Rping, ServesUs) {
  const std::uint16_t port = free_port();
  BesideSiw rping({"rping", "-s", "-a", siw_address(), "-p", std::to_string(port), "-C",
                   std::to_string(kRounds), "-S", std::to_string(kPingSize), "-V"});
  post_receive();
  // Until rping listens, a connect is refused, so it is repeated.
  DAT_EVENT event{};
  do {
    ASSERT_DAT_OK(test::connect(side.ep(), address(), port));
    event = test::next_event(side.connect_evd());
    if (event.event_number == DAT_CONNECTION_EVENT_NON_PEER_REJECTED) {
      ASSERT_DAT_OK(dat_ep_reset(side.ep()));
      test::drain(side.recv_evd());
      post_receive();
    }
  } while (event.event_number == DAT_CONNECTION_EVENT_NON_PEER_REJECTED);
  ASSERT_EQ(event.event_number, DAT_CONNECTION_EVENT_ESTABLISHED);
  for (int round = 0; round < kRounds; ++round) {
    // rping expects that the octets it reads are a text that ends with a zero.
    const std::string text(kPingSize - 1, static_cast<char>('a' + round));
    source.write(0, text);
    offer(source);
    await_word();
    offer(sink);
    await_word();
    EXPECT_EQ(sink.text(0, kPingSize - 1), text);
  }
  ASSERT_DAT_OK(dat_ep_disconnect(side.ep(), DAT_CLOSE_GRACEFUL_FLAG));
  test::expect_connection_event(side.connect_evd(), DAT_CONNECTION_EVENT_DISCONNECTED, side.ep());
  EXPECT_EQ(rping.exit_status(), 0);
}

// Rules: SIW.28
TEST_F(Rping, IsServedByUs) {
  test::Listener listener(ia);
  BesideSiw rping({"rping", "-c", "-a", own_address(), "-p", std::to_string(listener.qualifier()),
                   "-C", std::to_string(kRounds), "-S", std::to_string(kPingSize), "-V"});
  test::Cr cr = listener.expect_request();
  post_receive();
  ASSERT_DAT_OK(test::accept(cr, side.ep()));
  test::expect_connection_event(side.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, side.ep());
  for (int round = 0; round < kRounds; ++round) {
    const DAT_RMR_TRIPLET from = await_name();
    ASSERT_EQ(from.segment_length, kPingSize);
    ASSERT_DAT_OK(test::post_read(side.ep(), {sink.segment()}, from, 3));
    test::expect_dto(side.request_evd(), side.ep(), 3);
    EXPECT_EQ(sink.text(0, 10), "rdma-ping-");
    say();
    const DAT_RMR_TRIPLET to = await_name();
    ASSERT_DAT_OK(test::post_write(side.ep(), {sink.segment()}, to, 4));
    test::expect_dto(side.request_evd(), side.ep(), 4);
    say();
  }
  test::expect_connection_event(side.connect_evd(), DAT_CONNECTION_EVENT_DISCONNECTED, side.ep());
  EXPECT_EQ(rping.exit_status(), 0); // so rping has found the right octets in its sink
}

} // namespace
} // namespace datum::siw

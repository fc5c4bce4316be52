// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// interop/siw: the programs of perftest run on siw, as clients with our endpoint as their server,
// and as servers with our endpoint as their client. Measurements on an emulated processor mean
// nothing. The tests only check that the programs succeed.
//
// On iWARP a client of perftest makes two connections to one port. On the first connection both
// sides send the same sequence of items, each in a message of the same length. The client begins.
// The program measures the second connection.
//
// ib_write_lat is not tested as a client. It waits for a Write of its server. The server may not
// send first (RFC 5044 section 7.1.2), because siw's request does not allow it (RFC 6581, A).
#include <endian.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <future>
#include <optional>
#include <thread>
#include <vector>

#include "fixture.h"
#include "processes.h"

namespace datum::siw {
namespace {

constexpr std::size_t kSize = 65536;
constexpr std::size_t kMessage = 1000;
constexpr std::uint64_t kCount = 100;
constexpr std::uint64_t kCredit = 25; // receives

// The message by which a side names its queue pair and its memory, in network byte order.
struct Introduction {
  std::uint32_t not_for_iwarp[4]; // LID, Reads, number of the queue pair, first packet
  std::uint32_t stag;
  std::uint32_t padding;
  std::uint64_t address;
  std::uint8_t gid[16];
  std::uint32_t shared_receive_queue;
  std::uint32_t gid_index;
};
static_assert(sizeof(Introduction) == 56);

class Perftest : public SiwTest {
 protected:
  ~Perftest() override {
    client.reset(); // ends the connection, and so talk()
    if (talked_.valid()) talked_.wait();
  }

  // Starts the client and makes both connections.
  void serve(std::vector<std::string> command) {
    test::Listener listener(ia);
    command.insert(command.end(),
                   {"-d", "siw0", "-R", "-F", "-p", std::to_string(listener.qualifier()), "-n",
                    std::to_string(kCount), own_address()});
    client.emplace(command);
    ASSERT_DAT_OK(test::post_recv(first.ep(), {words.segment()}, 0));
    ASSERT_NO_FATAL_FAILURE(accept(listener, first));
    talked_ = std::async(std::launch::async, [this] { talk(); });
    ASSERT_NO_FATAL_FAILURE(accept(listener, side));
  }

  void expect_success() {
    EXPECT_EQ(client->exit_status(), 0);
    test::expect_connection_event(side.connect_evd(), DAT_CONNECTION_EVENT_DISCONNECTED, side.ep());
  }

  // On iWARP ib_send_bw sends only as many messages as it knows receives for. The server writes the
  // number of receives into the client's memory.
  void give_credit(std::uint64_t receives) {
    const auto number = static_cast<std::uint32_t>(receives); // both hosts have the same byte order
    credit.write(0, {reinterpret_cast<const char*>(&number), sizeof number});
    const DAT_RMR_TRIPLET there = test::remote_part(their_stag_, their_address_, sizeof number);
    ASSERT_DAT_OK(test::post_write(side.ep(), {credit.segment()}, there, receives));
    expect_dto(side.request_evd(), receives, sizeof number);
  }

  test::Buffer buffer = side.buffer(2 * kSize);
  test::Buffer credit = side.buffer(sizeof(std::uint32_t));
  test::Side first{ia};
  std::optional<BesideSiw> client;

 private:
  static void accept(test::Listener& listener, test::Side& with) {
    test::Cr cr = listener.expect_request();
    ASSERT_DAT_OK(test::accept(cr, with.ep()));
    test::expect_connection_event(with.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, with.ep());
  }

  // Sends each message back until the connection ends. In an Introduction it replaces the name of
  // the client's memory by that of our memory.
  void talk() {
    DAT_EVENT event{};
    DAT_COUNT more = 0;
    while (dat_evd_wait(first.recv_evd(), DAT_TIMEOUT_INFINITE, 1, &event, &more) == DAT_SUCCESS) {
      const DAT_DTO_COMPLETION_EVENT_DATA& dto = event.event_data.dto_completion_event_data;
      if (dto.status != DAT_DTO_SUCCESS) return;
      const auto length = static_cast<std::size_t>(dto.transfered_length);
      answer.write(0, words.text(0, length));
      if (length == sizeof(Introduction)) introduce();
      ASSERT_DAT_OK(test::post_recv(first.ep(), {words.segment()}, 0));
      ASSERT_DAT_OK(test::post_send(first.ep(), {answer.segment(0, length)}, 1));
      test::expect_dto(first.request_evd(), first.ep(), 1);
    }
  }

  void introduce() {
    Introduction said{};
    std::memcpy(&said, answer.bytes().data(), sizeof said);
    their_stag_ = be32toh(said.stag);
    their_address_ = be64toh(said.address);
    said.stag = htobe32(buffer.rmr_context());
    said.address = htobe64(buffer.address());
    answer.write(0, {reinterpret_cast<const char*>(&said), sizeof said});
  }

  test::Buffer words = first.buffer(sizeof(Introduction));
  test::Buffer answer = first.buffer(sizeof(Introduction));
  std::future<void> talked_;
  std::atomic<std::uint32_t> their_stag_{0};
  std::atomic<std::uint64_t> their_address_{0};
};

// Rules: SIW.31
TEST_F(Perftest, WriteBandwidth) {
  serve({"ib_write_bw", "-s", std::to_string(kSize)});
  expect_success();
  EXPECT_TRUE(buffer.text(0, kSize) != std::string(kSize, '\0')) << "it writes random octets";
}

// Rules: SIW.31
TEST_F(Perftest, ReadBandwidth) {
  serve({"ib_read_bw", "-o", std::to_string(kReads), "-s", std::to_string(kSize)});
  expect_success();
}

// Rules: SIW.31
TEST_F(Perftest, SendLatency) {
  ASSERT_DAT_OK(test::post_recv(side.ep(), {buffer.segment()}, 0));
  serve({"ib_send_lat", "-I", "0", "-s", std::to_string(kMessage)});
  for (std::uint64_t i = 0; i < kCount; ++i) {
    ASSERT_EQ(test::expect_dto(side.recv_evd(), side.ep(), i), kMessage);
    ASSERT_DAT_OK(test::post_recv(side.ep(), {buffer.segment()}, i + 1));
    ASSERT_DAT_OK(test::post_send(side.ep(), {buffer.segment(0, kMessage)}, i));
    expect_dto(side.request_evd(), i, kMessage);
  }
  expect_success();
}

// Rules: SIW.31
TEST_F(Perftest, ReadLatency) {
  serve({"ib_read_lat", "-o", std::to_string(kReads), "-s", std::to_string(kMessage)});
  expect_success();
}

// Rules: SIW.31
TEST_F(Perftest, SendBandwidth) {
  for (std::uint64_t i = 0; i < kCount; ++i)
    ASSERT_DAT_OK(test::post_recv(side.ep(), {buffer.segment()}, i));
  serve({"ib_send_bw", "-s", std::to_string(kMessage)});
  for (std::uint64_t i = 0; i < kCount; ++i) {
    ASSERT_EQ(test::expect_dto(side.recv_evd(), side.ep(), i), kMessage);
    if ((i + 1) % kCredit == 0) give_credit(i + 1);
  }
  expect_success();
}

// Our endpoint is the client, and sends the same messages as a client of perftest.
class PerftestServer : public SiwTest {
 protected:
  void ask(std::vector<std::string> command) {
    const std::uint16_t port = free_port();
    command.insert(command.end(), {"-d", "siw0", "-R", "-F", "-p", std::to_string(port), "-n",
                                   std::to_string(kCount)});
    server.emplace(command);
    ASSERT_NO_FATAL_FAILURE(connect_when_it_listens(first, port));
    ASSERT_NO_FATAL_FAILURE(say(std::string("6.06\0\0\0\0\0\0\0\0\0\0\0\0", 16))); // version
    ASSERT_NO_FATAL_FAILURE(say(std::string("\0\0\x10\0", 4)));                    // a page
    ASSERT_NO_FATAL_FAILURE(say(std::string("\0\0\0\x40", 4))); // a line of the cache
    ASSERT_NO_FATAL_FAILURE(say(std::string("3\0", 2)));        // MTU, which iWARP does not have
    ASSERT_NO_FATAL_FAILURE(introduce({}));
    ASSERT_NO_FATAL_FAILURE(connect_when_it_listens(side, port));
    ASSERT_NO_FATAL_FAILURE(introduce({}));
    for (int i = 0; i < 4; ++i) ASSERT_NO_FATAL_FAILURE(shake_hands());
  }

  // The exchange before and after the measurement, in which both sides name their memory.
  void shake_hands() {
    Introduction ours{};
    ours.stag = htobe32(buffer.rmr_context());
    ours.address = htobe64(buffer.address());
    introduce(ours);
  }

  // Sends the results of the measurement, which are five numbers.
  void report() {
    for (int i = 0; i < 5; ++i) ASSERT_NO_FATAL_FAILURE(say(std::string(8, '\0')));
  }

  void expect_success() {
    ASSERT_NO_FATAL_FAILURE(shake_hands());
    // The server still has to process its last message. Then it ends by itself.
    EXPECT_EQ(server->exit_status(), 0);
  }

  DAT_RMR_TRIPLET there(std::size_t length) const {
    return test::remote_part(be32toh(theirs_.stag), be64toh(theirs_.address), length);
  }

  test::Buffer buffer = side.buffer(2 * kSize);
  test::Side first{ia};
  std::optional<BesideSiw> server;

 private:
  static void connect_when_it_listens(test::Side& with, std::uint16_t port) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    DAT_EVENT event{};
    do {
      ASSERT_DAT_OK(test::connect(with.ep(), address(), port));
      event = test::next_event(with.connect_evd());
      if (event.event_number == DAT_CONNECTION_EVENT_ESTABLISHED) return;
      ASSERT_DAT_OK(dat_ep_reset(with.ep()));
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    } while (std::chrono::steady_clock::now() < end);
    FAIL() << "it does not listen: event " << event.event_number;
  }

  void say(const std::string& text) {
    words.write(0, text);
    ASSERT_DAT_OK(test::post_recv(first.ep(), {answer.segment()}, 0));
    ASSERT_DAT_OK(test::post_send(first.ep(), {words.segment(0, text.size())}, 1));
    test::expect_dto(first.request_evd(), first.ep(), 1);
    ASSERT_EQ(test::expect_dto(first.recv_evd(), first.ep(), 0), text.size());
  }

  void introduce(const Introduction& ours) {
    ASSERT_NO_FATAL_FAILURE(say({reinterpret_cast<const char*>(&ours), sizeof ours}));
    std::memcpy(&theirs_, answer.bytes().data(), sizeof theirs_);
  }

  test::Buffer words = first.buffer(sizeof(Introduction));
  test::Buffer answer = first.buffer(sizeof(Introduction));
  Introduction theirs_{};
};

// Rules: SIW.41
TEST_F(PerftestServer, WriteBandwidth) {
  ask({"ib_write_bw", "-s", std::to_string(kSize)});
  for (std::uint64_t i = 0; i < kCount; ++i) {
    ASSERT_DAT_OK(test::post_write(side.ep(), {buffer.segment(0, kSize)}, there(kSize), i));
    expect_dto(side.request_evd(), i, kSize);
  }
  ASSERT_NO_FATAL_FAILURE(report());
  expect_success();
}

// Rules: SIW.41
TEST_F(PerftestServer, WriteLatency) {
  ask({"ib_write_lat", "-I", "0", "-s", std::to_string(kMessage)});
  // Each side writes when it sees the other side's number in the last octet. The server begins.
  const std::atomic_ref<std::byte> last(buffer.bytes()[kMessage - 1]);
  for (std::uint64_t i = 1; i <= kCount; ++i) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (last.load() != static_cast<std::byte>(i)) {
      ASSERT_LT(std::chrono::steady_clock::now(), end) << i;
      EXPECT_NO_EVENT(side.connect_evd());
    }
    const char number = static_cast<char>(i);
    buffer.write(kSize + kMessage - 1, {&number, 1});
    const DAT_LMR_TRIPLET source = buffer.segment(kSize, kMessage);
    ASSERT_DAT_OK(test::post_write(side.ep(), {source}, there(kMessage), i));
    expect_dto(side.request_evd(), i, kMessage);
  }
  // ib_write_lat does not wait for its client.
  EXPECT_EQ(server->exit_status(), 0);
  test::expect_connection_event(side.connect_evd(), DAT_CONNECTION_EVENT_DISCONNECTED, side.ep());
}

// Rules: SIW.41
TEST_F(PerftestServer, ReadBandwidth) {
  ask({"ib_read_bw", "-o", std::to_string(kReads), "-s", std::to_string(kSize)});
  for (std::uint64_t i = 0; i < kCount; ++i)
    ASSERT_DAT_OK(test::post_read(side.ep(), {buffer.segment(0, kSize)}, there(kSize), i));
  for (std::uint64_t i = 0; i < kCount; ++i) expect_dto(side.request_evd(), i, kSize);
  EXPECT_TRUE(buffer.text(0, kSize) != std::string(kSize, '\0')) << "it holds random octets";
  ASSERT_NO_FATAL_FAILURE(report());
  expect_success();
}

// Rules: SIW.41
TEST_F(PerftestServer, ReadLatency) {
  ask({"ib_read_lat", "-o", std::to_string(kReads), "-s", std::to_string(kMessage)});
  for (std::uint64_t i = 0; i < kCount; ++i) {
    ASSERT_DAT_OK(test::post_read(side.ep(), {buffer.segment(0, kMessage)}, there(kMessage), i));
    expect_dto(side.request_evd(), i, kMessage);
  }
  expect_success();
}

// Rules: SIW.41
TEST_F(PerftestServer, SendBandwidth) {
  ask({"ib_send_bw", "-s", std::to_string(kMessage)});
  for (std::uint64_t i = 0; i < kCount; ++i) {
    ASSERT_DAT_OK(test::post_send(side.ep(), {buffer.segment(0, kMessage)}, i));
    expect_dto(side.request_evd(), i, kMessage);
  }
  expect_success();
}

// Rules: SIW.41
TEST_F(PerftestServer, SendLatency) {
  ask({"ib_send_lat", "-I", "0", "-s", std::to_string(kMessage)});
  for (std::uint64_t i = 0; i < kCount; ++i) {
    ASSERT_DAT_OK(test::post_recv(side.ep(), {buffer.segment(kSize, kSize)}, i));
    ASSERT_DAT_OK(test::post_send(side.ep(), {buffer.segment(0, kMessage)}, i));
    expect_dto(side.request_evd(), i, kMessage);
    ASSERT_EQ(test::expect_dto(side.recv_evd(), side.ep(), i), kMessage);
  }
  expect_success();
}

} // namespace
} // namespace datum::siw

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// interop/siw: the programs of perftest as clients on siw, with us for their server. What they
// measure on an emulated processor means nothing; that they come to their end does.
//
// On iWARP such a client makes two connections to one port. On the first both sides say the same
// things in the same lengths, the client first, each in a message; the second is measured.
#include <endian.h>

#include <cstring>
#include <future>
#include <optional>
#include <vector>

#include "fixture.h"
#include "processes.h"

namespace datum::siw {
namespace {

constexpr std::size_t kSize = 65536;
constexpr std::size_t kMessage = 1000;
constexpr std::uint64_t kCount = 100;

// How a side names its queue pair and its memory; in network byte order.
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
    client.reset(); // ends talk(), however the test ends
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

  test::Buffer buffer = side.buffer(2 * kSize);
  test::Side first{ia};
  std::optional<BesideSiw> client;

 private:
  static void accept(test::Listener& listener, test::Side& with) {
    test::Cr cr = listener.expect_request();
    ASSERT_DAT_OK(test::accept(cr, with.ep()));
    test::expect_connection_event(with.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, with.ep());
  }

  // Says everything back, with the name of our memory, until the connection ends.
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
    said.stag = htobe32(buffer.rmr_context());
    said.address = htobe64(buffer.address());
    answer.write(0, {reinterpret_cast<const char*>(&said), sizeof said});
  }

  test::Buffer words = first.buffer(sizeof(Introduction));
  test::Buffer answer = first.buffer(sizeof(Introduction));
  std::future<void> talked_;
};

// Rules: SIW.31
TEST_F(Perftest, WriteBandwidth) {
  serve({"ib_write_bw", "-s", std::to_string(kSize)});
  expect_success();
  EXPECT_NE(buffer.text(0, kSize), std::string(kSize, '\0')) << "it writes random octets";
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

} // namespace
} // namespace datum::siw

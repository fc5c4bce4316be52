// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A shared receive queue that is resized and whose low watermark is set, while messages of several
// connections arrive. dat_srq.cc and rule_srq.cc test each of these calls alone.
#include <array>
#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "fixture.h"

namespace datum::test {
namespace {

// Between kStock - 1 and kStock Recvs are outstanding, reaped or not. So a smaller queue must be
// refused, and a queue of kStock must not. Completions are reaped in batches, and each batch takes
// the number of available Recvs below kMark. kMark is below each size that the test asks for, so
// only the outstanding Recvs are a reason to refuse a size.
constexpr DAT_COUNT kStock = 16;
constexpr DAT_COUNT kBatch = 4;
constexpr DAT_COUNT kMark = 13;
constexpr std::array<DAT_COUNT, 5> kSizes = {64, kStock, 40, kStock + 1, 23};
constexpr std::array<DAT_COUNT, 2> kTooSmall = {kStock - 2, kMark};

constexpr std::size_t kSenders = 4;
constexpr DAT_UINT64 kMessages = 500; // of each sender
constexpr DAT_UINT64 kWindow = 4;     // of them under way at once

struct Message {
  std::uint32_t sender;
  std::uint32_t number;
};

class RuleSrqLoad : public Conformance {
 protected:
  struct Receiver {
    Evd connect_evd;
    Ep ep;
    std::unique_ptr<Side> sender;
  };

  void SetUp() override {
    Conformance::SetUp();
    sender_ia = open_ia();
    pz = create_pz(ia);
    srq = create_srq(ia, pz, kStock);
    evd = create_evd(ia, DAT_EVD_DTO_FLAG);
    memory = std::make_unique<Buffer>(ia, pz, kStock * sizeof(Message));
    for (Receiver& each : receivers) connect_one(each);
    for (DAT_UINT64 recv = 0; recv < kStock; ++recv) post(recv);
  }

  void connect_one(Receiver& receiver) const {
    receiver.connect_evd = create_evd(ia, DAT_EVD_CONNECTION_FLAG);
    const DAT_EP_ATTR attributes = default_attributes(ia);
    EXPECT_DAT_OK(dat_ep_create_with_srq(ia, pz, evd, DAT_HANDLE_NULL, receiver.connect_evd, srq,
                                         &attributes, receiver.ep.out()));
    receiver.sender = std::make_unique<Side>(sender_ia);
    establish(receiver.sender->ep(), receiver.sender->connect_evd(), receiver.ep,
              receiver.connect_evd, ia);
  }

  void post(DAT_UINT64 recv) {
    posted[recv] = true;
    EXPECT_DAT_OK(
        post_srq_recv(srq, {memory->segment(recv * sizeof(Message), sizeof(Message))}, recv));
  }

  void send_all(std::uint32_t number_of_sender) const {
    const Side& from = *receivers[number_of_sender].sender;
    Buffer source = from.buffer(kWindow * sizeof(Message));
    for (DAT_UINT64 i = 0; i < kMessages + kWindow; ++i) {
      if (i >= kWindow) expect_dto(from.request_evd(), ep_of(number_of_sender), i - kWindow);
      if (i >= kMessages) continue;
      const Message message{number_of_sender, static_cast<std::uint32_t>(i)};
      const std::size_t place = i % kWindow * sizeof(Message);
      std::memcpy(source.bytes().data() + place, &message, sizeof(message));
      EXPECT_DAT_OK(
          post_send(ep_of(number_of_sender), {source.segment(place, sizeof(message))}, i));
    }
  }
  DAT_EP_HANDLE ep_of(std::size_t sender) const { return receivers[sender].sender->ep(); }

  // Checks one completion. Its Recv must have been posted, and its message must be the next one of
  // its connection.
  DAT_UINT64 reap(const DAT_EVENT& event) {
    const DAT_DTO_COMPLETION_EVENT_DATA& dto = event.event_data.dto_completion_event_data;
    EXPECT_EQ(dto.status, DAT_DTO_SUCCESS);
    EXPECT_EQ(dto.transfered_length, sizeof(Message));
    const DAT_UINT64 recv = dto.user_cookie.as_64;
    EXPECT_TRUE(posted.at(recv)) << "Recv " << recv << " completes twice";
    posted[recv] = false;
    Message message{};
    std::memcpy(&message, memory->bytes().data() + recv * sizeof(Message), sizeof(message));
    EXPECT_EQ(dto.ep_handle, receivers.at(message.sender).ep);
    EXPECT_EQ(message.number, arrived[message.sender]++) << "sender " << message.sender;
    return recv;
  }

  // Receives all the messages. The Recvs of the last batch are not posted again.
  void receive_all() {
    constexpr DAT_UINT64 kAll = kSenders * kMessages;
    for (DAT_UINT64 taken = 0; taken < kAll; taken += kBatch) {
      DAT_EVENT event{};
      DAT_COUNT left = 0;
      ASSERT_DAT_OK(dat_evd_wait(evd, kPatience, kBatch, &event, &left));
      if (taken + kBatch == kAll) done = true;
      for (DAT_COUNT i = 0; i < kBatch; ++i) {
        if (i != 0) {
          ASSERT_DAT_OK(dat_evd_dequeue(evd, &event));
        }
        const DAT_UINT64 recv = reap(event);
        if (!done) post(recv);
      }
    }
  }

  void resize_until_done() const {
    do {
      for (const DAT_COUNT size : kSizes) EXPECT_DAT_OK(dat_srq_resize(srq, size)) << size;
      for (const DAT_COUNT size : kTooSmall) {
        const DAT_RETURN status = dat_srq_resize(srq, size);
        if (done) return; // fewer are outstanding now, so the size may have been accepted
        EXPECT_DAT_ERROR(status, DAT_INVALID_STATE, DAT_INVALID_STATE_SRQ_IN_USE) << size;
      }
    } while (!done);
  }

  // Sets the mark again after each warning. No wait lasts for ever: when all messages have arrived,
  // fewer Recvs than the mark are left.
  void warn_until_done() const {
    do {
      EXPECT_DAT_OK(dat_srq_set_lw(srq, kMark));
      expect_low_watermark(ia, srq);
    } while (!done);
  }

  Ia sender_ia;
  Pz pz;
  Srq srq;
  Evd evd;
  std::unique_ptr<Buffer> memory;
  std::array<Receiver, kSenders> receivers;
  std::array<bool, kStock> posted{};
  std::array<std::uint32_t, kSenders> arrived{};
  std::atomic<bool> done = false; // all messages have arrived, the last batch is about to be reaped
};

// Rules: dat_srq_resize.R10 dat_srq_resize.R5 dat_srq_set_lw.R8 dat_srq_set_lw.R9 SRQ.2 SRQ.4
TEST_F(RuleSrqLoad, ResizesAndWarningsLoseNoMessage) {
  std::vector<std::thread> threads;
  threads.emplace_back([this] { resize_until_done(); });
  threads.emplace_back([this] { warn_until_done(); });
  for (std::uint32_t i = 0; i < kSenders; ++i) threads.emplace_back([this, i] { send_all(i); });
  receive_all();
  done = true; // for the case that receive_all() has failed early
  for (std::thread& thread : threads) thread.join();
  EXPECT_NO_EVENT(evd) << "nothing came twice";
  EXPECT_NO_EVENT(async_evd_of(ia)) << "one warning for each mark";
  for (const std::uint32_t count : arrived) EXPECT_EQ(count, kMessages);
  DAT_SRQ_PARAM param{};
  EXPECT_DAT_OK(dat_srq_query(srq, DAT_SRQ_FIELD_ALL, &param));
  EXPECT_EQ(param.outstanding_dto_count, kStock - kBatch);
  EXPECT_EQ(param.available_dto_count, kStock - kBatch);
}

} // namespace
} // namespace datum::test

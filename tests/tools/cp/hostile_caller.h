// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A client with its own endpoint. Unlike a Channel, it can make a call without waiting for the
// answer, and send without credits.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "common/address.h"
#include "common/dat_error.h"
#include "common/dat_events.h"
#include "common/dat_objects.h"
#include "cp/channel_layout.h"
#include "cp/shared_buffer.h"
#include "cp/wire.h"

namespace datum::cp::test {

class HostileCaller {
 public:
  explicit HostileCaller(const tools::Interface& ia)
      : pz_(make_pz(ia)), evd_(make_evd(ia, 1024, DAT_EVD_DTO_FLAG | DAT_EVD_CONNECTION_FLAG)),
        memory_(2 * kFrame), region_(ia, pz_, memory_.bytes(),
                                     DAT_MEM_PRIV_LOCAL_READ_FLAG | DAT_MEM_PRIV_LOCAL_WRITE_FLAG) {
    DAT_EP_ATTR attr = {};
    attr.service_type = DAT_SERVICE_TYPE_RC;
    attr.max_message_size = kFrame;
    attr.max_rdma_size = kMaxChunk;
    attr.qos = DAT_QOS_BEST_EFFORT;
    attr.max_recv_dtos = kMostHeard;
    attr.max_request_dtos = 1;
    attr.max_recv_iov = attr.max_request_iov = 1;
    attr.max_rdma_read_iov = attr.max_rdma_write_iov = 1;
    DAT_EP_HANDLE ep = nullptr;
    tools::check(dat_ep_create(ia.get(), pz_.get(), evd_.get(), evd_.get(), evd_.get(), &attr, &ep),
                 "dat_ep_create", ia.name());
    ep_ = tools::Ep(ep);
    for (int i = 0; i < kMostHeard; ++i) tools::check(post_recv(), "dat_ep_post_recv", ia.name());
  }

  void connect(std::uint64_t port, const std::string& greeting) {
    tools::connect(ep_, evd_, tools::resolve("127.0.0.1"), port, greeting, std::chrono::minutes(1),
                   "victim");
  }

  // Does not wait for an answer.
  void dial(std::uint64_t port, std::string greeting) {
    tools::Address address = tools::resolve("127.0.0.1");
    tools::check(dat_ep_connect(ep_.get(), address.dat(), port, DAT_TIMEOUT_INFINITE,
                                static_cast<DAT_COUNT>(greeting.size()), greeting.data(),
                                DAT_QOS_BEST_EFFORT, DAT_CONNECT_DEFAULT_FLAG),
                 "dat_ep_connect", "victim");
  }

  // Sends the message, and grants `credits` credits with it. False: the server has ended the
  // connection.
  bool send(const Message& message, std::uint16_t credits = 0) {
    return send(std::vector<Message>{message}, credits);
  }
  bool send(const std::vector<Message>& messages, std::uint16_t credits = 0) {
    WireWriter frame;
    frame.number(credits);
    for (const Message& message : messages) {
      const std::vector<std::byte> bytes = encode(message);
      frame.number(static_cast<std::uint16_t>(bytes.size())).raw(bytes);
    }
    return post(frame);
  }

  // Sends a frame whose message is shorter than its length field says.
  bool send_cut_message() {
    WireWriter frame;
    frame.number(std::uint16_t{0}).number(std::uint16_t{100}).number(std::uint8_t{18});
    return post(frame);
  }

  // How many frames of the server send() has seen so far.
  [[nodiscard]] std::uint64_t heard() const { return heard_; }

 private:
  bool post(const WireWriter& frame) {
    std::memcpy(memory_.bytes().data() + kFrame, frame.bytes().data(), frame.bytes().size());
    DAT_LMR_TRIPLET iov = region_.local(kFrame, frame.bytes().size());
    if (dat_ep_post_send(ep_.get(), 1, &iov, cookie(Work::Send, 0), DAT_COMPLETION_DEFAULT_FLAG) !=
        DAT_SUCCESS)
      return false;
    for (;;) {
      const auto event = tools::wait_event(evd_, tools::kNever);
      if (!event || event->event_number != DAT_DTO_COMPLETION_EVENT) return false;
      const auto& done = event->event_data.dto_completion_event_data;
      if (done.user_cookie.as_64 == cookie(Work::Send, 0).as_64)
        return done.status == DAT_DTO_SUCCESS;
      if (done.status == DAT_DTO_SUCCESS && post_recv() == DAT_SUCCESS) ++heard_;
    }
  }

  // All Recvs share one buffer, because nothing reads what arrives.
  DAT_RETURN post_recv() {
    DAT_LMR_TRIPLET iov = region_.local(0, kFrame);
    return dat_ep_post_recv(ep_.get(), 1, &iov, cookie(Work::Recv, 0), DAT_COMPLETION_DEFAULT_FLAG);
  }
  static constexpr DAT_COUNT kMostHeard = 256;
  tools::Pz pz_;
  tools::Evd evd_;
  SharedBuffer memory_;
  tools::Region region_;
  tools::Ep ep_;
  std::uint64_t heard_ = 0;
};

} // namespace datum::cp::test

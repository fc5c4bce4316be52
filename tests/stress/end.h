// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/stress/end.h: one end of a connection: its EP, its memory, and its requests and Recvs.
// Lives here: posting, and the records against which every completion is checked.
// Not here:   the questions and answers (initiator.h, responder.h).
// Threads:    one, except that another thread posts the first Recvs of a responder's connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "dat.h"
#include "message.h"

namespace datum::stress {

struct Registered {
  Registered(DAT_IA_HANDLE ia, DAT_PZ_HANDLE pz, std::size_t size);
  void free();
  DAT_LMR_TRIPLET part(std::uint64_t offset, std::uint64_t length) const;

  std::vector<std::byte> bytes;
  DAT_LMR_HANDLE lmr = DAT_HANDLE_NULL;
  DAT_LMR_CONTEXT local = 0;
  DAT_RMR_CONTEXT remote = 0;
};

struct Received {
  Message message;
  std::span<const std::byte> payload; // until the slot is posted again
  int slot = 0;
};

class End {
 public:
  struct Payloads {
    std::size_t sent = 0; // the largest size of a message, each way
    std::size_t received = 0;
  };
  End(DAT_IA_HANDLE ia, DAT_PZ_HANDLE pz, DAT_EVD_HANDLE evd, std::uint32_t lane,
      const Payloads& payloads);
  void free();

  DAT_EP_HANDLE ep() const { return ep_; }
  std::uint32_t lane() const { return lane_; }
  Registered& memory() { return memory_; }

  void post_recvs(); // posts all Recvs, before a connection
  void post_recv(int slot);
  void send(const Message& message, std::uint64_t payload_seed = 0, std::uint64_t payload = 0);
  void write(std::uint64_t offset, std::uint64_t length, const DAT_RMR_TRIPLET& target,
             bool suppressed);
  void read(std::uint64_t offset, std::uint64_t length, const DAT_RMR_TRIPLET& source);
  void bind(DAT_RMR_HANDLE rmr, std::uint64_t offset, std::uint64_t length,
            DAT_RMR_CONTEXT& context);

  // Takes a completion on this EP. `may_flush`: the connection may be ending. True: it brought a
  // message.
  bool on_completion(const DAT_DTO_COMPLETION_EVENT_DATA& data, bool may_flush, Received& received);
  void on_bind(const DAT_RMR_BIND_COMPLETION_EVENT_DATA& data, bool may_flush);
  bool idle() const { return requests_.empty(); }
  // True: some request of this connection has failed, so it is about to end.
  bool failing() const { return failing_; }
  // True: every request and Recv has completed, except for suppressed successes.
  bool quiet() const;
  // Called when the connection has ended and quiet() is true. Makes the EP unconnected again.
  void reset();

 private:
  // One more than the number of unanswered messages. So when a slot is used again, its last payload
  // has been placed.
  static constexpr int kSlots = kWindow + 1;
  DAT_DTO_COOKIE next_request(bool suppressed);
  void take_request(std::uint64_t number, DAT_DTO_COMPLETION_STATUS status, bool may_flush);

  std::uint32_t lane_;
  std::size_t recv_size_;
  std::size_t send_size_;
  Registered memory_;
  Registered recvs_;
  Registered sends_;
  DAT_EP_HANDLE ep_ = DAT_HANDLE_NULL;
  // In posting order: the number of each request, and whether its success is suppressed.
  struct Request {
    std::uint64_t number;
    bool suppressed;
  };
  std::deque<Request> requests_;
  std::deque<int> posted_recvs_;
  std::uint64_t last_request_ = 0;
  bool failing_ = false;
  int next_send_slot_ = 0;
};

} // namespace datum::stress

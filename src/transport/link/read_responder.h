// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/link/read_responder.h: the peer's Reads and Atomics, carried out and answered here.
// Lives here: how many requests are served at a time, the checks, the answers in pieces and in the
//             order of the requests.
// Not here:   this side's Reads and Atomics (link_sender.h); Reads that the peer carries out by a
//             direct copy, which this side does not notice (direct_copy.h).
// Threads:    the adapter's lock.
#pragma once

#include <cstdint>
#include <deque>

#include "transport/link/channel_frame.h"
#include "transport/link/record.h"

namespace datum {

class ReadResponder {
 public:
  explicit ReadResponder(ChannelFrame& frame) : frame_(frame) {}

  // If an allocation fails, nothing has changed, and the record is handled again.
  void on_read_request(const RecordHeader& header);
  // The operation is atomic for every processor of this host, and so for every other endpoint.
  void on_atomic(const RecordHeader& header);
  // Sends as many pieces of the answers as there is room for. True: it sent some.
  bool respond();

 private:
  struct Served {
    RdmaFields source;
    std::uint64_t length;
    std::uint64_t done = 0;
    bool atomic = false;
    std::uint64_t value = 0; // atomic: the answer
  };

  // True: one more request may be served. False: there are too many, and the connection has ended.
  bool has_slot();
  void refuse(DtoStatus status);
  void respond_if_first();

  ChannelFrame& frame_;
  std::deque<Served> served_;
};

} // namespace datum

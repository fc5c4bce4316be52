// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/link/kept_messages.h: messages that find no Recv, kept outside the ring until they find
// one.
// Lives here: how much may be kept, Writes that are reported as placed only after a kept message,
//             breaking the connection when a message has waited for too long.
// Not here:   how long a message may wait (core/port/waiting_messages.h), which Recv it gets
//             (link_receiver.h).
// Threads:    the adapter's lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/port/timer.h"
#include "core/port/waiting_messages.h"
#include "transport/link/channel_frame.h"
#include "transport/link/record.h"

namespace datum {

class KeptMessages {
 public:
  // A message, or a piece of one.
  struct Piece {
    RecordHeader header;
    std::vector<std::byte> payload;
    MessageNote note;
  };
  explicit KeptMessages(ChannelFrame& frame);

  bool empty() const { return pieces_.empty(); }
  Piece& front() { return pieces_.front(); }
  // False: the peer has sent more than an honest peer may.
  bool has_room_for(const RecordHeader& send) const;
  // If an allocation fails, nothing has changed. If the patience is 0, the connection ends.
  void keep(const RecordHeader& header, const std::byte* payload, const MessageNote& note);
  // Called when the first message or piece has its Recv. Returns how many Writes waited for it to
  // be reported.
  std::uint32_t release_first();
  // Called when a Write has been carried out. False: no message is kept, so the Write may be
  // reported as placed at once.
  bool count_write() { return pieces_.count_write(); }
  // The number of whole kept messages and of Writes that wait for them to be reported.
  std::uint32_t requests() const;
  // ends_with_fetch(): the last kept message is to be fetched. ends_inside_message(): the last
  // piece of the last kept message has not come.
  bool ends_with_fetch() const;
  bool ends_inside_message() const;
  // True: a message or piece was kept since the last call.
  bool take_news() { return std::exchange(news_, false); }
  void stop() { timer_.cancel(); }

 private:
  class Patience final : public Timer {
   public:
    explicit Patience(KeptMessages& messages) : messages_(messages) {}

   private:
    void on_expired(Instant now) override { messages_.on_patience_over(now); }
    KeptMessages& messages_;
  };

  void watch_patience();
  void on_patience_over(Instant now);

  ChannelFrame& frame_;
  WaitingMessages<Piece> pieces_;
  std::uint32_t octets_ = 0; // octets of kept Sends
  bool news_ = false;
  Patience timer_{*this};
};

} // namespace datum

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/link/kept_messages.h: messages that find no Recv, kept beside the ring until they do.
// Lives here: how much may be kept, what counts behind each message, breaking the connection when
//             one has waited for too long.
// Not here:   how long one may wait (core/port/waiting_messages.h), which Recv it gets
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
  // An honest peer sends no more than there is room for.
  bool has_room_for(const RecordHeader& send) const;
  // A failure to allocate changes nothing. If no message may wait, the connection ends.
  void keep(const RecordHeader& header, const std::byte* payload, const MessageNote& note);
  // The first has its Recv. Returns the Writes that count behind it.
  std::uint32_t release_first();
  // A Write has been carried out. False: it counts at once.
  bool count_write() { return pieces_.count_write(); }
  // The whole messages, and the Writes that count behind them.
  std::uint32_t requests() const;
  // The last message is to be fetched / has not ended yet.
  bool ends_with_fetch() const;
  bool ends_inside_message() const;
  // Something was kept since the last call.
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
  std::uint32_t octets_ = 0; // of Sends
  bool news_ = false;
  Patience timer_{*this};
};

} // namespace datum

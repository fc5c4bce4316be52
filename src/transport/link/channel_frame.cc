// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/link/channel_frame.h"

#include "transport/link/link.h"
#include "transport/link/link_transport.h"

namespace datum {

const TransportHost& ChannelFrame::host() const {
  return transport_.host();
}

void ChannelFrame::count_placed(std::uint32_t messages, std::uint32_t octets) {
  add_placed(messages, octets);
  if (messages == 0 && octets == 0) return;
  owe_ack();
}

bool ChannelFrame::flush_ack() {
  if (!open() || (told_placed_ == placed_ && told_octets_ == placed_octets_)) return true;
  RecordHeader* record = link_->reserve(0);
  if (record == nullptr) return false;
  stamp(*record, RecordType::Ack, 0, 0);
  link_->publish();
  return true;
}

} // namespace datum

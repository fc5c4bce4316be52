// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/link/link_channel.h: one connection inside a link, for the core and for the link.
// Lives here: which part handles each call and each record; the order of deferred work.
// Not here:   the parts of a channel: from dial to close (link_handshake.h), this side's requests
//             (link_sender.h), the peer's messages and Writes (link_receiver.h), the peer's Reads
//             (read_responder.h), the state that the parts share (channel_frame.h); polling the
//             ring and the table of connections (link.h).
// Threads:    the adapter's lock.
#pragma once

#include <cstdint>
#include <string>

#include "base/intrusive_list.h"
#include "core/port/transport.h"
#include "transport/link/channel_frame.h"
#include "transport/link/link_handshake.h"
#include "transport/link/link_receiver.h"
#include "transport/link/link_sender.h"
#include "transport/link/read_responder.h"
#include "transport/link/record.h"

namespace datum {

// The list hook of channels that have no link but something to report (LinkTransport::unlinked_).
struct UnlinkedTag;
using UnlinkedChannel = ListHook<UnlinkedTag>;

class LinkChannel final : public Channel, public UnlinkedChannel, public ChannelFrame {
 public:
  // Active side; dial() comes next.
  LinkChannel(LinkTransport& transport, ChannelEvents& events, const ChannelOptions& options);
  // Passive side, not answered yet.
  LinkChannel(LinkTransport& transport, Link& link, const RecordHeader& request, PrivateData data);
  ~LinkChannel() override;

  Status dial(const Address& address, ConnQual qualifier, PrivateData data) {
    return handshake_.dial(address, qualifier, data);
  }

  // --- Channel -----------------------------------------------------------------------------------
  StartResult start(const WorkRequest& request) override { return sender_.start(request); }
  StartResult start_now(const WorkRequest& request) override { return sender_.start_now(request); }
  void prefetch(const RemoteTriplet* target) override;
  bool should_look_first(const WorkRequest& request) const override {
    return sender_.should_look_first(request);
  }
  void on_receive_posted() override;
  void catch_up() override;
  bool waits_for_receive(bool oldest_is_message) override {
    return sender_.waits_for_receive(oldest_is_message);
  }
  void close(CloseMode mode) override { handshake_.close(mode); }
  ConnQual local_port() const override { return handshake_.local_port(); }
  ConnQual remote_port() const override { return handshake_.remote_port(); }
  Address remote_address() const override { return handshake_.remote_address(); }
  const char* path() const override;
  std::string path_reason() const override;

  // --- answering a request (LinkIncoming) --------------------------------------------------------
  void accept(PrivateData data, ChannelEvents& events, const ChannelOptions& options) {
    handshake_.accept(data, events, options);
  }
  void refuse(bool by_consumer, PrivateData data) { handshake_.refuse(by_consumer, data); }
  PrivateData private_data() const { return handshake_.private_data(); }

  // --- for Link ----------------------------------------------------------------------------------
  void set_number(std::uint32_t number) { set_link(link(), number); }
  // A record for this connection. False: the record is impossible, and the link is broken off.
  bool handle(const RecordHeader& header, const std::byte* payload) {
    return take_message(header, payload) || handle_any(header, payload);
  }
  // Continues deferred work. True: some work was done.
  bool work();
  // True: the channel has work that it can do without a further record from the peer.
  bool has_work() const;
  // True: the channel has something to copy, and other channels have used up the quantum of this
  // turn.
  bool waits_for_turn() const { return waits_for_turn_ && has_work(); }
  void on_link_lost() { handshake_.on_link_lost(); }

  bool listed_for_work = false;

 private:
  // ChannelFrame
  void want_work() override;
  void want_room() override;
  void terminate(RequestClass kind, DtoStatus status, std::uint32_t before) override {
    handshake_.terminate(kind, status, before);
  }
  void end(CloseReason reason) override { handshake_.end(reason); }
  bool join(Link& link) override;
  void part() override;

  bool take_message(const RecordHeader& header, const std::byte* payload);
  bool handle_any(const RecordHeader& header, const std::byte* payload);
  bool handle_open(const RecordHeader& header, const std::byte* payload);
  // How many octets the next turn copies, in both directions together.
  std::uint64_t next_quantum() const;

  LinkSender sender_{*this};
  LinkReceiver receiver_{*this};
  ReadResponder responder_{*this};
  LinkHandshake handshake_;
  bool waits_for_turn_ = false; // set by the last work()
};

} // namespace datum

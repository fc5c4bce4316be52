// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/link/link_handshake.h: a connection from dial or request to its end.
// Lives here: every change of state, dials, requests and answers, each way to end.
// Not here:   the table of states (link_state.h), dials themselves (fabric.h), how long either side
//             waits for an answer (core).
// Threads:    the adapter's lock.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/port/channel.h"
#include "transport/link/channel_frame.h"
#include "transport/link/fabric.h"
#include "transport/link/link_receiver.h"
#include "transport/link/link_sender.h"

namespace datum {

class LinkHandshake final : private DialEvents {
 public:
  // The parts that are told when the Confirm has to wait, or when the connection ends.
  struct Neighbours {
    LinkSender& sender;
    LinkReceiver& receiver;
  };
  // Active side; dial() comes next.
  LinkHandshake(ChannelFrame& frame, const Neighbours& neighbours, ConnQual local_port);
  // Passive side, not answered yet.
  LinkHandshake(ChannelFrame& frame, const Neighbours& neighbours, const RecordHeader& request,
                PrivateData data);

  ConnQual local_port() const { return local_port_; }
  ConnQual remote_port() const { return remote_port_; }
  const Address& remote_address() const { return remote_address_; }
  // The peer's private data, from its request or its Accept.
  PrivateData private_data() const { return private_data_; }

  // --- by the consumer ---------------------------------------------------------------------------
  Status dial(const Address& address, ConnQual qualifier, PrivateData data);
  void accept(PrivateData data, ChannelEvents& events, const ChannelOptions& options);
  void refuse(bool by_consumer, PrivateData data);
  void close(CloseMode mode);

  // --- by records of the peer. False: no honest peer sends such a record ------------------------
  bool on_accept(const RecordHeader& header, const std::byte* payload);
  bool on_refuse(const RecordHeader& header, const std::byte* payload);
  bool on_confirm();
  void on_close(const RecordHeader& header);
  void on_terminate(const RecordHeader& header);

  // --- by the link, and by the other parts through the channel -----------------------------------
  void on_link_lost();
  void terminate(RequestClass kind, DtoStatus status, std::uint32_t before);
  void end(CloseReason reason);
  // Called in state Failing. Tells the endpoint that its connect failed.
  void report_failed_connect();

 private:
  // DialEvents
  void on_dialled(LinkPort& port) override;
  void on_dial_failed(DialFailure failure) override;

  // The only function that writes the state. False: the table has no such row, and nothing has
  // changed.
  bool on(LinkEvent event);
  Status start_dial();
  void dial_again();
  ConnectFields connect_fields(std::uint32_t private_data_size) const;
  void say(const RecordHeader& record, PrivateData data = {});
  void leave();

  ChannelFrame& frame_;
  const Neighbours neighbours_;
  ConnQual local_port_ = 0;
  ConnQual remote_port_ = 0;
  Address remote_address_;
  std::vector<std::byte> private_data_; // the data of this side's request, later the peer's data
  std::unique_ptr<Dial> dial_;
  int dials_ = 0;
  // True: the peer has sent its last record, or the link is gone. The peer gets no more records.
  bool peer_gone_ = false;
  ConnectFailure failure_ = ConnectFailure::NonPeerRejected;
};

} // namespace datum

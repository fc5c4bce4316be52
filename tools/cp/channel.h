// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/channel.h: a Link over one DAT endpoint.
// Lives here: message buffers and credits, slots and their RDMA, the end of the connection.
// Not here:   what messages mean (protocol.h), which clients may connect (server.h).
//
// A frame is two bytes of credits, then messages or nothing. A credit is a Recv posted at the other
// side. The last credit is kept for frames without a message, which give credits back. Only a
// limited number of frames may wait for credits: a peer that makes more wait is disconnected.
//
// A frame leaves when it is full, when all messages of a received frame were answered, at flush(),
// and before next() waits. So a hundred small files cost one frame.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/dat_events.h"
#include "common/dat_objects.h"
#include "cp/link.h"
#include "cp/shared_buffer.h"

namespace datum::cp {

class Channel final : public Link {
 public:
  // silence: how long next() waits for a peer that sends nothing.
  Channel(const tools::Interface& ia, std::chrono::milliseconds silence);

  // connect() and accept() return once the connection is established, or throw. connect() returns
  // the accepter's private data.
  std::string connect(const tools::Address& address, DAT_CONN_QUAL port,
                      const std::string& private_data, const std::string& peer);
  void accept(tools::Cr request, const std::string& private_data, const std::string& peer);
  // Accepts, but does not wait until the connection is established, because the client may make the
  // server wait.
  void answer(tools::Cr request, const std::string& private_data, const std::string& peer);

  // Registers depth slots of chunk_size bytes; `rights` are the peer's rights on them. The caller
  // sends the result to the peer, and gives the Slots that the peer sent to set_peer_slots().
  Slots make_slots(std::uint32_t chunk_size, std::uint32_t depth, int rights);
  void set_peer_slots(const Slots& slots) { peer_slots_ = slots; }

  [[nodiscard]] const std::string& peer() const { return peer_; } // the name of the peer in errors

  // The path of this connection ("shm"), as the provider reports it. Empty: the provider does not
  // report it.
  [[nodiscard]] std::string path() const { return tools::path_of(ep_); }

  static constexpr std::chrono::milliseconds kGoodbye{5000};
  // Waits until all queued messages have left, then closes the connection and waits until it is
  // closed. Each wait ends after `goodbye`.
  void finish(std::chrono::milliseconds goodbye = kGoodbye);
  // Waits until the peer has closed.
  void await_disconnect(std::chrono::milliseconds goodbye = kGoodbye);
  [[nodiscard]] bool connected() const { return connected_; }
  [[nodiscard]] bool ended(); // True: the connection was established or tried, and is over

  void send(const Message& message) override;
  void flush() override;
  [[nodiscard]] bool congested() const override;
  std::span<std::byte> slot(std::uint32_t index) override;
  void write_slot(std::uint32_t index, std::uint32_t length) override;
  void read_slot(std::uint32_t index, std::uint32_t length) override;
  using Link::next;
  LinkEvent next(Sent sent) override;
  std::optional<LinkEvent> poll() override;
  void tick() override;
  void notify() override;

 private:
  struct Arrived { // a frame in a Recv buffer, or a slot that was read
    bool is_slot = false;
    std::uint32_t index = 0;
    std::size_t length = 0;
  };

  void post_recv(std::uint32_t index);
  // Posts all frames of the outbox except the last `kept`, to which messages may still be added.
  void post_waiting(std::size_t kept);
  void post_frame(std::span<const std::byte> messages);
  void reap();
  void handle(const DAT_EVENT& event);
  void handle_completion(const DAT_DTO_COMPLETION_EVENT_DATA& done);
  std::optional<LinkEvent> take();
  void open_frame(const Arrived& arrived);
  // Nothing: the frame had no further message and was closed.
  std::optional<Message> message_in_frame();
  bool wait_until(tools::Deadline deadline);
  [[noreturn]] void lose_peer();
  [[noreturn]] void lost(const std::string& why) const;

  const tools::Interface& ia_;
  std::chrono::milliseconds silence_;
  std::string peer_ = "peer";
  tools::Pz pz_;
  tools::Evd evd_;
  SharedBuffer message_memory_, slot_memory_;
  tools::Region messages_, slots_;
  tools::Ep ep_; // declared after the objects that it uses, so it is freed before them
  Slots own_slots_, peer_slots_;

  // Frames that this side may send; Recvs that this side has to announce to the peer.
  std::uint16_t credits_ = 0, owed_ = 0;
  std::vector<std::uint32_t> free_sends_;
  std::deque<std::vector<std::byte>> outbox_; // frames without their credits
  std::vector<std::byte> encoded_;            // one encoded message, kept for its memory
  std::deque<Arrived> inbox_;
  std::optional<std::uint32_t> opened_;    // the Recv buffer whose messages are being taken
  std::span<const std::byte> unread_;      // the rest of that frame
  std::atomic<bool> notice_posted_{false}; // True: the event of a notify() has not been taken yet
  bool notified_ = false;
  bool connected_ = false, finishing_ = false;
  std::string failure_; // the name and status of the first DTO that failed
  DAT_EVENT_NUMBER ending_{};
  std::chrono::steady_clock::time_point last_sent_{};
};

} // namespace datum::cp

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/shm/shm_dial.h: the dialling side of a handshake.
// Lives here: finding the rendezvous, checking its holder, dialling again when the other side is
//             busy, has just gone, or is dialling this adapter.
// Not here:   the dialled side (half_open), the messages themselves (handshake_wire).
// Threads:    the adapter's lock. Events come from timers and the reactor, never inside dial().
#pragma once

#include <cstdint>
#include <optional>

#include "base/shortage.h"
#include "core/port/timer.h"
#include "progress/reactor.h"
#include "transport/host/fork_guard.h"
#include "transport/host/host_address.h"
#include "transport/link/fabric.h"
#include "transport/shm/message_socket.h"
#include "transport/shm/shm_port.h"

namespace datum {

class ShmDial final : public Dial, private FdHandler, private Timer {
 public:
  // `found`: a socket that is connected to the rendezvous, or empty.
  ShmDial(ShmContext& context, const HostAddress& address, ConnQual qualifier, GuardedFd found,
          DialEvents& events);
  ~ShmDial() override;
  ShmDial(const ShmDial&) = delete;
  ShmDial& operator=(const ShmDial&) = delete;

 private:
  void on_expired(Instant now) override; // an attempt is due
  void on_ready(std::uint32_t events) override;

  bool find();
  void say_hello();
  void on_unsent(int error);
  void on_unknown_peer(int error);
  void on_no_segment(int error);
  void on_refusal(const char* call, int error);
  void on_answer(std::span<const std::byte> message);
  void make_offer(const Greeting& answer);
  void on_ready_message(std::span<const std::byte> message, PassedFds& passed);
  void begin();
  void hang_up();
  void dial_again();
  void wait_for(Shortage shortage);
  void wait_or_give_up(Shortage shortage);
  void on_hangup();
  // succeed() and give_up() end the dial. The caller must not touch the dial afterwards.
  void succeed(ShmPort& port);
  void give_up(DialFailure failure);

  ShmContext& context_;
  const HostAddress address_;
  const ConnQual qualifier_;
  DialEvents& events_;
  GuardedFd socket_;
  bool watching_ = false;
  std::optional<LinkParts> offered_; // between Offer and Ready
  Duration pause_;
  int hangups_ = 0;
};

} // namespace datum

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/shm/half_open.h: the dialled side of a handshake.
// Lives here: what an accepted socket may say until its link stands, and how long it may take.
// Not here:   the dialling side (shm_dial), the messages themselves (handshake_wire).
// Threads:    the adapter's lock.
#pragma once

#include "core/port/timer.h"
#include "progress/reactor.h"
#include "transport/host/fork_guard.h"
#include "transport/host/listening_state.h"
#include "transport/shm/handshake_wire.h"
#include "transport/shm/message_socket.h"
#include "transport/shm/shm_port.h"

namespace datum {

struct ShmContext;

// Owned by ShmContext::half_open; takes itself out when it has become a link or has failed.
class HalfOpen final : private FdHandler, private Timer {
 public:
  static void begin(ShmContext& context, GuardedFd socket);
  ~HalfOpen();
  HalfOpen(const HalfOpen&) = delete;
  HalfOpen& operator=(const HalfOpen&) = delete;

 private:
  HalfOpen(ShmContext& context, GuardedFd socket, const PeerCredentials& process);

  void on_ready(std::uint32_t events) override;
  void on_expired(Instant now) override;
  // Both: true: wait for the next message.
  bool on_hello(std::span<const std::byte> message);
  bool on_offer(std::span<const std::byte> message, PassedFds& passed);
  Verdict judge_hello(const Preamble& preamble) const;
  Verdict judge_offer() const;
  bool send_ready(int socket, Verdict verdict, bool has_direct);
  void tell_of_segment(int file) const;
  void on(HalfOpenEvent event);
  void finish();
  // Strangers hold as many places as they may already.
  bool is_one_too_many() const;
  void put_off();

  ShmContext& context_;
  GuardedFd socket_; // a child that has a copy would keep the dialler waiting where we have died
  PeerKey peer_;
  Address peer_address_;
  DirectTerms terms_;
  HalfOpenState state_ = HalfOpenState::Stranger;
  bool watching_ = false;
};

} // namespace datum

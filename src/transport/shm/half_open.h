// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/shm/half_open.h: the dialled side of a handshake.
// Lives here: what an accepted socket may send until its link stands, and how long it may take.
// Not here:   the dialling side (shm_dial), the messages themselves (handshake_wire).
// Threads:    the adapter's lock.
#pragma once

#include "base/shortage.h"
#include "core/port/timer.h"
#include "progress/reactor.h"
#include "transport/host/fork_guard.h"
#include "transport/host/listening_state.h"
#include "transport/shm/handshake_wire.h"
#include "transport/shm/message_socket.h"
#include "transport/shm/sealed_memory.h"
#include "transport/shm/shm_port.h"

namespace datum {

struct ShmContext;

// ShmContext::half_open owns this object. The object removes itself from there once the handshake
// has made a link or has failed.
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
  // on_hello() and on_offer() return true to wait for the next message.
  bool on_hello(std::span<const std::byte> message);
  bool on_offer(std::span<const std::byte> message, PassedFds& passed);
  DialVerdict judge_hello(const Preamble& preamble) const;
  DialVerdict judge_offer() const;
  bool send_ready(int socket, DialVerdict verdict, bool has_direct);
  void on_lack(Shortage shortage);
  bool on_unknown_address(Shortage shortage); // false, as on_hello() ends with it
  void on_fault(const FileFault& fault, int file);
  void tell_of_segment(int file) const;
  void on(HalfOpenEvent event);
  void finish();
  // True: the peer's user, or all users but the one of this process together, already have as many
  // half-open handshakes as they may.
  bool is_one_too_many() const;
  void defer();
  void answer_again();

  ShmContext& context_;
  // Guarded: if a child process had a copy, the dialler would keep waiting after this process died.
  GuardedFd socket_;
  PeerKey peer_;
  Address peer_address_;
  DirectTerms terms_;
  HalfOpenState state_ = HalfOpenState::Stranger;
  bool watching_ = false;
};

} // namespace datum

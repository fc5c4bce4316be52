// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/shm/shm_port.h: one end of a link that stands: the segment, the doorbell, the death
// notice.
// Not here: how the link came to be (shm_dial, half_open), the list of links (link_table).
// Threads:  the adapter's lock.
#pragma once

#include <memory>
#include <string>

#include "core/port/timer.h"
#include "progress/reactor.h"
#include "transport/host/fork_guard.h"
#include "transport/link/fabric.h"
#include "transport/shm/direct_access.h"
#include "transport/shm/handshake_wire.h"
#include "transport/shm/message_socket.h"
#include "transport/shm/peer_process.h"
#include "transport/shm/sealed_memory.h"

namespace datum {

struct ShmContext;

// The id that an adapter sent, and the process that the kernel names. If another process sends the
// same id, it is another peer.
struct PeerKey {
  AdapterId id;
  PeerCredentials process;
  bool operator==(const PeerKey&) const = default;
};

// The parts of a link, which a finished handshake hands over.
struct LinkParts {
  GuardedFd socket;
  GuardedFd pidfd; // of the peer; may be empty
  Mapping segment;
  int side = 0;
  PeerKey peer;
  Address peer_address;
  std::unique_ptr<ProcessMemory> direct; // may be empty: `direct_reason` says why
  std::string direct_reason;
  bool peer_has_direct = false;
};

class ShmPort final : public LinkPort, private FdHandler, private Timer {
 public:
  ShmPort(ShmContext& context, LinkParts parts);
  ~ShmPort();
  ShmPort(const ShmPort&) = delete;
  ShmPort& operator=(const ShmPort&) = delete;

  // Begins to watch the descriptors.
  Status watch();
  bool condemned() const { return condemned_; }
  // The link has no connection now. Unless it gets one within idle_link_limit, it ends.
  void on_idle();
  // Called before the end of the link is announced. From then on the port sends and reports
  // nothing.
  void retire();
  const PeerKey& peer() const { return parts_.peer; }
  // Called while the reactor does not run.
  bool peer_has_died() const;

  LinkSegment& segment() override { return segment_in(parts_.segment); }
  int side() const override { return parts_.side; }
  void ring_doorbell() override;
  DirectAccess* direct() override;
  bool peer_has_direct() const override { return parts_.peer_has_direct; }
  const char* path() const override;
  std::string path_reason() const override;
  bool shares_core() const override { return shares_core_; }
  Address peer_address() const override { return parts_.peer_address; }
  void condemn(const char* reason) override;

 private:
  // Watches the peer's process, besides its socket.
  struct DeathWatch final : FdHandler {
    explicit DeathWatch(ShmPort& owner) : port(owner) {}
    void on_ready(std::uint32_t events) override;
    ShmPort& port;
  };

  // Calls one function of the port when its time has come.
  template <void (ShmPort::*kCall)()>
  class PortTimer final : public Timer {
   public:
    explicit PortTimer(ShmPort& owner) : port_(owner) {}

   private:
    void on_expired(Instant) override { (port_.*kCall)(); }
    ShmPort& port_;
  };

  void on_ready(std::uint32_t events) override;
  void on_expired(Instant now) override;
  void on_idle_long();
  void run_idle_timer(Duration time);
  void look_for_death();
  enum class Drained : std::uint8_t { Empty, Rung, Ended, Garbage, Refused };
  Drained drain_doorbells();
  void tell_refused(const char* calls, int error) const;
  void unwatch();

  ShmContext& context_;
  LinkParts parts_;
  NumberedProcess process_;
  const bool shares_core_;
  DeathWatch death_watch_{*this};
  // Runs if the peer's process has no descriptor to watch.
  PortTimer<&ShmPort::look_for_death> death_timer_{*this};
  PortTimer<&ShmPort::on_idle_long> idle_timer_{*this};
  // Runs if a doorbell could not be rung for lack of memory.
  PortTimer<&ShmPort::ring_doorbell> doorbell_timer_{*this};
  Instant idle_since_ = 0;
  bool idle_timer_runs_ = false;
  bool watching_socket_ = false;
  bool watching_process_ = false;
  bool condemned_ = false;
};

} // namespace datum

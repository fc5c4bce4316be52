// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/shm/shm_context.h: what the parts of one same-host fabric share.
// Threads: the adapter's lock.
#pragma once

#include <list>
#include <memory>
#include <optional>
#include <vector>

#include "base/shortage.h"
#include "progress/reactor.h"
#include "transport/host/qualifier_holder.h"
#include "transport/link/fabric.h"
#include "transport/shm/handshake_wire.h"
#include "transport/shm/known_holders.h"
#include "transport/shm/link_table.h"
#include "transport/shm/shm_options.h"

namespace datum {

class HalfOpen;

struct ShmContext {
  ShmContext(Reactor& used_reactor, const ShmOptions& chosen);
  ~ShmContext();

  Reactor& reactor;
  const ShmOptions options;
  TransportHost host;
  FabricEvents* events = nullptr;
  Greeting self;       // what we say about ourselves
  UniqueFd self_pidfd; // for peers; may be empty
  LinkTable links;
  std::list<std::unique_ptr<HalfOpen>> half_open;
  std::vector<PeerKey> offering; // whom our dials have offered a segment
  KnownHolders holders;          // of names whose queue was full

  Instant now() const { return host.progress->now(); }
  // Arms for `after` from now, and gets a sleeping thread to notice.
  void arm(Timer& timer, Duration after);
  bool is_offering(const PeerKey& key) const;
  // Fills in what a link's two `direct` fields say.
  void open_direct(const PeerCredentials& process, const DirectTerms& terms,
                   LinkParts& parts) const;

  // One line in the life of a fabric.
  void warn_full();
  void warn_unnamed();
  void warn_version(const HostAddress& peer, ConnQual qualifier, std::uint16_t version);
  // One line each in a while.
  void warn(Shortage shortage);
  void warn_blind(Shortage shortage);
  void warn_forbidden(Shortage shortage);
  void warn_refused(const char* call, int error);
  ShortageLog listen_shortage;
  HolderLog told_holders;
  // Beside TCP: who, not known to be of this user, was in the way of the port that could not be
  // published last.
  std::optional<QualifierHolder> rival;

 private:
  bool warned_full_ = false;
  bool warned_unnamed_ = false;
  std::uint16_t warned_version_ = 0; // the last one that was warned of
  ShortageLog shortage_;             // of connections
};

} // namespace datum

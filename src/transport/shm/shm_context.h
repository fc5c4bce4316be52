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
  Greeting self;       // the Hello of this adapter
  UniqueFd self_pidfd; // for peers; may be empty
  LinkTable links;
  std::list<std::unique_ptr<HalfOpen>> half_open;
  std::vector<PeerKey> offering; // peers to which this adapter's dials have offered a segment
  KnownHolders holders;          // users of names whose queue was full

  Instant now() const { return host.progress->now(); }
  // Arms the timer for `after` from now, and makes a sleeping thread notice it.
  void arm(Timer& timer, Duration after);
  bool is_offering(const PeerKey& key) const;
  // Fills in `direct` and `direct_reason` of `parts`.
  void open_direct(const PeerCredentials& process, const DirectTerms& terms,
                   LinkParts& parts) const;

  // warn_full() and warn_unnamed() log once in the life of a fabric, warn_version() whenever the
  // version differs from the last one.
  void warn_full();
  void warn_unnamed();
  void warn_version(const HostAddress& peer, ConnQual qualifier, std::uint16_t version);
  // The next four log at most one line in a while for each kind of shortage.
  void warn(Shortage shortage);
  void warn_blind(Shortage shortage);
  void warn_forbidden(Shortage shortage);
  void warn_refused(const char* call, int error);
  ShortageLog listen_shortage;
  HolderLog told_holders;
  // With TCP beside this fabric: the process whose names made the last publish() fail, unless that
  // process is known to run as this user.
  std::optional<QualifierHolder> blocking_holder;

 private:
  bool warned_full_ = false;
  bool warned_unnamed_ = false;
  std::uint16_t warned_version_ = 0; // the last version that was warned of
  ShortageLog shortage_;             // shortages of connections
  ShortageLog blind_;                // of warn_blind(), whose line must not silence another refusal
};

} // namespace datum

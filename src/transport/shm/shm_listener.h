// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/shm/shm_listener.h: a published qualifier: its TCP port, or its claim, and then its
// rendezvous.
// Lives here: taking them, and how many dials there is room for.
// Not here:   when dials are accepted (host/listening_socket), what diallers send (half_open).
// Threads:    the adapter's lock.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "transport/host/host_address.h"
#include "transport/host/listen_error.h"
#include "transport/host/listening_socket.h"
#include "transport/host/qualifier_claim.h"
#include "transport/link/fabric.h"
#include "transport/shm/port_claim.h"

namespace datum {

struct ShmContext;

class ShmListener final : public PublishedName, private ListeningOwner {
 public:
  static Result<std::unique_ptr<PublishedName>>
  open(ShmContext& context, const std::optional<HostAddress>& host, ConnQual qualifier);
  // Any free port of the range. ConnQualInUse: the range has none.
  static Result<std::unique_ptr<PublishedName>>
  open_any(ShmContext& context, const std::optional<HostAddress>& host, PortRange range);
  // Any port that the kernel gives.
  static Result<std::unique_ptr<PublishedName>> open_given(ShmContext& context,
                                                           const std::optional<HostAddress>& host);
  ShmListener(const ShmListener&) = delete;
  ShmListener& operator=(const ShmListener&) = delete;

  ConnQual qualifier() const override { return qualifier_; }

 private:
  ShmListener(ShmContext& context, ConnQual qualifier, std::optional<PortClaim> claim,
              QualifierClaim name, GuardedFd socket);
  // Only for ThisOne, a qualifier that the consumer named, does the holder of a taken name matter.
  enum class Wanted : std::uint8_t { ThisOne, Any };
  static Result<std::unique_ptr<PublishedName>> take(ShmContext& context,
                                                     const std::optional<HostAddress>& host,
                                                     ConnQual qualifier, Wanted wanted);
  static Result<std::unique_ptr<PublishedName>> finish(ShmContext& context,
                                                       const ListenPlace& place, ConnQual qualifier,
                                                       std::optional<PortClaim> claim);

  std::optional<Instant> full() override;
  void welcome(GuardedFd accepted) override;
  bool on_lack(int error) override;

  ShmContext& context_;
  const ConnQual qualifier_;
  std::optional<PortClaim> claim_;
  QualifierClaim name_; // in kSameHostNames; empty if a port is claimed
  // Closed before the claims: while a name stands, its owner can be checked.
  ListeningSocket socket_;
};

} // namespace datum

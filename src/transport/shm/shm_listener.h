// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/shm/shm_listener.h: a published qualifier, which has a TCP port or a claim, and a
// rendezvous.
// Lives here: taking port, claim and rendezvous; the limit of half-open dials.
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
  // ThisOne: the consumer named the qualifier, so a failure tells the holder of a taken name. Any:
  // another qualifier is tried instead.
  enum class Wanted : std::uint8_t { ThisOne, Any };
  static Result<std::unique_ptr<PublishedName>> take(ShmContext& context,
                                                     const std::optional<HostAddress>& host,
                                                     ConnQual qualifier, Wanted wanted);
  static Result<std::unique_ptr<PublishedName>> finish(ShmContext& context,
                                                       const ListenPlace& place, ConnQual qualifier,
                                                       std::optional<PortClaim> claim);

  std::optional<Instant> full() override;
  void welcome(GuardedFd accepted, const sockaddr_storage& peer) override;
  bool on_lack(int error) override;
  void on_closed(int error) override;

  ShmContext& context_;
  const ConnQual qualifier_;
  std::optional<PortClaim> claim_;
  QualifierClaim name_; // in kSameHostNames; empty if a port is claimed
  // Declared last, so that it is closed before the claims. As long as the rendezvous exists,
  // diallers can check its owner.
  ListeningSocket socket_;
};

} // namespace datum

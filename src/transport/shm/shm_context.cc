// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/shm/shm_context.h"

#include <algorithm>

#include "base/log.h"
#include "transport/shm/half_open.h"

namespace datum {

ShmContext::ShmContext(Reactor& used_reactor, const ShmOptions& chosen)
    : reactor(used_reactor), options(chosen), links(*this) {}

ShmContext::~ShmContext() = default;

void ShmContext::arm(Timer& timer, Duration after) {
  host.arm(timer, now() + after);
}

bool ShmContext::is_offering(const PeerKey& key) const {
  return std::find(offering.begin(), offering.end(), key) != offering.end();
}

void ShmContext::open_direct(const PeerCredentials& process, const DirectTerms& terms,
                             LinkParts& parts) const {
  if (!options.allow_direct) {
    parts.direct_reason = "switched off here";
    return;
  }
  parts.direct = ProcessMemory::open(process, terms, parts.direct_reason);
}

void ShmContext::warn_full() {
  if (!std::exchange(warned_full_, true))
    log(LogLevel::Warn, "{} peers have links to this interface adapter: no more are taken",
        links.size());
}

void ShmContext::warn_unnamed() {
  if (!std::exchange(warned_unnamed_, true))
    log(LogLevel::Warn,
        "same-host connections are refused: this user namespace does not know the users of the "
        "processes there, so anybody's would look alike (DATUM_TRANSPORT=auto goes on over TCP)");
}

void ShmContext::warn_version(const HostAddress& peer, ConnQual qualifier, std::uint16_t version) {
  if (std::exchange(warned_version_, version) != version)
    log(LogLevel::Warn,
        "dial to {} qualifier {}: the process there speaks version {} of the same-host protocol, "
        "this one version {}; {}",
        to_text(peer), qualifier, version, kHandshakeVersion, remedy_for(version));
}

void ShmContext::warn(Shortage shortage) {
  shortage_.tell(shortage, now(), "same-host connections wait");
}

void ShmContext::warn_blind(Shortage shortage) {
  blind_.tell(shortage, now(),
              "same-host connections are not made where the kernel may not be asked whether an "
              "address is of this host (a sandbox refuses AF_NETLINK, both of sendto and sendmsg, "
              "or both of recvfrom and recvmsg)");
}

void ShmContext::warn_forbidden(Shortage shortage) {
  shortage_.tell(shortage, now(),
                 "same-host connections are not made where this process may not use the UNIX "
                 "sockets (AF_UNIX) by which processes of a host find each other");
}

void ShmContext::warn_refused(const char* call, int error) {
  shortage_.tell(shortage_of(error), now(),
                 "same-host connections are not made where a sandbox of this process (seccomp, "
                 "SELinux, AppArmor) refuses {}",
                 call);
}

} // namespace datum

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/host/qualifier_holder.h: which process has the socket names that keep this process from
// a qualifier.
// Lives here: which names those are, whether they are another user's, and the log line about them.
// Not here:   what follows: a service point without shared memory, or none (docs/design/shm.md).
// Threads:    any.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>

#include "base/shortage.h"
#include "base/status.h"
#include "base/time.h"
#include "core/port/types.h"
#include "transport/host/host_address.h"
#include "transport/host/listen_error.h"

namespace datum {

struct QualifierHolder {
  std::string name;          // one of these names, without the leading NUL
  std::optional<uid_t> user; // nullopt: the kernel does not tell
  pid_t process = 0;         // the process that took the name; 0: the kernel does not tell
  // True: the holder is known to run as this user. A user number that may stand for unknown users
  // (same_user.h) proves nothing.
  bool is_own_user = false;
};
// "the socket name @datum/1/*/5000 is held by user 1000 (taken by process 4711)"
std::string to_text(const QualifierHolder& holder);

// The names that the caller wanted and could not get.
enum class NamesWanted : std::uint8_t {
  Rendezvous, // a rendezvous alone: the TCP port keeps conflicting names away
  Mapped,     // the claim of a process that listens over TCP, beside a rendezvous and its claim
  All,        // a rendezvous and claims: the claims keep conflicting names away
};

// Finds a holder of such names for `host` (nullopt: every address), or of names that exclude them.
// A holder of this user is preferred. If there is no listener at the rendezvous that settles the
// question, the kernel goes through all UNIX sockets. nullopt: no socket has such a name now,
// except links and marks of this user. Fails for lack of descriptors.
OrErrno<std::optional<QualifierHolder>>
find_qualifier_holder(const std::optional<HostAddress>& host, ConnQual qualifier,
                      NamesWanted wanted);

// The qualifiers that had a line in the log a short time ago. Programs try the same qualifier again
// and again, and each of several qualifiers needs its own line. When the list is full, the oldest
// qualifier is forgotten.
class HolderLog {
 public:
  static constexpr Duration kSilence = ShortageLog::kSilence;
  static constexpr std::size_t kQualifiers = 64;
  // False: the qualifier had a line within kSilence. True: the caller logs one now.
  bool may_tell(ConnQual qualifier, Instant now);

 private:
  struct Told {
    ConnQual qualifier = 0;
    Instant at = 0;
  };
  std::array<std::optional<Told>, kQualifiers> told_{};
  std::size_t next_ = 0; // the oldest entry, once all are used
};

// Returns ConnQualInUse. Logs which process has the qualifier, and `why` it is in the way, once
// within kSilence.
tl::unexpected<Status> held_by(HolderLog& told, Instant now, const ListenPlace& place,
                               const QualifierHolder& holder, std::string_view why);
// The failure to take names. Does as held_by() if the names are known to belong to another user,
// else as listen_failure().
tl::unexpected<Status> names_failure(ShortageLog& shortages, HolderLog& told, Instant now,
                                     const ListenPlace& place, int error, NamesWanted wanted,
                                     std::string_view why);
inline constexpr std::string_view kNoPortDecides =
    "above 65535 no TCP port tells whose a qualifier is";

} // namespace datum

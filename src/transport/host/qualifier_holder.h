// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/host/qualifier_holder.h: whose socket names keep a process from a qualifier.
// Lives here: which names those are, whether they are another user's, what the log says of them.
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
  std::string name;          // one of them, without the leading NUL
  std::optional<uid_t> user; // nothing: the kernel does not tell
  pid_t process = 0;         // that took the name; 0: the kernel does not tell
  // Known to be this user's own. Where a user namespace does not know its users nobody's is.
  bool ours = false;
};
// "the socket name @datum/1/*/5000 is held by user 1000 (taken by process 4711)"
std::string to_text(const QualifierHolder& holder);

// Which names were wanted, and are not had by the caller now.
enum class NamesWanted : std::uint8_t {
  Rendezvous, // a TCP port excludes what conflicts with it
  Mapped,     // the claim of who listens over TCP, beside a rendezvous and its claim
  All,        // claims exclude what conflicts with them
};

// Of those that have such names for `host`, or nothing for every address, or some that exclude
// them: one of this user, else of another. The kernel goes through all UNIX sockets for it, unless
// whoever listens at the rendezvous can be asked. Nothing: nobody has one now. Fails for lack of
// descriptors.
OrErrno<std::optional<QualifierHolder>>
find_qualifier_holder(const std::optional<HostAddress>& host, ConnQual qualifier,
                      NamesWanted wanted);

// Which qualifiers had their line a short time ago: programs try the same one again and again, and
// each of several needs its own. Of more than it has room for the one told first is forgotten.
class HolderLog {
 public:
  static constexpr Duration kSilence = ShortageLog::kSilence;
  static constexpr std::size_t kQualifiers = 64;
  // False: it was told a short time ago. Otherwise it is told now.
  bool may_tell(ConnQual qualifier, Instant now);

 private:
  struct Told {
    ConnQual qualifier = 0;
    Instant at = 0;
  };
  std::array<std::optional<Told>, kQualifiers> told_{};
  std::size_t next_ = 0; // the entry told first, once all are used
};

// ConnQualInUse, and one line in a while: who has the qualifier, and `why` there is no way beside.
tl::unexpected<Status> held_by(HolderLog& told, Instant now, const ListenPlace& place,
                               const QualifierHolder& holder, std::string_view why);
// As listen_failure(), of names that could not be had; but as held_by() where they are known to be
// another user's.
tl::unexpected<Status> names_failure(ShortageLog& shortages, HolderLog& told, Instant now,
                                     const ListenPlace& place, int error, NamesWanted wanted,
                                     std::string_view why);
inline constexpr std::string_view kNoPortDecides =
    "above 65535 no TCP port tells whose a qualifier is";

} // namespace datum

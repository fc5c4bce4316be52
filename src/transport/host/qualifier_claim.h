// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/host/qualifier_claim.h: the socket names by which a process has a qualifier, if no TCP
// port decides which process has it.
//
// Lives here: the families of names; taking a name so that a claim of every address and a claim of
//             a single address exclude each other; whether a process has claimed the qualifier in
//             the other of these two forms. The time for this does not grow with the number of
//             claimed qualifiers.
//
// Not here:   the protocol behind a name. docs/design/shm.md says what this is good for.
// Bounds:     at most kMarks single addresses of this host for each qualifier.
#pragma once

#include <optional>
#include <string_view>

#include "base/status.h"
#include "core/port/types.h"
#include "transport/host/fork_guard.h"
#include "transport/host/host_address.h"

namespace datum {

// The family of rendezvous: "datum" and the version of the protocol. Diallers over shared memory
// find a process that listens at such a name.
inline constexpr std::string_view kRendezvousNames = "datum/1";
// The families of claims, which have no protocol behind them. A process that listens at a TCP port
// of its own choice takes a name of kMappedNames. A process that shared memory finds takes one of
// kSameHostNames.
inline constexpr std::string_view kMappedNames = "datum/q";
inline constexpr std::string_view kSameHostNames = "datum/s";

inline constexpr int kMarks = 64;

// True: `error`, of claim_qualifier(), says that a socket has the name or one that excludes it, or
// that all marks are taken.
bool is_taken(int error);

struct QualifierClaim {
  GuardedFd name;
  // Only for a single address. A process that claims every address searches for all marks, since it
  // cannot search for all addresses.
  GuardedFd mark;
};

// Returns 0 or an errno. EADDRINUSE: a socket has that name, or the qualifier in the other form.
// EUSERS: all marks of the qualifier are taken. `host` nullopt: every address of this host.
int claim_qualifier(std::string_view family, const std::optional<HostAddress>& host,
                    ConnQual qualifier, QualifierClaim& out);
// Takes the name alone, beside a claim of the qualifier by this process.
int name_qualifier(std::string_view family, const std::optional<HostAddress>& host,
                   ConnQual qualifier, GuardedFd& out);
// Takes the rendezvous for a process that shared memory must not find. A dialler finds no listener
// there, and no other process can listen there.
int reserve_rendezvous(const std::optional<HostAddress>& host, ConnQual qualifier, GuardedFd& out);

// True: the qualifier of a rendezvous is also claimed in the other form. If `name` is an address,
// the rendezvous is for that address, and the other form is a claim of every address. If `name` is
// nullopt, the rendezvous is for every address, and the other form is a claim of `dialled`.
// Processes that keep to the rules never have both forms. Fails for lack of descriptors.
OrErrno<bool> is_claimed_otherwise(const std::optional<HostAddress>& name,
                                   const HostAddress& dialled, ConnQual qualifier);

} // namespace datum

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/host/qualifier_claim.h: which process has a qualifier without a TCP port, by names
// alone.
//
// Lives here: the families of names; taking a name so that every address and a single address
//             exclude each other; whether a process has claimed the qualifier in the other of these
//             two forms. None of that takes longer where many qualifiers are claimed.
//
// Not here:   the protocol behind a name. docs/design/shm.md says what this is good for.
// Bounds:     kMarks single addresses of this host for each qualifier.
#pragma once

#include <optional>
#include <string_view>

#include "base/status.h"
#include "core/port/types.h"
#include "transport/host/fork_guard.h"
#include "transport/host/host_address.h"

namespace datum {

// A process that listens there is found by shared memory. "datum", and the version of the protocol.
inline constexpr std::string_view kRendezvousNames = "datum/1";
// Claims, without a protocol behind them: of a process that listens at a TCP port of its own
// choice, and of a process that is found by shared memory.
inline constexpr std::string_view kMappedNames = "datum/q";
inline constexpr std::string_view kSameHostNames = "datum/s";

inline constexpr int kMarks = 64;

// Why a name could not be taken: a socket has it, or has one that excludes it.
bool is_taken(int error);

struct QualifierClaim {
  GuardedFd name;
  GuardedFd mark; // of a single address: marks can be guessed, addresses cannot
};

// 0 or errno; EADDRINUSE: a socket has that name, or the qualifier in the other form. `host`
// nothing: every address of this host. EUSERS: more than kMarks addresses have it.
int claim_qualifier(std::string_view family, const std::optional<HostAddress>& host,
                    ConnQual qualifier, QualifierClaim& out);
// Takes the name alone, beside a claim of the qualifier by this process.
int name_qualifier(std::string_view family, const std::optional<HostAddress>& host,
                   ConnQual qualifier, GuardedFd& out);
// Takes the rendezvous for a process that shared memory must not find. A dialler finds no listener
// there, and no other process can listen there.
int reserve_rendezvous(const std::optional<HostAddress>& host, ConnQual qualifier, GuardedFd& out);

// For a name at which a listener was found: whether the qualifier is claimed for every address (if
// the name is of one address), or for the dialled address (if the name is of every address). Two
// processes that keep to the rules never get there. Fails for lack of descriptors.
OrErrno<bool> is_claimed_otherwise(const std::optional<HostAddress>& name,
                                   const HostAddress& dialled, ConnQual qualifier);

} // namespace datum

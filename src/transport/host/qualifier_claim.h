// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/host/qualifier_claim.h: who has a qualifier that no TCP port stands for, by names
// alone.
//
// Lives here: the families of names; taking one so that every address and a single one exclude each
// other; whether somebody has claimed the qualifier in the other of these two forms. None of that
// takes longer where many qualifiers are claimed.
//
// Not here: what is said behind a name. docs/design/shm.md says what this is good for.
// Bounds:   kMarks single addresses of this host for each qualifier.
#pragma once

#include <optional>
#include <string_view>

#include "base/status.h"
#include "core/port/types.h"
#include "transport/host/fork_guard.h"
#include "transport/host/host_address.h"

namespace datum {

// Who listens there is found by shared memory. "datum", and the version of what is said.
inline constexpr std::string_view kRendezvousNames = "datum/1";
// Claims; nothing is said behind them. By who listens at a TCP port of its own choice, and by who
// is found by shared memory.
inline constexpr std::string_view kMappedNames = "datum/q";
inline constexpr std::string_view kSameHostNames = "datum/s";

inline constexpr int kMarks = 64;

// What a name could not be taken for: somebody has it, or one that excludes it.
bool is_taken(int error);

struct QualifierClaim {
  GuardedFd name;
  GuardedFd mark; // of a single address: which ones there are, nobody can guess
};

// 0 or errno; EADDRINUSE: somebody has that name, or the qualifier in the other form. `host`
// nothing: every address of this host. EUSERS: more than kMarks addresses have it.
int claim_qualifier(std::string_view family, const std::optional<HostAddress>& host,
                    ConnQual qualifier, QualifierClaim& out);
// The name alone, beside somebody of ours who has claimed the qualifier.
int name_qualifier(std::string_view family, const std::optional<HostAddress>& host,
                   ConnQual qualifier, GuardedFd& out);
// The rendezvous of somebody who is not to be found by shared memory: whoever asks there finds
// nobody, and nobody else can offer to be asked.
int reserve_rendezvous(const std::optional<HostAddress>& host, ConnQual qualifier, GuardedFd& out);

// Of a name that somebody was found at: whether the qualifier is claimed for every address (the
// name is of one), or for the address that is dialled (the name is of every address). Of two who
// keep to the rules this is never so. Fails for lack of descriptors.
OrErrno<bool> is_claimed_otherwise(const std::optional<HostAddress>& name,
                                   const HostAddress& dialled, ConnQual qualifier);

} // namespace datum

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/sim/failure.h: a broken invariant, which ends the search of a seed, and the trace of the
// steps that led to it.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>

#include "base/text.h"

namespace datum::test {

struct InvariantBroken : std::runtime_error {
  using std::runtime_error::runtime_error;
};

template <class... Args>
void require(bool holds, fmt::format_string<Args...> format, Args&&... args) {
  if (!holds) throw InvariantBroken(text(format, std::forward<Args>(args)...));
}

// True: prints the steps of a seed (datum-sim-search --trace).
inline bool tracing = false;
template <class... Args>
void trace(fmt::format_string<Args...> format, Args&&... args) {
  if (tracing) std::puts(text(format, std::forward<Args>(args)...).c_str());
}

// How often each kind of event happened in all seeds. It is counted because a search in which
// nothing happens proves nothing.
struct Tally {
  std::array<std::uint64_t, 16> connection_events{}; // by EventKind
  std::array<std::uint64_t, 16> dto_events{};        // by DtoStatus
  std::array<std::uint64_t, 9> successes{};          // by Opcode
  std::array<std::uint64_t, 2> through{};            // transfers by an RMR: allowed, forbidden
  std::uint64_t refused = 0;         // requests that the peer had to refuse, and has refused
  std::uint64_t shared_receives = 0; // Recvs of an SRQ that have completed
  std::uint64_t watermarks = 0;      // notices of EPs and SRQs
  std::uint64_t overflows = 0;       // notices of EVDs
  std::uint64_t srq_lefts = 0;       // notices of EPs
  std::uint64_t handoffs = 0;
  std::uint64_t reserved = 0; // requests accepted with the EP of an RSP
  std::uint64_t provided = 0; // requests accepted with an EP of the provider
};
inline Tally tally;

} // namespace datum::test

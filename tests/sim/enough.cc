// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "enough.h"

#include "core/events/event.h"
#include "core/port/types.h"

namespace datum::test {
namespace {

// The bounds are numbers of events in this many seeds.
constexpr std::uint64_t kCounted = 2000;

struct Bound {
  const char* what;
  std::uint64_t happened;
  std::uint64_t least; // in kCounted seeds, at least
};

template <class Kind, std::size_t size>
std::uint64_t of(const std::array<std::uint64_t, size>& counts, Kind kind) {
  return counts.at(static_cast<std::size_t>(kind));
}

} // namespace

std::string too_seldom(const Tally& counted, std::uint64_t seeds) {
  if (seeds < kFewestJudged) return {};
  const auto& connections = counted.connection_events;
  const auto& requests = counted.dto_events;
  const auto& successes = counted.successes;
  // Each bound is about half of the events that happen in the seeds from 1 on. In no 400 seeds that
  // were tried did fewer events happen than the bound demands of 400 seeds.
  const Bound bounds[] = {
      {"connection event Established", of(connections, EventKind::Established), 2900},
      {"connection event PeerRejected", of(connections, EventKind::PeerRejected), 3000},
      {"connection event NonPeerRejected", of(connections, EventKind::NonPeerRejected), 1100},
      {"connection event AcceptCompletionError", of(connections, EventKind::AcceptCompletionError),
       200},
      {"connection event Disconnected", of(connections, EventKind::Disconnected), 2100},
      {"connection event Broken", of(connections, EventKind::Broken), 1100},
      {"connection event TimedOut", of(connections, EventKind::TimedOut), 600},
      {"connection event Unreachable", of(connections, EventKind::Unreachable), 110},
      {"status Success", of(requests, DtoStatus::Success), 14'000},
      {"status Flushed", of(requests, DtoStatus::Flushed), 12'500},
      {"status LocalLength", of(requests, DtoStatus::LocalLength), 170},
      {"status RemoteAccess", of(requests, DtoStatus::RemoteAccess), 170},
      {"status RemoteResponder", of(requests, DtoStatus::RemoteResponder), 150},
      // These two statuses are so rare that 400 seeds may have none.
      {"status Transport", of(requests, DtoStatus::Transport), 1},
      {"status ReceiverNotReady", of(requests, DtoStatus::ReceiverNotReady), 4},
      {"Send that succeeds", of(successes, Opcode::Send), 2000},
      {"Write that succeeds", of(successes, Opcode::RdmaWrite), 4200},
      {"bind that succeeds", of(successes, Opcode::Bind), 1500},
      {"Read that succeeds", of(successes, Opcode::RdmaRead), 3300},
      {"transfer by an RMR with the right", counted.through[0], 1000},
      {"transfer by an RMR without the right", counted.through[1], 230},
      {"request that the peer refuses", counted.refused, 150},
      {"Recv of an SRQ", counted.shared_receives, 1250},
      {"watermark", counted.watermarks, 1000},
      {"overflow", counted.overflows, 110},
      {"SRQ left", counted.srq_lefts, 350},
      {"handoff", counted.handoffs, 650},
      {"EP of an RSP", counted.reserved, 110},
      {"EP of the provider", counted.provided, 450},
  };
  std::string lines;
  for (const auto& [what, happened, least] : bounds)
    if (happened < least * seeds / kCounted)
      lines += text("{}: {} times in {} seeds, at least {} are due\n", what, happened, seeds,
                    least * seeds / kCounted);
  return lines;
}

} // namespace datum::test

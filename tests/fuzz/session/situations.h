// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/fuzz/session/situations.h: the situations that the inputs of fuzz_iwarp_session have to
// reach, by name, as a peer and a consumer see them.
//   fuzz_iwarp_session --situations FOLDER    plays the inputs kept there; fails if one is missing
// libFuzzer counts situations as it counts branches, so it keeps and merges inputs that reach new
// ones.
#pragma once

#include <cstddef>

namespace datum::fuzz {

enum class Situation : unsigned {
  ReadAnswered,
  AtomicAnswered,
  Acknowledged,
  ReadServed,
  AtomicServed,
  ReadRefused,
  RequestRefused,
  SummedCopy,
  SummedInPlace,
  NoCrc,
  Markers,
  SentAtOnce,
  MsnWraps,
  LargestUlpdu,
  PrivateData,
  PeerCloses,
  SilentPeer,
  LateHello,
  OldRequest,
  ProviderRefused,
  Refuses,
};
inline constexpr std::size_t kSituations = static_cast<std::size_t>(Situation::Refuses) + 1;

void saw(Situation what, bool initiator);

} // namespace datum::fuzz

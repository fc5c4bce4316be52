// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/process/doomed.h: a process that waits in one state, or repeats one thing, until its death.
// Lives here: what the process does, and its lines on stdout: "listening QUALIFIER", then "begun".
// Not here:   when the process is killed, and what must not be left of it (two_dead_test.cc).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace datum::test {

enum class Fate : std::uint8_t {
  kAsking,     // a request is under way or has arrived, and is not answered
  kAccepting,  // a request has been accepted, and the event is not taken
  kConnecting, // connections come and go
  kTraffic,    // messages and RDMA Writes, both ways
  kBinding,    // a window is bound and unbound, and the peer writes to it
};
inline constexpr Fate kFates[] = {Fate::kAsking, Fate::kAccepting, Fate::kConnecting,
                                  Fate::kTraffic, Fate::kBinding};
const char* name_of(Fate fate);

// The command line of the process that listens. The qualifier is one that the provider chose, or a
// qualifier beyond 16 bits.
std::vector<std::string> doomed_listener(Fate fate, bool long_qualifier, bool has_child);
std::vector<std::string> doomed_caller(Fate fate, const std::string& qualifier);

bool is_doomed(int argc, char** argv);
int doomed_main(char** argv);

} // namespace datum::test

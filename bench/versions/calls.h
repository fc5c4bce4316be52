// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// bench/versions/calls.h: calls of the DAT version for which the library is compiled.
// Not here: a DAT header; datum-versions-bench includes none, since it cannot include both.
#pragma once

#include <array>

namespace versions {

enum class Work {
  Send,  // a Recv and a Send posted, both completions taken
  Write, // of 8 octets, and its completion taken
  Read,
  Look,       // dat_evd_dequeue() of an empty EVD
  Event,      // a software event posted and taken
  Wait,       // a software event posted, and taken by dat_evd_wait()
  Query,      // dat_ep_query(), everything
  Memory,     // a page registered and freed
  Window,     // an RMR bound, its completion taken
  Connection, // two endpoints connected, disconnected and reset
};

struct Named {
  Work work;
  const char* name;
};
inline constexpr std::array<Named, 10> kWorks = {
    {{Work::Send, "send and receive, 8 B"},
     {Work::Write, "RDMA Write, 8 B"},
     {Work::Read, "RDMA Read, 8 B"},
     {Work::Look, "dequeue of an empty EVD"},
     {Work::Event, "software event, posted and taken"},
     {Work::Wait, "the same, taken by dat_evd_wait"},
     {Work::Query, "dat_ep_query, all fields"},
     {Work::Memory, "LMR of a page, made and freed"},
     {Work::Window, "RMR bound"},
     {Work::Connection, "connected, disconnected, reset"}}};

// Two connected endpoints of one IA, both driven by the calling thread. So the measured time of a
// call does not include reaching another processor.
class Calls {
 public:
  virtual ~Calls() = default;
  // False: a call failed, or a completion did not come.
  virtual bool run(Work work, int times) = 0;
};

} // namespace versions

extern "C" {
// nullptr: no connection could be made.
__attribute__((visibility("default"))) versions::Calls* datum_calls_of_dat1();
__attribute__((visibility("default"))) versions::Calls* datum_calls_of_dat2();
}

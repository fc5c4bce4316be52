// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// perf/link.h: the endpoints and the memory of one task, and the calls that are measured.
// Lives here: posting with bounded queues, reaping completions, what each area of the memory is.
// Not here:   loops (runs_*.cc), what the sides say to each other (control.h).
//
// Memory: the area that goes out, the area that comes in, a line whose change ends a run. It has
// the same layout on both sides. Every operation of a task uses the same bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/dat_objects.h"
#include "perf/memory.h"
#include "perf/task.h"

namespace datum::perf {

struct RemoteMemory {
  DAT_RMR_CONTEXT rmr_context = 0;
  DAT_VADDR base = 0;
};

class Link {
 public:
  // peer: what messages call the other side, "HOST port N".
  Link(const tools::Interface& ia, const Task& task, std::string peer);

  [[nodiscard]] const Task& task() const { return task_; }
  [[nodiscard]] std::uint32_t endpoints() const { return task_.endpoints; } // that are used
  // With those beside them.
  [[nodiscard]] std::uint32_t connections() const { return task_.endpoints + task_.beside; }
  [[nodiscard]] const tools::Ep& ep(std::uint32_t index) const { return eps_[index]; }
  [[nodiscard]] const tools::Evd& evd() const { return evd_; }
  [[nodiscard]] RemoteMemory own_memory() const;
  void set_peer_memory(const RemoteMemory& memory) { peer_ = memory; }
  [[nodiscard]] const std::string& remark() const { return buffer_.remark(); }

  // Waits until the endpoints of the passive side are connected.
  void await_established();
  [[nodiscard]] bool established() const { return established_ == connections(); }

  unsigned char* out() { return area(0); }
  unsigned char* in() { return area(stride_); }
  unsigned char* stop_line() { return area(2 * stride_); }

  // Receives of task.size bytes, until this many are posted on each endpoint.
  void top_up_receives(std::uint32_t count);
  void post_recv(std::uint32_t ep);
  // Waits for room in the queue first. signal: with a completion event for this one and all before.
  void post(Op op, std::uint32_t ep, bool signal);
  void post_answer();     // one byte, on the first endpoint, signalled
  void write_stop_line(); // at the peer

  std::uint32_t await_recv(); // the endpoint that a message came to
  void await_requests(std::uint32_t ep, std::uint32_t at_most); // so many are still outstanding
  void drain();                                                 // none is, on any endpoint
  bool poll(); // handles one completion, if there is one

  [[nodiscard]] std::uint32_t receives_wanted() const { return receives_; }

  // Called by loops that wait for memory to change, every so often: throws if the peer is lost, on
  // Ctrl-C, or when nothing happened for long.
  void check_alive(double waiting_since_ns);

 private:
  struct Flow {
    std::uint32_t outstanding = 0; // requests without a completion so far
    std::uint32_t silent = 0;      // of these, posted since the last one with an event
    std::uint32_t receives = 0;
  };

  unsigned char* area(std::size_t offset);
  void create_endpoints(const tools::Interface& ia);
  void await(); // one completion, by polling or blocking
  void take(const DAT_EVENT& event);
  void post_length(Op op, std::uint32_t ep, std::uint64_t length, bool signal);
  void check_posted(DAT_RETURN ret) const;
  [[noreturn]] void silent() const;
  [[noreturn]] void lost(std::string_view how) const;

  Task task_;
  std::string peer_name_;
  std::size_t stride_;
  std::size_t receives_at_;
  std::uint32_t depth_;    // requests per endpoint
  std::uint32_t receives_; // per endpoint
  std::uint32_t every_;    // how often a request is signalled
  Buffer buffer_;
  tools::Pz pz_;
  tools::Evd evd_;
  tools::Region region_;
  std::vector<tools::Ep> eps_; // after what they use: freed before
  RemoteMemory peer_;
  std::vector<Flow> flows_;
  std::vector<std::uint32_t> arrived_; // endpoints whose receives completed, oldest first
  std::size_t arrived_first_ = 0;
  std::uint32_t established_ = 0;
};

} // namespace datum::perf

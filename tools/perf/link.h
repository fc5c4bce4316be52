// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// perf/link.h: the endpoints and the memory of one task, and the calls that are measured.
// Lives here: posting with bounded queues, reaping completions, and the layout of the memory.
// Not here:   loops (runs.cc), the messages between the sides (control.h).
//
// The memory has the same layout on both sides: the area to send from, the area to receive into,
// and a line whose change ends a run. Every operation of a task uses the same bytes.
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

// Throws ToolError(Usage) if the task takes more than the IA can ever give: EPs, places of an EVD,
// bytes of an operation.
void require_within_limits(const tools::Interface& ia, const Task& task);

class Link {
 public:
  // peer: the name of the other side in error texts, "HOST port N".
  Link(const tools::Interface& ia, const Task& task, std::string peer);

  [[nodiscard]] const Task& task() const { return task_; }
  [[nodiscard]] std::uint32_t endpoints() const { return task_.endpoints; } // that carry operations
  // endpoints() and those of --beside.
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

  // Posts receives of task.size bytes until each endpoint has `count` of them.
  void top_up_receives(std::uint32_t count);
  void post_recv(std::uint32_t ep);
  // Waits for room in the queue first. signal: this request gets a completion event, which also
  // covers the requests before it.
  void post(Op op, std::uint32_t ep, bool signal);
  void post_answer();     // one byte, on the first endpoint, signalled
  void write_stop_line(); // at the peer

  std::uint32_t await_recv(); // returns the endpoint that received a message
  // Returns when at most `at_most` requests are outstanding.
  void await_requests(std::uint32_t ep, std::uint32_t at_most);
  // Returns when no request is outstanding on any endpoint.
  void drain();
  bool poll(); // handles one completion, if there is one

  [[nodiscard]] std::uint32_t receives_wanted() const { return receives_; }

  // A loop that waits for memory to change calls this now and then. Throws if the peer is lost, on
  // Ctrl-C, or if the memory has not changed for long.
  void check_alive(double waiting_since_ns);

 private:
  struct Flow {
    std::uint32_t outstanding = 0; // requests without a completion so far
    std::uint32_t silent = 0;      // of these, the ones posted after the last signalled one
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
  std::uint32_t every_;    // one request out of this many is signalled
  Buffer buffer_;
  tools::Pz pz_;
  tools::Evd evd_;
  tools::Region region_;
  std::vector<tools::Ep> eps_; // after the objects that they use, so that they are freed first
  RemoteMemory peer_;
  std::vector<Flow> flows_;
  std::vector<std::uint32_t> arrived_; // endpoints whose receives completed, oldest first
  std::size_t arrived_first_ = 0;
  std::uint32_t established_ = 0;
};

} // namespace datum::perf

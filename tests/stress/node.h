// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/stress/node.h: one process of a run: one IA, and the threads that work on it.
// Lives here: the IA, the service point, whether peers may be lost, and giving out free responder
// ends.
// Not here:   what a thread does with its ends (initiator.h, responder.h).
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "dat.h"
#include "end.h"
#include "target.h"

namespace datum::stress {

class Initiator;
class Responder;

struct Load {
  std::string ia = "datum";
  std::uint64_t seed = 1;
  int pairs = 32;                    // pairs of threads: one thread asks, one answers
  std::uint32_t lanes = 500;         // connections on which this node asks; on as many it answers
  DAT_TIMEOUT patience = 60'000'000; // us: a healthy library never needs it
  DAT_TIMEOUT connect_time = 60'000'000; // us: for a peer that may be silent
};

// The state that the threads of a node share.
class Node {
 public:
  explicit Node(const Load& load);
  ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  DAT_IA_HANDLE ia() const { return ia_; }
  DAT_PZ_HANDLE pz() const { return pz_; }
  const Load& load() const { return load_; }

  // --- the peer ----------------------------------------------------------------------------------
  // From now on initiators connect to this target. Without a target they wait.
  void set_target(std::optional<Target> target);
  // Where this node is reached.
  Target own_target() const { return own_target_; }
  // For an initiator: returns the target, and the connection counts as busy from now on. Nothing:
  // there is no target.
  std::optional<Target> begin_connection();
  void begin_answer();
  void end_connection();
  // True: the peer is about to be killed, or has been killed.
  bool peer_may_vanish() const { return peer_may_vanish_; }
  void set_peer_may_vanish(bool may) { peer_may_vanish_ = may; }

  // --- the main thread's part --------------------------------------------------------------------
  void start_responders();
  void start_initiators();
  // Answers requests for connections, for at most `time` us. False: no request came.
  bool answer_requests(DAT_TIMEOUT time);
  // Answers until no connection is left.
  void answer_until_idle();
  void tell_initiators_to_stop();
  bool initiators_at_work() const { return initiators_at_work_ != 0; }
  void join_initiators();
  void stop_responders();
  bool stopping() const { return stopping_; }

  // --- for threads -------------------------------------------------------------------------------
  void initiator_left() { --initiators_at_work_; }
  void give_back(End& end);
  void count_round() { ++rounds_; }
  std::uint64_t rounds() const { return rounds_; }
  void count_broken() { ++broken_; }
  std::uint64_t broken() const { return broken_; }

 private:
  End* take_free_end();

  Load load_;
  DAT_IA_HANDLE ia_ = DAT_HANDLE_NULL;
  DAT_EVD_HANDLE async_evd_ = DAT_HANDLE_NULL;
  DAT_PZ_HANDLE pz_ = DAT_HANDLE_NULL;
  DAT_EVD_HANDLE request_evd_ = DAT_HANDLE_NULL;
  DAT_PSP_HANDLE psp_ = DAT_HANDLE_NULL;
  Target own_target_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Target> target_;
  int busy_ = 0;
  std::vector<End*> free_ends_;
  std::atomic<bool> peer_may_vanish_{false};
  std::atomic<bool> stopping_{false};
  std::atomic<int> initiators_at_work_{0};
  std::atomic<std::uint64_t> rounds_{0};
  std::atomic<std::uint64_t> broken_{0};

  std::vector<std::unique_ptr<Responder>> responders_;
  std::vector<std::unique_ptr<Initiator>> initiators_;
  std::vector<std::thread> responder_threads_;
  std::vector<std::thread> initiator_threads_;
};

} // namespace datum::stress

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/workers.h: threads for the slow part of a sink, the work of the file system.
// Lives here: a queue for each worker, in whose order its tasks run, and the tasks that are done.
// Not here:   what a task does (arrival.h), which step waits for it (sink.cc).
// Threads: all calls are the owner's, but for tick(), which is for the tasks.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace datum::cp {

// For one copy: as many as there are processors to run them, but two at most. What a third would do
// waits for the lock of the file system's journal.
std::size_t usual_workers();

class Workers {
 public:
  // A worker runs work; then the owner runs after, within finish_done(). What work throws,
  // finish_done() throws in the place of after.
  struct Task {
    std::function<void()> work, after;
  };

  // As many as can be had: without a worker submit() runs a task at once. notify: told, by a
  // worker, that finish_done() has something to do, and by each tick().
  Workers(std::size_t count, std::function<void()> notify);
  // Tasks that have not begun are forgotten; those that tick() end.
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // The one with the least to do.
  [[nodiscard]] std::size_t idlest() const;
  void submit(std::size_t worker, Task task);
  void finish_done();

  [[nodiscard]] bool busy() const { return !unfinished_.empty(); }
  // To be kept, for finished(): what was submitted until now.
  [[nodiscard]] std::uint64_t submitted() const { return last_; }
  [[nodiscard]] bool finished(std::uint64_t submitted) const {
    return unfinished_.empty() || *unfinished_.begin() > submitted;
  }

  // For a long task, now and then; throws if the owner waits for it no longer.
  void tick();

 private:
  struct Ticket {
    std::uint64_t number = 0;
    Task task;
    std::exception_ptr thrown;
  };
  struct Worker {
    std::deque<Ticket> queue;
    bool working = false;
    std::condition_variable changed;
    std::thread thread;
  };
  void run(Worker& worker);
  static void carry_out(Ticket& ticket);
  void finish(Ticket& ticket);

  const std::function<void()> notify_;
  mutable std::mutex mutex_; // guards the queues, done_ and stopping_
  std::deque<Worker> workers_;
  std::vector<Ticket> done_;
  bool stopping_ = false;
  std::uint64_t last_ = 0;
  std::set<std::uint64_t> unfinished_; // the owner's
};

} // namespace datum::cp

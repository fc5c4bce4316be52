// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/workers.h: threads for the slow part of a sink, the work of the file system.
// Lives here: a queue for each worker, whose tasks run in order, and the tasks that are done.
// Not here:   what a task does (arrival.h), which step waits for it (sink.cc).
// Threads:    the owner makes all calls except tick(), which tasks make.
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

// The number of workers for one copy: as many as there are processors, but at most two. A third
// worker would wait for the lock of the file system's journal.
std::size_t usual_workers();

class Workers {
 public:
  // A worker runs `work`. Then the owner runs `after`, within finish_done(). If `work` throws,
  // finish_done() throws the same exception instead of running `after`.
  struct Task {
    std::function<void()> work, after;
  };

  // Makes as many workers as it can. Without a worker, submit() runs a task at once. A worker calls
  // `notify` when finish_done() has something to do; tick() calls it, too.
  Workers(std::size_t count, std::function<void()> notify);
  // Drops tasks that have not begun. Running tasks that call tick() end there.
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // The worker with the least to do.
  [[nodiscard]] std::size_t idlest() const;
  void submit(std::size_t worker, Task task);
  void finish_done();

  [[nodiscard]] bool busy() const { return !unfinished_.empty(); }
  // The number of the last task; finished() takes it.
  [[nodiscard]] std::uint64_t submitted() const { return last_; }
  [[nodiscard]] bool finished(std::uint64_t submitted) const {
    return unfinished_.empty() || *unfinished_.begin() > submitted;
  }

  // Called now and then by a long task. Throws if the owner no longer waits for the task.
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
  std::set<std::uint64_t> unfinished_; // only the owner's thread uses it
};

} // namespace datum::cp

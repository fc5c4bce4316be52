// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cp/workers.h"

#include <algorithm>
#include <cassert>
#include <csignal>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace datum::cp {
namespace {

constexpr std::size_t kDoneAtOnce = 2;

struct Stopped : std::runtime_error {
  Stopped() : std::runtime_error("the copy has ended") {}
};

// SIGINT and SIGTERM must reach the owner's thread, which waits and can be interrupted.
class SignalsOff {
 public:
  SignalsOff() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsOff() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsOff(const SignalsOff&) = delete;
  SignalsOff& operator=(const SignalsOff&) = delete;

 private:
  sigset_t before_{};
};

} // namespace

std::size_t usual_workers() {
  return std::thread::hardware_concurrency() > 1 ? 2 : 1;
}

Workers::Workers(std::size_t count, std::function<void()> notify)
    : notify_(std::move(notify)), workers_(count) {
  const SignalsOff inherited;
  for (std::size_t i = 0; i < count; ++i) {
    try {
      workers_[i].thread = std::thread([this, i] { run(workers_[i]); });
    } catch (const std::system_error&) { // no more threads can be made: fewer are enough
      while (workers_.size() > i) workers_.pop_back();
      return;
    }
  }
}

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  for (Worker& worker : workers_) {
    worker.changed.notify_one();
    worker.thread.join();
  }
}

std::size_t Workers::idlest() const {
  const std::lock_guard lock(mutex_);
  const auto load = [](const Worker& worker) {
    return worker.queue.size() + (worker.working ? 1 : 0);
  };
  const auto least = std::min_element(
      workers_.begin(), workers_.end(),
      [&](const Worker& one, const Worker& other) { return load(one) < load(other); });
  return static_cast<std::size_t>(least - workers_.begin());
}

void Workers::submit(std::size_t worker, Task task) {
  Ticket ticket = {++last_, std::move(task), nullptr};
  unfinished_.insert(ticket.number);
  if (workers_.empty()) {
    carry_out(ticket);
    finish(ticket);
    return;
  }
  assert(worker < workers_.size());
  Worker& chosen = workers_[worker];
  const std::lock_guard lock(mutex_);
  chosen.queue.push_back(std::move(ticket));
  if (!chosen.working) chosen.changed.notify_one();
}

void Workers::carry_out(Ticket& ticket) {
  try {
    ticket.task.work();
  } catch (...) {
    ticket.thrown = std::current_exception();
  }
}

void Workers::finish(Ticket& ticket) {
  unfinished_.erase(ticket.number);
  if (ticket.thrown) std::rethrow_exception(ticket.thrown);
  ticket.task.after();
}

void Workers::finish_done() {
  std::vector<Ticket> done;
  {
    const std::lock_guard lock(mutex_);
    done.swap(done_);
  }
  for (Ticket& ticket : done) finish(ticket);
}

void Workers::run(Worker& worker) {
  std::unique_lock lock(mutex_);
  for (;;) {
    worker.changed.wait(lock, [&] { return stopping_ || !worker.queue.empty(); });
    if (stopping_) return;
    Ticket ticket = std::move(worker.queue.front());
    worker.queue.pop_front();
    worker.working = true;
    lock.unlock();
    carry_out(ticket);
    lock.lock();
    worker.working = false;
    done_.push_back(std::move(ticket));
    // The owner is not notified of each task: it would take the processor away from the workers.
    if (!worker.queue.empty() && done_.size() % kDoneAtOnce != 0) continue;
    lock.unlock();
    notify_();
    lock.lock();
  }
}

void Workers::tick() {
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) throw Stopped();
  }
  if (!workers_.empty()) notify_();
}

} // namespace datum::cp

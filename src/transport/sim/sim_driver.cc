// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/sim/sim_driver.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <pthread.h>

namespace datum {

SimDriver::SimDriver(SimWorld& world) : world_(world) {
  world_.set_waker([this] { wake(); });
  // Blocks all signals in the new thread: only the program's own threads take them.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

SimDriver::~SimDriver() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

Instant SimDriver::real_now() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void SimDriver::add(SimParticipant& participant) {
  {
    const std::lock_guard lock(mutex_);
    participants_.push_back(&participant);
  }
  wake();
}

void SimDriver::remove(SimParticipant& participant) {
  std::unique_lock lock(mutex_);
  std::erase(participants_, &participant);
  changed_.wait(lock, [&] { return inside_ != &participant; });
}

void SimDriver::wake() {
  {
    const std::lock_guard lock(mutex_);
    woken_ = true;
  }
  changed_.notify_all();
}

bool SimDriver::round() {
  bool any = world_.run_due();
  std::vector<SimParticipant*> turn;
  {
    const std::lock_guard lock(mutex_);
    turn = participants_;
  }
  for (SimParticipant* each : turn) {
    {
      const std::lock_guard lock(mutex_);
      if (std::find(participants_.begin(), participants_.end(), each) == participants_.end())
        continue;
      inside_ = each;
    }
    any = each->run(real_now()) || any;
    {
      const std::lock_guard lock(mutex_);
      inside_ = nullptr;
    }
    changed_.notify_all();
  }
  if (any) return true;
  const Instant next = world_.next();
  world_.advance_to(next == kNever ? world_.now() : next);
  return next != kNever;
}

Instant SimDriver::next_timer() {
  Instant next = kNever;
  for (const SimParticipant* each : participants_) next = std::min(next, each->next_timer());
  return next;
}

void SimDriver::run() {
  pthread_setname_np(pthread_self(), "datum-sim");
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    woken_ = false;
    lock.unlock();
    while (round()) {
    }
    lock.lock();
    const auto ready = [this] { return woken_ || stopping_; };
    const Instant timer = next_timer();
    if (timer == kNever)
      changed_.wait(lock, ready);
    else
      changed_.wait_for(lock, std::chrono::nanoseconds(std::max<Duration>(timer - real_now(), 0)),
                        ready);
  }
}

} // namespace datum

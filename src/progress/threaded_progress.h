// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// progress/threaded_progress.h: the progress of an adapter in a real process: the engine, its
// KernelPlaces, and the background thread.
// Threads:    start() is called with the adapter's lock held, stop() without it; all other calls as
//             in core/port/progress.h.
#pragma once

#include <memory>
#include <string_view>

#include "base/status.h"
#include "progress/background_thread.h"
#include "progress/engine.h"
#include "progress/kernel_places.h"
#include "progress/reactor.h"

namespace datum {

class ThreadedProgress final : public ProgressEngine {
 public:
  // Fails if no descriptor is left or a filter refuses a system call, and logs which call. The
  // caller then calls bind(), and after that start().
  static Result<std::unique_ptr<ThreadedProgress>> open(std::string_view ia_name, LockOwner& lock);
  ~ThreadedProgress() override;

  Reactor& reactor() { return places_->reactor(); }
  // The thread is called "datum-<ia_name>".
  Status start(std::string_view ia_name);
  // Joins the thread. Does nothing in a forked child, which has no such thread.
  void stop();

 private:
  ThreadedProgress(LockOwner& lock, std::unique_ptr<KernelPlaces> places);
  std::unique_ptr<KernelPlaces> places_;
  BackgroundThread thread_;
};

} // namespace datum

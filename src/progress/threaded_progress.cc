// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "progress/threaded_progress.h"

#include <cstring>
#include <string>

#include "base/assertion.h"
#include "base/fence.h"
#include "base/log.h"

namespace datum {

ThreadedProgress::ThreadedProgress(LockOwner& lock, std::unique_ptr<KernelPlaces> places)
    : ProgressEngine(lock, *places), places_(std::move(places)) {}

ThreadedProgress::~ThreadedProgress() {
  stop();
}

Result<std::unique_ptr<ThreadedProgress>> ThreadedProgress::open(std::string_view ia_name,
                                                                 LockOwner& lock) {
  auto places = std::make_unique<KernelPlaces>();
  if (!places->valid()) {
    const KernelPlaces::Failure& failure = places->failure();
    log(LogLevel::Warn,
        "ia \"{}\": the system call {} fails: {}; no thread can wait for events without it: look "
        "at "
        "`ulimit -n` and at what the sandbox of this process (seccomp) allows",
        ia_name, failure.call, std::strerror(failure.error));
    return fail(Type::InsufficientResources, Detail::ResourceDevice);
  }
  // The first heavy_fence_ready() may take milliseconds. It is called here so that no later call
  // takes that long while it holds the adapter's lock.
  static_cast<void>(heavy_fence_ready());
  return std::unique_ptr<ThreadedProgress>(new ThreadedProgress(lock, std::move(places)));
}

Status ThreadedProgress::start(std::string_view ia_name) {
  DATUM_ASSERT(!thread_.started_here());
  announce_background();
  const Status started =
      thread_.start(std::string("datum-").append(ia_name), [this] { run_background(); });
  if (!started.ok()) retract_background();
  return started;
}

void ThreadedProgress::stop() {
  if (thread_.started_here()) request_stop();
  thread_.join();
}

} // namespace datum

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/host/fork_guard.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <fcntl.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

namespace datum {
namespace {

constexpr int kBits = 64;

// A bit for each number: guarding needs no memory, and unused words are never touched.
constinit std::array<std::atomic<std::uint64_t>, kMostGuarded / kBits> guarded{};
// No bit is set in this word or behind it.
constinit std::atomic<int> words_used{0};
// A fork counts in `begun`, copies the bits to the child, and counts in `over`. A thread sets a bit
// and then compares the two. If no fork has begun since the last one was over, the next child sees
// the bit.
constinit std::atomic<std::uint64_t> begun{0};
constinit std::atomic<std::uint64_t> over{0};
// The number of NoFork objects. A thread adds its own, then checks for forks under way. A fork
// announces that it has begun, then checks this number. So at least one of the two sees the other.
constinit std::atomic<int> forbidding{0};

bool can_be_guarded(int fd) {
  return fd >= 0 && fd < kMostGuarded;
}
std::atomic<std::uint64_t>& word_of(int fd) {
  return guarded[static_cast<std::size_t>(fd / kBits)];
}
std::uint64_t bit_of(int fd) {
  return std::uint64_t{1} << static_cast<unsigned>(fd % kBits);
}

// -1: no call gives a descriptor.
int harmless_descriptor() {
  if (const int fd = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); fd >= 0) return fd;
  if (const int fd = ::open("/dev/null", O_RDONLY | O_CLOEXEC); fd >= 0) return fd;
  return ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
}

// Runs in the child, in which no other thread runs. It makes system calls only.
void replace_all() {
  constexpr int kNone = -2; // not asked for yet
  int harmless = kNone;
  bool has_place = false; // `harmless` has the number of a guarded descriptor
  const int words = words_used.load(std::memory_order_relaxed);
  for (int word = 0; word < words; ++word) {
    std::uint64_t bits = guarded[static_cast<std::size_t>(word)].exchange(0);
    for (; bits != 0; bits &= bits - 1) {
      const int fd = word * kBits + __builtin_ctzll(bits);
      if (harmless == kNone) {
        ::close(fd); // makes room in a table that is full
        harmless = harmless_descriptor();
        has_place = harmless == fd;
        if (has_place) continue;
      }
      // No descriptor is better than a copy. So the copy is closed if there is no harmless
      // descriptor, or if the number is above a lowered limit.
      if (harmless < 0 || ::dup3(harmless, fd, O_CLOEXEC) < 0) ::close(fd);
    }
  }
  if (harmless >= 0 && !has_place) ::close(harmless);
}

// Waits for NoFork objects, but only for kForkPatience: a signal handler may have forked in a
// thread that has a NoFork object.
void before_fork() {
  begun.fetch_add(1);
  for (ForkPatience patience; forbidding.load() != 0 && patience.pause();) {
  }
}
void after_fork() {
  over.fetch_add(1);
}
void after_fork_in_child() {
  over.store(begun.load()); // forks of other threads do not concern the child
  forbidding.store(0);
  replace_all();
}

// Runs when the library is loaded. If the first link registered the functions, a fork could come in
// between.
[[gnu::constructor]] void watch_forks() {
  // If there is no memory for the registration, children keep their copies.
  static_cast<void>(::pthread_atfork(&before_fork, &after_fork, &after_fork_in_child));
}

} // namespace

void keep_from_children(int fd) noexcept {
  if (!can_be_guarded(fd)) return;
  // Sequentially consistent: the bit is set before the caller reads forks_begun().
  word_of(fd).fetch_or(bit_of(fd));
  const int needed = fd / kBits + 1;
  int used = words_used.load(std::memory_order_relaxed);
  while (used < needed && !words_used.compare_exchange_weak(used, needed)) {
  }
}

void children_may_have(int fd) noexcept {
  if (can_be_guarded(fd)) word_of(fd).fetch_and(~bit_of(fd), std::memory_order_relaxed);
}

std::uint64_t forks_begun() noexcept {
  return begun.load();
}

std::uint64_t forks_over() noexcept {
  return over.load();
}

NoFork::NoFork() noexcept {
  for (ForkPatience patience;;) {
    forbidding.fetch_add(1);
    if (begun.load() == over.load()) return;
    forbidding.fetch_sub(1);
    if (patience.pause()) continue;
    forbidding.fetch_add(1);
    return;
  }
}

// If this thread has forked meanwhile, `forbidding` is 0 in the child, and stays so.
NoFork::~NoFork() {
  for (int now = forbidding.load(); now > 0 && !forbidding.compare_exchange_weak(now, now - 1);) {
  }
}

bool ForkPatience::pause() noexcept {
  constexpr timespec kPause{.tv_sec = 0, .tv_nsec = 100'000};
  const Instant now = monotonic_now();
  if (!end_) end_ = now + kForkPatience;
  if (now >= *end_) return false;
  ::nanosleep(&kPause, nullptr);
  return true;
}

} // namespace datum

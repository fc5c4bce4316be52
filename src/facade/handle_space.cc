// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "facade/handle_space.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <new>

#include "base/assertion.h"

namespace datum {
namespace {

constexpr std::size_t kWantedReserve = std::size_t{1} << 30U;
constexpr std::size_t kSmallestReserve = std::size_t{1} << 24U;
constexpr std::size_t kCommitStep = std::size_t{1} << 18U;

// Reserves address space only. If the address space is limited (RLIMIT_AS), takes at most an eighth
// of the limit, but at least kSmallestReserve: other code needs address space, too. In a child made
// by fork() the kernel wipes the memory, so the parent's handles are invalid in the child, and
// using them is harmless.
void* reserve(std::size_t& bytes) {
  rlimit limit{};
  const bool limited = ::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  bytes = kWantedReserve;
  while (limited && bytes > kSmallestReserve && bytes > limit.rlim_cur / 8) bytes /= 2;
  for (; bytes >= kSmallestReserve; bytes /= 2) {
    void* memory =
        ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) continue;
    static_cast<void>(::madvise(memory, bytes, MADV_WIPEONFORK)); // fails before Linux 4.14
    return memory;
  }
  bytes = 0;
  return nullptr;
}

} // namespace

// Another thread may have held the lock at the fork, so the child makes a new one. What that thread
// was changing in the slots does not matter, since the slots are wiped. The other variables are
// consistent between any two steps, except during the first allocate(). That is part of opening an
// IA, which no fork interrupts (fork_gate.h).
void HandleSpace::start_child() {
  new (&mutex_) Mutex;
}

void HandleSpace::watch_forks() {
  static_cast<void>(::pthread_atfork(nullptr, nullptr, &start_child));
}

bool HandleSpace::grow() {
  if (reserved_bytes_ == 0) {
    const void* memory = reserve(reserved_bytes_);
    if (memory == nullptr) return false;
    base_.store(reinterpret_cast<std::uintptr_t>(memory), std::memory_order_relaxed);
  }
  if (committed_bytes_ == reserved_bytes_) return false;
  auto* end =
      reinterpret_cast<std::byte*>(base_.load(std::memory_order_relaxed)) + committed_bytes_;
  if (::mprotect(end, kCommitStep, PROT_READ | PROT_WRITE) != 0) return false;
  committed_bytes_ += kCommitStep;
  return true;
}

// The queue of freed slots is linked through the slots, so wiping them loses the queue.
void HandleSpace::notice_fork(HandleSlot& first) {
  if (first.key.load(std::memory_order_relaxed) == kFirstSlotKey) return;
  first.key.store(kFirstSlotKey, std::memory_order_relaxed);
  free_count_ = 0;
}

HandleSlot* HandleSpace::allocate() {
  const MutexLock lock(mutex_);
  if (committed_bytes_ == 0 && !grow()) return nullptr;
  auto* slots = reinterpret_cast<HandleSlot*>(base_.load(std::memory_order_relaxed));
  notice_fork(slots[0]);
  if (free_count_ > kReuseDistance) {
    HandleSlot& slot = slots[first_free_];
    DATUM_ASSERT(slot.key.load(std::memory_order_relaxed) == 0);
    first_free_ = slot.next_free;
    --free_count_;
    return &slot;
  }
  const std::size_t used = used_bytes_.load(std::memory_order_relaxed);
  if (used == committed_bytes_ && !grow()) return nullptr;
  auto* place = reinterpret_cast<std::byte*>(base_.load(std::memory_order_relaxed)) + used;
  auto* slot = new (place) HandleSlot{};
  // The release store publishes the slot after its contents. So a caller that guesses the address
  // finds a slot without an owner.
  used_bytes_.store(used + sizeof(HandleSlot), std::memory_order_release);
  return slot;
}

void HandleSpace::release(HandleSlot& slot) {
  const MutexLock lock(mutex_);
  auto* slots = reinterpret_cast<HandleSlot*>(base_.load(std::memory_order_relaxed));
  const auto index = static_cast<std::uint32_t>(&slot - slots);
  DATUM_ASSERT(index != 0 && find(&slot) == &slot); // the first slot is never used for a handle
  DATUM_ASSERT(slot.key.load(std::memory_order_relaxed) == 0);
  if (free_count_ == 0)
    first_free_ = index;
  else
    slots[last_free_].next_free = index;
  last_free_ = index;
  ++free_count_;
}

void HandleSpace::replace_table(const void* from, const void* to) {
  const MutexLock lock(mutex_);
  auto* slots = reinterpret_cast<HandleSlot*>(base_.load(std::memory_order_relaxed));
  const std::size_t count = used_bytes_.load(std::memory_order_relaxed) / sizeof(HandleSlot);
  for (std::size_t i = 1; i < count; ++i)
    if (slots[i].table.load(std::memory_order_relaxed) == from)
      slots[i].table.store(to, std::memory_order_relaxed);
}

} // namespace datum

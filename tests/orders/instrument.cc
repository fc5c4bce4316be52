// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// GCC compiles the product as for ThreadSanitizer. It puts a call before each plain access to
// memory, and replaces each atomic access and each fence by a call. The functions here lead these
// calls to the machine that plays a scene. Outside of a scene, and for memory that the scene does
// not share, they only make the access.
// https://github.com/llvm/llvm-project/blob/main/compiler-rt/include/sanitizer/tsan_interface_atomic.h
#include "instrument.h"

#include <cstring>
#include <elf.h>
#include <link.h>

#include "machine.h"

namespace datum::test {
namespace {

std::vector<Mutant> mutants;
std::map<Site, std::uint64_t>* sites = nullptr;

struct CallStack {
  static constexpr std::size_t kDeepest = 64;
  std::array<const void*, kDeepest> callers{};
  std::size_t depth = 0;
};
std::array<CallStack, kMostThreads> stacks;

CallStack& stack_of(const Machine& machine) {
  return stacks[machine.current()];
}

Order weakened(Access access, Order order, const void* site) {
  current_site = site;
  if (sites != nullptr) ++(*sites)[{site, access, order}];
  for (const Mutant& mutant : mutants)
    if (mutant.site == site && mutant.access == access) return mutant.order;
  return order;
}

Order order_of(int order) {
  return static_cast<Order>(order & 7);
}

template <class T>
std::uint64_t wide(T value) {
  return static_cast<std::uint64_t>(value);
}

} // namespace

void set_mutants(std::vector<Mutant> chosen) {
  mutants = std::move(chosen);
}
void note_sites(std::map<Site, std::uint64_t>* into) {
  sites = into;
}
void begin_stacks() {
  for (CallStack& stack : stacks) stack.depth = 0;
}

// The fence itself is in a function that many callers share. So the site that a mutant names may be
// any caller up the stack.
bool heavy_fence_called() {
  Machine* const machine = Machine::running();
  if (machine == nullptr) return true;
  const CallStack& stack = stack_of(*machine);
  bool wanted = true;
  for (std::size_t i = 0; i < stack.depth; ++i)
    if (weakened(Access::HeavyFence, Order::SeqCst, stack.callers[i]) != Order::SeqCst)
      wanted = false;
  return wanted;
}

} // namespace datum::test

using datum::test::Access;
using datum::test::Machine;
using datum::test::order_of;
using datum::test::weakened;
using datum::test::wide;

#define DATUM_SITE __builtin_extract_return_addr(__builtin_return_address(0))

extern "C" {

void __tsan_init();
void __tsan_init() {}
void __tsan_func_entry(void* caller);
void __tsan_func_entry(void* caller) {
  if (Machine* machine = Machine::running()) {
    auto& stack = datum::test::stack_of(*machine);
    if (stack.depth < stack.callers.size()) stack.callers[stack.depth] = caller;
    ++stack.depth;
  }
}
void __tsan_func_exit();
void __tsan_func_exit() {
  if (Machine* machine = Machine::running()) {
    auto& stack = datum::test::stack_of(*machine);
    if (stack.depth != 0) --stack.depth;
  }
}
void __tsan_vptr_update(void**, void*);
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**);
void __tsan_vptr_read(void**) {}

#define DATUM_PLAIN(name, size, write)                                                             \
  void __tsan_##name(void* at);                                                                    \
  void __tsan_##name(void* at) {                                                                   \
    if (Machine* machine = Machine::of(at)) {                                                      \
      datum::test::current_site = DATUM_SITE;                                                      \
      machine->plain_access(at, size, write);                                                      \
    }                                                                                              \
  }
#define DATUM_PLAIN_SIZE(size)                                                                     \
  DATUM_PLAIN(read##size, size, false)                                                             \
  DATUM_PLAIN(write##size, size, true)                                                             \
  DATUM_PLAIN(unaligned_read##size, size, false)                                                   \
  DATUM_PLAIN(unaligned_write##size, size, true)
DATUM_PLAIN_SIZE(1)
DATUM_PLAIN_SIZE(2)
DATUM_PLAIN_SIZE(4)
DATUM_PLAIN_SIZE(8)
DATUM_PLAIN_SIZE(16)

void __tsan_read_range(void* at, long size);
void __tsan_read_range(void* at, long size) {
  if (Machine* machine = Machine::of(at))
    machine->plain_access(at, static_cast<std::size_t>(size), false);
}
void __tsan_write_range(void* at, long size);
void __tsan_write_range(void* at, long size) {
  if (Machine* machine = Machine::of(at))
    machine->plain_access(at, static_cast<std::size_t>(size), true);
}

// The product's sources call memcpy() in scenes, and the linker leads these calls here
// (CMakeLists.txt).
void* __real_memcpy(void* to, const void* from, std::size_t size);
void* __wrap_memcpy(void* to, const void* from, std::size_t size);
void* __wrap_memcpy(void* to, const void* from, std::size_t size) {
  if (Machine::running() != nullptr && size != 0) {
    if (Machine* machine = Machine::of(from)) machine->plain_access(from, size, false);
    if (Machine* machine = Machine::of(to)) machine->plain_access(to, size, true);
  }
  return __real_memcpy(to, from, size);
}

#define DATUM_FETCH(bits, T, name, expression)                                                     \
  T __tsan_atomic##bits##_##name(volatile T* at, T by, int order);                                 \
  T __tsan_atomic##bits##_##name(volatile T* at, T by, int order) {                                \
    Machine* const machine = Machine::of(at);                                                      \
    if (machine == nullptr) return __atomic_##name(at, by, __ATOMIC_SEQ_CST);                      \
    return static_cast<T>(                                                                         \
        machine->exchange(at, sizeof(T), weakened(Access::Update, order_of(order), DATUM_SITE),    \
                          [by](std::uint64_t was) { return wide(static_cast<T>(expression)); }));  \
  }

#define DATUM_COMPARE(bits, T, name)                                                               \
  int __tsan_atomic##bits##_compare_exchange_##name(volatile T* at, T* expected, T to,             \
                                                    int success, int failure);                     \
  int __tsan_atomic##bits##_compare_exchange_##name(volatile T* at, T* expected, T to,             \
                                                    int success, int failure) {                    \
    Machine* const machine = Machine::of(at);                                                      \
    if (machine == nullptr)                                                                        \
      return __atomic_compare_exchange_n(at, expected, to, false, __ATOMIC_SEQ_CST,                \
                                         __ATOMIC_SEQ_CST);                                        \
    using datum::test::Order;                                                                      \
    const Order order = weakened(Access::Update, order_of(success), DATUM_SITE);                   \
    const Order otherwise = order == order_of(success) ? order_of(failure) : Order::Relaxed;       \
    std::uint64_t found = wide(*expected);                                                         \
    const bool changed =                                                                           \
        machine->compare_exchange(at, sizeof(T), found, wide(to), order, otherwise);               \
    *expected = static_cast<T>(found);                                                             \
    return changed ? 1 : 0;                                                                        \
  }

#define DATUM_ATOMIC(bits, T)                                                                      \
  T __tsan_atomic##bits##_load(const volatile T* at, int order);                                   \
  T __tsan_atomic##bits##_load(const volatile T* at, int order) {                                  \
    Machine* const machine = Machine::of(at);                                                      \
    if (machine == nullptr) return __atomic_load_n(at, __ATOMIC_SEQ_CST);                          \
    return static_cast<T>(                                                                         \
        machine->load(at, sizeof(T), weakened(Access::Load, order_of(order), DATUM_SITE)));        \
  }                                                                                                \
  void __tsan_atomic##bits##_store(volatile T* at, T value, int order);                            \
  void __tsan_atomic##bits##_store(volatile T* at, T value, int order) {                           \
    Machine* const machine = Machine::of(at);                                                      \
    if (machine == nullptr) return __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                  \
    machine->store(at, sizeof(T), wide(value),                                                     \
                   weakened(Access::Store, order_of(order), DATUM_SITE));                          \
  }                                                                                                \
  T __tsan_atomic##bits##_exchange(volatile T* at, T to, int order);                               \
  T __tsan_atomic##bits##_exchange(volatile T* at, T to, int order) {                              \
    Machine* const machine = Machine::of(at);                                                      \
    if (machine == nullptr) return __atomic_exchange_n(at, to, __ATOMIC_SEQ_CST);                  \
    return static_cast<T>(machine->exchange(at, sizeof(T),                                         \
                                            weakened(Access::Update, order_of(order), DATUM_SITE), \
                                            [to](std::uint64_t) { return wide(to); }));            \
  }                                                                                                \
  DATUM_FETCH(bits, T, fetch_add, static_cast<T>(was) + by)                                        \
  DATUM_FETCH(bits, T, fetch_sub, static_cast<T>(was) - by)                                        \
  DATUM_FETCH(bits, T, fetch_and, static_cast<T>(was) & by)                                        \
  DATUM_FETCH(bits, T, fetch_or, static_cast<T>(was) | by)                                         \
  DATUM_FETCH(bits, T, fetch_xor, static_cast<T>(was) ^ by)                                        \
  DATUM_COMPARE(bits, T, strong)                                                                   \
  DATUM_COMPARE(bits, T, weak)

DATUM_ATOMIC(8, std::uint8_t)
DATUM_ATOMIC(16, std::uint16_t)
DATUM_ATOMIC(32, std::uint32_t)
DATUM_ATOMIC(64, std::uint64_t)

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_thread_fence(int order) {
  if (Machine* machine = Machine::running())
    machine->fence(weakened(Access::Fence, order_of(order), DATUM_SITE));
  else
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
void __tsan_atomic_signal_fence(int order);
void __tsan_atomic_signal_fence(int order) {
  if (Machine* machine = Machine::running();
      machine != nullptr &&
      weakened(Access::LightFence, order_of(order), DATUM_SITE) == datum::test::Order::SeqCst)
    machine->light_fence();
}

} // extern "C"

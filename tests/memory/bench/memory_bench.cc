// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What the extension costs: allocation compared with the C library's malloc, lookup, fork.
#include <datum/memory.h>

#include <benchmark/benchmark.h>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

struct Libc {
  static void* allocate(std::size_t size) { return std::malloc(size); }
  static void release(void* block) { std::free(block); }
};
struct Datum {
  static void* allocate(std::size_t size) { return datum_memory_alloc(size); }
  static void release(void* block) { datum_memory_free(block); }
};

template <class Allocator>
void pair(benchmark::State& state) {
  const auto size = static_cast<std::size_t>(state.range(0));
  for ([[maybe_unused]] auto _ : state) {
    void* block = Allocator::allocate(size);
    static_cast<volatile char*>(block)[0] = 1; // otherwise the compiler removes the pair of calls
    Allocator::release(block);
  }
}

template <class Allocator>
void batch(benchmark::State& state) {
  const auto size = static_cast<std::size_t>(state.range(0));
  std::vector<void*> blocks(1000);
  for ([[maybe_unused]] auto _ : state) {
    for (void*& block : blocks) {
      block = Allocator::allocate(size);
      static_cast<char*>(block)[0] = 1;
    }
    for (void* block : blocks) Allocator::release(block);
  }
  state.SetItemsProcessed(state.iterations() * 1000);
}

void lookup(benchmark::State& state) {
  void* block = datum_memory_alloc(100);
  datum_memory_backing backing{};
  for ([[maybe_unused]] auto _ : state)
    benchmark::DoNotOptimize(datum_memory_lookup(block, 100, &backing));
  datum_memory_free(block);
}

void lookup_foreign(benchmark::State& state) {
  datum_memory_backing backing{};
  for ([[maybe_unused]] auto _ : state)
    benchmark::DoNotOptimize(datum_memory_lookup(&backing, 8, &backing));
}

// The time of fork in the parent, which has written that many MiB.
template <class Allocator>
void fork_with(benchmark::State& state) {
  const auto size = static_cast<std::size_t>(state.range(0)) << 20;
  void* block = Allocator::allocate(size);
  std::memset(block, 1, size);
  for ([[maybe_unused]] auto _ : state) {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    state.PauseTiming();
    int status = 0;
    waitpid(child, &status, 0);
    state.ResumeTiming();
  }
  Allocator::release(block);
}

BENCHMARK_TEMPLATE(pair, Libc)->Arg(16)->Arg(256)->Arg(4096)->Arg(65536)->Arg(1 << 20);
BENCHMARK_TEMPLATE(pair, Datum)->Arg(16)->Arg(256)->Arg(4096)->Arg(65536)->Arg(1 << 20);
BENCHMARK_TEMPLATE(batch, Libc)->Arg(16)->Arg(256)->Arg(4096);
BENCHMARK_TEMPLATE(batch, Datum)->Arg(16)->Arg(256)->Arg(4096);
BENCHMARK(lookup);
BENCHMARK(lookup_foreign);
BENCHMARK_TEMPLATE(fork_with, Libc)
    ->Arg(1)
    ->Arg(16)
    ->Arg(64)
    ->Arg(256)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(fork_with, Datum)
    ->Arg(1)
    ->Arg(16)
    ->Arg(64)
    ->Arg(256)
    ->Unit(benchmark::kMillisecond);

} // namespace

BENCHMARK_MAIN();

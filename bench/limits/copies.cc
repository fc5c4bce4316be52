// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <linux/futex.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#include <vector>

#include "limits.h"
#include "two.h"

namespace limits {
namespace {

// Ordinary memory that exists on both sides of a fork at the same address.
char* ordinary(std::size_t size) {
  auto* memory = static_cast<char*>(std::aligned_alloc(4096, (size + 4095) / 4096 * 4096));
  std::memset(memory, 1, size);
  return memory;
}

void sleep_while(volatile std::uint32_t* word, std::uint32_t value) {
  while (*word == value) syscall(SYS_futex, word, FUTEX_WAIT, value, nullptr, nullptr, 0);
}

void set_and_wake(volatile std::uint32_t* word, std::uint32_t value) {
  *word = value;
  syscall(SYS_futex, word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

void await(const Line& line, int turn) {
  while (line.value != static_cast<std::uint64_t>(turn)) {
  }
}

void move(int process, char* here, char* there, std::size_t size, bool write) {
  const iovec local{here, size};
  const iovec remote{there, size};
  const ssize_t moved = write ? process_vm_writev(process, &local, 1, &remote, 1, 0)
                              : process_vm_readv(process, &local, 1, &remote, 1, 0);
  if (moved == static_cast<ssize_t>(size)) return;
  std::perror("limits: process_vm");
  std::exit(2);
}

double time_calls(std::size_t size, bool write, bool rewritten, int rounds) {
  char* here = ordinary(size);
  char* there = ordinary(size);
  auto* done = static_cast<Line*>(shared_memory(2 * sizeof(Line)));
  return run_two(
      [&] {
        // gives each side its own pages instead of those from before the fork
        std::memset(here, 3, size);
        await(done[1], 1);
        move(child_pid(), here, there, size, write);
        const std::int64_t start = now();
        for (int i = 0; i < rounds; ++i) move(child_pid(), here, there, size, write);
        const double each = static_cast<double>(now() - start) / rounds;
        done[0].value = 1;
        return each;
      },
      [&] {
        std::memset(there, 2, size);
        done[1].value = 1;
        for (char look = 0; done[0].value == 0; ++look) {
          if (rewritten) __atomic_store_n(there, look, __ATOMIC_RELEASE);
          breathe();
        }
      });
}

} // namespace

double cma_call(std::size_t size, bool write, int rounds) {
  return time_calls(size, write, false, rounds);
}

double cma_read_new(std::size_t size, int rounds) {
  return time_calls(size, false, true, rounds);
}

double cma_put_pingpong(std::size_t size, int rounds) {
  char* here = ordinary(size);
  char* there = ordinary(size);
  char* from = ordinary(size);
  auto* ready = static_cast<Line*>(shared_memory(sizeof(Line)));
  return run_two(
      [&] {
        prctl(PR_SET_PTRACER, child_pid());
        // gives each side its own pages instead of those from before the fork
        std::memset(here, 0, size);
        await(*ready, 1);
        ready->value = 2;
        const std::int64_t start = now();
        for (int i = 0; i < rounds; ++i) {
          from[size - 1] = mark_of(i);
          move(child_pid(), from, there, size, true);
          await(here + size - 1, mark_of(i));
        }
        return static_cast<double>(now() - start) / (2.0 * rounds);
      },
      [&] {
        std::memset(there, 0, size);
        ready->value = 1;
        await(*ready, 2);
        for (int i = 0; i < rounds; ++i) {
          await(there + size - 1, mark_of(i));
          from[size - 1] = mark_of(i);
          move(getppid(), from, here, size, true);
        }
      });
}

double cma_pingpong(std::size_t size, int rounds) {
  char* here = ordinary(size);
  char* there = ordinary(size);
  auto* turns = static_cast<Line*>(shared_memory(2 * sizeof(Line)));
  return run_two(
      [&] {
        prctl(PR_SET_PTRACER, child_pid());
        // gives each side its own pages instead of those from before the fork
        std::memset(here, 2, size);
        const std::int64_t start = now();
        for (int i = 1; i <= rounds; ++i) {
          turns[0].value = static_cast<std::uint64_t>(i);
          await(turns[1], i);
          move(child_pid(), here, there, size, false);
        }
        const double each = static_cast<double>(now() - start) / (2.0 * rounds);
        turns[0].value = static_cast<std::uint64_t>(rounds) + 1;
        return each;
      },
      [&] {
        std::memset(there, 3, size);
        for (int i = 1; i <= rounds; ++i) {
          await(turns[0], i);
          move(getppid(), there, here, size, false);
          turns[1].value = static_cast<std::uint64_t>(i);
        }
        await(turns[0], rounds + 1); // the other process still reads from this memory
      });
}

double copy(std::size_t size, int rounds) {
  char* from = ordinary(size);
  char* to = ordinary(size);
  std::memcpy(to, from, size);
  const std::int64_t start = now();
  for (int i = 0; i < rounds; ++i) {
    std::memcpy(to, from, size);
    asm volatile("" : : "r"(to) : "memory");
  }
  const double each = static_cast<double>(now() - start) / rounds;
  std::free(from);
  std::free(to);
  return each;
}

double futex_handover(int rounds) {
  auto* words = static_cast<volatile std::uint32_t*>(shared_memory(256));
  volatile std::uint32_t* there = words;
  volatile std::uint32_t* back = words + 32;
  const auto total = static_cast<std::uint32_t>(rounds);
  return run_two(
      [&] {
        const std::int64_t start = now();
        for (std::uint32_t i = 1; i <= total; ++i) {
          set_and_wake(there, i);
          sleep_while(back, i - 1);
        }
        return static_cast<double>(now() - start) / (2.0 * rounds);
      },
      [&] {
        for (std::uint32_t i = 1; i <= total; ++i) {
          sleep_while(there, i - 1);
          set_and_wake(back, i);
        }
      });
}

} // namespace limits

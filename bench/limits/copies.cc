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

void read_from(int process, char* from, char* to, std::size_t size) {
  const iovec local{to, size};
  const iovec remote{from, size};
  if (process_vm_readv(process, &local, 1, &remote, 1, 0) == static_cast<ssize_t>(size)) return;
  std::perror("limits: process_vm_readv");
  std::exit(2);
}

} // namespace

double cma_call(std::size_t size, bool write, int rounds) {
  char* here = ordinary(size);
  char* there = ordinary(size);
  auto* done = static_cast<Line*>(shared_memory(2 * sizeof(Line)));
  return run_two(
      [&] {
        while (done[1].value == 0) {
        }
        const iovec local{here, size};
        const iovec remote{there, size};
        const std::int64_t start = now();
        for (int i = 0; i < rounds; ++i) {
          const ssize_t moved = write ? process_vm_writev(child_pid(), &local, 1, &remote, 1, 0)
                                      : process_vm_readv(child_pid(), &local, 1, &remote, 1, 0);
          if (moved != static_cast<ssize_t>(size)) {
            std::perror("limits: process_vm");
            std::exit(2);
          }
        }
        const double each = static_cast<double>(now() - start) / rounds;
        done[0].value = 1;
        return each;
      },
      [&] {
        std::memset(there, 2, size); // its own pages, not those of before the fork
        done[1].value = 1;
        while (done[0].value == 0) {
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
        std::memset(here, 2, size); // each side its own pages, not those of before the fork
        const std::int64_t start = now();
        for (int i = 1; i <= rounds; ++i) {
          turns[0].value = static_cast<std::uint64_t>(i);
          await(turns[1], i);
          read_from(child_pid(), there, here, size);
        }
        const double each = static_cast<double>(now() - start) / (2.0 * rounds);
        turns[0].value = static_cast<std::uint64_t>(rounds) + 1;
        return each;
      },
      [&] {
        std::memset(there, 3, size);
        for (int i = 1; i <= rounds; ++i) {
          await(turns[0], i);
          read_from(getppid(), here, there, size);
          turns[1].value = static_cast<std::uint64_t>(i);
        }
        await(turns[0], rounds + 1); // it still reads from here
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

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// memcpy-limit: prints how many bytes per second this machine's memcpy moves in blocks of dat-cp's
// default chunk size. The demo compares dat-cp's figures with it. It is not installed.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <vector>

int main() {
  constexpr std::size_t kBlock = 1U << 20, kBlocks = 16;
  std::vector<char> from(kBlock * kBlocks, 'x'), to(kBlock * kBlocks, 'y');
  std::size_t moved = 0;
  const auto begin = std::chrono::steady_clock::now();
  auto now = begin;
  // Copies 16 blocks in turn. So, as in a copy of files, the source is not in the nearest cache.
  for (std::size_t block = 0; now - begin < std::chrono::milliseconds(300);
       block = (block + 1) % kBlocks) {
    std::memcpy(to.data() + block * kBlock, from.data() + block * kBlock, kBlock);
    moved += kBlock;
    now = std::chrono::steady_clock::now();
  }
  if (to != from) return 1; // the comparison also keeps the compiler from omitting the copies
  std::printf("%.0f\n",
              static_cast<double>(moved) / std::chrono::duration<double>(now - begin).count());
  return 0;
}

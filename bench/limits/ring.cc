// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A ring of 64-byte slots: the least that any message through shared memory must do.
#include <atomic>
#include <cstring>
#include <vector>

#include "limits.h"
#include "two.h"

namespace limits {
namespace {

constexpr std::size_t kSlots = 1024;
constexpr std::size_t kInline = 56;

struct alignas(64) Slot {
  std::atomic<std::uint64_t> sequence;
  char bytes[kInline];
};

struct Ring {
  Slot slots[kSlots];
  alignas(64) std::atomic<std::uint64_t> released;
};

// One direction, seen from one side. A message that is larger than a slot goes in pieces.
struct End {
  Ring* ring;
  std::uint64_t at = 0;
  std::uint64_t seen = 0;

  void send(const char* from, std::size_t size) {
    do {
      while (at - seen >= kSlots) seen = ring->released.load(std::memory_order_acquire);
      Slot& slot = ring->slots[at % kSlots];
      const std::size_t piece = size < kInline ? size : kInline;
      std::memcpy(slot.bytes, from, piece);
      slot.sequence.store(++at, std::memory_order_release);
      from += piece;
      size -= piece;
    } while (size != 0);
  }
  void receive(char* to, std::size_t size) {
    do {
      Slot& slot = ring->slots[at % kSlots];
      while (slot.sequence.load(std::memory_order_acquire) != at + 1) {
      }
      const std::size_t piece = size < kInline ? size : kInline;
      std::memcpy(to, slot.bytes, piece);
      ++at;
      if (at % (kSlots / 4) == 0) ring->released.store(at, std::memory_order_release);
      to += piece;
      size -= piece;
    } while (size != 0);
  }
};

Ring* new_ring() {
  return static_cast<Ring*>(shared_memory(sizeof(Ring)));
}

} // namespace

double ring_pingpong(std::size_t size, int rounds) {
  Ring* there = new_ring();
  Ring* back = new_ring();
  std::vector<char> buffer(size + 64, 'x');
  return run_two(
      [&] {
        End out{there};
        End in{back};
        const std::int64_t start = now();
        for (int i = 0; i < rounds; ++i) {
          out.send(buffer.data(), size);
          in.receive(buffer.data(), size);
        }
        return static_cast<double>(now() - start) / (2.0 * rounds);
      },
      [&] {
        End in{there};
        End out{back};
        for (int i = 0; i < rounds; ++i) {
          in.receive(buffer.data(), size);
          out.send(buffer.data(), size);
        }
      });
}

double ring_rate(std::size_t size, std::size_t messages) {
  Ring* there = new_ring();
  Ring* back = new_ring();
  std::vector<char> buffer(size + 64, 'x');
  return run_two(
      [&] {
        End out{there};
        End in{back};
        const std::int64_t start = now();
        for (std::size_t i = 0; i < messages; ++i) out.send(buffer.data(), size);
        in.receive(buffer.data(), 8);
        return static_cast<double>(messages) * 1e9 / static_cast<double>(now() - start);
      },
      [&] {
        End in{there};
        End out{back};
        for (std::size_t i = 0; i < messages; ++i) in.receive(buffer.data(), size);
        out.send(buffer.data(), 8);
      });
}

} // namespace limits

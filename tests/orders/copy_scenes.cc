// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Placed data: a consumer that spins on the last bytes of a buffer must then find all other bytes.
#include <atomic>
#include <cstring>

#include "core/port/copy.h"
#include "scenes.h"

namespace datum::test {
namespace {

class PlacedScene final : public Scene {
 public:
  explicit PlacedScene(std::size_t octets) : octets_(octets) {}
  void begin(Machine& machine) override {
    std::memset(to_, 0, sizeof to_);
    std::memset(from_, 1, sizeof from_);
    seen_ = false;
    machine.spins = Machine::Spins::Waiting;
    machine.share(to_, sizeof to_, "buffer");
    machine.add([this] { copy_visible(to_, from_, octets_); });
    machine.add([this, &machine] {
      octets_ < sizeof(std::uint64_t) ? wait_for_octet(machine) : wait_for_word(machine);
    });
  }
  void end(Machine& machine, bool finished) override {
    if (!finished || !seen_) machine.fail("what was placed is not seen");
  }

 private:
  void wait_for_octet(Machine& machine) {
    const std::atomic_ref<std::byte> last(to_[octets_ - 1]);
    while (last.load(std::memory_order_acquire) == std::byte{0}) {
    }
    for (std::size_t i = 0; i + 1 < octets_; ++i)
      if (std::atomic_ref<std::byte>(to_[i]).load(std::memory_order_relaxed) == std::byte{0})
        machine.fail("an octet before the last one has not come");
    seen_ = true;
  }
  void wait_for_word(Machine& machine) {
    auto* const words = reinterpret_cast<std::uint64_t*>(to_);
    const std::size_t before = octets_ / sizeof(std::uint64_t) - 1;
    const std::atomic_ref<std::uint64_t> last(words[before]);
    while (last.load(std::memory_order_acquire) == 0) {
    }
    for (std::size_t i = 0; i < before; ++i)
      if (words[i] == 0) machine.fail("a word before the last one has not come");
    seen_ = true;
  }

  const std::size_t octets_;
  alignas(64) std::byte to_[64];
  std::byte from_[64];
  bool seen_ = false;
};

} // namespace

std::vector<NamedScene> copy_scenes() {
  return {{"placed-octets",
           [] { return std::make_unique<PlacedScene>(3); },
           {.promises = true},
           Effort::All},
          {"placed-words",
           [] { return std::make_unique<PlacedScene>(24); },
           {.promises = true},
           Effort::All}};
}

} // namespace datum::test

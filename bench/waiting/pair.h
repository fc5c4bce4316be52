// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// bench/waiting/pair.h: two processes, each on its core, and a page of memory between them.
// Lives here: starting, meeting and ending the processes, and the data that they tell each other.
// Not here:   the work of the two processes.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <sys/types.h>

#include "waiting/figures.h"

namespace waiting {

// The memory that both sides of a run share besides the measured memory. Each word that changes
// during a run has its own cache line.
struct Control {
  // How many operations of the initiator have ended.
  alignas(64) std::atomic<std::uint64_t> completed{0};
  // True: the initiator is done, and the target leaves its habit.
  alignas(64) std::atomic<bool> stop{false};
  // For limits. True: the target's first thread polls for operations, so the second thread need not
  // be woken.
  alignas(64) std::atomic<bool> polls{false};
  alignas(64) std::array<std::atomic<std::uint32_t>, 2> met{};

  // Each side fills in its own data before the sides meet.
  struct Told {
    pid_t pid = 0;
    std::uint64_t port = 0;
    std::uint64_t address = 0; // address of its memory
    std::uint32_t context = 0; // RMR context of its memory
  };
  std::array<Told, 2> told{};
  // Filled in before the processes end.
  Figures figures;
  std::array<char, 400> why{};
};

enum class Side : std::uint8_t { Initiator, Target };

inline Side other(Side side) {
  return side == Side::Initiator ? Side::Target : Side::Initiator;
}

// One end of a run, in its process.
class Place {
 public:
  Place(Control& shared, Side own_side) : control(shared), side(own_side) {}
  // Returns when the other side has called meet(), too. Both sides must call it equally often.
  void meet();
  Control::Told& own() { return control.told[static_cast<std::size_t>(side)]; }
  const Control::Told& peer() const { return control.told[static_cast<std::size_t>(other(side))]; }

  Control& control;
  const Side side;

 private:
  std::uint32_t meetings_ = 0;
};

struct Outcome {
  Figures figures;
  std::string why; // not empty: how the run failed
};

using Work = std::function<void(Place&)>;
// Runs each work in its own process, on its own core. A run that lasts longer than `seconds` has
// failed.
Outcome run_pair(std::array<int, 2> cores, double seconds, const Work& initiator,
                 const Work& target);

} // namespace waiting

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/leniency.h: uses of DAT that the letter of the manual refuses and the default mode lets
// pass.
// Lives here: the complete list of leniencies, the decision by mode, and how often each leniency
//             was used.
// Not here:   habits of programs that both modes accept (docs/habits.md).
// Threads:    any.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace datum {

enum class Leniency : std::uint8_t {
  ShortProviderList,    // dat_registry_list_providers fills a list that is too short
  MixedCompletionFlags, // UNSIGNALLED requests and Recvs of DEFAULT share an EVD
  SuppressInAttributes, // SUPPRESS among an endpoint's request_completion_flags
  LongWaitForRecv,      // a message waits longer for its Recv than strict mode allows
};
inline constexpr std::size_t kLeniencies = 4;

// The name that dat-info shows.
std::string_view name_of(Leniency leniency);

class Leniencies {
 public:
  explicit Leniencies(bool strict) : strict_(strict) {}

  bool strict() const { return strict_; }

  // True: the use may pass. In the default mode the use is counted, and the first use is logged
  // (info). In strict mode a line says which rule refuses the use, at most once a second. `what`:
  // the object and its value.
  bool permit(Leniency leniency, std::string_view what);

  std::uint64_t uses(Leniency leniency) const {
    return uses_[static_cast<std::size_t>(leniency)].load(std::memory_order_relaxed);
  }

 private:
  const bool strict_;
  std::array<std::atomic<std::uint64_t>, kLeniencies> uses_{};
};

} // namespace datum

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "waiting/cell.h"

#include <algorithm>
#include <array>
#include <fnmatch.h>

namespace waiting {
namespace {

// In the order of the enumerators.
constexpr std::array kOperations = {"send", "write", "read", "two-words"};
constexpr std::array kTransports = {"shm", "tcp"};
constexpr std::array kCores = {"two", "one"};
constexpr std::array kInitiators = {"tight", "work-1", "work-10", "work-50", "yield"};
constexpr std::array kTargets = {"same-evd", "other-evd", "spin",  "spin-yield", "block",
                                 "cno",      "compute",   "turns", "alternate"};

template <typename Names, typename Value>
std::string word(const Names& names, Value value) {
  return names[static_cast<std::size_t>(value)];
}

std::vector<Cell> all_cells() {
  std::vector<Cell> cells;
  Cell cell;
  const auto add_habits = [&] {
    for (std::size_t i = 0; i < kInitiators.size(); ++i)
      for (std::size_t t = 0; t < kTargets.size(); ++t) {
        cell.initiator = static_cast<Initiator>(i);
        cell.target = static_cast<Target>(t);
        cells.push_back(cell);
      }
  };
  for (std::size_t cores = 0; cores < kCores.size(); ++cores)
    for (std::size_t transport = 0; transport < kTransports.size(); ++transport)
      for (std::size_t operation = 0; operation < kOperations.size(); ++operation) {
        cell = {};
        cell.cores = static_cast<Cores>(cores);
        cell.transport = static_cast<Transport>(transport);
        cell.operation = static_cast<Operation>(operation);
        if (cell.operation == Operation::TwoWords)
          cells.push_back(cell);
        else
          add_habits();
      }
  return cells;
}

} // namespace

std::string name_of(const Cell& cell) {
  std::string place = word(kOperations, cell.operation) + "/" + word(kTransports, cell.transport) +
                      "/" + word(kCores, cell.cores);
  if (cell.operation == Operation::TwoWords) return place;
  return place + "/" + word(kInitiators, cell.initiator) + "/" + word(kTargets, cell.target);
}

std::vector<Cell> cells_that_fit(std::span<const std::string> patterns) {
  std::vector<Cell> cells = all_cells();
  std::erase_if(cells, [&](const Cell& cell) {
    const std::string name = name_of(cell);
    return !patterns.empty() && std::none_of(patterns.begin(), patterns.end(), [&](const auto& p) {
      return fnmatch(p.c_str(), name.c_str(), 0) == 0;
    });
  });
  return cells;
}

} // namespace waiting

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/unit/state_walk.h: tries each event in each state of a state machine, and compares the next
// states with a table that was written from the documents.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <string_view>

#include "base/state_table.h"

namespace datum::test {

template <class State>
struct StateLetter {
  char letter;
  State state;
};

template <class Event>
struct EventRow {
  Event event;
  // The next state for each state, in the order of the letters. A dot means that the event does not
  // happen in that state.
  std::string_view next;
};

template <class Table, class State, std::size_t kStates, class Event, std::size_t kEvents>
void expect_transitions(const Table& table, const StateLetter<State> (&states)[kStates],
                        const EventRow<Event> (&events)[kEvents]) {
  const auto letter_of = [&](State state) {
    for (const auto& each : states)
      if (each.state == state) return each.letter;
    return '?';
  };
  for (const auto& row : events) {
    ASSERT_EQ(row.next.size(), kStates);
    for (std::size_t i = 0; i < kStates; ++i) {
      const auto next = next_in(table, states[i].state, row.event);
      EXPECT_EQ(next ? letter_of(*next) : '.', row.next[i])
          << states[i].letter << " on event " << static_cast<int>(row.event);
    }
  }
}

} // namespace datum::test

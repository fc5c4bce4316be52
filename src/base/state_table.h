// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/state_table.h: a state machine as a table of rows, and checks of it at compile time.
// Not here:   the tables (endpoint_state.h, link_state.h ...), and the actions besides the change
//             of state. docs/design/states.md draws all tables.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

namespace datum {

template <class State, class Event>
struct StateRow {
  State from;
  Event on;
  State to;
};

// The state after an event. Nothing: the table has no row for this event in this state.
template <class Table, class State, class Event>
constexpr std::optional<State> next_in(const Table& table, State from, Event on) {
  for (const auto& row : table)
    if (row.from == from && row.on == on) return row.to;
  return std::nullopt;
}

template <class Table>
consteval bool no_two_rows_match(const Table& table) {
  for (std::size_t i = 0; i < table.size(); ++i)
    for (std::size_t j = i + 1; j < table.size(); ++j)
      if (table[i].from == table[j].from && table[i].on == table[j].on) return false;
  return true;
}

// True: the enumeration has a name for this value. Compilers write "(Enum)7" for a value without a
// name.
template <auto value>
consteval bool has_a_name() {
  const std::string_view text = __PRETTY_FUNCTION__;
  for (std::size_t i = 0; i + 1 < text.size(); ++i)
    if (text[i] == ')' && text[i + 1] >= '0' && text[i + 1] <= '9') return false;
  return true;
}

// True: the list has each enumerator below kMostEnumerators once, and nothing else.
inline constexpr std::size_t kMostEnumerators = 32;
template <class Enum, std::size_t kSize>
consteval bool every_enumerator_is_in(const std::array<Enum, kSize>& list) {
  const auto fits = [&]<std::size_t... value>(std::index_sequence<value...>) {
    const auto times = [&](Enum each) { return std::ranges::count(list, each); };
    return ((times(static_cast<Enum>(value)) == (has_a_name<static_cast<Enum>(value)>() ? 1 : 0)) &&
            ...);
  };
  return fits(std::make_index_sequence<kMostEnumerators>());
}

// True: every state outside `first` is entered by a row from another state that is itself
// reachable.
template <class Table, class State, std::size_t kStates>
consteval bool every_state_is_reached(const Table& table, const std::array<State, kStates>& states,
                                      const auto& first) {
  std::array<bool, kStates> reached{};
  const auto index = [&](State state) {
    return static_cast<std::size_t>(std::ranges::find(states, state) - states.begin());
  };
  for (const State state : first) reached[index(state)] = true;
  for (std::size_t round = 0; round < kStates; ++round)
    for (const auto& row : table)
      if (reached[index(row.from)]) reached[index(row.to)] = true;
  return std::ranges::all_of(reached, [](bool each) { return each; });
}

// True: every state outside `last` can be left, and every event happens somewhere.
template <class Table, class States, class Events, class... State>
consteval bool every_state_is_left(const Table& table, const States& states, const Events& events,
                                   State... last) {
  for (const auto state : states)
    if (((state != last) && ...) && std::ranges::none_of(table, [&](const auto& row) {
          return row.from == state && row.to != state;
        }))
      return false;
  for (const auto event : events)
    if (std::ranges::none_of(table, [&](const auto& row) { return row.on == event; })) return false;
  return true;
}

} // namespace datum

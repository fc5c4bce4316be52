// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Each check of a state table finds its fault, and passes a table without faults.
#include "base/state_table.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace datum {
namespace {

enum class Door : std::uint8_t { Shut, Ajar, Bricked = 9 };
enum class Hand : std::uint8_t { Push, Pull, Brick };
using Row = StateRow<Door, Hand>;

constexpr std::array kDoors{Door::Shut, Door::Ajar, Door::Bricked};
constexpr std::array kHands{Hand::Push, Hand::Pull, Hand::Brick};
constexpr std::array kFirst{Door::Shut};
constexpr std::array kTable{Row{Door::Shut, Hand::Push, Door::Ajar},
                            Row{Door::Ajar, Hand::Pull, Door::Shut},
                            Row{Door::Shut, Hand::Brick, Door::Bricked}};

static_assert(every_enumerator_is_in(kDoors) && every_enumerator_is_in(kHands));
static_assert(!every_enumerator_is_in(std::array{Door::Shut, Door::Ajar}));
static_assert(!every_enumerator_is_in(std::array{Door::Shut, Door::Bricked}));
static_assert(!every_enumerator_is_in(std::array{Door::Shut, Door::Ajar, Door::Bricked,
                                                 Door::Shut}));

static_assert(no_two_rows_match(kTable));
static_assert(!no_two_rows_match(std::array{Row{Door::Shut, Hand::Push, Door::Ajar},
                                            Row{Door::Shut, Hand::Push, Door::Bricked}}));

static_assert(every_state_is_reached(kTable, kDoors, kFirst));
static_assert(!every_state_is_reached(std::array{kTable[0], kTable[1]}, kDoors, kFirst));
// The state is entered only from a state that cannot be entered itself.
static_assert(!every_state_is_reached(std::array{Row{Door::Ajar, Hand::Brick, Door::Bricked}},
                                      kDoors, kFirst));

static_assert(every_state_is_left(kTable, kDoors, kHands, Door::Bricked));
static_assert(every_state_is_left(kTable, kDoors, kHands, Door::Bricked, Door::Ajar));
static_assert(!every_state_is_left(kTable, kDoors, kHands));
// A transition to the same state does not leave it.
static_assert(!every_state_is_left(std::array{kTable[0], Row{Door::Ajar, Hand::Pull, Door::Ajar},
                                              kTable[2]},
                                   kDoors, kHands, Door::Bricked));
// The only event that leaves the state never happens.
static_assert(!every_state_is_left(std::array{kTable[0], kTable[1]}, kDoors, kHands,
                                   Door::Bricked));

TEST(StateTable, HasARowOrSaysThatItDoesNotHappen) {
  EXPECT_EQ(next_in(kTable, Door::Ajar, Hand::Pull), Door::Shut);
  EXPECT_EQ(next_in(kTable, Door::Ajar, Hand::Brick), std::nullopt);
}

} // namespace
} // namespace datum

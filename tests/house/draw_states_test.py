#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""docs/design/states.md agrees with the tables, and scripts/draw_states.py finds a broken table."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop())

DOOR = """// transport/door/door_state.h: the states of a door, as one
// table. More of it.

enum class Door : std::uint8_t {
  Shut,
  Ajar, // somebody has
        // pushed
  // Nobody passes any more.
  Bricked = 9,
};

enum class Hand : std::uint8_t {
  Push,
  Pull, // by the handle
  Brick,
};

using Row = StateRow<Door, Hand>;

inline constexpr std::array kDoorTable{
    Row{Door::Shut, Hand::Push, Door::Ajar},
    // Twice: it is heavy.
    Row{Door::Ajar, Hand::Push, Door::Ajar},
    Row{Door::Ajar, Hand::Pull, Door::Shut},
    Row{Door::Shut, Hand::Brick,
        Door::Bricked},
};

inline constexpr std::array kDoors{Door::Shut, Door::Ajar, Door::Bricked};
inline constexpr std::array kHands{Hand::Push, Hand::Pull,
                                   Hand::Brick};

static_assert(no_two_rows_match(kDoorTable));
static_assert(every_state_is_reached(kDoorTable, kDoors, std::array{Door::Shut}));
static_assert(every_state_is_left(kDoorTable, kDoors, kHands, Door::Bricked));
"""


def draw(*arguments):
    done = subprocess.run([sys.executable, ROOT / "scripts/draw_states.py", *arguments],
                          capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


class ThePage(unittest.TestCase):
    def test_is_what_the_tables_say(self):
        self.assertEqual(draw("--check", ROOT), (0, ""))


class ADoor(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.tree = pathlib.Path(self.folder.name)
        self.header = self.tree / "src/transport/door/door_state.h"
        self.header.parent.mkdir(parents=True)
        self.header.write_text(DOOR)
        self.page = self.tree / "docs/design/states.md"

    def tearDown(self):
        self.folder.cleanup()

    def breaks(self, old, new, finding):
        self.assertEqual(DOOR.count(old), 1, old)
        self.header.write_text(DOOR.replace(old, new))
        for arguments in ((self.tree,), ("--check", self.tree)):
            status, output = draw(*arguments)
            self.assertIn("src/transport/door/door_state.h: " + finding, output)
            self.assertEqual(status, 1)
        self.assertFalse(self.page.exists())

    def test_is_drawn(self):
        self.assertEqual(draw(self.tree), (0, ""))
        page = self.page.read_text()
        for line in ("## Door", "`src/transport/door/door_state.h`: the states of a door, as one table.",
                     "| `Shut` |  |", "| `Ajar` | somebody has pushed |", "| `Bricked` | Nobody passes any more. |",
                     "|  | `Shut` | `Ajar` | `Bricked` |", "| `Push` | Ajar | Ajar |  |", "| `Brick` | Bricked |  |  |",
                     "| `Pull` | by the handle |", "  [*] --> Shut", "  Shut --> Ajar: Push", "  Ajar --> Ajar: Push",
                     "  Bricked --> [*]"):
            self.assertIn("\n" + line + "\n", page)
        self.assertEqual(draw("--check", self.tree), (0, ""))

    def test_has_a_page_that_is_not_current(self):
        stale = (1, "docs/design/states.md is not what the tables say: run scripts/draw_states.py\n")
        self.assertEqual(draw("--check", self.tree), stale)
        draw(self.tree)
        self.header.write_text(DOOR.replace("by the handle", "by the frame"))
        self.assertEqual(draw("--check", self.tree), stale)
        draw(self.tree)
        self.assertEqual(draw("--check", self.tree), (0, ""))

    def test_has_two_rows_for_one_event(self):
        self.breaks("Row{Door::Ajar, Hand::Pull, Door::Shut}", "Row{Door::Ajar, Hand::Push, Door::Shut}",
                    "kDoorTable: two rows for Push in Ajar")

    def test_has_a_state_that_nothing_enters(self):
        self.breaks("Row{Door::Shut, Hand::Brick,\n        Door::Bricked}", "Row{Door::Shut, Hand::Brick, Door::Ajar}",
                    "kDoorTable: nothing enters Bricked")

    def test_has_a_state_that_nothing_leaves(self):
        self.breaks("kHands, Door::Bricked)", "kHands)", "kDoorTable: nothing leaves Bricked")

    def test_has_an_event_that_never_happens(self):
        self.breaks("    Row{Door::Ajar, Hand::Pull, Door::Shut},\n", "    Row{Door::Ajar, Hand::Brick, Door::Shut},\n",
                    "kDoorTable: Pull never happens")

    def test_has_a_list_without_a_state(self):
        self.breaks("kDoors{Door::Shut, Door::Ajar, Door::Bricked}", "kDoors{Door::Shut, Door::Ajar}",
                    "kDoors has Door::Bricked 0 times")

    def test_has_a_list_with_an_event_twice(self):
        self.breaks("kHands{Hand::Push,", "kHands{Hand::Push, Hand::Push,", "kHands has Hand::Push 2 times")

    def test_has_a_row_of_a_state_that_there_is_not(self):
        self.breaks("Hand::Push, Door::Ajar},\n    //", "Hand::Push, Door::Open},\n    //",
                    "kDoorTable: Shut, Push, Open names what there is not")

    def test_has_a_row_that_is_not_understood(self):
        self.breaks("Row{Door::Ajar, Hand::Pull, Door::Shut}", "Row{Door::Ajar, pull(), Door::Shut}",
                    "kDoorTable: not understood")

    def test_has_an_enumeration_that_is_not_understood(self):
        self.breaks("  Ajar, //", "  Ajar = kAjar, //", "Door: not understood")

    def test_lacks_a_check(self):
        self.breaks("static_assert(no_two_rows_match(kDoorTable));\n", "",
                    "0 times instead of once: no_two_rows_match(kDoorTable)")

    def test_has_rows_of_no_type(self):
        self.breaks("using Row = StateRow<Door, Hand>;", "struct Row : StateRow<Door, Hand> {};", "has a StateRow")


if __name__ == "__main__":
    unittest.main()

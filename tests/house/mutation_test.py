#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What scripts/mutation.py changes, and what it does not change."""
import pathlib
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop()).resolve()
sys.path.insert(0, str(ROOT / "scripts"))
import mutation  # noqa: E402


def changed(line):
    return {mutant.name: mutant.after for mutant in mutation.of_text("a.cc", line)}


class Mutation(unittest.TestCase):
    def test_a_relation_moves_by_one(self):
        self.assertEqual(changed("  while (left < size) f();")["relation"], "  while (left <= size) f();")

    def test_a_template_is_no_relation(self):
        self.assertNotIn("relation", changed("  std::vector<int> items;"))

    def test_an_error_becomes_another_error(self):
        self.assertEqual(changed("  return fail(Type::InvalidHandle);")["error"],
                         "  return fail(Type::InvalidParameter);")

    def test_a_condition_no_longer_holds(self):
        self.assertEqual(changed("  if (full()) return no();")["condition"],
                         "  if (false && (full())) return no();")

    def test_a_declaration_in_a_condition_stays(self):
        self.assertNotIn("condition", changed("  if (const Status s = f(); !s.ok()) return s;"))

    def test_a_call_by_itself_is_left_out(self):
        self.assertEqual(changed("  timer_.cancel();")["statement"], "  ;")

    def test_a_declaration_is_not_left_out(self):
        self.assertNotIn("statement", changed("  const Status s = f();"))

    def test_each_place_of_a_line_is_a_mutant(self):
        names = [mutant.name for mutant in mutation.of_text("a.cc", "  return a == 1 && b == 1;")]
        self.assertEqual(names.count("equality"), 2)

    def test_comments_strings_and_assertions_stay(self):
        for line in ["// a < b", "  // a == b", '  f("a == b");', "  DATUM_ASSERT(a == b);", "static_assert(1 + 1 == 2);",
                     "#if 1"]:
            self.assertNotIn("equality", changed(line))
            self.assertNotIn("number", changed(line))

    def test_a_seed_gives_the_same_order_and_files_take_turns(self):
        text = "  a = 5;\n  b = 6;\n"
        mutants = mutation.of_text("a.cc", text) + mutation.of_text("b.cc", text)
        first = mutation.in_seeded_order(mutants, 7)
        self.assertEqual(first, mutation.in_seeded_order(mutants, 7))
        self.assertEqual({mutant.path for mutant in first[:2]}, {"a.cc", "b.cc"})

    def test_a_mutant_keeps_its_key_when_its_line_moves(self):
        here = mutation.of_text("a.cc", "  a = 5;")[0]
        there = mutation.of_text("a.cc", "\n\n  a = 5;")[0]
        self.assertEqual(here.key, there.key)


if __name__ == "__main__":
    unittest.main()

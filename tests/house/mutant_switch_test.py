#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Where scripts/mutant_switch.py puts a mutant beside the original code, and where it refuses to."""
import pathlib
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop()).resolve()
sys.path.insert(0, str(ROOT / "scripts"))
import mutant_switch  # noqa: E402


def switched(text, old, new):
    """The text with `old`, which occurs once, changed into `new` under switch 7."""
    first = text.index(old)
    code = mutant_switch.blanked(text)
    edit = mutant_switch.switched(text, code, first, first + len(old), new, 7)
    return None if edit is None else text[:edit.begin] + edit.text + text[edit.end:]


class MutantSwitch(unittest.TestCase):
    def test_a_statement_becomes_two(self):
        self.assertEqual(switched("void f() { a = 1; }", "1", "2"),
                         "void f() { { if (DATUM_MUTANT(7)) { a = 2; } else { a = 1; } } }")

    def test_a_statement_may_have_several_lines(self):
        self.assertEqual(switched("{\n  f();\n  return a &&\n         b;\n}", "&&", "||"),
                         "{\n  f();\n  { if (DATUM_MUTANT(7)) { return a ||\n         b; } else { return a &&\n"
                         "         b; } }\n}")

    def test_the_condition_of_an_if(self):
        self.assertEqual(switched("{ if (a < b) { f(); } }", "<", "<="),
                         "{ if ((DATUM_MUTANT(7) ? static_cast<bool>(a <= b) : static_cast<bool>(a < b))) { f(); } }")

    def test_what_an_if_does(self):
        self.assertEqual(switched("{ if (a) return 1; }", "1", "2"),
                         "{ if (a) { if (DATUM_MUTANT(7)) { return 2; } else { return 1; } } }")

    def test_the_end_of_a_loop(self):
        self.assertEqual(switched("{ for (int i = 0; i < n; ++i) f(i); }", "<", "<="),
                         "{ for (int i = 0;(DATUM_MUTANT(7) ? static_cast<bool>( i <= n) : static_cast<bool>( i < n));"
                         " ++i) f(i); }")

    def test_a_declaration_keeps_its_type(self):
        self.assertEqual(switched("{ const int size = a + 1; }", "+", "-"),
                         "{ const int size =(DATUM_MUTANT(7) ? ( a - 1) : ( a + 1)); }")

    def test_inside_a_lambda(self):
        self.assertEqual(switched("{ each([&](int x) { sum += x; }); }", "+=", "-="),
                         "{ each([&](int x) { { if (DATUM_MUTANT(7)) { sum -= x; } else { sum += x; } } }); }")

    def test_a_block_behind_an_attribute(self):
        self.assertEqual(switched("{ if (a) [[likely]] { f(0); } g(); }", "0", "1"),
                         "{ if (a) [[likely]] { { if (DATUM_MUTANT(7)) { f(1); } else { f(0); } } } g(); }")

    def test_a_braced_value_is_no_block(self):
        self.assertEqual(switched("{ return {Type::A, x == 1}; }", "==", "!="),
                         "{ { if (DATUM_MUTANT(7)) { return {Type::A, x != 1}; } else { return {Type::A, x == 1}; } } }")

    def test_constants_and_types_are_left_alone(self):
        for text in ("constexpr int kSize = 1;", "struct A { int a[1]; };", "enum class E { A = 1 };"):
            self.assertIsNone(switched(text, "1", "2"))


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""tests/promises.txt: how an entry is read, and that the tree has each line and each assertion that it names."""
import pathlib
import re
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop()).resolve()
sys.path.insert(0, str(ROOT / "scripts"))
import mutant_promises  # noqa: E402

SOURCE = "void f() {\n  a = 1;\n  b();\n  b();\n}\n"


def read(entry):
    with tempfile.TemporaryDirectory() as place:
        root = pathlib.Path(place)
        (root / "a.cc").write_text(SOURCE)
        (root / "list.txt").write_text(entry)
        return mutant_promises.read(root, root / "list.txt")


class Promises(unittest.TestCase):
    def test_an_entry_changes_its_line_and_keeps_the_indentation(self):
        [promise] = read("# a remark\n\na.cc\n- a = 1;\n+ a = 2;\n! a == 1\n= core Queue.Test\n")
        mutant = promise.mutant
        self.assertEqual((mutant.line, mutant.before, mutant.after), (2, "  a = 1;", "  a = 2;"))
        self.assertEqual((promise.suite.name, promise.test, promise.assertion), ("core", "Queue.Test", "a == 1"))

    def test_of_equal_lines_a_number_says_which(self):
        entry = "a.cc\n-{} b();\n+ ;\n! a\n= core T.T\n"
        self.assertEqual(read(entry.format(2))[0].mutant.line, 4)
        for wrong in ("", "3"):
            with self.assertRaises(mutant_promises.Mistake):
                read(entry.format(wrong))

    def test_a_mistake_in_an_entry_is_named(self):
        for entry, says in [("a.cc\n- c();\n+ ;\n! a\n= core T.T", "not in its file"),
                            ("a.cc\n- a = 1;\n+ ;\n! a\n= none T.T", "names no suite"),
                            ("a.cc\n- a = 1;\n+ ;\n= core T.T", "five lines")]:
            with self.assertRaisesRegex(mutant_promises.Mistake, says):
                read(entry)

    def test_the_list_fits_the_tree(self):
        promises = mutant_promises.read(ROOT, ROOT / "tests" / "promises.txt")
        sources = [path.read_text() for path in (ROOT / "src").rglob("*.*") if path.suffix in (".h", ".cc")]
        code = re.sub(r"\s+", "", "\n".join(sources))
        for promise in promises:
            self.assertIn("DATUM_ASSERT(" + re.sub(r"\s+", "", promise.assertion), code, promise.mutant.path)
        self.assertEqual(len({promise.mutant.key for promise in promises}), len(promises))


if __name__ == "__main__":
    unittest.main()

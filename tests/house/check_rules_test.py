#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""scripts/check-rules finds citations of sources and decisions that docs/sources.md and docs/decisions.md lack."""

import contextlib
import importlib.machinery
import importlib.util
import io
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

sys.dont_write_bytecode = True
ROOT = pathlib.Path(sys.argv.pop())
sys.path.insert(0, str(ROOT / "scripts"))
LOADER = importlib.machinery.SourceFileLoader("check_rules", str(ROOT / "scripts/check-rules"))
check_rules = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_rules", LOADER))
LOADER.exec_module(check_rules)
SOURCES = """# Sources
| `dat_ep_free(3DAT)` | Description, Return Values |
| `dat/udat.h` | DAT 1.2 |
| `RFC 5044` | 4.3, 7.1.2 |
| `RFC 1624` | |
"""
DECISIONS = "# Decisions\n\n**3. A choice.** *Open:* x\n\n**17. Another.** *Open:* y\n"


class CheckRules(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.tree = pathlib.Path(self.folder.name)
        self.write("docs/sources.md", SOURCES)
        self.write("docs/decisions.md", DECISIONS)
        self.write("docs/man/datum.7.md", "# FORK\n\nText.\n")
        self.write("include/dat/udat.h", "struct dat_evd_param { int x; };\n")
        self.rule("decision 3")

    def tearDown(self):
        self.folder.cleanup()

    def write(self, path, text):
        file = self.tree / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def rule(self, source):
        self.write("tests/rules/a.rules", f"# About A.\nA.1 | something | {source} | unprovokable: it is an example\n"
                                          "C-12 | something else | decision 17 | unprovokable: it is an example\n")

    def check(self):
        arguments = ["check-rules", "--strict", "--tree", self.tree, "--rules", self.tree / "tests/rules",
                     "--tests", self.tree / "tests"]
        errors = io.StringIO()
        with mock.patch.object(sys, "argv", [str(argument) for argument in arguments]), \
                contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(errors):
            status = check_rules.main()
        return status, errors.getvalue()

    def assert_passes(self):
        self.assertEqual(self.check(), (0, ""))

    def assert_finds(self, finding):
        status, output = self.check()
        self.assertIn(finding, output)
        self.assertEqual(output.count("error:"), 1, output)
        self.assertEqual(status, 1)

    def test_each_kind_of_source_passes(self):
        for source in ("decision 17", "dat_ep_free(3DAT), Return Values", "RFC 5044 section 7.1.2",
                       "dat/udat.h, DAT_EVD_PARAM", "datum(7), FORK", "RFC 5044 section 4.3; decision 3; decision 17"):
            with self.subTest(source):
                self.rule(source)
                self.assert_passes()

    def test_a_rule_may_not_cite_what_is_not_listed(self):
        for source, why in (("decision 4", "docs/decisions.md"),
                            ("dat_ep_free(3DAT), Usage", "docs/sources.md"),
                            ("dat_ep_make(3DAT), Description", "docs/sources.md"),
                            ("RFC 5044 section 7.1", "docs/sources.md"),
                            ("RFC 5043 section 4.3", "docs/sources.md"),
                            ("dat/udat.h, DAT_EVD_PARAMS", "include/dat/udat.h does not have"),
                            ("dat/dat.h, DAT_EVD_PARAM", "docs/sources.md"),
                            ("datum(7), SPOON", "docs/man")):
            with self.subTest(source):
                self.rule(source)
                self.assert_finds(f"a.rules:2: A.1: source `{source}` ")
                self.assertIn(why, self.check()[1])

    def test_a_rule_may_not_cite_a_chapter_or_a_whole_document(self):
        for source in ("api 9.3", "design", "D-32", "RFC 1624", "decision", "dat_ep_free(3DAT)", "dat/udat.h"):
            with self.subTest(source):
                self.rule(source)
                status, output = self.check()
                self.assertIn(f"A.1: source `{source}` is no citation", output)
                self.assertEqual(status, 1)

    def test_comments_may_cite_what_is_listed(self):
        self.write("src/a.cc", "// RFC 1624, and (RFC 5044 section\n// 4.3; decision\n// 17; decisions 3 and 17)\n"
                               "int a; // dat_ep_free(3DAT), Description\n")
        self.assert_passes()

    def test_comments_may_not_cite_what_is_not_listed(self):
        for comment, cited in (("decision 18", "decision 18"), ("decisions 3 and 18", "decisions 3 and 18"),
                               ("decision\n// 18", "decision 18"), ("RFC 5045", "RFC 5045"),
                               ("RFC 5044 section 9", "RFC 5044 section 9"),
                               ("dat_ep_free(3DAT), Usage", "dat_ep_free(3DAT), Usage")):
            with self.subTest(comment):
                self.write("src/a.cc", f"// {comment}\n")
                self.assert_finds(f"src/a.cc: `{cited}` is not in docs/")

    def test_no_chapter_is_left_anywhere(self):
        for path, line, old in (("src/core/a.cc", "int a; // held (design 4)", "design 4"),
                                ("src/a.h", "// spec 11.2: lengths", "spec 11.2"),
                                ("src/a.cc", "// Spec 10.4: blame", "Spec 10.4"),
                                ("tests/a.cc", "// DESIGN 5 (b): a thread", "DESIGN 5"),
                                ("include/a.h", "/* api 6.7 */", "api 6.7"),
                                ("src/a.cc", "// held (8.2)", "(8.2)"),
                                ("tests/a.cc", "// D-32", "D-32"),
                                ("tools/a.cc", "// C-12: a full queue", "C-12"),
                                ("tests/a.py", "x = 1  # see H12", "H12"),
                                ("scripts/a.sh", "# dapl-utils 2", "dapl-utils 2"),
                                ("docs/a.md", "as iwarp.md 10.2 says", "iwarp.md 10.2"),
                                ("tests/rules/b.rules", "# functions 4", "functions 4"),
                                ("README.md", "types 8", "types 8")):
            with self.subTest(path):
                self.write(path, f"\n{line}\n")
                self.assert_finds(f"{path}:2: `{old}` is a chapter")
                (self.tree / path).unlink()

    def test_tags_of_rules_and_code_are_no_chapters(self):
        self.write("src/a.cc", 'note("C-12"); // tcp.H5, and 1.5 times (a.C-12)\n')
        self.write("docs/a.md", "| a | `C-12` | 1.2 (2.0) |\n")
        self.write("CMakeLists.txt", "foreach(api 1.2 2.0)\n")
        self.rule("decision 3")
        self.assert_passes()
        self.write("docs/a.md", "as C-13 says\n")
        self.assert_finds("docs/a.md:1: `C-13` is a chapter")

    def test_a_claim_may_name_such_a_tag(self):
        self.write("tests/rules/a.rules", "C-12 | something else | decision 17\n")
        self.write("tests/a.cc", "// Rules: C-12\nTEST(A, B) {}\n")
        self.assert_passes()

    def test_numbers_are_given_once(self):
        self.write("docs/decisions.md", DECISIONS + "\n**3. Again.** *Open:* z\n")
        self.assert_finds("docs/decisions.md: 3 is given twice")

    def test_documents_have_to_be_there(self):
        (self.tree / "docs/sources.md").unlink()
        self.assert_finds("docs/sources.md is missing")


if __name__ == "__main__":
    unittest.main()

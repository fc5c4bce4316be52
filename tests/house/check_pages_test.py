#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""docs/man/check_pages.py notices what a header of DAT 2.0 declares and no page names, and what a page
lacks."""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop())
EXTENSIONS = "include/dat2/dat_ib_extensions.h"


class CheckPages(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.tree = pathlib.Path(self.folder.name)
        for part in ("docs/man", "include", "packaging", "tests/rules", "tests/abi"):
            shutil.copytree(ROOT / part, self.tree / part)

    def tearDown(self):
        self.folder.cleanup()

    def add(self, path, text):
        with open(self.tree / path, "a", encoding="utf-8") as file:
            file.write(text)

    def check(self):
        # The examples in the pages are compiled by the test of the pages themselves.
        done = subprocess.run([sys.executable, self.tree / "docs/man/check_pages.py", "--cc", "true"],
                              capture_output=True, text=True, check=False)
        return done.returncode, done.stderr.splitlines()

    def assert_finds(self, *findings):
        self.assertEqual(self.check(), (1, list(findings)))

    def test_as_it_is_nothing_is_found(self):
        self.assertEqual(self.check(), (0, []))

    def test_a_function_without_a_page(self):
        self.add("include/dat2/udat.h", "DAT_RETURN dat_new_call(DAT_HANDLE handle);\n")
        self.assert_finds("dat2/udat.h: dat_new_call has no page")

    def test_a_function_of_datum_without_a_page(self):
        self.add("include/datum/names.h", "static inline const char* datum_new_name(int number) { return 0; }\n")
        self.assert_finds("datum/names.h: datum_new_name has no page")

    def test_a_library_that_no_page_tells_how_to_find(self):
        self.add("packaging/dat3.pc.in", "Name: dat3\n")
        self.add("packaging/DatumConfig.cmake.in", "datum_imported_library(Datum::dat3 libdat3.so.3)\n")
        self.assert_finds("datum.7.md: BUILDING A PROGRAM does not name Datum::dat3",
                          "datum.7.md: BUILDING A PROGRAM does not name dat3")

    def test_a_function_of_the_extensions_without_a_page(self):
        self.add(EXTENSIONS, "DAT_RETURN dat_ib_new_call(DAT_HANDLE handle);\n")
        self.assert_finds("dat2/dat_ib_extensions.h: dat_ib_new_call has no page")

    def test_a_macro_of_the_extensions_without_a_page(self):
        self.add(EXTENSIONS, "#define dat_ib_new_call(ep) dat_extension_op((ep), 99)\n")
        self.add("docs/man/dat2.7.md", "\ndat_ib_new_call is named, which is no page.\n")
        self.assert_finds("dat2/dat_ib_extensions.h: dat_ib_new_call has no page")

    def test_types_and_constants_that_no_page_names(self):
        self.add("include/dat2/dat.h", "#define DAT_NEW_LIMIT 7\n"
                 "typedef enum dat_new { DAT_NEW_FIRST = 0, /* not DAT_NEW_OTHER */\n"
                 "  DAT_NEW_SECOND } DAT_NEW;\ntypedef DAT_UINT32 DAT_NEW_NUMBER;\n")
        self.assert_finds(*(f"dat2/dat.h: no page names {name}" for name in (
            "DAT_NEW", "DAT_NEW_FIRST", "DAT_NEW_LIMIT", "DAT_NEW_NUMBER", "DAT_NEW_SECOND")))

    def test_a_page_of_a_call_without_a_section(self):
        page = self.tree / "docs/man/dat_cno_trigger.3.md"
        page.write_text(page.read_text().replace("# THREADS", "# ASIDE"))
        self.assert_finds("dat_cno_trigger.3.md: has no section THREADS")

    def test_a_page_of_an_object_with_states_that_tells_none(self):
        page = self.tree / "docs/man/dat_evd_wait.3.md"
        page.write_text(page.read_text().replace("# STATES", "# ASIDE"))
        self.assert_finds("dat_evd_wait.3.md: has no section STATES")

    def test_a_list_may_leave_out_how_its_first_name_begins(self):
        self.add("include/dat2/dat.h", "enum { DAT_NEW_FIRST = 0, DAT_NEW_SECOND, DAT_NEWER };\n")
        self.add("docs/man/dat2.7.md", "\nDAT_NEW_FIRST, _SECOND\n")
        self.assert_finds("dat2/dat.h: no page names DAT_NEWER")

    def test_rules_of_the_default_mode_are_rules_of_their_own(self):
        already = self.check()[1]
        self.add("tests/rules/dat_evd_wait.rules",
                 "dat_evd_wait.R98 | strict | api\ndat_evd_wait.R98.default | as it is | api\n")
        self.add("docs/man/dat_evd_wait.3.md", "\nStrict mode refuses (R98).\n")
        lacks = "dat_evd_wait.3.md: does not state dat_evd_wait.R98.default"
        self.assertEqual(self.check(), (1, sorted([*already, lacks])))
        self.add("docs/man/dat_evd_wait.3.md", "\nElse all is well (R98.default, R97.default).\n")
        unknown = "dat_evd_wait.3.md: there is no rule R97.default"
        self.assertEqual(self.check(), (1, sorted([*already, unknown])))


if __name__ == "__main__":
    unittest.main()

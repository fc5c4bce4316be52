#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""docs/man/check_pages.py notices three faults: a declaration in a header of DAT 2.0 that no page
names, a part that a page lacks, and a SYNOPSIS that shows what no header declares."""

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
        # Another test compiles the examples in the pages.
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

    def test_a_page_that_the_overview_does_not_have(self):
        shutil.copy(self.tree / "docs/man/dat-ping.1.md", self.tree / "docs/man/dat-pong.1.md")
        self.replace("dat-pong.1.md", "dat-ping - ask", "dat-pong - ask")
        self.assert_finds("README.md: has no row | [dat-pong](dat-pong.1.md) | "
                          "ask whether a DAT connection works, and how fast |")

    def test_a_row_of_the_overview_that_is_not_the_name_of_its_page(self):
        row = "| [dat_ia_close](dat_ia_close.3.md) | close an interface adapter |"
        other = row.replace("close", "end")
        self.replace("README.md", row, other)
        self.assert_finds(f"README.md: has no row {row}", f"README.md: one too many: {other}")
        self.replace("README.md", other, f"{row}\n{row}")
        self.assert_finds(f"README.md: one too many: {row}")

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

    def replace(self, page, old, new):
        path = self.tree / "docs/man" / page
        text = path.read_text()
        self.assertIn(old, text)
        path.write_text(text.replace(old, new, 1))

    def test_a_signature_that_is_not_that_of_its_header(self):
        self.replace("dat_cno_free.3.md", "dat_cno_free(DAT_CNO_HANDLE ", "dat_cno_free(DAT_HANDLE ")
        self.assert_finds(*(f"dat_cno_free.3.md: SYNOPSIS: DAT_RETURN dat_cno_free(DAT_HANDLE cno_handle) "
                            f"is not what the headers of {version} declare" for version in ("DAT 1.2", "DAT 2.0")))

    def test_a_signature_of_the_other_version(self):
        self.replace("dat_cr_reject.3.md", "#include <dat2/udat.h>\n", "#include <dat/udat.h>\n")
        call = ("DAT_RETURN dat_cr_reject(DAT_CR_HANDLE cr_handle,DAT_COUNT private_data_size,"
                "const DAT_PVOID private_data)")
        self.assert_finds(f"dat_cr_reject.3.md: SYNOPSIS: {call} is not what the headers of DAT 1.2 declare",
                          f"dat_cr_reject.3.md: SYNOPSIS: {call} of DAT 2.0 is missing")

    def test_a_call_that_is_shown_of_one_version_only(self):
        self.replace("dat_cno_free.3.md", "; for DAT 2.0 <dat2/udat.h>", "")
        self.assert_finds("dat_cno_free.3.md: SYNOPSIS: DAT_RETURN dat_cno_free(DAT_CNO_HANDLE cno_handle) "
                          "of DAT 2.0 is missing")

    def test_a_signature_without_the_name_of_its_version(self):
        self.replace("dat_cr_reject.3.md", "**DAT 2.0**\n", "")
        self.assert_finds("dat_cr_reject.3.md: SYNOPSIS: a block of one version does not stand under **DAT 2.0**")

    def test_a_macro_that_its_header_defines_otherwise(self):
        self.replace("dat_ib_query_counters.3.md", "dat_ib_start_counter(DAT_HANDLE dat_handle, ",
                     "dat_ib_start_counter(DAT_HANDLE handle, ")
        self.assert_finds("dat_ib_query_counters.3.md: SYNOPSIS: DAT_RETURN dat_ib_start_counter(DAT_HANDLE handle,"
                          "DAT_IA_COUNTER_TYPE type) is not what the headers of DAT 2.0 declare")

    def test_a_type_that_differs_in_silence(self):
        self.replace("dat_evd_wait.3.md", "A DAT_EVENT has 48 bytes", "An event has 48 bytes")
        self.assert_finds("dat_evd_wait.3.md: SYNOPSIS: no text says that DAT_EVENT differs "
                          "between DAT 1.2 and DAT 2.0")

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
        self.replace("dat_evd_wait.3.md", "| R1: ", "| R98: strict mode refuses\n| R1: ")
        lacks = "dat_evd_wait.3.md: does not state dat_evd_wait.R98.default"
        self.assertEqual(self.check(), (1, sorted([*already, lacks])))
        self.replace("dat_evd_wait.3.md", "| R1: ", "| R98.default, R97.default: else all is well\n| R1: ")
        unknown = "dat_evd_wait.3.md: there is no rule R97.default"
        self.assertEqual(self.check(), (1, sorted([*already, unknown])))

    def test_a_rule_without_its_line(self):
        self.replace("dat_evd_wait.3.md", "| R1: ", "R1: ")
        self.assert_finds("dat_evd_wait.3.md: does not state dat_evd_wait.R1")

    def test_a_rule_in_the_prose_of_a_call(self):
        self.replace("dat_evd_wait.3.md", "*nmore* is NULL.", "*nmore* is NULL (R5, EVENT.1).")
        self.assert_finds(*(f"dat_evd_wait.3.md: names {tag} outside of RULES" for tag in ("R5", "EVENT.1")))


if __name__ == "__main__":
    unittest.main()

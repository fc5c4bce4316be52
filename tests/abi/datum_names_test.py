#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""<datum/names.h> names each enumerator of the headers of DAT: datum_names_test.py SOURCE_DIR CC CXX

The enumerators are read from the headers, so a new enumerator without a name fails. The programs are built as C99 and
as C++11 for both versions, and linked with no library.
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

CXX = sys.argv.pop()
CC = sys.argv.pop()
INCLUDE = pathlib.Path(sys.argv.pop()) / "include"
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wsign-conversion", "-Wswitch-enum", "-Wshadow", "-Wundef",
          "-Werror", f"-I{INCLUDE}"]
LANGUAGES = ([CC, "-x", "c", "-std=c99"], [CXX, "-x", "c++", "-std=c++11", "-Wold-style-cast"])
# Function, enumeration, header, and the name of an unknown value.
TYPES = (("datum_event_name", "DAT_EVENT_NUMBER", "dat.h", "unknown event"),
         ("datum_dto_status_name", "DAT_DTO_COMPLETION_STATUS", "dat.h", "unknown DTO status"),
         ("datum_ep_state_name", "DAT_EP_STATE", "dat.h", "unknown endpoint state"),
         ("datum_handle_type_name", "DAT_HANDLE_TYPE", "udat.h", "unknown handle type"))
# The first number of extensions. InfiniBand's first number is an event and gets that event's name.
BOUND = "DAT_IB_EXTENSION_RANGE_BASE"


def enumerators(header, enumeration):
    """The name and the number of each enumerator."""
    text = re.sub(r"/\*.*?\*/", "", (INCLUDE / header).read_text(), flags=re.S)
    body = re.search(rf"enum \w+ \{{([^}}]*)\}} {enumeration};", text)[1]
    return [(name, int(number, 0)) for name, number in re.findall(r"(\w+) = (\w+)", body)]


def named(version, header, enumeration):
    found = enumerators(f"{version}/{header}", enumeration)
    if version == "dat2" and enumeration == "DAT_EVENT_NUMBER":
        found += enumerators("dat2/dat_ib_extensions.h", "DAT_IB_EVENT_NUMBER")
    return [(name, number) for name, number in found if name != BOUND]


def unit(version, function, enumeration, body, rest=""):
    """A source file that prints names. The number arrives as a provider stores it, even if the type has
    no such value."""
    return (f"#include <{version}/udat.h>\n#include <datum/names.h>\n#include <stdio.h>\n#include <string.h>\n{rest}"
            f"static void put(unsigned int number) {{\n  {enumeration} value;\n"
            f"  memcpy(&value, &number, sizeof value);\n  puts({function}(value));\n}}\n{body}")


class Names(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.work = pathlib.Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def compiled(self, language, *units):
        objects = []
        for number, text in enumerate(units):
            objects.append(self.work / f"{number}.o")
            subprocess.run([*language, *STRICT, "-c", "-", "-o", objects[-1]], input=text, text=True, check=True)
        program = self.work / "program"
        subprocess.run([language[0], *objects, "-o", program], check=True)
        return subprocess.run([program], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()

    def assert_names(self, version, function, enumeration, expected):
        calls = "".join(f"put({number});\n" for _, number in expected)
        program = unit(version, function, enumeration, f"int main(void) {{\n{calls}return 0;\n}}\n")
        for language in LANGUAGES:
            self.assertEqual(self.compiled(language, program), [name for name, _ in expected])

    def test_each_enumerator_of_both_versions_has_its_name(self):
        for version in ("dat", "dat2"):
            for function, enumeration, header, _ in TYPES:
                expected = named(version, header, enumeration)
                self.assertGreater(len(expected), 10, enumeration)
                self.assert_names(version, function, enumeration, expected)

    def test_what_only_dat_2_has_is_unknown_to_dat_1(self):
        for function, enumeration, header, unknown in TYPES:
            known = {number for _, number in named("dat", header, enumeration)}
            newer = [number for _, number in named("dat2", header, enumeration) if number not in known]
            self.assertTrue(newer, enumeration)
            self.assert_names("dat", function, enumeration, [(unknown, number) for number in newer])

    def test_an_unknown_value_is_called_so(self):
        for version in ("dat", "dat2"):
            for function, enumeration, _, unknown in TYPES:
                self.assert_names(version, function, enumeration, [(unknown, "0x7fffffff")])

    def test_files_of_both_versions_in_one_program_keep_their_names(self):
        names, declared = ("datum_handle_type_name", "DAT_HANDLE_TYPE"), "void old(void);\n"
        first = unit("dat", *names, "void old(void) { put(11); }\n", declared)
        second = unit("dat2", *names, "int main(void) {\nold();\nput(11);\nreturn 0;\n}\n", declared)
        for language in LANGUAGES:
            self.assertEqual(self.compiled(language, first, second), ["unknown handle type", "DAT_HANDLE_TYPE_CSP"])

    def test_without_a_header_of_dat_it_says_what_to_include(self):
        done = subprocess.run([*LANGUAGES[0], *STRICT, "-fsyntax-only", "-"], input="#include <datum/names.h>\n",
                              capture_output=True, text=True, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("include <dat/udat.h> (DAT 1.2) or <dat2/udat.h> (DAT 2.0) before <datum/names.h>", done.stderr)


if __name__ == "__main__":
    unittest.main()

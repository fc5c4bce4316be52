#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""packaging/debian agrees with the tree: version, exported names, pages, needed packages, tests.

That each installed file is in a package is checked when they are built (dh_missing).
"""
import os
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop())
DEBIAN = ROOT / "packaging/debian"


def read(path):
    return (ROOT / path).read_text()


def exported(version_script):
    """NAME@NODE for each name, and NODE@NODE for each node, because a node is an exported name, too."""
    found = set()
    text = re.sub(r"#.*", "", read(version_script))
    for node, body in re.findall(r"(\S+) \{(.*?)\}", text, re.S):
        names = re.findall(r"(\w+);", re.sub(r"local:.*", "", body, flags=re.S))
        found |= {f"{name}@{node}" for name in (node, *names)}
    return found


def symbols(package):
    lines = (DEBIAN / f"{package}.symbols").read_text().splitlines()
    return {line.split()[0]: line.split()[1:] for line in lines if line.startswith(" ")}


class Debian(unittest.TestCase):
    def test_the_version_is_that_of_cmake(self):
        version = re.search(r"^project\(datum VERSION (\S+)", read("CMakeLists.txt"), re.M)[1]
        packaged = re.match(r"datum \((.*)-[^-]+\)", read("packaging/debian/changelog"))
        self.assertEqual(packaged and packaged[1], version, "add an entry to packaging/debian/changelog")

    def test_the_symbols_are_those_of_the_version_scripts(self):
        for package, script in (("libdat1", "src/registry/libdat.map"), ("libdat2-2", "src/registry/libdat2.map"),
                                ("libdatum1", "src/memory/datum.map")):
            self.assertEqual(set(symbols(package)), exported(script), package)

    def test_only_what_libdapl2_has_may_be_had_from_it(self):
        for name, (_, *template) in symbols("libdat2-2").items():
            self.assertEqual(template, [] if name.endswith("@DAT_2.0") else ["1"], name)

    def test_each_page_of_section_7_is_in_one_package(self):
        held = [line for package in ("datum-utils", "libdatum-dev")
                for line in (DEBIAN / f"{package}.install").read_text().splitlines() if "/man7/" in line]
        pages = [f"usr/share/man/man7/{page.stem}" for page in (ROOT / "docs/man").glob("*.7.md")]
        self.assertEqual(sorted(held), sorted(pages))

    def test_what_a_build_needs_is_in_build_depends(self):
        source = read("packaging/debian/control").split("\n\n")[0]
        listed = subprocess.run([ROOT / "scripts/deps.sh", "--list", "build"], capture_output=True, text=True,
                                check=True)
        needed = {line.split()[1] for line in listed.stdout.splitlines()} - {"g++"}  # build-essential
        self.assertEqual(needed - set(re.findall(r"^ ([^\s,]+)", source, re.M)), set())

    def test_each_autopkgtest_is_a_program(self):
        for name in re.findall(r"^Tests: (\S+)$", read("packaging/debian/tests/control"), re.M):
            self.assertTrue(os.access(DEBIAN / "tests" / name, os.X_OK), name)


if __name__ == "__main__":
    unittest.main()

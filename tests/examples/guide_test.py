#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""docs/guide and README.md show what is there: guide_test.py SOURCE_DIR PROGRAMS_DIR

    <!-- listing: FILE REGION -->  the block that follows is the region of that file, from "// guide: REGION" to
                                   "// guide: end", moved to the left
    <!-- run -->                   a command, and in a second block all that it prints
    <!-- run: excerpt -->          a command, and some of the lines that it prints
    <!-- as in README.md -->       commands that README.md has, where another test runs them

Two processes print in any order, so the order of lines is not compared. Numbers are not compared,
because they are numbers of processes and ports. A host before its port may have any address. Every
block of C is a listing.
"""

import collections
import fnmatch
import os
import pathlib
import re
import subprocess
import sys
import textwrap
import unittest

PROGRAMS = pathlib.Path(sys.argv.pop()).resolve()
ROOT = pathlib.Path(sys.argv.pop()).resolve()
PAGES = sorted((ROOT / "docs/guide").glob("*.md"))
BLOCK = r"```{language}\n(.*?)^```$\n?"
LISTING = re.compile(r"<!-- listing: (\S+) (\S+) -->\n" + BLOCK.format(language="c"), re.M | re.S)
RUN = re.compile(r"<!-- run(: excerpt)? -->\n" + BLOCK.format(language="sh") + BLOCK.format(language="text"), re.M | re.S)
AS_IN_README = re.compile(r"<!-- as in README.md -->\n" + BLOCK.format(language="sh"), re.M | re.S)


def region(file, name):
    found = re.search(rf"^ *// guide: {re.escape(name)}\n(.*?)^ *// guide: end$", (ROOT / file).read_text(), re.M | re.S)
    return textwrap.dedent(found[1]) if found else None


def lines(text):
    """How often each line occurs, without its numbers and addresses."""
    bare = re.sub(r"(?<!0x)\b\d+\b", "N", re.sub(r"with \S+ port", "with HOST port", text))
    return collections.Counter(bare.splitlines())


def printed(command):
    """What a command of the guide prints, on both of its streams."""
    here = command.replace("build/release/bin", str(PROGRAMS))
    environment = {name: value for name, value in os.environ.items() if not name.startswith("DATUM_")}
    environment["DAT_OVERRIDE"] = "/dev/null"
    return subprocess.run(["bash", "-c", here], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=30,
                          env=environment, check=False).stdout


class Guide(unittest.TestCase):
    def each(self, expression):
        """All matches on all pages. There must be a match, or the expression is wrong."""
        found = [(page.name, match) for page in PAGES for match in expression.finditer(page.read_text())]
        self.assertTrue(found)
        return found

    def test_listings_are_regions_of_the_examples(self):
        for page, match in self.each(LISTING):
            self.assertEqual(match[3], region(match[1], match[2]), f"{page}: {match[1]} {match[2]}")

    def test_all_c_is_a_listing_and_all_markers_are_understood(self):
        for page in PAGES:
            text = page.read_text()
            self.assertEqual(text.count("```c\n"), len(LISTING.findall(text)), page.name)
            understood = sum(len(expression.findall(text)) for expression in (LISTING, RUN, AS_IN_README))
            self.assertEqual(text.count("<!--"), understood, page.name)

    def test_all_regions_are_shown(self):
        shown = {(match[1], match[2]) for _, match in self.each(LISTING)}
        there = {(f"examples/{file.name}", name) for file in (ROOT / "examples").glob("*.[ch]")
                 for name in re.findall(r"// guide: (\S+)", file.read_text()) if name != "end"}
        self.assertEqual(shown, there)

    def test_commands_print_what_is_shown(self):
        for page, match in self.each(RUN):
            shown, said = lines(match[3]), lines(printed(match[2]))
            if match[1]:
                self.assertEqual(shown - said, collections.Counter(), f"{page}: {match[2]}{said}")
            else:
                self.assertEqual(shown, said, f"{page}: {match[2]}")

    def test_commands_of_the_readme_are_its_commands(self):
        readme = (ROOT / "README.md").read_text()
        for page, match in self.each(AS_IN_README):
            for command in match[1].splitlines():
                self.assertRegex(readme, rf"(?m)^{re.escape(command)}( +#.*)?$", page)

    def test_the_readme_shows_what_the_demo_says(self):
        said = re.findall(r'^echo "(.*)"$', (ROOT / "scripts/demo.sh").read_text(), re.M)
        wildcards = [re.sub(r"\$\([^()]*\)|\$\w+", "*", line) for line in said]
        (shown,) = re.findall(BLOCK.format(language="text"), (ROOT / "README.md").read_text(), re.M | re.S)
        for line in shown.splitlines():
            self.assertTrue(any(fnmatch.fnmatchcase(line, each) for each in wildcards), line)

    def test_the_program_of_the_readme_is_the_example(self):
        found = re.search(r"^## A first program\n.*?" + BLOCK.format(language="c"), (ROOT / "README.md").read_text(),
                          re.M | re.S)
        self.assertEqual(found[1], region("examples/first.c", "program"))

    def test_links_lead_somewhere(self):
        for page in PAGES:
            for link in re.findall(r"\]\(([^)#:]+)[^):]*\)", page.read_text()):
                self.assertTrue((page.parent / link).exists(), f"{page.name}: {link}")


if __name__ == "__main__":
    unittest.main()

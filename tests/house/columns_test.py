#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The prose of documents has lines of at most 100 columns, so that two pages fit beside each other.

Not checked is what cannot be wrapped or is not ours to wrap: code, tables, headings, titles, comments, the
targets of links, terms of a list of definitions, and a word that is longer than a line. The text that a
script writes is not checked either: whole pages, or the lines between
"<!-- bench.sh writes from here -->" and "<!-- bench.sh wrote up to here -->".
"""

import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop())
COLUMNS = 100
WRITTEN_BY_SCRIPTS = ("docs/design/states.md",)
FENCE = re.compile(r"\s*(```+|~~~+)")
ITEM = re.compile(r"^(?:[*+-]|\d+[.)]|:)\s")
WRITES, WROTE = (re.compile(rf"<!-- \S+ {word} ") for word in ("writes", "wrote"))
ALONE = re.compile(r"#|%|\|.*\|$|\[[^\]]+\]: |<!--")


class Reader:
    """Reads the lines of a page and decides for each line whether it is prose."""

    def __init__(self):
        self.fence = None  # the line that ends the block of code
        self.written = False  # true: a script wrote this line
        self.inside = False  # true: inside a list, where indented text is no code

    def is_prose(self, line):
        text = line.strip()
        if self.fence:
            self.fence = None if text.startswith(self.fence) else self.fence
            return False
        if fence := FENCE.match(line):
            self.fence = fence[1]
            return False
        self.written = not WROTE.match(line) if self.written else bool(WRITES.match(line))
        if self.written or not text or ALONE.match(text):
            return False
        if ITEM.match(text):
            self.inside = True
        elif not line.startswith(" "):
            self.inside = False
        return self.inside or not line.startswith("    ")


def is_term(lines, at):
    """Is this the term of a definition, which pandoc wants on one line?"""
    behind = next((line.strip() for line in lines[at + 1:] if line.strip()), "")
    return behind.startswith(":   ") and not ITEM.match(lines[at].strip())


def can_be_wrapped(line):
    return " " in ITEM.sub("", line.strip(), count=1).removeprefix("| ")


def long_lines(page):
    lines, reader = page.splitlines(), Reader()
    return [number for number, line in enumerate(lines, 1)
            if reader.is_prose(line) and len(line) > COLUMNS and can_be_wrapped(line)
            and not is_term(lines, number - 1)]


WORDS = "word " * 20 + "words"  # 105 columns


class Columns(unittest.TestCase):
    maxDiff = None  # names each line that is too long

    def test_no_prose_is_longer(self):
        pages = sorted([*ROOT.glob("*.md"), *(ROOT / "examples").glob("*.md"), *(ROOT / "docs").rglob("*.md")])
        self.assertTrue(pages)
        names = {page: page.relative_to(ROOT).as_posix() for page in pages}
        self.assertEqual([], [f"{names[page]}:{number}: more than {COLUMNS} columns" for page in pages
                              if names[page] not in WRITTEN_BY_SCRIPTS for number in long_lines(page.read_text())])

    def test_long_prose_is_found(self):
        for page in (WORDS, f"* {WORDS}", f"1. a\n\n    {WORDS}", f"term\n:   {WORDS}", f"    code\n\n{WORDS}",
                     f"```\n{WORDS}\n```\n{WORDS}", f"| R1: {WORDS}", f"> {WORDS}"):
            self.assertEqual([page.count("\n") + 1], long_lines(page), page)

    def test_100_columns_are_not_too_many(self):
        self.assertEqual([], long_lines("x " * 49 + "xx"))
        self.assertEqual([1], long_lines("x " * 49 + "xxx"))

    def test_what_is_no_prose_is_left_alone(self):
        for page in (f"```c\n{WORDS}\n```", f"text\n\n    {WORDS}", f"| {WORDS} |", f"## {WORDS}", f"% {WORDS}",
                     f"[name]: {WORDS}", f"<!-- {WORDS} -->", f"{WORDS}\n:   what it is", "x" * 101,
                     "* " + "x" * 101):
            self.assertEqual([], long_lines(page), page)

    def test_what_a_script_writes_is_left_alone(self):
        page = f"<!-- bench.sh writes from here -->\n{WORDS}\n<!-- bench.sh wrote up to here -->\n"
        self.assertEqual([], long_lines(page))
        self.assertEqual([4], long_lines(page + WORDS))


if __name__ == "__main__":
    unittest.main()

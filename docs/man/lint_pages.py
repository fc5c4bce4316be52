#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Has mandoc judge the rendered manual pages; --mandoc is the program, PAGE... are the files.

Warnings about what pandoc always writes are left out: every reader of pages copes with it.
A table has to fit into a terminal of 80 columns, which mandoc does not tell.
"""
import argparse
import re
import subprocess
import sys

PANDOC = (
    "skipping paragraph macro: PP after S",  # a paragraph begins where a section just began
    "invalid escape sequence: \\f[C]",  # groff's name of the constant-width font
    'missing date, using "": TH',  # a page's date would be that of its rendering
)

ROOM = 71  # man(1) lays out 78 columns in such a terminal, and indents by 7
GAP = 3  # between two columns of a table


def plain(text):
    """The text without its fonts, and each other escape as the one character that it stands for."""
    text = re.sub(r"\\f\[\w*\]", "", text)
    return re.sub(r"\\\[\w+\]|\\.", "x", text)


def cells(row):
    """For each cell of a row of a table the parts that are not broken: a block of text is broken at
    its blanks."""
    if "T{" not in row:
        return [[plain(cell.strip())] for cell in row.split("@")]
    return [plain(cell).split() for cell in re.findall(r"T\{\n(.*?)T\}", row, re.S)]


def table_width(table):
    """How many columns of a terminal the table needs, which a word that is too long may widen."""
    layout, body = re.match(r"tab\(@\);\n(.*?)\.\n(.*)", table, re.S).groups()
    columns = layout.split()
    widths = [float(re.search(r"w\((.*?)n\)", c)[1]) if "w" in c else 0 for c in columns]
    rows = re.findall(r"(?:T\{\n.*?T\}@?)+\n|[^\n]+\n", body, re.S)
    for row in rows:
        for i, parts in enumerate(cells(row)):
            widths[i] = max([widths[i], *map(len, parts)])
    return sum(widths) + GAP * (len(columns) - 1)


def wide_tables(page):
    """A line for each table of the page that is too wide."""
    with open(page, encoding="utf-8") as file:
        tables = re.findall(r"^\.TS\n(.*?)^\.TE", file.read(), re.S | re.M)
    return [f"{page}: a table needs {width:g} columns and has {ROOM}: {plain(table)[:60]!r}..."
            for table in tables if (width := table_width(table)) > ROOM + 0.5]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mandoc", required=True)
    parser.add_argument("pages", nargs="+", metavar="PAGE")
    options = parser.parse_args()
    command = [options.mandoc, "-T", "lint", "-W", "warning", *options.pages]
    lint = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    findings = [line for line in lint.stdout.splitlines()
                if not any(habit in line for habit in PANDOC)]
    for page in options.pages:
        findings += wide_tables(page)
    for line in findings:
        print(line)
    print(f"lint: {len(options.pages)} pages, {len(findings)} findings")
    unread = lint.returncode > 4  # wrong arguments, or files that are not there
    return 1 if findings or unread else 0


if __name__ == "__main__":
    sys.exit(main())

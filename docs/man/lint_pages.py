#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Has mandoc judge the rendered manual pages; --mandoc is the program, PAGE... are the files.

Warnings about what pandoc always writes are left out: every reader of pages copes with it.
"""
import argparse
import subprocess
import sys

PANDOC = (
    "skipping paragraph macro: PP after S",  # a paragraph begins where a section just began
    "invalid escape sequence: \\f[C]",  # groff's name of the constant-width font
    'missing date, using "": TH',  # a page's date would be that of its rendering
)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mandoc", required=True)
    parser.add_argument("pages", nargs="+", metavar="PAGE")
    options = parser.parse_args()
    command = [options.mandoc, "-T", "lint", "-W", "warning", *options.pages]
    lint = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    findings = [line for line in lint.stdout.splitlines()
                if not any(habit in line for habit in PANDOC)]
    for line in findings:
        print(line)
    print(f"lint: {len(options.pages)} pages, {len(findings)} findings")
    unread = lint.returncode > 4  # wrong arguments, or files that are not there
    return 1 if findings or unread else 0


if __name__ == "__main__":
    sys.exit(main())

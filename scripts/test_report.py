#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Sums up a ctest run: test_report.py BUILD_DIR RESULTS.xml SKIPS.txt

Prints each failed test with the line that reruns it, each skipped one with its reason, and last
`N passed, N failed, N skipped`. Exit 1: something failed, was skipped without standing on the
list of skips, or nothing ran at all.

A test that is a whole program of GoogleTest passes whatever it skips. What it skipped stands in
BUILD_DIR/program-results (datum_add_program_test in tests/CMakeLists.txt), and counts besides.
"""

import fnmatch
import pathlib
import re
import sys
import xml.etree.ElementTree as ET


def read_skips(path):
    """Lines `pattern: reason`; a line without a reason is an error, not a permission."""
    skips = []
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            pattern, colon, reason = line.partition(": ")
            if not colon or not reason.strip():
                sys.exit(f"{path}:{number}: expected `pattern: reason`, found `{line}`")
            skips.append((pattern, reason.strip()))
    return skips


def classify(case):
    """ctest also says "notrun" of a test that it could not start: that one failed."""
    if case.get("status") == "run":
        return "passed"
    skipped = case.find("skipped")
    by_choice = skipped is not None and skipped.get("message", "").startswith("SKIP_")
    return "skipped" if by_choice or case.get("status") == "disabled" else "failed"


def skip_reason(case):
    """What the test itself said: GoogleTest prints it on the line after `Skipped`."""
    if case.get("status") == "disabled":
        return "disabled"
    output = case.findtext("system-out") or ""
    found = re.search(r"Skipped\n(.+)", output)
    if found:
        return found.group(1).strip()
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return lines[-1] if lines else "no reason given"


def skipped_inside(build, case):
    """(name, reason) of each test that a whole program skipped, named as if it were a test of its own."""
    name = case.get("name")
    results = pathlib.Path(build, "program-results", name + ".xml")
    if not results.exists():
        # GoogleTest sums up also where it does not name them.
        count = re.search(r"^\[  SKIPPED \] (\d+) tests?", case.findtext("system-out") or "", re.M)
        return [(name, f"{count.group(1)} inside it, which wrote no {results}")] if count else []
    prefix = re.match(r"(.*[/.])?", name).group()
    skipped = []
    for test in ET.parse(results).getroot().iter("testcase"):
        if test.get("result") == "skipped":
            reason = (test.find("skipped").get("message") or "").strip().splitlines()
            skipped.append((f"{prefix}{test.get('classname')}.{test.get('name')}",
                            reason[-1] if reason else "no reason given"))
    return skipped


def rerun_line(build, name):
    pattern = re.sub(r"([][.*+?^$()|\\])", r"\\\1", name)
    return f"ctest --test-dir {build} --output-on-failure -R '^{pattern}$'"


def main(build, results, skips_path):
    skips = read_skips(skips_path)
    try:
        cases = list(ET.parse(results).getroot().iter("testcase"))
    except (OSError, ET.ParseError) as error:
        sys.exit(f"{results}: {error} (did ctest end before it wrote its results?)")
    by_class = {"passed": [], "failed": [], "skipped": []}
    for case in cases:
        by_class[classify(case)].append(case)

    skipped = [(case.get("name"), skip_reason(case)) for case in by_class["skipped"]]
    try:
        for case in by_class["passed"]:
            skipped += skipped_inside(build, case)
    except ET.ParseError as error:
        sys.exit(f"{case.get('name')}: what it wrote of itself is none of GoogleTest's: {error}")

    unlisted = 0
    if skipped:
        print("\nskipped:")
    for name, reason in skipped:
        listed = any(fnmatch.fnmatchcase(name, pattern) for pattern, _ in skips)
        unlisted += not listed
        print(f"  {name}: {reason}" + ("" if listed else f"   [not in {skips_path}]"))
    if by_class["failed"]:
        print("\nfailed, with the line that reruns just that test:")
    for case in by_class["failed"]:
        name = case.get("name")
        print(f"  {name}\n    {rerun_line(build, name)}")

    if unlisted:
        print(f"\n{unlisted} skipped without standing in {skips_path} with a reason: that fails")
    print(
        f"\n{len(by_class['passed'])} passed, {len(by_class['failed'])} failed, "
        f"{len(skipped)} skipped"
    )
    return 1 if by_class["failed"] or unlisted or not cases else 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Sums up a ctest run: test_report.py BUILD_DIR RESULTS.xml SKIPS.txt

Prints each skipped test with its reason, each failed one with the line that reruns it and what it said,
and last `N passed, N failed, N skipped`. Exit 1: something failed, was skipped without standing on the
list of skips, or nothing ran at all.

A test of ctest may be a whole program of GoogleTest (tests/WholePrograms.cmake). What became of the tests
inside stands in BUILD_DIR/program-results: they are counted and named as if each were one of ctest.
"""

import fnmatch
import json
import pathlib
import re
import shlex
import subprocess
import sys
import xml.etree.ElementTree as ET

LINES_OF_A_FAILURE = 12
MANY = 10  # tests skipped for one reason: they get one line


def read_skips(path):
    """Reads lines `pattern: reason`. A line without a reason is an error, not a permission."""
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
    """The outcome of a test. ctest also reports "notrun" for a test that it could not start: such a test failed."""
    if case.get("status") == "run":
        return "passed"
    skipped = case.find("skipped")
    by_choice = skipped is not None and skipped.get("message", "").startswith("SKIP_")
    return "skipped" if by_choice or case.get("status") == "disabled" else "failed"


def skip_reason(case):
    """The reason that the test gave. GoogleTest prints it on the line after `Skipped`."""
    if case.get("status") == "disabled":
        return "disabled"
    output = case.findtext("system-out") or ""
    found = re.search(r"Skipped\n(.+)", output)
    if found:
        return found.group(1).strip()
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return lines[-1] if lines else "no reason given"


def prefix_of(program):
    """The prefix that ctest would give to the names of the tests inside the program."""
    return re.match(r"(.*[/.])?", program).group()


def end_of(output):
    """The last lines that are not empty."""
    return [line.rstrip() for line in (output or "").splitlines() if line.strip()][-LINES_OF_A_FAILURE:]


def inside(build, program):
    """(name, result, output) of each test of a whole program. Nothing if this is not such a program, or if it ended too
    early."""
    results = pathlib.Path(build, "program-results", program + ".xml")
    if not results.exists():
        return []
    tests = []
    for test in ET.parse(results).getroot().iter("testcase"):
        name = f"{prefix_of(program)}{test.get('classname')}.{test.get('name')}"
        if test.get("status") != "run":
            if test.get("name").startswith("DISABLED_"):  # the others are those of another filter
                tests.append((name, "skipped", "disabled"))
        elif test.find("failure") is not None:
            said = "\n".join(failure.get("message") or "" for failure in test.iter("failure"))
            tests.append((name, "failed", said))
        elif test.get("result") == "skipped":
            reason = (test.find("skipped").get("message") or "").strip().splitlines()
            tests.append((name, "skipped", reason[-1] if reason else "no reason given"))
        else:
            tests.append((name, "passed", ""))
    return tests


def skipped_silently(case):
    """GoogleTest prints how many tests it skipped, even if nothing says which tests."""
    count = re.search(r"^\[  SKIPPED \] (\d+) tests?", case.findtext("system-out") or "", re.M)
    return f"{count.group(1)} inside it, which wrote no program-results" if count else None


def rerun_line(build, name):
    pattern = re.sub(r"([][.*+?^$()|\\])", r"\\\1", name)
    return f"ctest --test-dir {build} --output-on-failure -R '^{pattern}$'"


def commands(build):
    """The command that ctest runs for each test."""
    asked = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"],
                           capture_output=True, text=True, check=False)
    try:
        return {test["name"]: test.get("command", []) for test in json.loads(asked.stdout)["tests"]}
    except (ValueError, LookupError) as error:
        sys.exit(f"{build}: ctest does not say what it runs: {asked.stderr.strip() or error}")


def is_whole_program(command):
    return any(word.startswith("--gtest_output=xml:") for word in command)


def rerun_inside(command, program, name):
    """The command of the program for this test alone, without the options that shorten its output."""
    words = [word for word in command if not word.startswith("--gtest_")]
    return shlex.join([*words, f"--gtest_filter={name.removeprefix(prefix_of(program))}"])


class Sum:
    """The summary at the end of a run."""

    def __init__(self, build):
        self.build = build
        self.commands = commands(build)
        self.passed = 0
        self.failed = []  # (name, the line that reruns it, the lines it said)
        self.skipped = []  # (name, reason)

    def add(self, case):
        name, outcome = case.get("name"), classify(case)
        if outcome == "skipped":
            self.skipped.append((name, skip_reason(case)))
            return
        command = self.commands.get(name, [])
        tests = inside(self.build, name) if is_whole_program(command) else []
        self.passed += sum(result == "passed" for _, result, _ in tests)
        self.skipped += [(test, reason) for test, result, reason in tests if result == "skipped"]
        failed = [(test, said) for test, result, said in tests if result == "failed"]
        self.failed += [(test, rerun_inside(command, name, test), said.splitlines()[:LINES_OF_A_FAILURE])
                        for test, said in failed]
        if outcome == "failed" and not failed:
            # No program; or one that ended in the midst of a test, or after all of them.
            self.failed.append((name, rerun_line(self.build, name), end_of(case.findtext("system-out"))))
        elif outcome == "passed" and is_whole_program(command):
            if not any(result != "skipped" or reason != "disabled" for _, result, reason in tests):
                # It ended before it wrote its results, or its filter left nothing to run.
                self.failed.append((f"{name} (ran none of its tests)", rerun_line(self.build, name), []))
        elif outcome == "passed":
            self.passed += 1
            silent = skipped_silently(case)
            if silent:
                self.skipped.append((name, silent))


def by_reason(skipped, unlisted):
    """(names, reason), in the order of ctest. Many tests with the same reason are put together, except
    unlisted tests."""
    names_of = {}
    for name, reason in skipped:
        names_of.setdefault(reason if name not in unlisted else name, []).append(name)
    for name, reason in skipped:
        together = names_of[reason] if name not in unlisted else []
        if len(together) < MANY:
            yield [name], reason
        elif name == together[0]:
            yield together, reason


def main(build, results, skips_path):
    skips = read_skips(skips_path)
    try:
        cases = list(ET.parse(results).getroot().iter("testcase"))
    except (OSError, ET.ParseError) as error:
        sys.exit(f"{results}: {error} (did ctest end before it wrote its results?)")
    total = Sum(build)
    for case in cases:
        try:
            total.add(case)
        except ET.ParseError as error:
            sys.exit(f"{case.get('name')}: what it wrote of itself is none of GoogleTest's: {error}")

    unlisted = [name for name, _ in total.skipped
                if not any(fnmatch.fnmatchcase(name, pattern) for pattern, _ in skips)]
    if total.skipped:
        print("\nskipped:")
    for names, reason in by_reason(total.skipped, unlisted):
        more = "" if len(names) == 1 else f" and {len(names) - 1} more"
        print(f"  {names[0]}{more}: {reason}" +
              (f"   [not in {skips_path}]" if names[0] in unlisted else ""))
    if total.failed:
        print("\nfailed, with the line that reruns just that test:")
    for name, rerun, said in total.failed:
        print(f"  {name}\n    {rerun}")
        for line in said:
            print(f"      | {line}")

    if unlisted:
        print(f"\n{len(unlisted)} skipped without standing in {skips_path} with a reason: that fails")
    print(f"\n{total.passed} passed, {len(total.failed)} failed, {len(total.skipped)} skipped")
    return 1 if total.failed or unlisted or not cases else 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))

# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Promises of our own code that are broken on purpose. tests/promises.txt lists them: each entry has one changed
line, the assertion that must notice it, and the test in which it must do so."""
import dataclasses
import re

import mutant_tests
import mutation

NAME = "promise"


@dataclasses.dataclass(frozen=True)
class Promise:
    mutant: mutation.Mutant
    suite: mutant_tests.Suite
    test: str
    assertion: str  # the expression of the DATUM_ASSERT, or how it begins


class Mistake(Exception):
    """An entry of the list is impossible. The text says why."""


def _line_of(text, wanted, which, place):
    found = [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip() == wanted]
    if not which and len(found) > 1:
        raise Mistake(f"{place}: stands {len(found)} times in its file; say which: -1, -2 ...: {wanted}")
    if len(found) < max(which, 1):
        raise Mistake(f"{place}: not in its file: {wanted}")
    return found[max(which, 1) - 1]


def _promise(root, entry):
    place, before, after, assertion, test = entry
    match = re.fullmatch(r"-(\d*) (.+)", before)
    if not match or after[:2] != "+ " or assertion[:2] != "! " or test[:2] != "= ":
        raise Mistake(f"{place}: expected the lines - + ! =")
    number, line = _line_of((root / place).read_text(), match[2], int(match[1] or 0), place)
    name, _, test = test[2:].partition(" ")
    suites = [suite for suite in mutant_tests.SUITES if suite.name == name]
    if not suites or not test:
        raise Mistake(f"{place}: \"{name} {test}\" names no suite and test")
    changed = line[:len(line) - len(line.lstrip())] + after[2:]
    return Promise(mutation.Mutant(place, number, NAME, line, changed), suites[0], test, assertion[2:])


def read(root, path):
    """Reads the list. An entry is: a path, `- line`, `+ line instead`, `! assertion`, `= suite test`, an empty line."""
    text = "\n".join(line for line in path.read_text().split("\n") if not line.startswith("#"))
    entries = [entry.split("\n") for entry in re.split(r"\n{2,}", text.strip())]
    for entry in entries:
        if len(entry) != 5:
            raise Mistake(f"{entry[0]}: an entry has five lines, this one {len(entry)}")
    return [_promise(root, entry) for entry in entries]


def judge(tests, promise, number):
    """(verdict, test). The verdict is "caught" if a test fails at exactly that assertion. number None: the promise is
    compiled in for good."""
    status = tests.run_one(promise.suite, promise.test, number)
    output = tests.output.read_text(errors="replace")
    begun = re.findall(r"^\[ RUN      \] (\S+)", output, re.M)
    where = begun[-1] if begun else promise.test
    if status == 0:
        return "survived", promise.test
    if f": assertion failed: {promise.assertion}" not in output:
        other = re.search(r"assertion failed: .*", output)
        return f"noticed otherwise ({other.group() if other else f'status {status}'})", where
    # What is compiled in for good is active without a switch, too.
    if number is not None and tests.run_one(promise.suite, where, None) != 0:
        return "the test fails without it", where
    return "caught", where

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Counts the instructions of each call of a fixed program, and holds them against bench/budget/budget.tsv.

  scripts/budget.py                  the check: exit 1 if a piece is more than 1 % from what the table says, up or down
  scripts/budget.py --print          only shows what was counted, beside the table
  scripts/budget.py --update WHY     writes what deviates into the table, with today's date and WHY
  scripts/budget.py --explain PIECE  where the instructions of one piece are, such as shm/send/initiator/post_send

  --build DIR      the build whose bin/datum-budget is run (default: build/release; scripts/build.sh bench makes it)
  --libraries DIR  runs it over the libraries in there instead, such as another worktree's build/release/lib
  --table FILE     another table
  --keep DIR       leaves callgrind's files there, for callgrind_annotate or kcachegrind

How a count is taken, and what to do about one that deviates: docs/design/budget.md.
Exit: 0 all as the table says; 1 it is not; 2 nothing could be counted; 4 this processor is not the table's.
"""

import argparse
import collections
import datetime
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TRANSPORTS = ("shm", "tcp")
TOLERANCE = 0.01
LIMIT_S = 300
MACHINE = "x86_64"
PROGRAM = "datum-budget"
# The C library takes another memcpy on each kind of processor. Without these features, which valgrind may offer or
# not, all take the one that every x86-64 has.
PLAIN_LIBC = "glibc.cpu.hwcaps=-AVX2,-AVX512VL,-ERMS,-FSRM,-AVX_Fast_Unaligned_Load,-SSSE3,-Fast_Unaligned_Copy"
CHOSEN = re.compile(r"_(avx|evex|erms|ssse3)")


class Trouble(Exception):
    """Nothing could be counted: what, why, what to do."""


class Row:
    """What the table says of a piece."""

    def __init__(self, piece, count, since, why):
        self.piece, self.count, self.since, self.why = piece, count, since, why

    def line(self):
        return f"{self.piece}\t{self.count:.1f}\t{self.since}\t{self.why}"


class Table:
    """budget.tsv: comments, one line that names the compiler, and a row for each piece."""

    COMPILER = "# compiler: "

    def __init__(self, text, name):
        self.head, self.rows, self.compiler = [], {}, None
        for number, line in enumerate(text.splitlines(), 1):
            if line.startswith(self.COMPILER):
                self.compiler = line[len(self.COMPILER):]
            elif line.startswith("#") or not line.strip():
                self.head.append(line)
            else:
                row = self.row_of(line, f"{name}:{number}")
                if row.piece in self.rows:
                    raise Trouble(f"{name}:{number}: {row.piece} stands there twice; keep one of them")
                self.rows[row.piece] = row

    @staticmethod
    def row_of(line, place):
        parts = line.split("\t")
        if len(parts) != 4 or not re.fullmatch(r"\d+\.\d", parts[1]) or not parts[3].strip():
            raise Trouble(f"{place}: \"{line}\" is not piece, instructions, date and reason with a tab between; "
                          "scripts/budget.py --update writes such lines")
        return Row(parts[0], float(parts[1]), parts[2], parts[3])

    def text(self):
        compiler = [self.COMPILER + self.compiler] if self.compiler else []
        return "\n".join(self.head + compiler + [row.line() for row in self.rows.values()]) + "\n"


# What callgrind wrote.

class Costs:
    """Of one piece: instructions by (object, source file, function), and by function with all that it calls."""

    def __init__(self):
        self.own = collections.Counter()
        self.whole = collections.Counter()

    def total(self):
        return sum(count for (owner, _, _), count in self.own.items() if counts(owner))


def counts(owner):
    """Everything but the program that makes the calls: our libraries, and what they call."""
    return pathlib.PurePath(owner).name != PROGRAM


class Dump:
    """A file of callgrind's: one Costs for each dump, of the thread that makes the calls."""

    NAME = re.compile(r"\((\d+)\)(?: (.*))?$")

    def __init__(self, lines):
        self.pieces = []
        self.names = {}
        self.owner = self.file = self.function = None
        self.callee = None  # the next line is what a call cost, the callee included
        costs = None
        for line in lines:
            key, _, value = line.rstrip("\n").partition("=")
            if line.startswith("thread: "):
                # The first one called main(); what others did is not asked for.
                costs = Costs()
                if line.split()[1] == "1":
                    self.pieces.append(costs)
            elif key in ("ob", "fl", "fi", "fe", "fn", "cob", "cfi", "cfl", "cfn"):
                self.named(key, value)
            elif key == "calls":
                self.callee = True
            elif line[0].isdigit() or line[0] in "+-*":
                self.cost(costs, int(line.split()[1]))

    def named(self, key, value):
        kind = {"o": "object", "f": "file"}[key.removeprefix("c")[0]]
        if key.endswith("fn"):
            kind = "function"
        number, text = self.NAME.match(value).groups()
        if text is not None:
            self.names[kind, number] = text
        if key == "ob":
            self.owner = self.names[kind, number]
        elif key in ("fl", "fi", "fe"):
            self.file = self.names[kind, number]
        elif key == "fn":
            self.function = self.names[kind, number]

    def cost(self, costs, count):
        whole = (self.owner, self.function)
        if not self.callee:
            costs.own[self.owner, self.file, self.function] += count
        costs.whole[whole] += count
        self.callee = None


def counted(pieces, said):
    """What the program said it did, beside what was counted of each: name to (Costs, rounds)."""
    lines = [line.split() for line in said.splitlines()]
    if len(lines) > len(pieces) or any(len(line) != 2 for line in lines):
        raise Trouble(f"{PROGRAM} named {len(lines)} pieces and callgrind dumped {len(pieces)}: does callgrind still "
                      "find the functions budget_counted and budget_counted_enough in it?")
    return {name: (costs, int(rounds)) for (name, rounds), costs in zip(lines, pieces)}


# Running it.

def start(program, transport, folder, libraries):
    environment = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "DATUM_TRANSPORT": transport,
                   "GLIBC_TUNABLES": PLAIN_LIBC}
    if libraries is not None:
        environment["LD_LIBRARY_PATH"] = str(libraries)
    tool = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/{transport}.out", "--combine-dumps=yes",
            "--separate-threads=yes", "--toggle-collect=budget_counted", "--dump-after=budget_counted_enough"]
    with open(folder / f"{transport}.said", "w", encoding="utf-8") as said, \
            open(folder / f"{transport}.log", "w", encoding="utf-8") as log:
        return subprocess.Popen([*tool, program], env=environment, stdin=subprocess.DEVNULL, stdout=said, stderr=log)


def finish(process, transport, folder):
    try:
        status = process.wait(LIMIT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        status = f"no end after {LIMIT_S} s"
    if status != 0:
        lines = (folder / f"{transport}.log").read_text(encoding="utf-8", errors="replace").splitlines()
        # What valgrind does not know it says at length; the product does without.
        told = [line for line in lines if not re.match(r"(==|--)\d+(==|--)", line)]
        raise Trouble(f"{PROGRAM} over {transport} under callgrind: {status}\n  " + "\n  ".join(told or lines[-5:]) +
                      f"\nrun it by itself: DATUM_TRANSPORT={transport} DATUM_LOG=info build/release/bin/{PROGRAM}")
    with open(folder / f"{transport}.out", encoding="utf-8") as out:
        pieces = Dump(out).pieces
    said = (folder / f"{transport}.said").read_text(encoding="utf-8")
    return {f"{transport}/{name}": value for name, value in counted(pieces, said).items()}


def run(options, transports=TRANSPORTS):
    program = options.build / "bin" / PROGRAM
    if shutil.which("valgrind") is None:
        raise Trouble("valgrind is not installed; scripts/deps.sh check installs it")
    if not program.exists():
        raise Trouble(f"{program} is not there; scripts/build.sh bench builds it")
    with tempfile.TemporaryDirectory() as work:
        folder = options.keep or pathlib.Path(work)
        folder.mkdir(parents=True, exist_ok=True)
        started = [(start(program, each, folder, options.libraries), each) for each in transports]
        try:
            found = {}
            for process, transport in started:
                found |= finish(process, transport, folder)
        finally:
            for process, _ in started:
                process.kill()
    # No one of them is ours: a processor of another kind would count something else.
    for name, (costs, _) in found.items():
        for _, _, function in costs.own:
            if CHOSEN.search(function):
                raise Trouble(f"{name}: the C library took {function}, for this kind of processor, although "
                              f"GLIBC_TUNABLES={PLAIN_LIBC} asks for what every one has; another C library?")
    return found


def compiler_of(build):
    """Whatever built it; None where CMake does not say."""
    for file in sorted(build.glob("CMakeFiles/*/CMakeCXXCompiler.cmake")):
        text = file.read_text(encoding="utf-8")
        name = re.search(r'CMAKE_CXX_COMPILER_ID "(.*)"', text)
        version = re.search(r'CMAKE_CXX_COMPILER_VERSION "(.*)"', text)
        if name and version:
            return f"{name[1]} {version[1]} {MACHINE}"
    return None


# Holding it against the table.

def deviation(row, count):
    return (count - row.count) / row.count


def findings(table, counts_now):
    """One line for each piece that is not as the table says."""
    lines = []
    for piece, count in counts_now.items():
        row = table.rows.get(piece)
        if row is None:
            lines.append(f"{piece}: {count:.1f} instructions, and the table has no such piece")
        elif abs(deviation(row, count)) > TOLERANCE:
            lines.append(f"{piece}: expected {row.count:.1f} instructions (since {row.since}: {row.why}), "
                         f"found {count:.1f}, {100 * deviation(row, count):+.1f} %")
    lines += [f"{piece}: is in the table, and was not counted" for piece in table.rows if piece not in counts_now]
    return lines


def update(table, counts_now, why, today):
    """Rows within the tolerance stay as they are, so that many small steps add up until they are seen."""
    if re.search(r"\s\s|[\t\n]", why) or not why.strip():
        raise Trouble("--update takes a reason of one line, such as the subject of the commit")
    changed = [piece for piece, count in counts_now.items()
               if piece not in table.rows or abs(deviation(table.rows[piece], count)) > TOLERANCE]
    table.rows = {piece: Row(piece, round(count, 1), today, why) if piece in changed else table.rows[piece]
                  for piece, count in counts_now.items()}
    return changed


WHAT_TO_DO = """
Meant so, be it more or less: scripts/budget.py --update "WHY" rewrites these rows of {table}; commit it with the change.
Not meant: scripts/budget.py --explain PIECE shows where the instructions are; docs/design/budget.md says how to read it."""


def show(table, counts_now):
    for piece, count in counts_now.items():
        row = table.rows.get(piece)
        beside = f"{row.count:9.1f} {100 * deviation(row, count):+6.2f} %" if row else "        -"
        print(f"{piece:40} {count:9.1f} {beside}")


def explain(piece, costs, rounds):
    total = costs.total()
    print(f"{piece}: {total / rounds:.1f} instructions, mean of {rounds} calls\n")
    print("by source file, what was inlined from there included:")
    files = collections.Counter()
    functions = collections.Counter()
    for (owner, file, function), count in costs.own.items():
        if counts(owner):
            files[short(file, owner)] += count
            functions[owner, function] += count
    for file, count in files.most_common():
        print(f"{count / rounds:9.1f} {100 * count / total:5.1f} %  {file}")
    print("\nby function as it was compiled, by itself and with what it calls:")
    for (owner, function), count in functions.most_common():
        print(f"{count / rounds:9.1f} {costs.whole[owner, function] / rounds:9.1f}  {function}  "
              f"({pathlib.PurePath(owner).name})")


def short(file, owner):
    """As it is called in this tree, or the library that it is in."""
    for root in ("/src/", "/include/"):
        if root in file and "/usr/" not in file:
            return root[1:] + file.rsplit(root, 1)[1]
    return file if file != "???" else pathlib.PurePath(owner).name


def parser():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = options.add_mutually_exclusive_group()
    what.add_argument("--print", action="store_true", dest="only_print")
    what.add_argument("--update", metavar="WHY")
    what.add_argument("--explain", metavar="PIECE")
    options.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    options.add_argument("--libraries", type=pathlib.Path)
    options.add_argument("--table", type=pathlib.Path, default=ROOT / "bench/budget/budget.tsv")
    options.add_argument("--keep", type=pathlib.Path)
    return options


def main(arguments):
    options = parser().parse_args(arguments)
    if platform.machine() != MACHINE:
        print(f"budget: the table is of {MACHINE}, and this is {platform.machine()}: nothing to hold it against")
        return 4
    if options.explain:
        transport = options.explain.split("/")[0]
        found = run(options, [transport] if transport in TRANSPORTS else TRANSPORTS)
        if options.explain not in found:
            raise Trouble(f"there is no piece \"{options.explain}\"; there are: {' '.join(found)}")
        explain(options.explain, *found[options.explain])
        return 0
    table = Table(options.table.read_text(encoding="utf-8"), options.table)
    compiler = compiler_of(options.build)
    counts_now = {piece: costs.total() / rounds for piece, (costs, rounds) in run(options).items()}
    if options.only_print:
        show(table, counts_now)
        return 0
    if options.update:
        changed = update(table, counts_now, options.update, datetime.date.today().isoformat())
        table.compiler = compiler
        options.table.write_text(table.text(), encoding="utf-8")
        print(f"{options.table}: {len(changed)} of {len(counts_now)} rows rewritten", *changed, sep="\n  ")
        return 0
    if compiler != table.compiler:
        raise Trouble(f"{options.table} was taken of what {table.compiler} built, and this was built by {compiler}; a "
                      "new compiler needs a new table: scripts/budget.py --update \"WHY\"")
    wrong = findings(table, counts_now)
    if not wrong:
        print(f"{len(counts_now)} pieces within {TOLERANCE:.0%} of {options.table}")
        return 0
    print(*wrong, sep="\n")
    print(WHAT_TO_DO.format(table=options.table))
    return 1


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Trouble as trouble:
        print(f"budget: {trouble}", file=sys.stderr)
        sys.exit(2)

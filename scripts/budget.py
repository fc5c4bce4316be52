#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Counts the instructions and system calls of each call of a fixed program, and holds them against a table.

  scripts/budget.py                  the check: exit 1 if a piece is more than 1 % from what the table says, up or down
  scripts/budget.py --print          only shows what was counted, beside the table
  scripts/budget.py --update WHY     writes what deviates into the table, with today's date and WHY
  scripts/budget.py --explain PIECE  where the instructions of one piece are, such as shm/send/initiator/post_send

  --build DIR      the build whose bin/datum-budget is run (default: build/release; scripts/build.sh bench makes it)
  --libraries DIR  runs it over the libraries in there instead, such as another worktree's build/release/lib
  --against DIR    with --explain: only what differs from the same piece over the libraries in there
  --table FILE     another table than bench/budget/budget.tsv
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
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TRANSPORTS = ("shm", "tcp")
TOLERANCE = 0.01
# system calls, as a mean: some polls depend on time, and come once in some hundred calls
FEW = 0.02
LIMIT_S = 300
MACHINE = "x86_64"
PROGRAM = "datum-budget"
# On each kind of processor the C library uses a different memcpy. Without these features, which
# valgrind may or may not offer, it uses the one that every x86-64 processor has.
PLAIN_LIBC = "glibc.cpu.hwcaps=-AVX2,-AVX512VL,-ERMS,-FSRM,-AVX_Fast_Unaligned_Load,-SSSE3,-Fast_Unaligned_Copy"
CHOSEN = re.compile(r"_(avx|evex|erms|ssse3)")


class Trouble(Exception):
    """Nothing could be counted. The text says what failed, why, and what to do."""


class Count(collections.namedtuple("Count", "instructions system_calls")):
    """The cost of one piece, as means of all its calls."""

    def away(self, table):
        """True: this count differs from the table's by more than the tolerance."""
        return (abs(self.instructions - table.instructions) > TOLERANCE * table.instructions or
                abs(self.system_calls - table.system_calls) > max(FEW, TOLERANCE * table.system_calls))

    def percent(self, table):
        return f"{100 * (self.instructions / table.instructions - 1):+.1f} %"


class Row:
    """The row of a piece in the table."""

    def __init__(self, count, since, why):
        self.count, self.since, self.why = count, since, why


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
                self.add(line, f"{name}:{number}")

    def add(self, line, place):
        parts = line.split("\t")
        if len(parts) != 5 or not re.fullmatch(r"[1-9]\d*\.\d", parts[1]) or \
                not re.fullmatch(r"\d+\.\d\d", parts[2]) or not all(parts):
            raise Trouble(f"{place}: \"{line}\" is not piece, instructions, system calls, date and reason with a tab "
                          "between; scripts/budget.py --update writes such lines")
        if parts[0] in self.rows:
            raise Trouble(f"{place}: {parts[0]} stands there twice; keep one of them")
        self.rows[parts[0]] = Row(Count(float(parts[1]), float(parts[2])), *parts[3:])

    def text(self):
        compiler = [self.COMPILER + self.compiler] if self.compiler else []
        rows = [f"{piece}\t{row.count.instructions:.1f}\t{row.count.system_calls:.2f}\t{row.since}\t{row.why}"
                for piece, row in self.rows.items()]
        return "\n".join(self.head + compiler + rows) + "\n"


# What callgrind wrote.

def ours(owner):
    """True for everything except the program that makes the calls: our libraries, and what they call."""
    return pathlib.PurePath(owner).name != PROGRAM


class Costs:
    """The costs of one piece: instructions by (object, source file, function), by function including
    everything that it calls, and by address."""

    def __init__(self):
        self.own = collections.Counter()
        self.whole = collections.Counter()
        self.at = collections.Counter()
        self.rounds = 1

    def count(self):
        instructions = sum(count for (owner, _, _), count in self.own.items() if ours(owner))
        calls = sum(count for (owner, address), count in self.at.items()
                    if ours(owner) and Code.of(owner).enters_kernel(address))
        return Count(instructions / self.rounds, calls / self.rounds)


class Code:
    """The instructions of a 64-bit ELF file."""

    known = {}
    SYSCALL = b"\x0f\x05"
    LOAD = 1

    def __init__(self, octets):
        self.octets, self.parts = octets, []
        if octets[:5] != b"\x7fELF\x02":
            return
        table, = struct.unpack_from("<Q", octets, 32)
        size, number = struct.unpack_from("<HH", octets, 54)
        for at in range(table, table + size * number, size):
            kind, _, offset, address, _, length = struct.unpack_from("<IIQQQQ", octets, at)
            if kind == self.LOAD:
                self.parts.append((address, offset, length))

    @classmethod
    def of(cls, owner):
        if owner not in cls.known:
            path = pathlib.Path(owner)
            cls.known[owner] = cls(path.read_bytes() if path.is_file() else b"")
        return cls.known[owner]

    def enters_kernel(self, address):
        for first, offset, length in self.parts:
            if first <= address < first + length:
                return self.octets.startswith(self.SYSCALL, offset + address - first)
        return False


class Dump:
    """A file of callgrind: one Costs for each dump, of the thread that makes the calls."""

    NAME = re.compile(r"\((\d+)\)(?: (.*))?$")

    def __init__(self, lines):
        self.pieces = []
        self.names = {}
        self.owner = self.file = self.function = None
        self.costs = None
        self.callee = False  # the next line has the cost of a call, including the callee
        for line in lines:
            key, _, value = line.rstrip("\n").partition("=")
            if line.startswith("thread: "):
                self.costs = Costs()
                # The first thread called main(). The costs of other threads are not counted.
                if line.split()[1] == "1":
                    self.pieces.append(self.costs)
            elif key in ("ob", "fl", "fi", "fe", "fn", "cob", "cfi", "cfl", "cfn"):
                self.named(key, value)
            elif key == "calls":
                self.callee = True
            elif line.startswith("0x"):
                address, _, count = line.split()[:3]
                self.cost(int(address, 16), int(count))

    def named(self, key, value):
        kind = "ob" if key.endswith("ob") else "fn" if key.endswith("fn") else "file"
        number, text = self.NAME.match(value).groups()
        name = self.names.setdefault((kind, number), text)
        if key == "ob":
            self.owner = name
        elif key in ("fl", "fi", "fe"):
            self.file = name
        elif key == "fn":
            self.function = name

    def cost(self, address, count):
        self.costs.whole[self.owner, self.function] += count
        if not self.callee:
            self.costs.own[self.owner, self.file, self.function] += count
            self.costs.at[self.owner, address] += count
        self.callee = False


def counted(pieces, said):
    """Joins the pieces that the program printed with the costs that were counted: name to Costs."""
    lines = [line.split() for line in said.splitlines()]
    if not lines or len(lines) > len(pieces) or any(len(line) != 2 for line in lines):
        raise Trouble(f"{PROGRAM} named {len(lines)} pieces and callgrind dumped {len(pieces)}: does callgrind still "
                      "find the functions budget_counted and budget_counted_enough in it?")
    found = {}
    for (name, rounds), costs in zip(lines, pieces):
        costs.rounds = int(rounds)
        found[name] = costs
    return found


# Running it.

def start(program, transport, folder, libraries):
    environment = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "DATUM_TRANSPORT": transport,
                   "GLIBC_TUNABLES": PLAIN_LIBC}
    if libraries is not None:
        environment["LD_LIBRARY_PATH"] = str(libraries)
    tool = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/{transport}.out", "--combine-dumps=yes",
            "--separate-threads=yes", "--dump-instr=yes", "--compress-pos=no",
            "--toggle-collect=budget_counted", "--dump-after=budget_counted_enough"]
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
        # valgrind reports at length what it does not know; the product works without that.
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
    for name, costs in found.items():
        for _, _, function in costs.own:
            if CHOSEN.search(function):
                raise Trouble(f"{name}: the C library took {function}, for this kind of processor, although "
                              f"GLIBC_TUNABLES={PLAIN_LIBC} asks for what every one has; another C library?")
    return found


def compiler_of(build):
    """The compiler of the build; None if CMake does not say."""
    for file in sorted(build.glob("CMakeFiles/*/CMakeCXXCompiler.cmake")):
        text = file.read_text(encoding="utf-8")
        name = re.search(r'CMAKE_CXX_COMPILER_ID "(.*)"', text)
        version = re.search(r'CMAKE_CXX_COMPILER_VERSION "(.*)"', text)
        if name and version:
            return f"{name[1]} {version[1]} {MACHINE}"
    return None


# Holding it against the table.

def told(count):
    return f"{count.instructions:.1f} instructions and {count.system_calls:.2f} system calls"


def findings(table, now):
    """One line for each piece that differs from the table."""
    lines = []
    for piece, count in now.items():
        row = table.rows.get(piece)
        if row is None:
            lines.append(f"{piece}: {told(count)}, and the table has no such piece")
        elif count.away(row.count):
            lines.append(f"{piece}: expected {told(row.count)} (since {row.since}: {row.why}), "
                         f"found {told(count)}: {count.percent(row.count)}")
    return lines + [f"{piece}: is in the table, and was not counted" for piece in table.rows if piece not in now]


def update(table, now, why, today):
    """Rows within the tolerance stay unchanged, so many small changes add up until they are noticed."""
    changed = [piece for piece, count in now.items()
               if piece not in table.rows or count.away(table.rows[piece].count)]
    changed += [piece for piece in table.rows if piece not in now]
    table.rows = {piece: Row(count, today, why) if piece in changed else table.rows[piece]
                  for piece, count in now.items()}
    return changed


WHAT_TO_DO = """
Meant so, be it more or less: scripts/budget.py --update "WHY" rewrites these rows; commit them with the change.
Not meant: scripts/budget.py --explain PIECE shows where the instructions are (docs/design/budget.md)."""


def show(table, now):
    print(f"{'piece':40} {'instructions':>12} {'system calls':>12} {'table':>9}")
    for piece, count in now.items():
        row = table.rows.get(piece)
        beside = f"{row.count.instructions:9.1f}  {count.percent(row.count)}" if row else "        -"
        print(f"{piece:40} {count.instructions:12.1f} {count.system_calls:12.2f} {beside}")


# Where the instructions of one piece are.

def short(file, owner):
    """The name of the file in this tree, or of the library that contains it."""
    ours_is = re.search(r"/layers/[^/]+/(.+)|/src/(.+)", file)
    if ours_is and "/usr/" not in file:
        return "src/" + (ours_is[1] or ours_is[2])
    return pathlib.PurePath(owner).name if file == "???" else file


def by_file(costs):
    files = collections.Counter()
    for (owner, file, _), count in costs.own.items():
        if ours(owner):
            files[short(file, owner)] += count / costs.rounds
    return files


def by_function(costs):
    functions = collections.Counter()
    for (owner, _, function), count in costs.own.items():
        if ours(owner):
            functions[owner, function] += count / costs.rounds
    return functions


def explain(piece, costs):
    print(f"{piece}: {told(costs.count())}, mean of {costs.rounds} calls\n")
    print("by source file, with what is inlined from there:")
    for file, count in by_file(costs).most_common():
        if count >= 0.05:
            print(f"{count:9.1f}  {file}")
    print("\nby function as it was compiled: by itself, with what it calls:")
    for (owner, function), count in by_function(costs).most_common():
        if count >= 0.05:
            whole = costs.whole[owner, function] / costs.rounds
            print(f"{count:9.1f} {whole:9.1f}  {function}  ({pathlib.PurePath(owner).name})")


def compare(piece, costs, other):
    """Prints the same, with the difference of each file and function from the other libraries."""
    print(f"{piece}: {told(costs.count())}, and in the other libraries {told(other.count())}")
    for title, parts_of in (("by source file", by_file), ("by function as it was compiled", named_functions)):
        print(f"\n{title}: more or less, now, in the other:")
        now, then = parts_of(costs), parts_of(other)
        for name in sorted(now | then, key=lambda name: -abs(now[name] - then[name])):
            if abs(now[name] - then[name]) >= 0.05:
                print(f"{now[name] - then[name]:+9.1f} {now[name]:9.1f} {then[name]:9.1f}  {name}")


def named_functions(costs):
    """Functions by name alone, because the other library has another path."""
    functions = collections.Counter()
    for (_, function), count in by_function(costs).items():
        functions[function] += count
    return functions


def parser():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = options.add_mutually_exclusive_group()
    what.add_argument("--print", action="store_true", dest="only_print")
    what.add_argument("--update", metavar="WHY")
    what.add_argument("--explain", metavar="PIECE")
    options.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    options.add_argument("--libraries", type=pathlib.Path)
    options.add_argument("--against", type=pathlib.Path)
    options.add_argument("--table", type=pathlib.Path, default=ROOT / "bench/budget/budget.tsv")
    options.add_argument("--keep", type=pathlib.Path)
    return options


def main(arguments):
    options = parser().parse_args(arguments)
    if platform.machine() != MACHINE:
        print(f"budget: the table is of {MACHINE}, and this is {platform.machine()}: nothing to hold it against")
        return 4
    if options.explain:
        return explain_piece(options)
    why = options.update
    if why is not None and (not why.strip() or re.search(r"[\t\n]", why)):
        raise Trouble("--update takes a reason of one line, such as the subject of the commit")
    table = Table(options.table.read_text(encoding="utf-8"), options.table)
    compiler = compiler_of(options.build)
    if not options.only_print and why is None and compiler != table.compiler:
        raise Trouble(f"{options.table} is of what {table.compiler} built, and this was built by {compiler}: a new "
                      "compiler needs new counts, scripts/budget.py --update \"WHY\"")
    now = {piece: costs.count() for piece, costs in run(options).items()}
    if options.only_print:
        show(table, now)
        return 0
    if why is not None:
        changed = update(table, now, why, datetime.date.today().isoformat())
        table.compiler = compiler
        options.table.write_text(table.text(), encoding="utf-8")
        print(f"{options.table}: {len(changed)} rows of {len(now)} rewritten", *changed, sep="\n  ")
        return 0
    wrong = findings(table, now)
    if not wrong:
        print(f"{len(now)} pieces cost what {options.table} says, within {TOLERANCE:.0%}")
        return 0
    print(*wrong, sep="\n")
    print(WHAT_TO_DO)
    return 1


def explain_piece(options):
    piece = options.explain
    transport = piece.split("/")[0]

    def costs_of_piece():
        found = run(options, [transport] if transport in TRANSPORTS else TRANSPORTS)
        if piece not in found:
            raise Trouble(f"there is no piece \"{piece}\"; there are: {' '.join(found)}")
        return found[piece]

    costs = costs_of_piece()
    if options.against is None:
        explain(piece, costs)
    else:
        options.libraries = options.against
        compare(piece, costs, costs_of_piece())
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Trouble as trouble:
        print(f"budget: {trouble}", file=sys.stderr)
        sys.exit(2)

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A few operations of some cells, so that datum-waiting and scripts/bench/waiting.py do not rot:
smoke.py DATUM_WAITING. No assertion on time."""

import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Each habit of targets and each of initiators, each operation and both transports, once or more.
CELLS = ("send/shm/two/tight/same-evd", "send/tcp/two/work-1/other-evd", "write/shm/two/work-10/spin",
         "write/tcp/two/yield/spin-yield", "send/shm/two/yield/block", "send/tcp/two/work-50/cno",
         "read/shm/two/tight/compute", "read/tcp/two/tight/turns", "send/shm/two/tight/alternate",
         "two-words/shm/two", "two-words/tcp/two", "write/shm/one/yield/spin-yield")


def fail(what):
    print(f"smoke: {what}", file=sys.stderr)
    sys.exit(1)


def run(program, results):
    patterns = [word for cell in CELLS for word in ("--cells", cell)]
    done = subprocess.run([program, *patterns, "--operations", "3", "--seconds", "5", "--repeat", "1",
                           "--output", results], check=False, capture_output=True, text=True)
    if done.returncode != 0:
        fail(f"exit {done.returncode}: {done.stderr}")
    return done.stderr


def rows(results):
    with open(results, encoding="utf-8") as lines:
        return [line.rstrip("\n").split("\t") for line in lines][1:]


def check_rows(found):
    told = sorted((row[0], row[2] == "dat") for row in found)
    if told != sorted((cell, ours) for cell in CELLS for ours in (False, True)):
        fail(f"not a line of DAT and one of its limit for each cell: {told}")
    for row in found:
        if row[13]:
            fail(f"{row[0]}, {row[2]}: {row[13]}")
        if row[3] != "3":
            fail(f"{row[0]}, {row[2]}: {row[3]} operations instead of 3")


def main():
    program = sys.argv[1]
    if len(os.sched_getaffinity(0)) < 2:
        print("smoke: two cores are needed")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        results = os.path.join(folder, "results.tsv")
        run(program, results)
        first = rows(results)
        check_rows(first)
        if run(program, results) or rows(results) != first:
            fail("a second call ran again what stands in the file")
        tables = [sys.executable, os.path.join(ROOT, "scripts", "bench", "waiting.py"), results]
        for more, wanted in (((), f"{len(CELLS)} cells:"), (("--lab", os.path.join(folder, "lab.md")), "")):
            done = subprocess.run([*tables, *more], check=False, capture_output=True, text=True)
            if done.returncode != 0 or wanted not in done.stdout:
                fail(f"waiting.py: exit {done.returncode}: {done.stderr}{done.stdout}")


if __name__ == "__main__":
    main()

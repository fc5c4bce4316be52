#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures the bars of docs/performance.md and writes its tables. scripts/bench.sh describes the options."""

import argparse
import json
import os
import pathlib
import sys

import machine
import page
import peers
import programs
import runs
import shm
import tcp

TABLES = {"shm": (shm,), "tcp": (tcp,), "both": (shm, tcp)}


def parser():
    made = argparse.ArgumentParser(prog="bench.sh")
    made.add_argument("bin", nargs="?", default="build/release/bin")
    made.add_argument("--table", choices=TABLES, default="both")
    made.add_argument("--runs", type=int, default=7)
    made.add_argument("--only", action="append", default=[])
    made.add_argument("--peers", metavar="DIR")
    made.add_argument("--no-plots", action="store_true")
    made.add_argument("--output", default="docs/performance.md")
    made.add_argument("--raw")
    return made


def arguments():
    """The options, and the tools that the bars run."""
    options = parser().parse_args()
    options.perf = programs.built(options.bin, "dat-perf", "make bench")
    options.limits = programs.built(options.bin, "datum-limits", "make bench")
    if len(os.sched_getaffinity(0)) < 2:
        programs.fail(2, "two cores are needed, this process may use one")
    options.peers = peers.Peers(options.peers)
    return options


def measure(table, options):
    """Measures one table. True: each of its bars could be measured."""
    load = machine.others_use()
    results, failures = runs.take_all(table.all_bars(), options)
    text = page.table(results, max(load, machine.others_use()), options.peers.versions(table.PEERS))
    text += table.note()
    print(text)
    page.write(options.output, text, table.MARKS)
    if options.raw:
        raw = [{"bar": bar.name, "kept": kept, "thrown": thrown} for bar, kept, thrown in results]
        pathlib.Path(options.raw + table.RAW).write_text(json.dumps(raw, indent=1), encoding="utf-8")
    return not failures


def main():
    options = arguments()
    whole = [measure(table, options) for table in TABLES[options.table]]
    if options.table != "tcp" and not options.no_plots and not options.only:
        page.draw(options, os.path.join(os.path.dirname(options.output) or ".", "plots"))
    return 0 if all(whole) else 1


if __name__ == "__main__":
    sys.exit(main())

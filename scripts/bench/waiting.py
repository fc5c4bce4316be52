#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Makes tables of what datum-waiting wrote: scripts/bench/waiting.py RESULTS.tsv [OPTION...]

  --lab FILE     every cell, for docs/lab/; FILE is made, or overwritten
  --page FILE    a row for each habit of targets and every cell above its goal, between two marks of
                 FILE (docs/performance.md)
Without either the second of the two is printed. What a verdict says stands in verdict_of().
"""

import argparse
import csv
import dataclasses
import pathlib
import statistics
import textwrap

import machine
import page
import programs

MARKS = page.marks("waiting.py")
GOAL_P50, GOAL_P99 = 1.5, 3.0  # times the limit's
MOST_SPREAD = 2.0              # of the limit between its runs: the largest divided by the smallest
MOST_UNDECIDED = 0.1           # of all cells
LEAST_OPERATIONS = 100         # of a run, for a 99th percentile
# of the operations: by how much more of ours may be excused than of the limit's
MORE_EXCUSED = 0.01

TARGETS = {
    "same-evd": "polls the same EVD", "other-evd": "polls another EVD of the IA",
    "spin": "spins on memory", "spin-yield": "spins with sched_yield",
    "block": "blocks in dat_evd_wait", "cno": "blocks on a CNO",
    "compute": "computes and calls nothing", "turns": "100 us of DAT and 100 us of computing by turns",
    "alternate": "polls for one operation, spins on memory for the next",
    "two-words": "two Writes to each other, polls for the first, spins for the second",
}


@dataclasses.dataclass
class Cell:
    """All runs of a cell."""
    name: str
    pairs: list  # (ours, limit) for each repeat: rows of the file
    failures: list

    @property
    def target(self):
        parts = self.name.split("/")
        return parts[-1] if len(parts) == 5 else parts[0]

    def ratio(self, figure):
        return statistics.median(ours[figure] / max(1, limit[figure]) for ours, limit in self.pairs)

    def median(self, side, figure):
        return statistics.median(pair[side][figure] for pair in self.pairs)

    def total(self, side, figure):
        return sum(pair[side][figure] for pair in self.pairs)

    def spread(self, figure):
        values = [limit[figure] for _, limit in self.pairs]
        return max(values) / max(1, min(values))


DECIDED = ("met", "met by excuse", "above")
NUMBERS = ("operations", "p50", "p90", "p99", "max", "counted_p99", "long", "excused")


def read(file):
    """The cells in the order of the file."""
    rows = {}
    with open(file, encoding="utf-8", newline="") as lines:
        table = csv.DictReader(lines, delimiter="\t")
        if "counted_p99" not in (table.fieldnames or ()):
            programs.fail(1, f"{file} does not begin with the titles that datum-waiting writes")
        for row in table:
            row.update({name: int(row[name]) for name in NUMBERS})
            side = "ours" if row["contest"] == "dat" else "limit"
            rows.setdefault(row["cell"], {}).setdefault(row["repeat"], {})[side] = row
    cells = []
    for name, repeats in rows.items():
        whole = [sides for sides in repeats.values() if len(sides) == 2]
        failures = [row["failure"] for sides in whole for row in sides.values() if row["failure"]]
        pairs = [(sides["ours"], sides["limit"]) for sides in whole
                 if not sides["ours"]["failure"] and not sides["limit"]["failure"]]
        if whole:
            cells.append(Cell(name, pairs, failures))
    return cells


def verdict_of(cell):
    """met, met by excuse, above, not decidable here, failed.

    The repeat in the middle counts: its p50, and its p99 without the samples that the kernel's account
    of run queues excuses, on both sides. A cell is not decidable if the limit itself spreads, or if
    either side had time for few operations only. Met by excuse: far more of our samples than of the
    limit's were excused, and with the excused samples p99 is above its goal. Another program would
    delay both sides alike, so in such a cell our own threads delayed each other.
    """
    if cell.failures or not cell.pairs:
        return "failed"
    if (max(cell.spread("p50"), cell.spread("counted_p99")) > MOST_SPREAD
            or min(row["operations"] for pair in cell.pairs for row in pair) < LEAST_OPERATIONS):
        return "not decidable here"
    p50, p99, with_excused = (cell.ratio(figure) for figure in ("p50", "counted_p99", "p99"))
    if p50 > GOAL_P50 or p99 > GOAL_P99:
        return "above"
    excused = [cell.total(side, "excused") / cell.total(side, "operations") for side in (0, 1)]
    if excused[0] - excused[1] > MORE_EXCUSED and with_excused > GOAL_P99:
        return "met by excuse"
    return "met"


def us(nanoseconds):
    value = nanoseconds / 1e3
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def full_row(cell):
    if not cell.pairs:
        return f"| {cell.name} | | | | | failed: {cell.failures[0]} |"
    text = [cell.name, cell.pairs[0][1]["contest"]]
    for side in (0, 1):
        text.append(" / ".join(us(cell.median(side, figure)) for figure in ("p50", "p90", "p99", "counted_p99"))
                    + f" / {us(max(pair[side]['max'] for pair in cell.pairs))}")
    return page.cells(*text, f"{cell.ratio('p50'):.2f}, {cell.ratio('counted_p99'):.2f}",
                      f"{cell.spread('p50'):.1f}, {cell.spread('counted_p99'):.1f}",
                      " and ".join(f"{cell.total(side, 'long')} ({cell.total(side, 'excused')})" for side in (0, 1)),
                      f"{min(ours['operations'] for ours, _ in cell.pairs):,}", verdict_of(cell))


def machine_lines(cells):
    loads = [float(row["load"]) for cell in cells for pair in cell.pairs for row in pair]
    lines = machine.lines()
    if loads:
        lines.append(f"- Load average (1 minute) during the runs: {min(loads):.1f} to {max(loads):.1f}, "
                     f"median {statistics.median(loads):.1f};\n  the program itself is 1 to 2 of it")
    return lines


def summary(cells):
    verdicts = [verdict_of(cell) for cell in cells]
    count = {verdict: verdicts.count(verdict) for verdict in sorted(set(verdicts))}
    text = ", ".join(f"{number} {verdict}" for verdict, number in count.items())
    undecided = count.get("not decidable here", 0)
    lines = [f"{len(cells)} cells: {text}."]
    if undecided > MOST_UNDECIDED * len(cells):
        lines.append(f"**More than {MOST_UNDECIDED:.0%} of the cells cannot be decided: this run says little.**")
    return lines


def whole(cells):
    lines = [f"# What waiting costs, {machine.today()}", "", *machine_lines(cells), "",
             textwrap.fill(
                 "Taken by `datum-waiting`, drawn by `scripts/bench/waiting.py`. From post to completion in us; "
                 "each figure is the median of the repeats, the maximum that of all. `counted p99` leaves out "
                 "samples above 1 ms for which the kernel says that threads of the run had to wait for a "
                 "processor as long. The ratios are medians of the repeats' ratios, of p50 and of counted p99. "
                 "Goals: 1.5 and 3.", 100), "", *summary(cells), "",
             *page.titles("cell: operation/transport/cores/initiator/target", "limit",
                          "ours: p50 / p90 / p99 / counted p99 / max", "limit: the same", "ratios: p50, p99",
                          "limit's spread: p50, p99", "above 1 ms (excused): ours and limit's",
                          "operations, at least", "verdict")]
    return "\n".join(lines + [full_row(cell) for cell in cells]) + "\n"


def extremes(cells, figure):
    """The best and the worst cell, as text."""
    def text(cell):
        return f"{cell.ratio(figure):.2f} x ({us(cell.median(0, figure))} us, {cell.name})"
    ordered = sorted(cells, key=lambda cell: cell.ratio(figure))
    return text(ordered[0]), text(ordered[-1])


def in_short(cells):
    lines = [*machine_lines(cells), "", *summary(cells), "",
             *page.titles("target", "cells met / decided", "p50: best", "p50: worst", "goal", "p99: best",
                          "p99: worst", "goal")]
    for target, words in TARGETS.items():
        decided = [cell for cell in cells if cell.target == target and verdict_of(cell) in DECIDED]
        if not decided:
            continue
        met = sum(verdict_of(cell) != "above" for cell in decided)
        lines.append(page.cells(words, f"{met} / {len(decided)}", *extremes(decided, "p50"), f"≤ {GOAL_P50:g} x",
                                *extremes(decided, "counted_p99"), f"≤ {GOAL_P99:g} x"))
    lines += ["", "Above their goal, or below it only without the excused samples:", "",
              *page.titles("cell", "p50", "of the limit", "p99", "of the limit", "with the excused samples",
                           "verdict")]
    for cell in cells:
        if verdict_of(cell) not in ("above", "met by excuse"):
            continue
        texts = [text for figure in ("p50", "counted_p99")
                 for text in (f"{us(cell.median(0, figure))} us", f"{cell.ratio(figure):.2f} x")]
        lines.append(page.cells(cell.name, *texts, f"{cell.ratio('p99'):.2f} x", verdict_of(cell)))
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(prog="waiting.py")
    for name in ("results", "--lab", "--page"):
        parser.add_argument(name)
    options = parser.parse_args()
    cells = read(options.results)
    if not cells:
        programs.fail(1, f"{options.results} has no cell that was measured")
    if options.lab:
        pathlib.Path(options.lab).write_text(whole(cells), encoding="utf-8")
    if options.page:
        page.write(options.page, in_short(cells), MARKS)
    if not options.lab and not options.page:
        print(in_short(cells))


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Writes tables and plots for docs/performance.md."""

import os
import pathlib
import statistics
import subprocess

import machine
import programs


def marks(script, what=""):
    """The two marks between which a script writes. The text around them stays."""
    return f"<!-- {script} writes {what}from here -->", f"<!-- {script} wrote {what}up to here -->"


def between_marks(old, new, its_marks):
    """The text with the part between the marks replaced."""
    begin, end = its_marks
    if begin not in old or end not in old:
        return f"{old.rstrip()}\n\n{begin}\n\n{new}\n\n{end}\n".lstrip()
    head, rest = old.split(begin, 1)
    return f"{head}{begin}\n\n{new}\n\n{end}{rest.split(end, 1)[1]}"


def write(file, new, its_marks):
    """Writes the part between the marks into a file, which is made if it is missing."""
    path = pathlib.Path(file)
    old = path.read_text(encoding="utf-8") if path.exists() else ""
    path.write_text(between_marks(old, new, its_marks), encoding="utf-8")


def cells(*texts):
    return f"| {' | '.join(texts)} |"


def titles(*texts):
    return [cells(*texts), "|" + "---|" * len(texts)]


def spread(values, form):
    """The least, the median and the largest value."""
    low, middle, high = (f"{value:{form}}" for value in (min(values), statistics.median(values), max(values)))
    return f"{low} / **{middle}** / {high}"


def beside(bar, kept):
    """The figures of the peers, and the remarks of dat-perf."""
    without_goal = {name for name, _ in bar.shown}
    texts = [f"{quotient:.2f} x {name}"
             f"{' (no goal)' if name in without_goal else '' if met else ' (behind)'}"
             for name, (quotient, met) in bar.beside_peers(kept).items()]
    return "; ".join(texts + [kept[0]["remark"]] * bool(kept[0]["remark"]))


def row(bar, kept, thrown):
    if not kept:
        return f"| {bar.name} | | | | {bar.goal_text()} | no steady run | {thrown} thrown away | |"

    def middle(key):
        return bar.quantity(statistics.median(run[key] for run in kept))
    limit, ratio = "", spread([run["figure"] for run in kept], ".3g")
    if bar.to_limit:
        limit, ratio = f"{kept[0]['limit_name']}: {middle('limit')}", spread([run["ratio"] for run in kept], ".2f")
    count = f"{len(kept)}" + (f" (+{thrown} thrown away)" if thrown else "")
    return cells(bar.name, limit, middle("figure"), ratio, bar.goal_text(),
                 "yes" if bar.is_met(kept) else "**no**", count, beside(bar, kept))


def table(results, load, peers):
    """`peers`: their names and versions."""
    lines = [*machine.lines(), f"- Peers: {peers}"]
    probes = [run["probe"] for _, kept, _ in results for run in kept if run["probe"] > 0]
    if probes:
        lines.append("- Cache line one way during the runs: "
                     f"{spread(probes, '.0f').replace('*', '')} ns (min / median / max)")
    if load > 0.1:
        lines.append(f"- **The machine was busy (others used {load:.0%} of its processors before the "
                     "first run, or after the last): these figures say little.**")
    lines += ["", *titles("work", "limit", "figure (median)", "ratio, or figure: min / median / max", "goal", "met",
                          "runs", "figure : peer"), *(row(*result) for result in results)]
    missed = [bar.name for bar, kept, _ in results if not kept or not bar.is_met(kept)]
    lines += ["", f"{len(results) - len(missed)} of {len(results)} goals met."]
    if missed:
        lines += ["Missed: " + "; ".join(missed) + "."]
    return "\n".join(lines)


PLOTS = {
    "latency": "-t send-lat,write-lat,read-lat -s 1..64k*4 -m ordinary,shareable",
    "no-dat-target": "-t write-lat -s 1..64k*4 --target memory",
    "rate": "-t send-rate,write-rate,read-rate -s 1..4k*4 -m ordinary,shareable",
    "bandwidth": "-t send-bw,write-bw,read-bw -s 1k..64M*4 -m ordinary,shareable",
    "tcp-latency": "--transport tcp -t send-lat,write-lat,read-lat -s 1..64k*4",
    "tcp-rate": "--transport tcp -t send-rate,write-rate,read-rate -s 1..4k*4",
    "tcp-bandwidth": "--transport tcp -t send-bw,write-bw,read-bw -s 1k..64M*4",
}


def draw(tools, folder):
    os.makedirs(folder, exist_ok=True)
    for plot, args in PLOTS.items():
        programs.say(f"plot {plot}")
        subprocess.run([tools.perf, "--local", "--quiet", "--repeat", "3", *args.split(), "--plot",
                        os.path.join(folder, f"{plot}.svg")], check=True, stdout=subprocess.DEVNULL, timeout=1800)

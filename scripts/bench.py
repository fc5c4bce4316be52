#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Takes the bars of docs/performance.md; scripts/bench.sh says how it is called.

Lives here: the bars of shared memory, which runs count, what a table says. Not here: the bars of TCP
(bench_tcp.py); measuring, which dat-perf does: each of its runs holds our figure, the limit beside it, and a cache-line probe before
and after. A run during which the cores moved by more than 15 % is thrown away.
"""

import argparse
import datetime
import json
import os
import statistics
import subprocess
import sys
import time

import bench_peers

MARKS = "<!-- bench.sh writes from here -->", "<!-- bench.sh wrote up to here -->"
MOVED = 0.15
TRIES = 3  # for each run that is wanted


class Bar:
    """One goal. `best` is "<=" or ">=": of the ratio to the limit, or of the figure itself."""

    def __init__(self, name, args, best, goal, *, to_limit=True, peers=(), peer_factor=1.0,
                 shown=()):
        self.name, self.args, self.best, self.goal = name, args.split(), best, goal
        # `shown`: further peers, against which there is no goal.
        self.to_limit, self.peers, self.peer_factor, self.shown = to_limit, peers, peer_factor, shown

    def run(self, tools):
        """One run of it: see run_once()."""
        return run_once(self, tools)

    def quantity(self, value):
        """A figure or limit with the unit that its test has."""
        return quantity(self, value)


def bandwidth_bars():
    bars = []
    for size, label in (("64k", "64 KiB"), ("1M", "1 MiB"), ("16M", "16 MiB")):
        for op in ("write", "read"):
            args = f"-t {op}-bw -s {size} --time 200"
            peers = ((f"ucx tag_bw {size}", "bandwidth"), (f"fi {size}", "bandwidth"))
            gets = ((f"ucx get_bw {size}", "bandwidth"),) if op == "read" else ()
            bars.append(Bar(f"{op} bandwidth {label}, shareable", f"{args} -m shareable", ">=", 0.9,
                            shown=gets))
            bars.append(Bar(f"{op} bandwidth {label}, ordinary", args, ">=", 0.95, peers=peers))
            bars.append(Bar(f"{op} bandwidth {label}, ordinary on huge pages", f"{args} --huge",
                            ">=", 0.0, peers=peers, peer_factor=1.6))
    return bars


def all_bars():
    latency = lambda size: ((f"ucx tag_lat {size}", "latency"), (f"fi {size}", "latency"))
    return [
        Bar("send/recv 8 B", "-t send-lat -s 8", "<=", 1.3, peers=latency("8")),
        Bar("send/recv 4 KiB", "-t send-lat -s 4k", "<=", 1.1),
        Bar("send/recv 64 KiB", "-t send-lat -s 64k", "<=", 1.1),
        Bar("RDMA Write ping-pong 8 B, shareable", "-t write-lat -s 8 -m shareable", "<=", 1.3),
        Bar("the same, ordinary memory, target polls its EVD", "-t write-lat -s 8", "<=", 2.5),
        Bar("the same, ordinary memory, target calls no DAT function",
            "-t write-lat -s 8 --target memory", "<=", 1.2),
        Bar("RDMA Read 8 B, rewritten in between, shareable", "-t read-lat -s 8 -m shareable", "<=",
            2.0),
        Bar("RDMA Read 8 B, rewritten in between, ordinary", "-t read-lat -s 8", "<=", 1.2),
        Bar("send rate 8 B", "-t send-rate -s 8", ">=", 0.25,
            peers=(("ucx tag_bw 8", "rate"),)),
        *bandwidth_bars(),
        Bar("posting a send", "-t post -s 8", "<=", 0.5),
        Bar("dequeue of an empty EVD, 1 endpoint", "-t dequeue", "<=", 0.5),
        Bar("dequeue of an empty EVD, 1,000 idle endpoints", "-t dequeue --endpoints 1000", "<=",
            1.5),
        Bar("send/recv 8 B, blocking", "-t send-lat -s 8 --wait block --time 300", "<=", 1.15),
        Bar("connections set up and torn down, per second", "-t connect --window 16 --time 500", ">=",
            10000, to_limit=False),
        Bar("idle, 1,000 endpoints, 10 s: % CPU", "-t idle --endpoints 1000", "<=", 0.05,
            to_limit=False),
        Bar("memory of a connected pair, KiB", "-t idle --endpoints 1000 --idle-time 1", "<=", 64,
            to_limit=False),
    ]


def figure_of(bar, result):
    """The figure in the unit of the bar."""
    if bar.args[1] == "idle":
        return result["memory_per_pair"] / 1024 if "memory" in bar.name else result["cpu_percent"]
    return result["value"]["median"]


def dat_perf(args, tools, environment=None, within=()):
    """The one result of it; `within`: a command that runs it."""
    command = [*within, tools.perf, "--local", "--json", "--quiet", "--repeat", "1", *args]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False,
                          env={**os.environ, **(environment or {})})
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: exit {done.returncode}: {done.stderr.strip()}")
    result = json.loads(done.stdout)["results"][0]
    if "skipped" in result:
        raise RuntimeError(f"{' '.join(args)}: {result['skipped']}")
    return result


def run_once(bar, tools, within=()):
    result = dat_perf(bar.args, tools, within=within)
    run = {"figure": figure_of(bar, result), "steady": result.get("steady") is not False,
           "probe": result.get("probe_ns") or 0, "peers": {}, "remark": result.get("remark", "")}
    if bar.to_limit:
        if "limit" not in result:
            raise RuntimeError(f"{bar.name}: its limit could not be measured")
        run["limit_name"], run["limit"] = result["limit"], result["limit_value"]["median"]
        run["ratio"] = result["ratio"]["median"]
    return run


def moved(before, after):
    return min(before, after) <= 0 or abs(before - after) / min(before, after) > MOVED


def steady_peer(name, kind, tools):
    """Its figure between two probes that agree; None: it has none. TimeoutError: they never did."""
    for _ in range(TRIES):
        before = bench_peers.probe(tools.limits)
        value = bench_peers.measure(name, kind)
        if not value or not moved(before, bench_peers.probe(tools.limits)):
            return value
    raise TimeoutError(name)


def run_peers(bar, tools, run):
    """Behind our run. A peer's run that was not steady is thrown away by itself."""
    try:
        values = {name: steady_peer(name, kind, tools) for name, kind in bar.peers + bar.shown}
    except TimeoutError:
        run["steady"] = False
        return
    run["peers"] = {name: value for name, value in values.items() if value}


def take(bar, tools, wanted):
    kept, thrown = [], 0
    while len(kept) < wanted and thrown < wanted * TRIES:
        run = bar.run(tools)
        if run["steady"]:
            run_peers(bar, tools, run)
        if run["steady"]:
            kept.append(run)
        else:
            thrown += 1
    return kept, thrown


def spread(values):
    return (min(values), statistics.median(values), max(values))


def holds(best, value, goal):
    return value <= goal if best == "<=" else value >= goal


def peer_verdicts(bar, kept):
    """name -> (median of figure / peer, is the goal against it met?)"""
    verdicts = {}
    for name, kind in bar.peers + bar.shown:
        quotients = [run["figure"] / run["peers"][name] for run in kept if name in run["peers"]]
        if quotients:
            middle = statistics.median(quotients)
            goal = bar.peer_factor if kind != "latency" else 1 / bar.peer_factor
            met = (name, kind) in bar.shown or holds("<=" if kind == "latency" else ">=", middle, goal)
            verdicts[name] = (middle, met)
    return verdicts


def is_met(bar, kept):
    key = "ratio" if bar.to_limit else "figure"
    own = holds(bar.best, statistics.median(run[key] for run in kept), bar.goal)
    return own and all(met for _, met in peer_verdicts(bar, kept).values())


def quantity(bar, value):
    """A figure or limit with the unit that its test has."""
    test = bar.args[1]
    if test.endswith("-bw"):
        return f"{value / 1e9:.2f} GB/s"
    if test.endswith("-rate"):
        return f"{value / 1e6:.2f} M/s"
    if test in ("connect", "idle"):
        return f"{value:.3g}" if value < 1000 else f"{value:,.0f}"
    return f"{value:.1f} ns" if value < 1e3 else f"{value / 1e3:.2f} us"


def goal_text(bar):
    sign = "≤" if bar.best == "<=" else "≥"
    goals = []
    if bar.goal > 0:
        goals.append(f"{sign} {bar.goal:g}{' x' if bar.to_limit else ''}")
    if bar.peers:
        latency = any(kind == "latency" for _, kind in bar.peers)
        if not latency:
            goals.append(f"≥ {bar.peer_factor:g} x each peer")
        elif bar.peer_factor < 1:
            goals.append(f"≤ {1 / bar.peer_factor:.2f} x each peer")
        else:
            goals.append("ahead of the peers")
    return ", ".join(goals)


def row(bar, kept, thrown):
    if not kept:
        return f"| {bar.name} | | | | {goal_text(bar)} | no steady run | {thrown} thrown away | |"
    figure = statistics.median(run["figure"] for run in kept)
    limit = ratio = ""
    if bar.to_limit:
        limits = statistics.median(run["limit"] for run in kept)
        limit = f"{kept[0]['limit_name']}: {bar.quantity(limits)}"
        ratio = "{:.2f} / **{:.2f}** / {:.2f}".format(*spread([run["ratio"] for run in kept]))
    else:
        ratio = "{:.3g} / **{:.3g}** / {:.3g}".format(*spread([run["figure"] for run in kept]))
    without_goal = {name for name, _ in bar.shown}
    peers = "; ".join(f"{quotient:.2f} x {name}"
                      f"{' (no goal)' if name in without_goal else '' if met else ' (behind)'}"
                      for name, (quotient, met) in peer_verdicts(bar, kept).items())
    if kept[0]["remark"]:
        peers = "; ".join(text for text in (peers, kept[0]["remark"]) if text)
    count = f"{len(kept)}" + (f" (+{thrown} thrown away)" if thrown else "")
    verdict = "yes" if is_met(bar, kept) else "**no**"
    return (f"| {bar.name} | {limit} | {bar.quantity(figure)} | {ratio} | {goal_text(bar)} "
            f"| {verdict} | {count} | {peers} |")


def others_use():
    """The part of all processors' time that somebody uses while this program waits two seconds."""
    def times():
        with open("/proc/stat", encoding="utf-8") as stat:
            fields = [int(field) for field in stat.readline().split()[1:9]]
        return sum(fields), fields[3] + fields[4]  # idle, and idle because of a disk
    total, idle = times()
    time.sleep(2)
    later, later_idle = times()
    return 1 - (later_idle - idle) / max(1, later - total)


def processor(cpuinfo):
    """Its model, as far as the kernel or the hypervisor names it."""
    model = next((line.split(": ", 1)[1].strip() for line in cpuinfo.splitlines()
                  if line.startswith("model name")), os.uname().machine)
    guest = any("hypervisor" in line.split() for line in cpuinfo.splitlines() if line.startswith("flags"))
    return model + (" (a virtual machine)" if guest else "")


def machine_lines(probes, load, peers):
    def read(command):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.stdout.strip()

    with open("/proc/cpuinfo", encoding="utf-8") as cpuinfo:
        model = processor(cpuinfo.read())
    cores = len(os.sched_getaffinity(0))
    # Not docs: the other table, written just before, is no change of what is measured.
    dirty = " with local changes" if read(["git", "status", "--porcelain", "-uno", "--", ":!docs"]) else ""
    commit = read(["git", "rev-parse", "--short=12", "HEAD"]) or "unknown"
    lines = [f"- Machine: {model}, {cores} usable cores, {os.uname().sysname} {os.uname().release}",
             f"- Date: {datetime.date.today().isoformat()}; commit: {commit}{dirty}",
             f"- Peers: {bench_peers.versions(peers)}"]
    if probes:
        lines.append("- Cache line one way during the runs: "
                     + "{:.0f} / {:.0f} / {:.0f} ns (min / median / max)".format(*spread(probes)))
    if load > 0.1:
        lines.append(f"- **The machine was busy (others used {load:.0%} of its processors before the "
                     "first run, or after the last): these figures say little.**")
    return lines


def table(results, load, peers=("ucx", "fi")):
    probes = [run["probe"] for _, kept, _ in results for run in kept if run["probe"] > 0]
    lines = machine_lines(probes, load, peers)
    lines += ["", "| work | limit | figure (median) | ratio, or figure: min / median / max | goal "
              "| met | runs | figure : peer |", "|---|---|---|---|---|---|---|---|"]
    lines += [row(*result) for result in results]
    missed = [bar.name for bar, kept, _ in results if not kept or not is_met(bar, kept)]
    lines += ["", f"{len(results) - len(missed)} of {len(results)} goals met."]
    if missed:
        lines += ["Missed: " + "; ".join(missed) + "."]
    return "\n".join(lines)


def between_marks(old, new, marks=MARKS):
    """The text with the part between the marks replaced; what people wrote around it stays."""
    begin, end = marks
    if begin not in old or end not in old:
        return f"{old.rstrip()}\n\n{begin}\n\n{new}\n\n{end}\n".lstrip()
    head, rest = old.split(begin, 1)
    return f"{head}{begin}\n\n{new}\n\n{end}{rest.split(end, 1)[1]}"


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
    for name, args in PLOTS.items():
        print(f"bench: plot {name}", file=sys.stderr)
        file = os.path.join(folder, f"{name}.svg")
        subprocess.run([tools.perf, "--local", "--quiet", "--repeat", "3", *args.split(), "--plot",
                        file], check=True, stdout=subprocess.DEVNULL, timeout=1800)


def parser():
    made = argparse.ArgumentParser(prog="bench.sh")
    made.add_argument("bin", nargs="?", default="build/release/bin")
    made.add_argument("--runs", type=int, default=7)
    made.add_argument("--only", action="append", default=[])
    made.add_argument("--no-plots", action="store_true")
    made.add_argument("--output", default="docs/performance.md")
    made.add_argument("--raw")
    return made


def arguments():
    options = parser().parse_args()
    options.perf = os.path.join(options.bin, "dat-perf")
    options.limits = os.path.join(options.bin, "datum-limits")
    for tool in (options.perf, options.limits):
        if not os.access(tool, os.X_OK):
            print(f"bench: {tool} is not built; run: make bench", file=sys.stderr)
            sys.exit(2)
    if len(os.sched_getaffinity(0)) < 2:
        print("bench: two cores are needed, this process may use one", file=sys.stderr)
        sys.exit(2)
    return options


def take_all(bars, options):
    """[(bar, kept runs, how many were thrown away)], and how many bars could not be measured."""
    wanted = [bar for bar in bars
              if not options.only or any(word in bar.name for word in options.only)]
    results, failures = [], 0
    for number, bar in enumerate(wanted, 1):
        print(f"bench: {number} of {len(wanted)}: {bar.name}", file=sys.stderr)
        try:
            results.append((bar, *take(bar, options, options.runs)))
        except (RuntimeError, subprocess.TimeoutExpired, KeyError, ValueError) as error:
            print(f"bench: {bar.name}: {error}", file=sys.stderr)
            results.append((bar, [], 0))
            failures += 1
    return results, failures


def write_results(text, results, options, marks=MARKS):
    print(text)
    old = ""
    if os.path.exists(options.output):
        with open(options.output, encoding="utf-8") as file:
            old = file.read()
    with open(options.output, "w", encoding="utf-8") as file:
        file.write(between_marks(old, text, marks))
    if options.raw:
        with open(options.raw, "w", encoding="utf-8") as file:
            json.dump([{"bar": bar.name, "kept": kept, "thrown": thrown}
                       for bar, kept, thrown in results], file, indent=1)


def main():
    options = arguments()
    load = others_use()
    results, failures = take_all(all_bars(), options)
    write_results(table(results, max(load, others_use())), results, options)
    if not options.no_plots and not options.only:
        draw(options, os.path.join(os.path.dirname(options.output) or ".", "plots"))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Takes runs, and says which of them count.

dat-perf measures: each of its runs holds our figure, the limit beside it, and a cache-line probe before and
after. A run during which the cores moved by more than 15 % is thrown away, and so is one of a peer.
"""

import json
import subprocess

import programs

MOVED = 0.15
TRIES = 3  # for each run that is wanted


def dat_perf(args, tools, environment=None, within=()):
    """The one result of it; `within`: a command that runs it."""
    command = [*within, tools.perf, "--local", "--json", "--quiet", "--repeat", "1", *args]
    result = json.loads(programs.output(command, environment, timeout=300))["results"][0]
    if "skipped" in result:
        raise RuntimeError(f"{' '.join(args)}: {result['skipped']}")
    return result


def record(figure, steady=True, probe=0, remark="", **limit):
    """What is kept of one run; `limit`: limit_name, limit and ratio."""
    return {"figure": figure, "steady": steady, "probe": probe, "peers": {}, "remark": remark, **limit}


def moved(before, after):
    return min(before, after) <= 0 or abs(before - after) / min(before, after) > MOVED


def probe(tools):
    """Nanoseconds one way, or 0."""
    done = programs.run([tools.limits, "one-line"])
    return float(done.stdout) if done.returncode == 0 else 0.0


def steady_peer(name, kind, tools):
    """Its figure between two probes that agree; None: it has none. TimeoutError: they never did."""
    for _ in range(TRIES):
        before = probe(tools)
        value = tools.peers.measure(name, kind)
        if not value or not moved(before, probe(tools)):
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


def take_all(bars, options):
    """[(bar, kept runs, how many were thrown away)], and how many bars could not be measured."""
    wanted = [bar for bar in bars if not options.only or any(word in bar.name for word in options.only)]
    results, failures = [], 0
    for number, bar in enumerate(wanted, 1):
        programs.say(f"{number} of {len(wanted)}: {bar.name}")
        try:
            results.append((bar, *take(bar, options, options.runs)))
        except (RuntimeError, subprocess.TimeoutExpired, KeyError, ValueError) as error:
            programs.say(f"{bar.name}: {error}")
            results.append((bar, [], 0))
            failures += 1
    return results, failures

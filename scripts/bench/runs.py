# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Makes runs, and decides which of them count.

dat-perf measures. Each of its runs has our figure, the limit beside it, and a cache-line probe before and after.
If the probes differ by more than 15 %, the run is thrown away, and so is such a run of a peer.
"""

import json
import subprocess

import programs

MOVED = 0.15
TRIES = 3  # tries for each wanted run


def dat_perf(args, tools, environment=None, within=()):
    """The only result of a call of dat-perf. `within`: a command under which it runs."""
    command = [*within, tools.perf, "--local", "--json", "--quiet", "--repeat", "1", *args]
    result = json.loads(programs.output(command, environment, timeout=300))["results"][0]
    if "skipped" in result:
        raise RuntimeError(f"{' '.join(args)}: {result['skipped']}")
    return result


def record(figure, steady=True, probe=0, remark="", **limit):
    """The values of one run that are kept. `limit`: limit_name, limit and ratio."""
    return {"figure": figure, "steady": steady, "probe": probe, "peers": {}, "remark": remark, **limit}


def moved(before, after):
    return min(before, after) <= 0 or abs(before - after) / min(before, after) > MOVED


def probe(tools):
    """The nanoseconds of a cache line in one direction, or 0."""
    done = programs.run([tools.limits, "one-line"])
    return float(done.stdout) if done.returncode == 0 else 0.0


def steady_peer(name, kind, tools):
    """The peer's figure between two probes that agree; None: the peer has no figure. TimeoutError: the
    probes never agreed."""
    for _ in range(TRIES):
        before = probe(tools)
        value = tools.peers.measure(name, kind)
        if not value or not moved(before, probe(tools)):
            return value
    raise TimeoutError(name)


def run_peers(bar, tools, run):
    """Runs the peers after our run. If a peer's run was not steady, only that run is thrown away."""
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
    """[(bar, kept runs, number of runs thrown away)], and the number of bars that could not be measured."""
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

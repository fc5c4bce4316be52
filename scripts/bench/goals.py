# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a bar is, and whether its runs meet its goal. shm.py and tcp.py list the bars."""

import statistics

import runs

# sizes of streams, and their names
STREAMS = (("64k", "64 KiB"), ("1M", "1 MiB"), ("16M", "16 MiB"))


def holds(best, value, goal):
    return value <= goal if best == "<=" else value >= goal


class Bar:
    """One goal. `best` is "<=" or ">=", and applies to the ratio to the limit, or to the figure itself."""

    within = ()  # a command under which dat-perf runs

    def __init__(self, name, args, best, goal, *, to_limit=True, peers=(), peer_factor=1.0, shown=(),
                 pick=lambda result: result["value"]["median"]):
        self.name, self.args, self.best, self.goal = name, args.split(), best, goal
        # `shown`: further peers without a goal.
        self.to_limit, self.peers, self.peer_factor, self.shown = to_limit, peers, peer_factor, shown
        self.pick = pick  # takes the figure from the output of dat-perf

    def run(self, tools):
        """Makes one run of the bar: see runs.record()."""
        result = runs.dat_perf(self.args, tools, within=self.within)
        run = runs.record(self.pick(result), result.get("steady") is not False,
                          result.get("probe_ns") or 0, result.get("remark", ""))
        if self.to_limit:
            if "limit" not in result:
                raise RuntimeError(f"{self.name}: its limit could not be measured")
            run.update(limit_name=result["limit"], limit=result["limit_value"]["median"],
                       ratio=result["ratio"]["median"])
        return run

    def quantity(self, value):
        """A figure or a limit, with the unit of its test."""
        test = self.args[1]
        if test.endswith("-bw"):
            return f"{value / 1e9:.2f} GB/s"
        if test.endswith("-rate"):
            return f"{value / 1e6:.2f} M/s"
        if test in ("connect", "idle"):
            return f"{value:.3g}" if value < 1000 else f"{value:,.0f}"
        return f"{value:.1f} ns" if value < 1e3 else f"{value / 1e3:.2f} us"

    def beside_peers(self, kept):
        """name -> (median of figure / peer, is the goal against it met?)"""
        verdicts = {}
        for name, kind in self.peers + self.shown:
            quotients = [run["figure"] / run["peers"][name] for run in kept if name in run["peers"]]
            if quotients:
                middle = statistics.median(quotients)
                best, goal = ("<=", 1 / self.peer_factor) if kind == "latency" else (">=", self.peer_factor)
                verdicts[name] = middle, (name, kind) in self.shown or holds(best, middle, goal)
        return verdicts

    def is_met(self, kept):
        key = "ratio" if self.to_limit else "figure"
        own = holds(self.best, statistics.median(run[key] for run in kept), self.goal)
        return own and all(met for _, met in self.beside_peers(kept).values())

    def goal_text(self):
        sign = "≤" if self.best == "<=" else "≥"
        goals = []
        if self.goal > 0:
            goals.append(f"{sign} {self.goal:g}{' x' if self.to_limit else ''}")
        if self.peers:
            if not any(kind == "latency" for _, kind in self.peers):
                goals.append(f"≥ {self.peer_factor:g} x each peer")
            elif self.peer_factor < 1:
                goals.append(f"≤ {1 / self.peer_factor:.2f} x each peer")
            else:
                goals.append("ahead of the peers")
        return ", ".join(goals)

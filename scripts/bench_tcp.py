#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Takes the bars of TCP for docs/performance.md, on loopback and through a veth pair; scripts/bench.sh says how it is called.

Lives here: which bars there are, and those whose figure is no plain result of dat-perf. Not here:
which runs count and what a table says (bench.py).
"""

import collections
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import bench

MARKS = ("<!-- bench.sh writes the table of TCP from here -->",
         "<!-- bench.sh wrote the table of TCP up to here -->")
PEERS = ("ucx", "fi", "iperf3", "sockperf", "qperf")
TCP = ["--transport", "tcp"]
LEVEL = 0.95  # of a peer's speed: level with it
MANY = 10000
COUNTED_MS = 1000
WARM_UP = 1.05  # dat-perf makes a twentieth of the rounds before the clock starts


class TcpBar(bench.Bar):
    """A goal held against sockets that carry the same payload."""

    def __init__(self, name, args, best, goal, **more):
        super().__init__(name, args, best, goal, **more)
        self.args += TCP


# Two network namespaces with a veth pair between them, for one command, with no privilege; they go
# with it. The far one gets a name in a /run that nobody else sees. Both have Reno: BBR looks for
# the rate of a way that has none, and finds another one each time, for bare sockets, too.
VETH = ("unshare", "--user", "--map-root-user", "--net", "--mount", "sh", "-ec", """
mount -t tmpfs none /run
ip netns add far
ip link add near type veth peer name far netns far
ip address add 192.0.2.1/24 dev near
ip -n far address add 192.0.2.2/24 dev far
for device in lo near; do ip link set $device up; done
for device in lo far; do ip -n far link set $device up; done
reno='echo reno >/proc/sys/net/ipv4/tcp_congestion_control'
eval "$reno"
ip netns exec far sh -c "$reno"
exec "$@"
""", "veth")
FAR = "--netns far=192.0.2.2"


class VethBar(TcpBar):
    """The same through a veth pair."""

    def __init__(self, name, args, best, goal):
        super().__init__(f"{name}, veth", f"{args} {FAR}", best, goal)

    def run(self, tools):
        return bench.run_once(self, tools, VETH)


class VersusBar(TcpBar):
    """A goal held against another figure of our own, taken within the same seconds."""

    def __init__(self, name, args, best, goal, against, other, environment=None,
                 other_environment=None, within=(), **more):
        super().__init__(name, f"{args} --no-limits", best, goal, **more)
        self.against, self.other = against, [*other.split(), "--no-limits", *TCP]
        self.environment, self.other_environment = environment, other_environment
        self.within = within

    def run(self, tools):
        own = bench.dat_perf(self.args, tools, self.environment, self.within)
        other = bench.dat_perf(self.other, tools, self.other_environment, self.within)
        figure, limit = own["value"]["median"], other["value"]["median"]
        steady = (own["steady"] and other["steady"]
                  and not bench.moved(own["probe_ns"], other["probe_ns"]))
        return {"figure": figure, "limit": limit, "ratio": figure / limit,
                "limit_name": self.against, "steady": steady, "probe": own["probe_ns"],
                "peers": {}, "remark": ""}


class IdleBar(TcpBar):
    """One of the figures of a run with many idle connections, which all such bars share."""

    taken = []

    def __init__(self, name, best, goal, pick, unit):
        super().__init__(name, f"-t idle --endpoints {MANY}", best, goal, to_limit=False)
        self.pick, self.unit, self.seen = pick, unit, 0

    def quantity(self, value):
        return f"{value:.3g} {self.unit}"

    def run(self, tools):
        if self.seen == len(self.taken):
            self.taken.append(bench.dat_perf(self.args, tools))
        result = self.taken[self.seen]
        self.seen += 1
        return figure_alone(self.pick(result))


class CallsBar(TcpBar):
    """System calls for each message, on one side."""

    taken = collections.defaultdict(list)

    def __init__(self, name, side, test, goal):
        super().__init__(name, f"-t {test} -s 8 --window {WINDOW}", "<=", goal, to_limit=False)
        self.side, self.test, self.seen = side, test, 0

    def quantity(self, value):
        return f"{value:.3f}"

    def run(self, tools):
        runs = self.taken[self.test]
        if self.seen == len(runs):
            runs.append(count_calls(self.args, tools))
        calls = runs[self.seen]
        self.seen += 1
        remark = f"{calls[self.side, 'sends']:.3f} of them sent, the others read, looked or waited"
        return {**figure_alone(calls[self.side]), "remark": remark}


def figure_alone(value):
    return {"figure": value, "steady": True, "probe": 0, "peers": {}, "remark": ""}


WINDOW = 256  # of messages that are counted
ALL = "raw_syscalls:sys_enter"
# A read may find nothing, and only looks then.
SENDS = ("syscalls:sys_enter_sendmsg", "syscalls:sys_enter_sendto")


def counted(command, file):
    return ["perf", "stat", "-x", ",", "-o", file, "-e", ",".join((ALL, *SENDS)), *command]


def calls_in(text, events=(ALL,)):
    """From `perf stat -x ,`: how often these happened."""
    calls = 0
    for event in events:
        found = re.search(rf"^(\d+),[^\n]*{event}", text, re.MULTILINE)
        if not found:
            raise RuntimeError(f"perf counted no {event}; may it read the tracepoints?")
        calls += int(found.group(1))
    return calls


def port_in(line):
    """From the first line of a server."""
    found = re.search(r"port (\d+)", line)
    if not found:
        raise RuntimeError(f"the server said: {line.strip() or 'nothing'}")
    return found.group(1)


def count_calls(args, tools):
    """{"sender": calls for each message, "receiver": ..., and ("sender", "sends"): of these, what
    sent, ...}, those of setting up included. perf counts
    in the kernel: under strace each call takes so long that other threads do the work."""
    cores = [str(core) for core in sorted(os.sched_getaffinity(0))[:2]]
    with tempfile.TemporaryDirectory() as folder:
        files = {side: os.path.join(folder, side) for side in ("sender", "receiver")}
        server = [tools.perf, "--server", "--once", "--quiet", "--port", "0", "--core", cores[1], *TCP]
        with subprocess.Popen(counted(server, files["receiver"]), stdout=subprocess.PIPE,
                              text=True) as passive:
            try:
                client = [tools.perf, "localhost", "--port", port_in(passive.stdout.readline()),
                          "--core", cores[0], "--json", "--quiet", "--repeat", "1", "--time",
                          str(COUNTED_MS), *args]
                done = subprocess.run(counted(client, files["sender"]), capture_output=True,
                                      text=True, timeout=120, check=False)
                if done.returncode != 0:
                    raise RuntimeError(f"{' '.join(client)}: {done.stderr.strip()}")
                passive.wait(20)
            finally:
                passive.kill()
        messages = json.loads(done.stdout)["results"][0]["rounds"] * WARM_UP
        calls = {}
        for side, file in files.items():
            with open(file, encoding="utf-8") as text:
                calls[side], calls[side, "sends"] = per_message(text.read(), messages)
        return calls


def per_message(counts, messages):
    """All calls of a side, and those that sent: messages, or acknowledgements of them, neither of
    which can be rarer than once in a window."""
    sends = calls_in(counts, SENDS) / messages
    if sends < 1 / WINDOW:
        raise RuntimeError(f"{sends:.5f} calls sent a message, one for {WINDOW} is the least: "
                           "is there a call that sends and is not counted?")
    return calls_in(counts) / messages, sends


def bandwidth_bars():
    bars = []
    for size, label in (("64k", "64 KiB"), ("1M", "1 MiB"), ("16M", "16 MiB")):
        peers = tuple((f"{peer} {size}", "bandwidth")
                      for peer in ("ucx-tcp tag_bw", "fi-tcp", "iperf3"))
        args = f"-s {size} --time 200"
        for op in ("send", "write"):
            bars.append(TcpBar(f"{op} bandwidth {label}", f"-t {op}-bw {args}", ">=", 0.9,
                               peers=peers, shown=((f"qperf tcp_bw {size}", "bandwidth"),)))
        bars.append(VersusBar(f"read bandwidth {label}", f"-t read-bw {args}", ">=", 0.9,
                              "our send-bw", f"-t send-bw {args}", peer_factor=2,
                              peers=((f"ucx-tcp get_bw {size}", "bandwidth"),)))
        for op in ("send", "read"):
            bars.append(VersusBar(f"{op} bandwidth {label}, CRC on", f"-t {op}-bw {args}", ">=", 0.9,
                                  "CRC off", f"-t {op}-bw {args}", {"DATUM_CRC": "on"},
                                  {"DATUM_CRC": "off"}))
    return bars


def veth_bars():
    bars = [
        VethBar("send/recv 8 B", "-t send-lat -s 8", "<=", 1.2),
        VethBar("send/recv 8 B, blocking", "-t send-lat -s 8 --wait block --time 300", "<=", 1.15),
        VethBar("RDMA Read 8 B (limit: one way)", "-t read-lat -s 8", "<=", 2.3),
        VethBar("RDMA Write 8 B, target calls no DAT function",
                "-t write-lat -s 8 --target memory", "<=", 1.5),
    ]
    for size, label in (("64k", "64 KiB"), ("1M", "1 MiB"), ("16M", "16 MiB")):
        args = f"-s {size} --time 200"
        bars += [VethBar(f"{op} bandwidth {label}", f"-t {op}-bw {args}", ">=", 0.9)
                 for op in ("send", "write")]
        bars.append(VersusBar(f"read bandwidth {label}, veth", f"-t read-bw {args} {FAR}", ">=", 0.9,
                              "our send-bw", f"-t send-bw {args} {FAR}", within=VETH))
    return bars


def idle_bars():
    return [
        IdleBar(f"{MANY:,} endpoints: connected, s", "<=", 15, lambda r: r["setup_ns"] / 1e9, "s"),
        IdleBar(f"{MANY:,} endpoints: memory of each, KiB", "<=", 48,
                lambda r: r["memory_per_pair"] / 2 / 1024, "KiB"),
        IdleBar(f"{MANY:,} endpoints: descriptors of each", "<=", 1,
                lambda r: r["descriptors_per_pair"] / 2, ""),
        IdleBar(f"{MANY:,} endpoints idle, 10 s: % CPU", "<=", 0.05, lambda r: r["cpu_percent"], "%"),
        VersusBar(f"send/recv 8 B beside {MANY:,} idle endpoints",
                  f"-t send-lat -s 8 --beside {MANY}", "<=", 1.1, "alone", "-t send-lat -s 8"),
    ]


def calls_bars():
    if not shutil.which("perf"):
        return []
    return [CallsBar(f"system calls of a message of 8 B, {side}", side, "send-rate", 0.1)
            for side in ("sender", "receiver")]


def all_bars():
    return [
        TcpBar("send/recv 8 B", "-t send-lat -s 8", "<=", 1.2, peer_factor=LEVEL,
               peers=(("ucx-tcp tag_lat 8", "latency"), ("fi-tcp 8", "latency")),
               shown=(("sockperf spinning 8", "latency"),)),
        TcpBar("send/recv 8 B, blocking", "-t send-lat -s 8 --wait block --time 300", "<=", 1.15,
               shown=(("sockperf blocking 8", "latency"), ("qperf tcp_lat 8", "latency"))),
        TcpBar("RDMA Read 8 B (limit: one way)", "-t read-lat -s 8", "<=", 2.3,
               shown=(("ucx-tcp get_lat 8", "latency"),)),
        TcpBar("RDMA Write 8 B, target calls no DAT function", "-t write-lat -s 8 --target memory",
               "<=", 1.5),
        *bandwidth_bars(),
        TcpBar("send rate 8 B, window 256", "-t send-rate -s 8 --window 256", ">=", 0.0,
               peers=(("ucx-tcp tag_bw 8", "rate"), ("fi-tcp 8", "rate")), peer_factor=20,
               shown=(("qperf tcp_bw 8", "rate"),)),
        *calls_bars(),
        *idle_bars(),
        *veth_bars(),
    ]


def main():
    options = bench.arguments()
    if options.raw:
        options.raw += ".tcp"
    load = bench.others_use()
    results, failures = bench.take_all(all_bars(), options)
    text = bench.table(results, max(load, bench.others_use()), PEERS)
    if not shutil.which("perf"):
        text += "\nSystem calls were not counted: perf is not installed."
    bench.write_results(text, results, options, MARKS)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

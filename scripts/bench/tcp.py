# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The bars of TCP, on loopback and through a veth pair, and the bars whose figure is computed from several results."""

import collections
import json
import os
import re
import shutil
import subprocess
import tempfile

import page
import programs
import runs
from goals import STREAMS, Bar

MARKS = page.marks("bench.sh", "the table of TCP ")
PEERS = ("ucx", "fi", "iperf3", "sockperf", "qperf")
RAW = ".tcp"  # appended to the name of the file of all runs
TCP = ["--transport", "tcp"]
LEVEL = 0.95  # of a peer's speed: from here on a figure is level with the peer's
MANY = 10000
WINDOW = 256  # messages whose calls are counted
COUNTED_MS = 1000
WARM_UP = 1.05  # dat-perf adds a twentieth of the rounds before the clock starts


def note():
    return "" if shutil.which("perf") else "\nSystem calls were not counted: perf is not installed."


class TcpBar(Bar):
    """A goal relative to sockets that carry the same payload."""

    def __init__(self, name, args, best, goal, **more):
        super().__init__(name, args, best, goal, **more)
        self.args += TCP


# Two network namespaces with a veth pair between them, for one command and without privileges. They
# end with the command. The far namespace gets a name in a /run that no other process sees. Both use
# Reno: BBR would search for the rate of a path that has none, and would find a different rate each
# time, for bare sockets, too.
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
    """A bar through a veth pair, without peers."""

    within = VETH

    def __init__(self, bar):
        super().__init__(f"{bar.name}, veth", f"{' '.join(bar.args[:-len(TCP)])} {FAR}", bar.best, bar.goal)


class VersusBar(TcpBar):
    """A goal relative to another figure of ours, measured within the same seconds."""

    def __init__(self, name, args, best, goal, against, other, environment=None, other_environment=None, within=(),
                 **more):
        super().__init__(name, f"{args} --no-limits", best, goal, **more)
        self.against, self.other = against, [*other.split(), "--no-limits", *TCP]
        self.environment, self.other_environment = environment, other_environment
        self.within = within

    def run(self, tools):
        own = runs.dat_perf(self.args, tools, self.environment, self.within)
        other = runs.dat_perf(self.other, tools, self.other_environment, self.within)
        figure, limit = own["value"]["median"], other["value"]["median"]
        steady = own["steady"] and other["steady"] and not runs.moved(own["probe_ns"], other["probe_ns"])
        return runs.record(figure, steady, own["probe_ns"], limit_name=self.against, limit=limit, ratio=figure / limit)


class SharedBar(TcpBar):
    """One of several figures of a run. All bars with the same arguments share these runs."""

    taken = collections.defaultdict(list)

    def __init__(self, name, args, best, goal, **more):
        super().__init__(name, args, best, goal, to_limit=False, **more)
        self.seen = 0

    def shared(self, take, tools):
        """The next of these runs. It is made now unless another bar has made it."""
        taken = self.taken[tuple(self.args)]
        if self.seen == len(taken):
            taken.append(take(self.args, tools))
        self.seen += 1
        return taken[self.seen - 1]


class IdleBar(SharedBar):
    """A figure of a run with many idle connections."""

    def __init__(self, name, best, goal, pick, unit):
        super().__init__(name, f"-t idle --endpoints {MANY}", best, goal, pick=pick)
        self.unit = unit

    def quantity(self, value):
        return f"{value:.3g} {self.unit}"

    def run(self, tools):
        return runs.record(self.pick(self.shared(runs.dat_perf, tools)))


class CallsBar(SharedBar):
    """System calls for each message, on one side."""

    def __init__(self, name, side, test, goal):
        super().__init__(name, f"-t {test} -s 8 --window {WINDOW}", "<=", goal)
        self.side = side

    def quantity(self, value):
        return f"{value:.3f}"

    def run(self, tools):
        calls = self.shared(count_calls, tools)
        return runs.record(calls[self.side], remark=f"{calls[self.side, 'sends']:.3f} of them sent, "
                           "the others read, looked or waited")


ALL = "raw_syscalls:sys_enter"
# A read may find nothing. Then it was only a poll.
SENDS = ("syscalls:sys_enter_sendmsg", "syscalls:sys_enter_sendto")


def counted(command, file):
    return ["perf", "stat", "-x", ",", "-o", file, "-e", ",".join((ALL, *SENDS)), *command]


def calls_in(text, events=(ALL,)):
    """The number of these events, from `perf stat -x ,`."""
    calls = 0
    for event in events:
        found = re.search(rf"^(\d+),[^\n]*{event}", text, re.MULTILINE)
        if not found:
            raise RuntimeError(f"perf counted no {event}; may it read the tracepoints?")
        calls += int(found.group(1))
    return calls


def port_in(line):
    """The port in the first line of a server."""
    found = re.search(r"port (\d+)", line)
    if not found:
        raise RuntimeError(f"the server said: {line.strip() or 'nothing'}")
    return found.group(1)


def count_calls(args, tools):
    """{"sender": calls for each message, "receiver": ..., and ("sender", "sends"): of these, what sent, ...}. Those of
    setting up are included. perf counts in the kernel: strace makes a call so slow that other threads do the work.
    """
    cores = [str(core) for core in sorted(os.sched_getaffinity(0))[:2]]
    with tempfile.TemporaryDirectory() as folder:
        files = {side: os.path.join(folder, side) for side in ("sender", "receiver")}
        server = [tools.perf, "--server", "--once", "--quiet", "--port", "0", "--core", cores[1], *TCP]
        with programs.running(counted(server, files["receiver"]), stdout=subprocess.PIPE) as passive:
            client = [tools.perf, "localhost", "--port", port_in(passive.stdout.readline()), "--core", cores[0],
                      "--json", "--quiet", "--repeat", "1", "--time", str(COUNTED_MS), *args]
            said = programs.output(counted(client, files["sender"]), timeout=120)
            passive.wait(20)
        messages = json.loads(said)["results"][0]["rounds"] * WARM_UP
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


def small_bars():
    return [
        TcpBar("send/recv 8 B", "-t send-lat -s 8", "<=", 1.2, peer_factor=LEVEL,
               peers=(("ucx-tcp tag_lat 8", "latency"), ("fi-tcp 8", "latency")),
               shown=(("sockperf spinning 8", "latency"),)),
        TcpBar("send/recv 8 B, blocking", "-t send-lat -s 8 --wait block --time 300", "<=", 1.15,
               shown=(("sockperf blocking 8", "latency"), ("qperf tcp_lat 8", "latency"))),
        TcpBar("RDMA Read 8 B (limit: one way)", "-t read-lat -s 8", "<=", 2.3,
               shown=(("ucx-tcp get_lat 8", "latency"),)),
        TcpBar("RDMA Write 8 B, target calls no DAT function", "-t write-lat -s 8 --target memory", "<=", 1.5),
    ]


def one_way_bars(size, label):
    """The bars of Send and Write. Those of Read differ: their goal is relative to Send."""
    peers = tuple((f"{peer} {size}", "bandwidth") for peer in ("ucx-tcp tag_bw", "fi-tcp", "iperf3"))
    return [TcpBar(f"{op} bandwidth {label}", f"-t {op}-bw -s {size} --time 200", ">=", 0.9, peers=peers,
                   shown=((f"qperf tcp_bw {size}", "bandwidth"),)) for op in ("send", "write")]


def bandwidth_bars():
    bars = []
    for size, label in STREAMS:
        args = f"-s {size} --time 200"
        bars += one_way_bars(size, label)
        bars.append(VersusBar(f"read bandwidth {label}", f"-t read-bw {args}", ">=", 0.9, "our send-bw",
                              f"-t send-bw {args}", peer_factor=2, peers=((f"ucx-tcp get_bw {size}", "bandwidth"),)))
        bars += [VersusBar(f"{op} bandwidth {label}, CRC on", f"-t {op}-bw {args}", ">=", 0.9, "CRC off",
                           f"-t {op}-bw {args}", {"DATUM_CRC": "on"}, {"DATUM_CRC": "off"}) for op in ("send", "read")]
    return bars


def veth_bars():
    bars = [VethBar(bar) for bar in small_bars()]
    for size, label in STREAMS:
        args = f"-s {size} --time 200 {FAR}"
        bars += [VethBar(bar) for bar in one_way_bars(size, label)]
        bars.append(VersusBar(f"read bandwidth {label}, veth", f"-t read-bw {args}", ">=", 0.9,
                              "our send-bw", f"-t send-bw {args}", within=VETH))
    return bars


def idle_bars():
    many = f"{MANY:,} endpoints"
    return [
        IdleBar(f"{many}: connected, s", "<=", 15, lambda r: r["setup_ns"] / 1e9, "s"),
        IdleBar(f"{many}: memory of each, KiB", "<=", 48, lambda r: r["memory_per_pair"] / 2 / 1024, "KiB"),
        IdleBar(f"{many}: descriptors of each", "<=", 1, lambda r: r["descriptors_per_pair"] / 2, ""),
        IdleBar(f"{many} idle, 10 s: % CPU", "<=", 0.05, lambda r: r["cpu_percent"], "%"),
        VersusBar(f"send/recv 8 B beside {MANY:,} idle endpoints", f"-t send-lat -s 8 --beside {MANY}", "<=", 1.1,
                  "alone", "-t send-lat -s 8"),
    ]


def calls_bars():
    return [CallsBar(f"system calls of a message of 8 B, {side}", side, "send-rate", 0.1)
            for side in ("sender", "receiver") if shutil.which("perf")]


def all_bars():
    rate = TcpBar("send rate 8 B, window 256", "-t send-rate -s 8 --window 256", ">=", 0.0,
                  peers=(("ucx-tcp tag_bw 8", "rate"), ("fi-tcp 8", "rate")), peer_factor=20,
                  shown=(("qperf tcp_bw 8", "rate"),))
    return [*small_bars(), *bandwidth_bars(), rate, *calls_bars(), *idle_bars(), *veth_bars()]

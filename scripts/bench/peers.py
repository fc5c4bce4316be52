# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""UCX, libfabric, iperf3, sockperf and qperf on the same two cores. A peer that is not installed or that fails has no
figure. That is never an error of the benchmark."""

import glob
import itertools
import json
import os
import re
import shutil
import subprocess
import time

import programs

SIZES = {"8": 8, "4k": 4096, "64k": 65536, "1M": 1 << 20, "16M": 16 << 20}
FIRST_PORT = 47600
PROGRAMS = {"ucx": "ucx_perftest", "fi": "fi_pingpong"}  # the others are called like their programs,
PACKAGES = {"ucx": "ucx-utils", "fi": "libfabric-bin"}   # and like their packages
# How to find the version of a build that is no package.
TELLERS = {"ucx": (["ucx_info", "-v"], "UCX", r"ersion:? (\d\S*)"),
           "fi": (["fi_info", "--version"], "libfabric", r"^libfabric: (\S+)")}
# Without this variable, UCX takes the address of another interface of this host, not that of the
# limits.
UCX = {"ucx": {"UCX_TLS": "posix,cma"}, "ucx-tcp": {"UCX_TLS": "tcp", "UCX_NET_DEVICES": "lo"}}
FI = {"fi": ["-e", "rdm", "-p", "shm"], "fi-tcp": ["-e", "msg", "-p", "tcp"]}
# One Get after the other, for a latency. As many at once as dat-perf has by default, for a
# bandwidth.
GETS = {"get_lat": ["-O", "1"], "get_bw": ["-O", "64"]}


def pinned(which, command):
    cores = sorted(os.sched_getaffinity(0))
    return ["taskset", "-c", str(cores[which]), *command]


def rounds_for(size, most):
    return max(20, min(most, (1 << 30) // size))


def parse_ucx(text):
    """{latency ns, bandwidth bytes/s, rate 1/s} from `ucx_perftest -f -v`; None if there is no result."""
    rows = [row for row in (line.strip().split(",") for line in text.splitlines())
            if len(row) == 8 and row[0].isdecimal()]
    if not rows:
        return None
    values = [float(number) for number in rows[-1]]
    # UCX prints bandwidth in units of 2^20 bytes.
    return {"latency": values[3] * 1e3, "bandwidth": values[5] * 2**20, "rate": values[7]}


def parse_fi(text):
    """The same from fi_pingpong's last line: bytes #sent #ack total time MB/sec usec/xfer Mxfers."""
    rows = [row for row in map(str.split, text.splitlines()) if len(row) == 8 and row[4].endswith("s")]
    try:
        bandwidth, latency, rate = map(float, rows[-1][5:])
    except (IndexError, ValueError):
        return None
    return {"latency": latency * 1e3, "bandwidth": bandwidth * 1e6, "rate": rate * 1e6}


def parse_iperf(text):
    """The same from `iperf3 -J`: the rate of the receiver."""
    try:
        received = json.loads(text)["end"]["sum_received"]
        return {"bandwidth": received["bits_per_second"] / 8}
    except (ValueError, KeyError):
        return None


def parse_sockperf(text):
    """The same from sockperf, which prints half round trips in us."""
    found = re.search(r"Summary: Latency is ([0-9.]+) usec", text)
    return {"latency": float(found.group(1)) * 1e3} if found else None


QPERF_UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "MB/sec": 1e6, "GB/sec": 1e9}


def parse_qperf(text, size):
    """The same from qperf, which prints either the latency or the bandwidth."""
    found = re.search(r"(latency|bw) += +([0-9.]+) (\S+)", text)
    if not found or found.group(3) not in QPERF_UNITS:
        return None
    value = float(found.group(2)) * QPERF_UNITS[found.group(3)]
    return {"latency": value} if found.group(1) == "latency" else {"bandwidth": value, "rate": value / size}


class Peers:
    """The peers that are installed. Newer builds of UCX and libfabric may be in a folder: either both in its bin/, or
    each in the bin/ of its own subfolder, with lib/ beside it."""

    def __init__(self, folder=None):
        self.ports = map(str, itertools.count(FIRST_PORT))
        self.newer = []
        if folder:
            self.newer = [path for path in glob.glob(f"{folder}/bin") + sorted(glob.glob(f"{folder}/*/bin"))
                          if any(shutil.which(program, path=path) for program in PROGRAMS.values())]
            if not self.newer:
                programs.fail(2, f"{folder} has no bin/ with ucx_perftest or fi_pingpong")

    def find(self, program):
        """The program's path, or None, and the variables that the libraries of a newer build need."""
        path = shutil.which(program, path=os.pathsep.join([*self.newer, os.environ.get("PATH", os.defpath)]))
        folder = os.path.dirname(path or "")
        if folder not in self.newer:
            return path, {}
        others = [os.environ["LD_LIBRARY_PATH"]] if os.environ.get("LD_LIBRARY_PATH") else []
        return path, {"LD_LIBRARY_PATH": os.pathsep.join([os.path.join(os.path.dirname(folder), "lib"), *others])}

    def pair(self, program, server, client, environment=None):
        """The client's stdout; "" if it failed. The server is always ended."""
        path, own = self.find(program)
        own.update(environment or {})
        with programs.running(pinned(1, [path, *server]), env={**os.environ, **own}, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as passive:
            for _ in range(20):  # waits until the server listens, which it does not report
                time.sleep(0.1)
                try:
                    done = programs.run(pinned(0, [path, *client]), own)
                except subprocess.TimeoutExpired:
                    return ""
                if done.returncode == 0:
                    return done.stdout
                if passive.poll() is not None:
                    return ""
        return ""

    def ucx(self, name, size, test):
        port = next(self.ports)
        # Over TCP, UCX now and then moves a thousandth of what it moves through memory.
        slow = 50 if name == "ucx-tcp" else 1
        rounds = max(20, rounds_for(size, 1000000 if test.endswith("_bw") else 200000) // slow)
        of_test = ["-t", "ucp_get", *GETS[test]] if test in GETS else ["-t", test]
        return parse_ucx(self.pair("ucx_perftest", ["-p", port],
                                   ["-p", port, "127.0.0.1", *of_test, "-s", str(size), "-n", str(rounds),
                                    "-w", str(rounds // 10 + 1), "-f", "-v"],
                                   {**UCX[name], "UCX_WARN_UNUSED_ENV_VARS": "n"}))

    def fi(self, name, size):
        port = next(self.ports)
        # Both sides need the same size and count; otherwise they wait for each other for ever.
        common = [*FI[name], "-S", str(size), "-I", str(rounds_for(size, 100000))]
        return parse_fi(self.pair("fi_pingpong", [*common, "-B", port], [*common, "-P", port, "127.0.0.1"]))

    def iperf3(self, _, size):
        port = next(self.ports)
        return parse_iperf(self.pair("iperf3", ["-s", "-1", "-p", port],
                                     ["-c", "127.0.0.1", "-p", port, "-J", "-t", "1", "-l",
                                      str(min(size, 1 << 20))]))  # iperf3 takes at most 1 MiB

    def sockperf(self, _, size, way):
        spin = ["--nonblocked"] if way == "spinning" else []
        common = ["--tcp", "-i", "127.0.0.1", "-p", next(self.ports), *spin]
        # Its shortest message has fourteen octets.
        return parse_sockperf(self.pair("sockperf", ["server", *common],
                                        ["ping-pong", *common, "-m", str(max(14, size)), "-t", "1"]))

    def qperf(self, _, size, test):
        port, data_port = next(self.ports), next(self.ports)
        return parse_qperf(self.pair("qperf", ["-lp", port], ["127.0.0.1", "-lp", port, "-ip", data_port, "-t", "1",
                                                              "-m", str(size), test]), size)

    def measure(self, name, kind):
        """name: "ucx tag_lat 8", "ucx-tcp tag_lat 8", "ucx-tcp get_lat 8", "fi 64k", "fi-tcp 64k", "iperf3 64k",
        "sockperf spinning 8", "sockperf blocking 8", "qperf tcp_lat 8" or "qperf tcp_bw 64k".
        None: not installed, or it failed."""
        peer, *test, size = name.split()
        maker = peer.removesuffix("-tcp")
        if not self.find(PROGRAMS.get(maker, maker))[0] or not shutil.which("taskset"):
            return None
        values = getattr(self, maker)(peer, SIZES[size], *test)
        return values[kind] if values else None

    def version(self, maker):
        program = PROGRAMS.get(maker, maker)
        path, own = self.find(program)
        if not path:
            return f"{program} is not installed"
        if own:
            teller, project, pattern = TELLERS[maker]
            teller = [os.path.join(os.path.dirname(path), teller[0]), *teller[1:]]
            said = programs.run(teller, own).stdout if os.access(teller[0], os.X_OK) else ""
            told = re.search(pattern, said, re.MULTILINE)
            return f"{program} ({project} {told[1] if told else 'of unknown version'})"
        package = PACKAGES.get(maker, program)
        said = programs.run(["dpkg-query", "-W", "-f", "${Version}", package]).stdout
        return f"{program} ({package} {said or 'unknown version'})"

    def versions(self, makers):
        return ", ".join(self.version(maker) for maker in makers)

# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""UCX, libfabric, iperf3, sockperf and qperf on the same two cores, and the probe around them. A peer that
is not installed or fails has no figure; that is never an error of the benchmark."""

import functools
import json
import os
import re
import shutil
import subprocess
import time

SIZES = {"8": 8, "4k": 4096, "64k": 65536, "1M": 1 << 20, "16M": 16 << 20}
PATIENCE = 30  # seconds for one peer measurement
FIRST_PORT = 47600


def pinned(which, command):
    cores = sorted(os.sched_getaffinity(0))
    return ["taskset", "-c", str(cores[which]), *command]


def probe(limits):
    """Nanoseconds one way, or 0."""
    done = subprocess.run([limits, "one-line"], capture_output=True, text=True, check=False,
                          timeout=PATIENCE)
    return float(done.stdout) if done.returncode == 0 else 0.0


def pair(server, client, environment):
    """The client's stdout; the server is ended whatever happens. "" if it did not work."""
    env = {**os.environ, **environment}
    passive = subprocess.Popen(pinned(1, server), env=env, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    try:
        for _ in range(20):  # until the server listens: it says nothing when it does
            time.sleep(0.1)
            done = subprocess.run(pinned(0, client), env=env, capture_output=True, text=True,
                                  check=False, timeout=PATIENCE)
            if done.returncode == 0:
                return done.stdout
            if passive.poll() is not None:
                return ""
    except subprocess.TimeoutExpired:
        return ""
    finally:
        passive.kill()
        passive.wait()
    return ""


@functools.lru_cache(maxsize=None)
def port_counter():
    return iter(range(FIRST_PORT, 65000))


def rounds_for(size, most):
    return max(20, min(most, (1 << 30) // size))


def parse_ucx(text):
    """{latency ns, bandwidth bytes/s, rate 1/s} from `ucx_perftest -f -v`, None if there is none."""
    for line in reversed(text.splitlines()):
        numbers = line.strip().split(",")
        if len(numbers) == 8 and re.fullmatch(r"\d+", numbers[0]):
            values = [float(number) for number in numbers]
            # UCX counts bandwidth in units of 2^20 bytes.
            return {"latency": values[3] * 1e3, "bandwidth": values[5] * 2**20, "rate": values[7]}
    return None


def parse_fi(text):
    """The same from fi_pingpong's last line: bytes #sent #ack total time MB/sec usec/xfer Mxfers."""
    for line in reversed(text.splitlines()):
        fields = line.split()
        if len(fields) == 8 and fields[4].endswith("s"):
            try:
                return {"latency": float(fields[6]) * 1e3, "bandwidth": float(fields[5]) * 1e6,
                        "rate": float(fields[7]) * 1e6}
            except ValueError:
                return None
    return None


UCX_SHM = {"UCX_TLS": "posix,cma"}
# The address of the limits; by itself UCX takes the one of some other interface of this host.
UCX_TCP = {"UCX_TLS": "tcp", "UCX_NET_DEVICES": "lo"}
FI_SHM = ["-e", "rdm", "-p", "shm"]
FI_TCP = ["-e", "msg", "-p", "tcp"]


def parse_iperf(text):
    """The same from `iperf3 -J`: what the receiver has had."""
    try:
        received = json.loads(text)["end"]["sum_received"]
        return {"bandwidth": received["bits_per_second"] / 8}
    except (ValueError, KeyError):
        return None


def parse_sockperf(text):
    """The same: half round trips, in us."""
    found = re.search(r"Summary: Latency is ([0-9.]+) usec", text)
    return {"latency": float(found.group(1)) * 1e3} if found else None


QPERF_UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "MB/sec": 1e6, "GB/sec": 1e9}


def parse_qperf(text, size):
    """The same: it prints one of latency and bandwidth."""
    found = re.search(r"(latency|bw) += +([0-9.]+) (\S+)", text)
    if not found or found.group(3) not in QPERF_UNITS:
        return None
    value = float(found.group(2)) * QPERF_UNITS[found.group(3)]
    return {"latency": value} if found.group(1) == "latency" else {"bandwidth": value,
                                                                   "rate": value / size}


# One Get after the other, there and back; as many at once as dat-perf has by itself.
GETS = {"get_lat": ["-O", "1"], "get_bw": ["-O", "64"]}


def ucx(test, size, environment):
    port = str(next(port_counter()))
    # Over TCP it moves a thousandth of what it does in memory, now and then.
    slow = 50 if environment is UCX_TCP else 1
    rounds = max(20, rounds_for(size, 1000000 if test.endswith("_bw") else 200000) // slow)
    of_test = ["-t", "ucp_get", *GETS[test]] if test in GETS else ["-t", test]
    return parse_ucx(pair(["ucx_perftest", "-p", port],
                          ["ucx_perftest", "-p", port, "127.0.0.1", *of_test, "-s", str(size),
                           "-n", str(rounds), "-w", str(rounds // 10 + 1), "-f", "-v"],
                          {**environment, "UCX_WARN_UNUSED_ENV_VARS": "n"}))


def libfabric(size, provider):
    port = str(next(port_counter()))
    # Both sides need the same size and count, or they wait for each other for ever.
    common = ["fi_pingpong", *provider, "-S", str(size), "-I", str(rounds_for(size, 100000))]
    return parse_fi(pair([*common, "-B", port], [*common, "-P", port, "127.0.0.1"], {}))


def iperf(size):
    port = str(next(port_counter()))
    return parse_iperf(pair(["iperf3", "-s", "-1", "-p", port],
                            ["iperf3", "-c", "127.0.0.1", "-p", port, "-J", "-t", "1", "-l",
                             str(min(size, 1 << 20))], {}))  # 1 MiB is the most that it takes


def sockperf(way, size):
    port = str(next(port_counter()))
    spin = ["--nonblocked"] if way == "spinning" else []
    common = ["--tcp", "-i", "127.0.0.1", "-p", port, *spin]
    # Fourteen octets are its least message.
    return parse_sockperf(pair(["sockperf", "server", *common],
                               ["sockperf", "ping-pong", *common, "-m", str(max(14, size)), "-t", "1"],
                               {}))


def qperf(test, size):
    port, data_port = str(next(port_counter())), str(next(port_counter()))
    return parse_qperf(pair(["qperf", "-lp", port],
                            ["qperf", "127.0.0.1", "-lp", port, "-ip", data_port, "-t", "1", "-m",
                             str(size), test], {}), size)


PROGRAMS = {"ucx": "ucx_perftest", "ucx-tcp": "ucx_perftest", "fi": "fi_pingpong",
            "fi-tcp": "fi_pingpong", "iperf3": "iperf3", "sockperf": "sockperf", "qperf": "qperf"}


def measure(name, kind):
    """name: "ucx tag_lat 8", "ucx-tcp tag_lat 8", "ucx-tcp get_lat 8", "fi 64k", "fi-tcp 64k", "iperf3 64k",
    "sockperf spinning 8", "sockperf blocking 8", "qperf tcp_lat 8" or "qperf tcp_bw 64k".
    None: not installed, or it failed."""
    words = name.split()
    if not shutil.which(PROGRAMS[words[0]]) or not shutil.which("taskset"):
        return None
    size = SIZES[words[-1]]
    values = {"ucx": lambda: ucx(words[1], size, UCX_SHM),
              "ucx-tcp": lambda: ucx(words[1], size, UCX_TCP),
              "fi": lambda: libfabric(size, FI_SHM),
              "fi-tcp": lambda: libfabric(size, FI_TCP),
              "iperf3": lambda: iperf(size),
              "sockperf": lambda: sockperf(words[1], size),
              "qperf": lambda: qperf(words[1], size)}[words[0]]()
    return values[kind] if values else None


def versions(names=("ucx", "fi")):
    """Of the programs behind these names."""
    packages = {"ucx": "ucx-utils", "fi": "libfabric-bin"}  # the others are called like their programs
    found = []
    for name in names:
        program, package = PROGRAMS[name], packages.get(name, PROGRAMS[name])
        if not shutil.which(program):
            found.append(f"{program} is not installed")
            continue
        done = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package],
                              capture_output=True, text=True, check=False)
        found.append(f"{program} ({package} {done.stdout or 'unknown version'})")
    return ", ".join(found)

# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The bars of shared memory."""

import page
from goals import STREAMS, Bar

MARKS = page.marks("bench.sh")
PEERS = ("ucx", "fi")
RAW = ""  # appended to the name of the file of all runs


def note():
    return ""


def bandwidth_bars():
    bars = []
    for size, label in STREAMS:
        for op in ("write", "read"):
            args = f"-t {op}-bw -s {size} --time 200"
            peers = ((f"ucx tag_bw {size}", "bandwidth"), (f"fi {size}", "bandwidth"))
            gets = ((f"ucx get_bw {size}", "bandwidth"),) if op == "read" else ()
            bars.append(Bar(f"{op} bandwidth {label}, shareable", f"{args} -m shareable", ">=", 0.9, shown=gets))
            bars.append(Bar(f"{op} bandwidth {label}, ordinary", args, ">=", 0.95, peers=peers))
            bars.append(Bar(f"{op} bandwidth {label}, ordinary on huge pages", f"{args} --huge", ">=", 0.0,
                            peers=peers, peer_factor=1.6))
    return bars


def all_bars():
    return [
        Bar("send/recv 8 B", "-t send-lat -s 8", "<=", 1.3,
            peers=(("ucx tag_lat 8", "latency"), ("fi 8", "latency"))),
        Bar("send/recv 4 KiB", "-t send-lat -s 4k", "<=", 1.1),
        Bar("send/recv 64 KiB", "-t send-lat -s 64k", "<=", 1.1),
        Bar("RDMA Write ping-pong 8 B, shareable", "-t write-lat -s 8 -m shareable", "<=", 1.3),
        Bar("the same, ordinary memory, target polls its EVD", "-t write-lat -s 8", "<=", 2.5),
        Bar("the same, ordinary memory, target calls no DAT function", "-t write-lat -s 8 --target memory", "<=", 1.2),
        Bar("RDMA Read 8 B, rewritten in between, shareable", "-t read-lat -s 8 -m shareable", "<=", 2.0),
        Bar("RDMA Read 8 B, rewritten in between, ordinary", "-t read-lat -s 8", "<=", 1.2),
        Bar("send rate 8 B", "-t send-rate -s 8", ">=", 0.25, peers=(("ucx tag_bw 8", "rate"),)),
        *bandwidth_bars(),
        Bar("posting a send", "-t post -s 8", "<=", 0.5),
        Bar("dequeue of an empty EVD, 1 endpoint", "-t dequeue", "<=", 0.5),
        Bar("dequeue of an empty EVD, 1,000 idle endpoints", "-t dequeue --endpoints 1000", "<=", 1.5),
        Bar("send/recv 8 B, blocking", "-t send-lat -s 8 --wait block --time 300", "<=", 1.15),
        Bar("connections set up and torn down, per second", "-t connect --window 16 --time 500", ">=", 10000,
            to_limit=False),
        Bar("idle, 1,000 endpoints, 10 s: % CPU", "-t idle --endpoints 1000", "<=", 0.05, to_limit=False,
            pick=lambda result: result["cpu_percent"]),
        Bar("memory of a connected pair, KiB", "-t idle --endpoints 1000 --idle-time 1", "<=", 64,
            to_limit=False, pick=lambda result: result["memory_per_pair"] / 1024),
    ]

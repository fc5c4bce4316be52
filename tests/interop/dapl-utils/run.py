#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Debian's own DAT programs (package dapl2-utils), unmodified, over this build's DAT 2.0.

Each row of the matrix is a server and a client, or one program alone, over one stack. A row passes
when both sides said what they say when all is well: their exit status does not tell. With words
only the rows whose name has one of them. Exit 4: the programs are not installed.
"""
import argparse
import dataclasses
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
IA = "interop"
ADDRESS = "127.0.0.1"
LIMIT = 60  # seconds for each program
SIDE_CHANNEL = 15828  # dtest, dtestcm and dtestx meet there before they use DAT
SRQ_QUALIFIER = 45248  # dtestsrq has no such channel
DTESTX_QUALIFIER = 31112
FORBIDDEN = ("Error", "ERR", "mismatch", "REJECTED", "BROKEN", "UNREACHABLE", "FAILED")


@dataclasses.dataclass
class Row:
    program: str
    client: str
    client_says: list
    server: str = ""  # empty: the client is alone
    server_says: list = dataclasses.field(default_factory=list)
    ready: object = SIDE_CHANNEL  # the port that the server listens on, or what it says

    @property
    def name(self):
        return f"{self.program} {self.client}"


def dtest(arguments):
    says = ["DAPL Test Complete. PASSED"]
    return Row("dtest", arguments, says, f"-s {arguments}", says)


def dtestcm(count, arguments):
    def says(side):
        return [f"ALL {count} CONNECTED on {side}!", "DAPL Connection Test Complete."]

    arguments = f"-c {count} {arguments}"
    return Row("dtestcm", arguments, says("Client"), f"-s {arguments}", says("Server"))


def dtestsrq(count):
    # Without an SRQ. With one it waits at its end for EP_BROKEN on the asynchronous EVD, which an
    # adapter sends when the SRQ will give that EP no more; over Debian's own stack it hangs there,
    # too, on rxe and on siw.
    says = ["DAPL RC none SRQ Test Complete."]
    return Row("dtestsrq", f"-c {count} -S 0", says, f"-s -c {count} -S 0", says, SRQ_QUALIFIER)


def dtestx():
    says = [f"{test} test - PASSED"
            for test in ("RDMA_WRITE_WITH_IMMEDIATE_DATA", "CMP_SWAP", "FETCH_ADD")]
    says.append("IB extension test - immed/atomic test PASSED")
    return Row("dtestx", "-c", says, "-s", says)


def dapltest(test, arguments, says):
    # Its server stays until it is told to quit.
    return Row("dapltest", f"-T {test} {arguments}", says, "-T S", ["Exiting."],
               "Service Point Ready")


def transfer(arguments):
    return dapltest("T", arguments, ["End of Work -- Client Exiting"])


def throughput(arguments):
    return dapltest("P", arguments, ["End of Work", "raw:"])


def alone(arguments, says):
    return Row("dapltest", arguments, says)


SMALL = "-b 4096 -B 10"
MATRIX = [
    *(dtest(f"{SMALL}{more}") for more in
      ("", " -c", " -p", " -w", " -W", " -W -D", " -W -a", " -u -w", " -t", " -S 1")),
    dtest("-b 65536 -B 100"),
    dtestcm(10, "-b 5"),
    dtestcm(10, "-b 5 -m -w"),
    dtestcm(1000, "-b 100"),
    dtestcm(1000, "-b 100 -m"),
    dtestcm(1000, "-b 100 -w"),
    dtestx(),
    dtestsrq(1),
    dtestsrq(20),
    transfer("-i 100 client SR 4096 2 server SR 4096 2"),
    transfer("-t 2 -w 2 -V client RW 4096 1 server RW 2048 4 client SR 1024 4 server SR 4096 2 "
             "client SR 1024 3 -f server SR 2048 1 -f"),
    transfer("-t 4 -w 8 -V -i 20 client SR 65536 1 server SR 65536 1 client RW 262144 1"),
    transfer("-i 100 -P client SR 256 server RW 4096 server SR 256"),
    transfer("-i 100 -r client SR 256 server SR 256"),
    transfer("-i 100 -V client SR 256 server RW 4096 1 server SR 256 client RR 4096 1 server RR 4096 1"),
    transfer("-V -i 20 client SR 1 1 server SR 1 1 client SR 1048576 1 server SR 1048576 1"),
    throughput("-i 500 -m b -p 16 RW 4096 1"),
    throughput("-i 500 -m p -p 16 RR 4096 1"),
    # One at a time: with -w 2 it gives an EP of one IA the EVD of another.
    alone("-T L -m 20 limit_ia limit_pz limit_evd limit_ep limit_psp limit_lmr limit_rpost",
          ["LimitTest: EPs created: 20"]),
    *(alone(f"-T F -f {group}", ["Result: PASS"]) for group in ("hwconn", "pz", "mem", "endpoint")),
]


class Stack:
    """A libdat2, our provider, and the way that connections take."""

    def __init__(self, name, library_path, transport, place, provider):
        self.name = name
        conf = place / f"{name}.conf"
        conf.write_text(f'{IA} u2.0 nonthreadsafe default {provider} datum.0.1 "" ""\n')
        self.environment = {**os.environ, "DAT_OVERRIDE": str(conf), "DATUM_TRANSPORT": transport,
                            "LD_LIBRARY_PATH": str(library_path)}


def listening(port):
    """Whether a socket of this network namespace listens on that port."""
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        if not os.path.exists(table):
            continue
        for line in pathlib.Path(table).read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and int(fields[1].rsplit(":", 1)[1], 16) == port:
                return True
    return False


def in_order(server):
    """dtestx says where it is before it listens there; its client is told when it does."""
    with socket.create_connection((ADDRESS, SIDE_CHANNEL), LIMIT) as channel:
        place = channel.recv(128, socket.MSG_WAITALL)
        channel.sendall(place)  # the client is at the same one
        wrong = server.wait_ready(DTESTX_QUALIFIER)
    if wrong:
        return wrong, None
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.settimeout(LIMIT)
    listener.bind((ADDRESS, SIDE_CHANNEL))
    listener.listen()

    def tell():
        with listener, listener.accept()[0] as channel:
            channel.sendall(place)
            channel.recv(len(place), socket.MSG_WAITALL)

    return [], tell


class Program:
    def __init__(self, command, stack, output):
        self.output = output
        with open(output, "w") as out:
            # Line by line, so that what it says when it is ready can be waited for.
            self.process = subprocess.Popen(["stdbuf", "-oL", *command], stdout=out,
                                            stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                            env=stack.environment)

    def said(self):
        return self.output.read_text(errors="replace")

    def wait(self):
        try:
            self.process.wait(LIMIT)
            return []
        except subprocess.TimeoutExpired:
            return [f"not over after {LIMIT} s"]
        finally:
            self.stop()

    def wait_ready(self, ready):
        end = time.monotonic() + LIMIT
        while time.monotonic() < end and self.process.poll() is None:
            if listening(ready) if isinstance(ready, int) else ready in self.said():
                return []
            time.sleep(0.02)
        return ["the server was never ready"]

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def misses(self, side, says):
        said = self.said()
        wrong = [f"the {side} did not say \"{each}\"" for each in says if each not in said]
        # dapltest goes on to its end whatever happens, and says that it has succeeded.
        return wrong + [f"the {side} said \"{line.strip()}\"" for line in said.splitlines()
                        if any(each in line for each in FORBIDDEN)]


def play(row, stack, programs, place):
    """What is wrong with it: nothing, if it passed."""
    def command(arguments, is_client):
        which = "-D" if row.program == "dapltest" else "-P"
        host = []
        if is_client and row.server:
            host = ["-s" if row.program == "dapltest" else "-h", ADDRESS]
        words = arguments.split()
        # dapltest takes its options before the list of transfers.
        at = 2 if row.program == "dapltest" else len(words)
        return [str(programs / row.program), *words[:at], which, IA, *host, *words[at:]]

    server = client = None
    try:
        if row.server:
            server = Program(command(row.server, False), stack, place / "server.out")
            if wrong := server.wait_ready(row.ready):
                return wrong, server, None
        tell = None
        if row.program == "dtestx":
            wrong, tell = in_order(server)
            if wrong:
                return wrong, server, None
        client = Program(command(row.client, True), stack, place / "client.out")
        if tell:
            tell()
        wrong = [f"client: {each}" for each in client.wait()]
        if row.program == "dapltest" and server:
            Program(command("-T Q", True), stack, place / "quit.out").wait()
        if server:
            wrong += [f"server: {each}" for each in server.wait()]
            wrong += server.misses("server", row.server_says)
        return wrong + client.misses("client", row.client_says), server, client
    finally:
        for each in (server, client):
            if each:
                each.stop()


def stacks(arguments, place):
    provider = arguments.lib / "libdatum2.so"
    yield Stack("shm", arguments.lib, "shm", place, provider)
    yield Stack("tcp", arguments.lib, "tcp", place, provider)
    # Their registry, our provider.
    yield Stack("debian", arguments.debian_lib, "auto", place, provider)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--lib", type=pathlib.Path, default=ROOT / "build/release/lib",
                        help="where libdat2.so.2 and libdatum2.so are")
    parser.add_argument("--bin", type=pathlib.Path, help="where the programs are")
    parser.add_argument("--debian-lib", default="", help="where Debian's libdat2.so.2 is")
    parser.add_argument("--stack", action="append", help="only this stack")
    parser.add_argument("--list", action="store_true", help="the rows")
    parser.add_argument("words", nargs="*", metavar="WORD")
    arguments = parser.parse_args()
    rows = [row for row in MATRIX
            if not arguments.words or any(word in row.name for word in arguments.words)]
    if arguments.list:
        print("\n".join(row.name for row in rows))
        return 0
    found = shutil.which("dtest")
    programs = arguments.bin or (pathlib.Path(found).parent if found else None)
    if programs is None:
        print("absent: the programs of dapl2-utils; scripts/deps.sh interop installs them")
        return 4
    failed = count = 0
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        for stack in stacks(arguments, place):
            if arguments.stack and stack.name not in arguments.stack:
                continue
            for row in rows:
                begun = time.monotonic()
                wrong, *sides = play(row, stack, programs, place)
                count += 1
                took = f"{time.monotonic() - begun:5.1f} s"
                print(f"{'FAILED' if wrong else 'ok    '} {took}  {stack.name:6}  {row.name}",
                      flush=True)
                if not wrong:
                    continue
                failed += 1
                print("".join(f"    {each}\n" for each in wrong), end="")
                for side in sides:
                    if side:
                        print(f"--- the end of {side.output.name}\n" +
                              "\n".join(side.said().splitlines()[-20:]))
                again = f"{sys.argv[0]} --stack {stack.name} '{row.name}'"
                print(f"    one alone: {again}", flush=True)
    print(f"{count - failed} of {count} runs of Debian's DAT programs passed")
    return 1 if failed or not count else 0


sys.exit(main())

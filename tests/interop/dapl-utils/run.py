#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Debian's own DAT programs (package dapl2-utils), unmodified, over this build's DAT 2.0.

Each row of the matrix is a server and a client, or one program alone, over one stack. A row passes
when both sides said what they say when all is well: their exit status does not tell. With words
only the rows whose name has one of them. Each stack has a network of its own, so that no port of
theirs is taken by somebody else, and they run side by side.
Exit 4: the programs are not installed.
"""
import argparse
import atexit
import contextlib
import dataclasses
import fcntl
import os
import pathlib
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
# A name that their manual pages use. Ours knows it by DATUM_ALIAS, Debian's registry by a dat.conf.
IA = "ofa-v2-ib0"
LIMIT = 90  # seconds for each program
SIDE_CHANNEL = 15828  # dtest, dtestcm and dtestx meet there before they use DAT
DTEST_QUALIFIER = 45248  # of dtestsrq, too, which has no such channel
TOLD_EARLY = {"dtest": DTEST_QUALIFIER, "dtestx": 31112}  # and the qualifier at which they listen then
ONE_HOST = ("shm", "tcp", "debian")
STACKS = (*ONE_HOST, "hosts")  # the last: the client on another host, so the way is chosen by Datum
SERVER_HOST, CLIENT_HOST = "10.77.0.1", "10.77.0.2"
FORBIDDEN = ("Error", "ERR", "mismatch", "REJECTED", "BROKEN", "UNREACHABLE", "FAILED")


@dataclasses.dataclass
class Row:
    program: str
    client: str
    client_says: list
    server: str = ""  # empty: the client is alone
    server_says: list = dataclasses.field(default_factory=list)
    ready: object = SIDE_CHANNEL  # the port that the server listens on, or what it says
    remarks: tuple = ()  # words that it says although all is well
    stacks: tuple = STACKS
    environment: dict = dataclasses.field(default_factory=dict)

    @property
    def name(self):
        return f"{self.program} {self.client}"


def dtest(arguments):
    says = ["DAPL Test Complete. PASSED"]
    return Row("dtest", arguments, says, f"-s {arguments}", says)


def dtestcm(count, arguments):
    # Not with the client on another host. Its server counts connection events and does not look at them: a
    # client that ends its first connections before the server has taken the last of its establishments
    # makes it free EPs that are connected, and then it waits for their events, or uses them again. On one
    # host what was done before is seen before (tcp.O1, tcp.O2); between hosts nothing says so.
    def says(side):
        return [f"ALL {count} CONNECTED on {side}!", "DAPL Connection Test Complete."]

    arguments = f"-c {count} {arguments}"
    return Row("dtestcm", arguments, says("Client"), f"-s {arguments}", says("Server"),
               stacks=ONE_HOST)


def dtestsrq(count):
    # Without an SRQ. With one it waits at its end for EP_BROKEN on the asynchronous EVD, which an
    # adapter sends when the SRQ will give that EP no more; over Debian's own stack it hangs there,
    # too, on rxe and on siw.
    says = ["DAPL RC none SRQ Test Complete."]
    return Row("dtestsrq", f"-c {count} -S 0", says, f"-s -c {count} -S 0", says, DTEST_QUALIFIER)


def dtestx():
    says = [f"{test} test - PASSED"
            for test in ("RDMA_WRITE_WITH_IMMEDIATE_DATA", "CMP_SWAP", "FETCH_ADD")]
    says.append("IB extension test - immed/atomic test PASSED")
    return Row("dtestx", "-c", says, "-s", says)


def dtestx_datagrams(arguments):
    """Unreliable datagrams; -U: so many endpoints on each side, -m: the server's have one peer each."""
    says = ["IB extension test - UD test PASSED"]
    return Row("dtestx", f"-c -u {arguments}".rstrip(), says, f"-s -u {arguments}", says)


def dapltest(test, arguments, says):
    # Its server stays until it is told to quit.
    return Row("dapltest", f"-T {test} {arguments}", says, "-T S", ["Exiting."],
               "Service Point Ready")


def transfer(arguments):
    # With more than one thread (-t) its client counts, for all its threads together, the first messages of
    # the server down to 0 and then, with the same counter, the last ones. A thread looks for the 0 every
    # 10 ms, and if the others have done all their work meanwhile, it sees less than 0 and gives up after
    # 10 s: "FAIL: -32 Server test connections". So their work has to take much longer than that.
    return dapltest("T", arguments, ["End of Work -- Client Exiting"])


def throughput(arguments):
    return dapltest("P", arguments, ["End of Work", "raw:"])


def limits(names, says):
    return Row("dapltest", f"-T L -m 20 {names}", says, stacks=ONE_HOST)


def functions(group, remarks=()):
    return Row("dapltest", f"-T F -f {group}", ["Result: PASS"], remarks=remarks, stacks=ONE_HOST)


def their_provider():
    """Debian's provider in our registry: it registers its adapter, and finds no hardware for it."""
    return Row("dtest", "-s", ['dat_provider_init of libdaplofa.so.2 with "ib0 0"',
                               f'ia "{IA}": add returns 0x00000000', "DAT_INVALID_ADDRESS",
                               f'ia "{IA}": remove returns 0x00000000'],
               remarks=("DAT_INVALID_ADDRESS", "getaddr_netdev"), stacks=("shm",),
               environment={"DAT_OVERRIDE": "/etc/dat.conf", "DATUM_LOG": "debug",
                            "DATUM_ALIAS": ""})


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
    *(dtestx_datagrams(arguments) for arguments in ("", "-U 4", "-m -U 4", "-U 20")),
    dtestsrq(1),
    dtestsrq(20),
    dtestsrq(100),
    transfer("-i 100 client SR 4096 2 server SR 4096 2"),
    transfer("-t 2 -w 2 -V -i 500 client RW 4096 1 server RW 2048 4 client SR 1024 4 server SR 4096 2 "
             "client SR 1024 3 -f server SR 2048 1 -f"),
    transfer("-t 4 -w 8 -V -i 40 client SR 65536 1 server SR 65536 1 client RW 262144 1"),
    transfer("-i 100 -P client SR 256 server RW 4096 server SR 256"),
    transfer("-i 100 -r client SR 256 server SR 256"),
    transfer("-i 100 -V client SR 256 server RW 4096 1 server SR 256 client RR 4096 1 server RR 4096 1"),
    transfer("-V -i 20 client SR 1 1 server SR 1 1 client SR 1048576 1 server SR 1048576 1"),
    transfer("-t 8 -w 1 -V -i 200 client SR 4096 4 server SR 4096 4 server RW 65536 2"),
    transfer("-t 1 -w 16 -V -i 20 client SR 4096 1 server SR 4096 1 client RR 8192 1"),
    transfer("-t 8 -w 16 -i 200 -P client SR 1024 1 server SR 1024 1 client RW 4096 2"),
    throughput("-i 500 -m b -p 16 RW 4096 1"),
    throughput("-i 500 -m p -p 16 RR 4096 1"),
    # One at a time: with -w 2 it gives an EP of one IA the EVD of another, which DAT refuses.
    limits("limit_ia limit_pz limit_cno limit_evd limit_ep limit_rsp limit_psp limit_lmr limit_rpost",
           [f"{objects} {done}: 20" for objects, done in
            (("IAs", "opened"), ("PZs", "created"), ("CNOs", "created"), ("EVDs", "created"),
             ("EPs", "created"), ("RSPs", "created"), ("PSPs", "created"), ("LMRs", "created"))]),
    *(functions(group) for group in ("hwconn", "pz", "endpoint")),
    # It registers no memory at all and remarks that this is an error; it goes on.
    functions("mem", ("DAT_INVALID_PARAMETER",)),
    their_provider(),
]


class Stack:
    """A libdat2, our provider, and the way that connections take."""

    def __init__(self, arguments, place):
        self.name = arguments.inside
        self.address = self.client_address = "127.0.0.1"
        self.client_prefix = []  # of its command
        self.environment = {**os.environ, "DATUM_TRANSPORT": self.name}
        if self.name == "hosts":
            self.address, self.client_address = SERVER_HOST, CLIENT_HOST
            self.client_prefix = ["nsenter", f"--net={second_host()}"]
            self.environment["DATUM_TRANSPORT"] = "auto"
        if self.name == "debian":  # their registry, our provider
            conf = place / "dat.conf"
            conf.write_text(f'{IA} u2.0 nonthreadsafe default {arguments.lib / "libdatum2.so"} '
                            'datum.0.1 "" ""\n')
            self.environment |= {"LD_LIBRARY_PATH": str(arguments.debian_lib),
                                 "DAT_OVERRIDE": str(conf), "DATUM_TRANSPORT": "auto"}
        else:
            self.environment |= {"LD_LIBRARY_PATH": str(arguments.lib),
                                 "DATUM_ALIAS": f"{IA}=datum"}


def own_network():
    """What the kernel made for this process has a loopback device that is down."""
    with socket.socket() as any_socket:
        name_and_flags = struct.pack("16sh14x", b"lo", 0x41)  # IFF_UP | IFF_RUNNING
        fcntl.ioctl(any_socket, 0x8914, name_and_flags)  # SIOCSIFFLAGS
    # Otherwise a connection of theirs could end up at a port that they will listen at.
    pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range").write_text("50000 60000")


def second_host():
    """A network namespace of its own, and a cable to this one. What names it."""
    host = subprocess.Popen(["unshare", "--net", "sh", "-c", "echo; exec sleep infinity"],
                            stdout=subprocess.PIPE)
    host.stdout.readline()  # it is there
    atexit.register(host.kill)
    name = f"/proc/{host.pid}/ns/net"
    ip = ["ip", "link", "add", "cable", "type", "veth", "peer", "name", "cable", "netns", str(host.pid)]
    subprocess.run(ip, check=True)
    for prefix, address in ([], SERVER_HOST), (["nsenter", f"--net={name}"], CLIENT_HOST):
        subprocess.run([*prefix, "ip", "address", "add", f"{address}/24", "dev", "cable"], check=True)
        subprocess.run([*prefix, "ip", "link", "set", "cable", "up"], check=True)
    return name


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


def as_they_say(address):
    """An IPv4 address in what they tell each other: the number that its octets are in memory."""
    return b"%08x" % int.from_bytes(socket.inet_aton(address), sys.byteorder)


def in_order(server, qualifier, address, client_address):
    """dtest and dtestx say where they are before they listen there; the client is told when they do."""
    with socket.create_connection((address, SIDE_CHANNEL), LIMIT) as channel:
        place = channel.recv(128, socket.MSG_WAITALL)
        # With datagrams the server, too, connects to where the client is.
        channel.sendall(place.replace(as_they_say(address), as_they_say(client_address), 1))
        wrong = server.wait_ready(qualifier)
    if wrong:
        return wrong, None
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.settimeout(LIMIT)
    listener.bind((address, SIDE_CHANNEL))
    listener.listen()

    def tell():
        with listener, listener.accept()[0] as channel:
            channel.sendall(place)
            channel.recv(len(place), socket.MSG_WAITALL)

    return [], tell


class Program:
    def __init__(self, command, environment, output):
        self.output = output
        with open(output, "w") as out:
            # Line by line, so that what it says when it is ready can be waited for.
            self.process = subprocess.Popen(["stdbuf", "-oL", *command], stdout=out,
                                            stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                            env=environment)

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

    def misses(self, side, says, remarks):
        said = self.said()
        wrong = [f"the {side} did not say \"{each}\"" for each in says if each not in said]
        # dapltest goes on to its end whatever happens, and says that it has succeeded.
        return wrong + [f"the {side} said \"{line.strip()}\"" for line in said.splitlines()
                        if any(each in line for each in FORBIDDEN)
                        and not any(each in line for each in remarks)]


def play(row, stack, programs, place):
    """What is wrong with it: nothing, if it passed."""
    def command(arguments, is_client):
        which = "-D" if row.program == "dapltest" else "-P"
        host = []
        if is_client and row.server:
            host = ["-s" if row.program == "dapltest" else "-h", stack.address]
        words = arguments.split()
        # dapltest takes its options before the list of transfers.
        at = 2 if row.program == "dapltest" else len(words)
        prefix = stack.client_prefix if is_client else []
        return [*prefix, str(programs / row.program), *words[:at], which, IA, *host, *words[at:]]

    environment = {**stack.environment, **row.environment}
    server = client = None
    try:
        if row.server:
            server = Program(command(row.server, False), environment, place / "server.out")
            if wrong := server.wait_ready(row.ready):
                return wrong, server, None
        tell = None
        if row.server and row.program in TOLD_EARLY:
            wrong, tell = in_order(server, TOLD_EARLY[row.program], stack.address,
                                   stack.client_address)
            if wrong:
                return wrong, server, None
        client = Program(command(row.client, True), environment, place / "client.out")
        if tell:
            tell()
        wrong = [f"client: {each}" for each in client.wait()]
        if row.program == "dapltest" and server:
            Program(command("-T Q", True), environment, place / "quit.out").wait()
        if server:
            wrong += [f"server: {each}" for each in server.wait()]
            wrong += server.misses("server", row.server_says, row.remarks)
        return wrong + client.misses("client", row.client_says, row.remarks), server, client
    finally:
        for each in (server, client):
            if each:
                each.stop()


@contextlib.contextmanager
def turn(row):
    """Two that spin on their memory keep both processors of a small machine from everybody else."""
    with open(__file__) as file:
        fcntl.flock(file, fcntl.LOCK_EX if " -W" in row.client else fcntl.LOCK_SH)
        yield


def run_stack(arguments, rows):
    own_network()
    rows = [row for row in rows if arguments.inside in row.stacks]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        stack = Stack(arguments, place)
        for row in rows:
            with turn(row):
                begun = time.monotonic()
                wrong, *sides = play(row, stack, arguments.bin, place)
            took = f"{time.monotonic() - begun:5.1f} s"
            report = [f"{'FAILED' if wrong else 'ok    '} {took}  {stack.name:6}  {row.name}"]
            if wrong:
                failed += 1
                report += [f"    {each}" for each in wrong]
                for side in sides:
                    if side:
                        report += [f"--- the end of {side.output.name}",
                                   *side.said().splitlines()[-20:]]
                report.append(f"    one alone: {sys.argv[0]} --stack {stack.name} '{row.name}'")
            print("\n".join(report), flush=True)
    print(f"{len(rows) - failed} of {len(rows)} runs over {stack.name} passed", flush=True)
    return 1 if failed else 0


def run_side_by_side(arguments):
    inside = [subprocess.Popen(["unshare", "--user", "--map-root-user", "--net", sys.executable,
                                __file__, "--inside", stack, "--lib", arguments.lib, "--bin",
                                arguments.bin, "--debian-lib", arguments.debian_lib,
                                *arguments.words])
              for stack in arguments.stack or STACKS]
    return max(each.wait() for each in inside)


def debian_lib():
    """Where Debian's libdat2 is, next to the C library of this processor."""
    found = sorted(pathlib.Path("/usr/lib").glob("*/libdat2.so.2"))
    return found[0].parent if found else pathlib.Path("/usr/lib")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--lib", type=pathlib.Path, default=ROOT / "build/release/lib",
                        help="where libdat2.so.2 and libdatum2.so are")
    parser.add_argument("--bin", type=pathlib.Path, help="where the programs are")
    parser.add_argument("--debian-lib", type=pathlib.Path, default=debian_lib(),
                        help="where Debian's libdat2.so.2 is")
    parser.add_argument("--stack", action="append", choices=STACKS, help="only this stack")
    parser.add_argument("--inside", choices=STACKS, help=argparse.SUPPRESS)
    parser.add_argument("--list", action="store_true", help="the rows")
    parser.add_argument("words", nargs="*", metavar="WORD")
    arguments = parser.parse_args()
    rows = [row for row in MATRIX
            if not arguments.words or any(word in row.name for word in arguments.words)]
    if arguments.list or not rows:
        print("\n".join(row.name for row in rows) or "no such row; --list prints them")
        return 0 if rows else 2
    found = shutil.which("dtest")
    arguments.bin = arguments.bin or (pathlib.Path(found).parent if found else None)
    if arguments.bin is None:
        print("absent: the programs of dapl2-utils; scripts/deps.sh check installs them")
        return 4
    arguments.lib = arguments.lib.resolve()
    if not (arguments.lib / "libdatum2.so").exists():
        print(f"no libdatum2.so in {arguments.lib}; build it: scripts/build.sh bench", file=sys.stderr)
        return 2
    return run_stack(arguments, rows) if arguments.inside else run_side_by_side(arguments)


sys.exit(main())

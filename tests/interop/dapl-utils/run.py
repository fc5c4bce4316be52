#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Debian's own DAT programs (package dapl2-utils), unmodified, over this build's DAT 2.0.

Each row of the matrix is a server and its clients, or one program alone, over one stack. A row
passes when both sides print the lines of a success and no line of a failure, and no signal ends
them. Their exit status is not used, since it can be 0 after a failure. With words as arguments,
only the rows run whose name has one of these words. The stacks run side by side, each in a network
of its own, so that no other program takes their ports. README.md lists every mode of the programs.
Missing programs are installed, as root or with a sudo that asks for no password. Exit 4: programs
are missing, and could not be installed. With CI=true, where nothing may be left out, that is a
failure.
"""
import argparse
import atexit
import contextlib
import dataclasses
import fcntl
import os
import pathlib
import re
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
# The adapter's name, from the manual pages of the programs. Our registry knows this name by
# DATUM_ALIAS, and Debian's registry knows it by a dat.conf.
IA = "ofa-v2-ib0"
THEIR_CONF = pathlib.Path("/etc/dat.conf")  # from Debian's libdapl2
LIMIT = 90  # seconds for each program
# The TCP port by which both sides of dtest, dtestcm and dtestx talk before they use DAT.
SIDE_CHANNEL = 15828
DTESTSRQ_READY = "server ready on port"  # dtestsrq has no such channel
PORT = re.compile(r"-n \d+")  # dapltest's option for its port
QUIT_SAYS = ("DT_cs_Client: Starting Test", "DT_cs_Client: ========== End of Work -- Client Exiting")
# Servers that tell their client where they listen before they listen. The value shows that they
# listen: a line of their output, or a port.
TOLD_EARLY = {"dtest": "Server waiting for connect request", "dtestx": 31112}
ONE_HOST = ("shm", "tcp", "debian")
OURS = ("shm", "tcp")  # our registry, one host
STACKS = (*ONE_HOST, "hosts")  # in "hosts" the client is on another host, and Datum chooses the way
EVERYWHERE = (*STACKS, "debian-hosts")  # some rows also run over two hosts with Debian's registry
SERVER_HOST, CLIENT_HOST = "10.77.0.1", "10.77.0.2"
PAIRS = 4  # the number of further adapters, ofa-v2-ib1 and so on, each at an address of its own
# Parts of the lines that the programs print when something is wrong, in capitals or not. `strings`
# shows all their lines. If a row prints such a line although all is well, the line is in its
# remarks.
FORBIDDEN = ("err", "fail", "warn", "swallow", "mismatch", "reject", "broken", "unreach", "bad ", "bogus",
             "wrong", "nexpected", "nvalid", "no valid", "not valid", "illegal", "unknown", "unavailable",
             "annot", "can't", "can not", "could not", "couldn't", "not get", "no memory", "out of memory",
             "no address", "got null", "unimplemented", "unsupp", "not support", "use other", "next stage",
             "retrying", "reposting", "already started", "has lapsed", "no operations", "dat_state",
             "evd entry", "!= ", "returned dat_", "syntax", "usage", "leaked", "must ", "missing")
NUMBER = re.compile(r"\b(0x[0-9a-f]+|[0-9a-f]{8,})\b")  # a hexadecimal number may end with "bad"
PASSED_CASE = "Result: PASS"  # what dapltest -T F prints for each case that passed
LEFT_OUT_LOGS = pathlib.Path(__file__).resolve().parent / "left-out"


@dataclasses.dataclass
class Row:
    program: str
    client: str
    client_says: list
    server: str | None = None  # None: there is no server; "": a server without arguments (dapltest)
    server_says: list = dataclasses.field(default_factory=list)
    ready: object = SIDE_CHANNEL  # shows that the server is ready: a port, or a line of its output
    remarks: tuple = ()  # parts of lines that look wrong but appear although all is well
    cases: int = 0  # the number of cases of -T F; each has to pass
    clients: int = 1  # the number of clients side by side
    pairs: int = 1  # the number of servers, each with an adapter and a client of its own
    script: bool = False  # the client reads its arguments from a file
    by_hand: bool = False  # the client itself asks where the server is, and connects at once
    stacks: tuple = STACKS
    environment: dict = dataclasses.field(default_factory=dict)
    files: int | None = None  # the limit on the program's open files

    @property
    def name(self):
        beside = f"  ({self.clients} at once)" if self.clients > 1 else ""
        pairs = f"  ({self.pairs} servers, a client each)" if self.pairs > 1 else ""
        script = "  (from a file)" if self.script else ""
        default = "  (server without arguments)" if self.server == "" else ""
        beside += "  (beside a server)" if self.cases and self.server else ""
        by_hand = "  (by hand)" if self.by_hand else ""
        return f"{self.program} {self.client}".rstrip() + beside + pairs + script + default + by_hand


@dataclasses.dataclass
class LeftOut:
    mode: str
    log: str  # a file in left-out/: what happens over Debian's own stack, and why


def dtest(arguments):
    says = ["DAPL Test Complete. PASSED"]
    # With -c two EVDs share one CNO. dtest checks only one of them, and calls a notification by the
    # other EVD "without EVD".
    remarks = ("WARNING: CNO notification: without EVD?",) if "-c" in arguments.split() else ()
    return Row("dtest", arguments, says, f"-s {arguments}", says, remarks=remarks)


def by_hand(row):
    """Starts server and client as the manual page says. Then the client connects before the server
    listens."""
    return dataclasses.replace(row, by_hand=True, stacks=EVERYWHERE)


def everywhere(row):
    return dataclasses.replace(row, stacks=EVERYWHERE)


def dtestcm(count, arguments):
    def says(side):
        return [f"ALL {count} CONNECTED on {side}!", "DAPL Connection Test Complete."]

    arguments = f"-c {count} {arguments}"
    ready = SIDE_CHANNEL
    return Row("dtestcm", arguments, says("Client"), f"-s {arguments}", says("Server"), ready)


def dtestsrq(arguments):
    """Without an SRQ."""
    kind = "UD" if "-u" in arguments.split() else "RC"
    says = [f"DAPL {kind} none SRQ Test Complete."]
    arguments = f"-S 0 {arguments}"
    return Row("dtestsrq", arguments, says, f"-s {arguments}", says, DTESTSRQ_READY)


def dtestsrq_datagrams_with_srq(arguments):
    says = ["DAPL UD SRQ Test Complete."]
    arguments = f"-u {arguments}"
    return Row("dtestsrq", arguments, says, f"-s {arguments}", says, DTESTSRQ_READY)


def dtestsrq_with_srq(arguments):
    says = ["DAPL RC SRQ Test Complete."]
    return Row("dtestsrq", arguments, says, f"-s {arguments}", says, DTESTSRQ_READY)


def dtestx(arguments="", remarks=()):
    says = [f"{test} test - PASSED"
            for test in ("RDMA_WRITE_WITH_IMMEDIATE_DATA", "CMP_SWAP", "FETCH_ADD")]
    says.append("IB extension test - immed/atomic test PASSED")
    if "-p" in arguments:
        size = arguments.split("-b ")[1].split()[0]
        says += ["DCNT_EP_POST_SEND_DATA 16", "DCNT_EP_POST_CMP_SWAP 1", "DCNT_EP_POST_FETCH_ADD 2",
                 "DCNT_EP_RECV_DATA 16", f"DCNT_EP_RECV_RDMA_IMM_DATA {size}\n"]
    return Row("dtestx", f"-c {arguments}".rstrip(), says, f"-s {arguments}", says, remarks=remarks)


def dtestx_query():
    """dtestx -q shows the attributes of the adapter and ends, without another side."""
    says = [f"{name}=TRUE" for name in ("DAT_EXTENSION_INTERFACE", "DAT_IB_FETCH_AND_ADD",
                                        "DAT_IB_CMP_AND_SWAP", "DAT_IB_IMMED_DATA", "DAT_IB_UD",
                                        "DAT_COUNTERS")]
    return Row("dtestx", "-q", says, stacks=ONE_HOST)


def dtestx_datagrams(arguments):
    """Unreliable datagrams. -U is the number of endpoints on each side. With -m each endpoint of
    the server has one peer."""
    says = ["IB extension test - UD test PASSED"]
    return Row("dtestx", f"-c -u {arguments}".rstrip(), says, f"-s -u {arguments}", says)


def dapltest(test, arguments, says, clients=1):
    # The server of dapltest runs until another program, -T Q, tells it to quit.
    port = " ".join(PORT.findall(arguments))
    return Row("dapltest", f"-T {test} {arguments}", says, f"-T S {port}".rstrip(), ["Exiting."],
               "Service Point Ready", clients=clients)


def transfer(arguments, clients=1):
    # With more than one thread (-t) dapltest's client has one counter for all its threads. The
    # counter counts the first messages of the server down to 0, and then the last messages. A
    # thread checks for the 0 every 10 ms. If the other threads have done all their work between two
    # checks, the thread sees less than 0 and gives up after 10 s: "FAIL: -32 Server test
    # connections". So the work of a thread has to take much longer than 10 ms. The client's clock
    # has at most 100 ticks a second. 100 messages may begin and end within one tick, and then the
    # client has no figure to print.
    return dapltest("T", arguments, ["End of Work -- Client Exiting", "WQE/Sec"], clients)


def throughput(arguments):
    return dapltest("P", arguments, ["End of Work", "raw:"])


# limit_rpost posts Recvs until an EP holds no more and a post is refused.
NO_MORE_RECVS = "dat_ep_post_recv fails: DAT_INSUFFICIENT_RESOURCES"


def limit(name, says, width=1):
    remarks = (NO_MORE_RECVS,) if name == "limit_rpost" else ()
    return Row("dapltest", f"-T L -m 20 -w {width} {name}", [says], remarks=remarks, stacks=ONE_HOST)


def limits(most, more="", stacks=ONE_HOST):
    """All limits, one after the other. dapltest tries all of them if its arguments name none."""
    made = [f"{objects} created: {most}\n"
            for objects in ("PZs", "CNOs", "EVDs", "EPs", "RSPs", "PSPs", "LMRs")]
    says = [f"IAs opened: {most}\n", *made, "recv buffers posted per EP: 16\n", "bytes OK - stopping now."]
    return Row("dapltest", f"-T L -m {most}{more}", says, remarks=(NO_MORE_RECVS,), stacks=stacks)


def exhausted(name, objects, refused, stacks=("shm",), files=None):
    """Creates objects until a create call is refused, then frees them. There is no such row for
    CNOs, since their number is limited only by memory."""
    says = [f"{objects}: ", refused, "DAT_INSUFFICIENT_RESOURCES"]
    return Row("dapltest", f"-T L -m 100000 {name}", says, remarks=(refused, "(`ulimit -n`)", "look at `ulimit -n`"),
               stacks=stacks, files=files)


def functions(group, cases, remarks=(), stacks=ONE_HOST, chosen="", unsupported=0):
    says = [f"case: {case}\n" for case in cases]
    return Row("dapltest", f"-T F -f {group}{chosen}", says, cases=len(cases) - unsupported,
               remarks=("getaddrinfo () failed", *remarks), stacks=stacks)


def queries():
    # Debian's registry crashes on invalid handles, which cases 13 and 15 pass:
    # left-out/dapltest-queryinfo.txt.
    some = [case for case in range(18) if case not in (13, 15)]
    chosen = "".join(f" case{case}" for case in some)
    # The descriptions of the cases, and the result of "Verify CR Querying", which dapltest does not
    # implement.
    remarks = ("Description: Verify ", "passing a bad parameter to DAT_", "passing an invalid handle to DAT_",
               "Result: UNSUPP")
    return (functions("queryinfo", range(18), remarks, OURS, unsupported=1),
            functions("queryinfo", some, remarks, ("debian",), chosen, unsupported=1))


def beside_a_server(row):
    """A row of -T F while a server runs. On one host the server has the port that the client tries
    to use, too."""
    remarks = ("rc == DAT_SUCCESS failed in file", "DAT_CONN_QUAL_IN_USE")
    return dataclasses.replace(row, server="-T S", server_says=["Exiting."], ready="Service Point Ready",
                               stacks=STACKS, remarks=(*row.remarks, *remarks))


def their_provider():
    """Debian's provider in our registry. It registers its adapter, and finds no hardware for it."""
    return Row("dtest", "-s", ['dat_provider_init of libdaplofa.so.2 with "ib0 0"',
                               f'ia "{IA}": add returns 0x00000000', "DAT_INVALID_ADDRESS",
                               f'ia "{IA}": remove returns 0x00000000'],
               remarks=("DAT_INVALID_ADDRESS", "getaddr_netdev", "its provider returned"), stacks=("shm",),
               environment={"DAT_OVERRIDE": "/etc/dat.conf", "DATUM_LOG": "debug",
                            "DATUM_ALIAS": ""})


SMALL = "-b 4096 -B 10"
MATRIX = [
    # Messages of 4 MiB, 9 GB in all. Over TCP this row takes the longest time.
    dtest(""),
    # The programs compare what arrived even without -v.
    *(everywhere(dtest(f"{SMALL}{more}")) for more in
      ("", " -c", " -p", " -w", " -w -c", " -w -p", " -W", " -W -D", " -u -w", " -t", " -S 1", " -v")),
    everywhere(dataclasses.replace(dtest(SMALL), pairs=PAIRS)),
    *(by_hand(dtest(f"{SMALL}{more}")) for more in ("", " -c", " -p", " -w", " -W", " -u -w")),
    # A thousand turns for each size, in which both sides spin.
    dtest("-b 64 -B 10 -W -a"),
    dtest("-b 8192 -B 10 -W -a -i 4096"),
    dtest("-b 64 -B 1"),
    dtest("-b 65536 -B 100"),
    dtest("-b 1048576 -B 20"),
    dtest(f"{SMALL} -d 1"),
    *(dtestcm(10, f"-b 5{more}") for more in ("", " -m -w", " -v", " -p 4711", " -u")),
    dtestcm(2, "-b 1 -d 1"),  # the server waits for a second after each request
    *(everywhere(dtestcm(1000, f"-b 100{more}")) for more in
      ("", " -m", " -w", " -m -w", " -u", " -u -m", " -u -w", " -u -m -w")),
    *(dtestcm(1000, f"-b 100{more}") for more in (" -p 4711", " -v")),
    dtestcm(2000, "-b 200"),
    dtestcm(2000, "-b 400"),  # more at once than a listener over TCP keeps half-open
    # dtestx sleeps for some seconds in each row.
    everywhere(dtestx()),
    *(by_hand(row) for row in (dtestx(), *(dtestx_datagrams(each) for each in ("", "-U 20", "-m -U 4")))),
    dtestx("-p -v -b 65536"),
    dtestx_query(),
    *(dtestx_datagrams(arguments) for arguments in ("", "-U 4")),
    everywhere(dtestx_datagrams("-m -U 4")),
    dtestx_datagrams("-U 20"),
    *(everywhere(dtestsrq(arguments)) for arguments in
      ("-c 1", "-c 20", "-c 100", "-c 5 -B 10 -t 4 -b 4096", "-c 100 -B 20", "-c 5 -p 4711", "-c 5 -v",
       "-u -c 1", "-u -c 20", "-u -c 100", "-u -c 5 -B 10 -t 4 -b 256")),
    *(everywhere(dtestsrq_datagrams_with_srq(arguments)) for arguments in
      ("-c 1", "-c 20", "-c 100", "-c 5 -B 10 -t 4 -b 256")),
    *(everywhere(dtestsrq_with_srq(arguments)) for arguments in
      ("-c 1", "-c 20", "-c 100", "-c 5 -B 10 -t 4 -b 4096", "-c 100 -B 20", "-c 5 -v")),
    everywhere(transfer("-i 2000 client SR 4096 2 server SR 4096 2")),
    everywhere(transfer("-t 2 -w 2 -V -i 500 client RW 4096 1 server RW 2048 4 client SR 1024 4 "
                        "server SR 4096 2 client SR 1024 3 -f server SR 2048 1 -f")),
    transfer("-t 4 -w 8 -V -i 40 client SR 65536 1 server SR 65536 1 client RW 262144 1"),
    transfer("-i 2000 -P client SR 256 server RW 4096 server SR 256"),
    transfer("-i 2000 -r client SR 256 server SR 256"),
    everywhere(transfer("-i 2000 -V client SR 256 server RW 4096 1 server SR 256 client RR 4096 1 "
                        "server RR 4096 1")),
    transfer("-i 2000 -P -V client SR 256 server RW 4096 1 server SR 256 client RR 4096 1 server RR 4096 1"),
    transfer("-i 2000 -V client SR 256 1 server SR 256 1 client RR 4096 2 server RR 1024 4"),
    transfer("-V -i 20 client SR 1 1 server SR 1 1 client SR 1048576 1 server SR 1048576 1"),
    transfer("-V -i 20 client SR 1 1 server SR 1 1 client RW 1 1 server RR 1 1 client RW 1048576 1 "
             "server RR 1048576 1"),
    transfer("-V -i 20 client SR 1 1 server SR 1 1 server RW 1 1 client RR 1 1 server RW 1048576 1 "
             "client RR 1048576 1"),
    transfer("-t 8 -w 1 -V -i 200 client SR 4096 4 server SR 4096 4 server RW 65536 2"),
    transfer("-t 1 -w 16 -V -i 20 client SR 4096 1 server SR 4096 1 client RR 8192 1"),
    transfer("-t 8 -w 16 -i 200 -P client SR 1024 1 server SR 1024 1 client RW 4096 2"),
    transfer("-t 8 -w 16 -V -i 40 client SR 1024 1 server SR 1024 1 server RW 4096 2"),
    # With -d dapltest prints the state of its endpoint.
    dataclasses.replace(transfer("-i 2000 -d client SR 256 server SR 256"), remarks=("DAT_STATE: ",)),
    dataclasses.replace(transfer("-i 2000 client SR 256 server SR 256"), script=True),
    # A server without arguments uses the default adapter of dapltest, which has the name IA.
    dataclasses.replace(transfer("-i 2000 client SR 256 server SR 256"), server=""),
    transfer("-i 2000 -n 47000 client SR 256 server SR 256"),
    transfer("-i 2000 -R BE client SR 256 server SR 256"),
    transfer("-w 4 -V -i 100 client SR 4096 1 server SR 4096 1 client RW 65536 1", clients=4),
    *(everywhere(throughput(f"-i 500 -m {how} -p {many} {kind} {size}"))
      for how, many, kind, size in (("b", 16, "RW", "4096 1"), ("p", 16, "RR", "4096 1"),
                                    ("b", 1, "RR", "65536 1"), ("p", 8, "RW", "1024 4"))),
    *(limit(name, f"{objects} {done}: 20") for name, objects, done in
      (("limit_ia", "IAs", "opened"), ("limit_pz", "PZs", "created"), ("limit_cno", "CNOs", "created"),
       ("limit_evd", "EVDs", "created"), ("limit_ep", "EPs", "created"), ("limit_rsp", "RSPs", "created"),
       ("limit_psp", "PSPs", "created"), ("limit_lmr", "LMRs", "created"))),
    limit("limit_rpost", "recv buffers posted per EP: 16"),
    limit("limit_size_lmr", "LMR of 0x40000000 bytes OK - stopping now."),
    *(limit(f"limit_{name}", f"{objects} {done}: 20", width=2) for name, objects, done in
      (("ia", "IAs", "opened"), ("pz", "PZs", "created"), ("cno", "CNOs", "created"),
       ("evd", "EVDs", "created"), ("ep", "EPs", "created"), ("rsp", "RSPs", "created"),
       ("psp", "PSPs", "created"), ("lmr", "LMRs", "created"))),
    limit("limit_rpost", "recv buffers posted per EP: 16", width=2),
    limit("limit_size_lmr", "LMR of 0x40000000 bytes OK - stopping now.", width=2),
    limits(20),
    limits(1000, stacks=OURS),
    limits(1000, " -w 16 -d", stacks=OURS),  # the example of dapltest's manual page
    *(exhausted(f"limit_{name}", f"{name.upper()}s created", f"dat_{name}_create #{number} fails:")
      for name, number in (("pz", 65537), ("evd", 65535), ("ep", 65537))),
    exhausted("limit_lmr", "LMRs created", "dat_lmr_create failed"),
    # These objects need descriptors.
    *(exhausted(f"limit_{name}", f"{name.upper()}s created", f"dat_{name}_create #", OURS, 256)
      for name in ("psp", "rsp")),
    exhausted("limit_ia", "IAs opened", f"dat_ia_open ({IA}) #", OURS, 256),
    # One case opens a name that does not exist.
    functions("hwconn", range(4), ("not known; add a line to /etc/dat.conf",)),
    functions("pz", range(3)),
    functions("endpoint", range(3)),
    # One case registers no memory at all. dapltest prints that this is an error, and goes on.
    functions("mem", range(5), ("DAT_INVALID_PARAMETER", "failed in file")),
    functions("connmgt", range(2)),
    beside_a_server(functions("connmgt", range(2))),
    *queries(),
    their_provider(),
]
LEFT_OUT = [
    LeftOut("dtestsrq -l -q, dtestcm -l -q", "lid-and-qpn.txt"),
    LeftOut("dapltest -T T -Q", "dapltest-cno.txt"),
    LeftOut("dapltest -T T -R HT, LL, EC or PM", "dapltest-qos.txt"),
    LeftOut("dapltest -T F -f queryinfo case13 case15 with Debian's libdat2", "dapltest-queryinfo.txt"),
]


class Stack:
    """A libdat2 with our provider, and the way that connections take."""

    def __init__(self, arguments, place):
        self.name = arguments.inside
        apart = self.name.endswith("hosts")
        self.address = self.client_address = "127.0.0.1"
        self.client_prefix = []  # comes before the client's command
        if apart:
            self.address, self.client_address = SERVER_HOST, CLIENT_HOST
            self.client_prefix = ["nsenter", f"--net={second_host()}"]
        # Further adapters of the server's host. Their names are in dat.conf, and the client opens
        # the name that the server tells it.
        self.adapters = [(f"ofa-v2-ib{number}", f"10.77.0.1{number}" if apart else f"127.0.0.1{number}")
                         for number in range(1, PAIRS + 1)]
        transport = self.name if self.name in ("shm", "tcp") else "auto"
        self.by_memory = transport != "tcp" and not apart
        self.conf, self.client_conf = place / "dat.conf", place / "client.conf"
        provider = f'u2.0 nonthreadsafe default {arguments.lib / "libdatum2.so"} datum.0.1'
        # As datum(7) says, these lines come before the package's lines of the same names.
        theirs = THEIR_CONF.read_text()
        if f"\n{IA} " not in theirs:
            sys.exit(f"{THEIR_CONF}: no line for {IA}; is it the one of Debian's libdapl2?")
        for conf, nowhere in (self.conf, False), (self.client_conf, apart):
            conf.write_text("".join(f'{name} {provider} "{"" if nowhere else address}" ""\n'
                                    for name, address in ((IA, ""), *self.adapters)) + theirs)
        self.environment = {**os.environ, "DATUM_TRANSPORT": transport}
        if self.name.startswith("debian"):  # their registry, our provider
            self.environment |= {"LD_LIBRARY_PATH": str(arguments.debian_lib),
                                 "DAT_OVERRIDE": str(self.conf)}
        else:
            self.environment |= {"LD_LIBRARY_PATH": str(arguments.lib),
                                 "DATUM_ALIAS": f"{IA}=datum"}


def own_network():
    """Sets up the loopback device, which is down in a new network namespace."""
    with socket.socket() as any_socket:
        name_and_flags = struct.pack("16sh14x", b"lo", 0x41)  # IFF_UP | IFF_RUNNING
        fcntl.ioctl(any_socket, 0x8914, name_and_flags)  # SIOCSIFFLAGS
    # Otherwise a connection could take a local port that a program is about to listen on.
    pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range").write_text("50000 60000")


def second_host():
    """Makes a network namespace, and a cable between it and this one. Returns the path of the new
    namespace."""
    host = subprocess.Popen(["unshare", "--net", "sh", "-c", "echo; exec sleep infinity"],
                            stdout=subprocess.PIPE)
    host.stdout.readline()  # waits until the namespace exists
    atexit.register(host.kill)
    name = f"/proc/{host.pid}/ns/net"
    ip = ["ip", "link", "add", "cable", "type", "veth", "peer", "name", "cable", "netns", str(host.pid)]
    subprocess.run(ip, check=True)
    of_adapters = [f"10.77.0.1{number}" for number in range(1, PAIRS + 1)]
    for prefix, addresses in (([], [SERVER_HOST, *of_adapters]),
                              (["nsenter", f"--net={name}"], [CLIENT_HOST])):
        for address in addresses:
            subprocess.run([*prefix, "ip", "address", "add", f"{address}/24", "dev", "cable"], check=True)
        subprocess.run([*prefix, "ip", "link", "set", "cable", "up"], check=True)
    return name


def listening(port, by_memory=False):
    """Whether a socket of this network namespace listens on that port. With by_memory a socket for
    shared memory must listen as well. Datum makes that socket last."""
    if by_memory:
        fields = map(str.split, pathlib.Path("/proc/net/unix").read_text().splitlines()[1:])
        if not any(each[3] == "00010000" and each[-1].endswith(f"/{port}") for each in fields):
            return False
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        if not os.path.exists(table):
            continue
        for line in pathlib.Path(table).read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and int(fields[1].rsplit(":", 1)[1], 16) == port:
                return True
    return False


def as_they_say(address):
    """An IPv4 address in the form that the programs tell each other. They read the four octets as a
    number in host byte order, and print the number in hexadecimal."""
    return b"%08x" % int.from_bytes(socket.inet_aton(address), sys.byteorder)


def asked(address, client_address):
    """Asks a server, dtest or dtestx, where it listens, in place of its client."""
    with socket.create_connection((address, SIDE_CHANNEL), LIMIT) as channel:
        place = channel.recv(128, socket.MSG_WAITALL)
        # With datagrams the server also connects to the client's address, so it must be told that.
        channel.sendall(place.replace(as_they_say(address), as_they_say(client_address), 1))
    return place


def teller(place, address):
    """Returns a function that, in place of the server, once tells a client where the server
    listens."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.settimeout(LIMIT)
    listener.bind((address, SIDE_CHANNEL))
    listener.listen()

    def tell():
        try:
            with listener, listener.accept()[0] as channel:
                channel.sendall(place)
                channel.recv(len(place), socket.MSG_WAITALL)
        except TimeoutError:
            return [f"no client asked within {LIMIT} s where the server is"]
        return []

    return tell


def ended_by(status):
    """What is wrong with an exit status. Only a signal is wrong, since the programs' own numbers
    say nothing."""
    if status >= 0:
        return []
    return [f"ended by signal {-status}, {signal.strsignal(-status)}"]


class Program:
    def __init__(self, command, environment, output):
        self.output = output
        self.end = time.monotonic() + LIMIT
        with open(output, "w") as out:
            # The output comes line by line, so that wait_ready() sees a line as soon as it is
            # printed.
            self.process = subprocess.Popen(["stdbuf", "-oL", *command], stdout=out,
                                            stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                            env=environment)

    def said(self):
        return self.output.read_text(errors="replace")

    def wait(self):
        """Waits for the end of the program."""
        try:
            left = max(0, self.end - time.monotonic())
            return ended_by(self.process.wait(left))
        except subprocess.TimeoutExpired:
            return [f"not over after {LIMIT} s"]
        finally:
            self.stop()

    def wait_ready(self, ready, by_memory=False):
        while time.monotonic() < self.end and self.process.poll() is None:
            if listening(ready, by_memory) if isinstance(ready, int) else ready in self.said():
                return []
            time.sleep(0.02)
        return [f"it never came to \"{ready}\""]

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def misses(self, side, says, remarks):
        said = self.said()
        wrong = [f"the {side} did not say \"{each}\"" for each in says if each not in said]
        # The lines of a success are not enough. dapltest goes on after a failure and prints them,
        # too.
        return wrong + [f"the {side} said \"{line.strip()}\"" for line in said.splitlines()
                        if any(each in NUMBER.sub("0", line.lower()) for each in FORBIDDEN)
                        and not any(each in line for each in remarks)]

    def passed(self, cases):
        """Checks how many cases of dapltest -T F have passed. Returns what is wrong with the
        number."""
        count = sum(line.strip() == PASSED_CASE for line in self.said().splitlines())
        return [] if count == cases else [f"{count} of {cases} cases passed"]


def play(row, stack, programs, place):
    """Runs a row. Returns a list of what is wrong with it, which is empty if the row passed, and
    the row's programs."""
    def command(arguments, adapter, address=None):
        """The command of one side. address: the server's address, if the side is a client."""
        which = "-D" if row.program == "dapltest" else "-P"
        host = []
        if address and row.server is not None:
            host = ["-s" if row.program == "dapltest" else "-h", address]
        words = arguments.split()
        if not words and row.program == "dapltest":
            return [str(programs / row.program)]
        # dapltest takes options only before the list of transfers.
        at = 2 if row.program == "dapltest" else len(words)
        prefix = [*stack.client_prefix] if address else []
        prefix += [] if row.files is None else ["prlimit", f"--nofile={row.files}"]
        words = [*words[:at], which, adapter, *host, *words[at:]]
        if row.script and arguments == row.client:
            (place / "script").write_text(" ".join(words))
            words = ["-f", str(place / "script")]
        return [*prefix, str(programs / row.program), *words]

    environment = {**stack.environment, **row.environment}
    adapters = [(IA, stack.address)]
    of_client = {}
    if row.pairs > 1:
        adapters = stack.adapters[:row.pairs]
        environment["DAT_OVERRIDE"] = str(stack.conf)
        of_client = {"DAT_OVERRIDE": str(stack.client_conf)}
    servers = []
    clients = []
    try:
        places = {}
        for adapter, address in adapters if row.server is not None else ():
            server = Program(command(row.server, adapter), environment, place / f"server{len(servers)}.out")
            servers.append(server)
            wrong = server.wait_ready(row.ready)
            if row.program in TOLD_EARLY and not row.by_hand and not wrong:
                places[address] = asked(address, stack.client_address)
                wrong = server.wait_ready(TOLD_EARLY[row.program], stack.by_memory)
            if wrong:
                return [f"server: {each}" for each in wrong], servers
        tellers = [teller(said, address) for address, said in places.items()]
        clients = [Program(command(row.client, IA, address), environment | of_client,
                           place / f"client{number}.out")
                   for number, (_, address) in enumerate(adapters * row.clients)]
        wrong = []
        for tell in tellers:
            wrong += tell()
        for client in clients:
            wrong += [f"client: {each}" for each in client.wait()]
        if row.program == "dapltest" and servers:
            port = " ".join(PORT.findall(row.client))
            quitter = Program(command(f"-T Q {port}", IA, stack.address), environment, place / "quit.out")
            wrong += [f"-T Q: {each}" for each in quitter.wait()]
            wrong += quitter.misses("one that said quit", QUIT_SAYS, ())
        for server in servers:
            wrong += [f"server: {each}" for each in server.wait()]
            wrong += server.misses("server", row.server_says, row.remarks)
        for client in clients:
            wrong += client.misses("client", row.client_says, row.remarks)
            wrong += client.passed(row.cases) if row.cases else []
        return wrong, [*servers, *clients]
    finally:
        for each in (*servers, *clients):
            each.stop()


def spins(row):
    return " -W" in row.client


@contextlib.contextmanager
def turn(row):
    """Waits until the row may run. A row whose two sides spin runs alone, since it takes both
    processors of a small machine."""
    with open(__file__) as file:
        fcntl.flock(file, fcntl.LOCK_EX if spins(row) else fcntl.LOCK_SH)
        yield


def many_files():
    """Raises the limit on open files. Each connection over TCP is an open file, some rows make 2000
    connections, and the default limit is lower."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    enough = 8192 if most == resource.RLIM_INFINITY else min(most, 8192)
    resource.setrlimit(resource.RLIMIT_NOFILE, (enough, most))


def run_stack(arguments, rows):
    own_network()
    many_files()
    # Rows that spin come last, since such a row waits for the current rows of all other stacks.
    rows = sorted((row for row in rows if arguments.inside in row.stacks), key=spins)
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        stack = Stack(arguments, place)
        for row in rows:
            with turn(row):
                begun = time.monotonic()
                wrong, sides = play(row, stack, arguments.bin, place)
            took = f"{time.monotonic() - begun:5.1f} s"
            report = [f"{'FAILED' if wrong else 'ok    '} {took}  {stack.name:12}  {row.name}"]
            if wrong:
                failed += 1
                report += [f"    {each}" for each in wrong]
                for side in sides:
                    report += [f"--- the end of {side.output.name}", *side.said().splitlines()[-20:]]
                report.append(f"    one alone: {sys.argv[0]} --stack {stack.name} '{row.name}'")
            print("\n".join(report), flush=True)
    print(f"{len(rows) - failed} of {len(rows)} runs over {stack.name} passed", flush=True)
    return 1 if failed else 0


def run_side_by_side(arguments):
    inside = [subprocess.Popen([ROOT / "tests/own_network.sh", sys.executable,
                                __file__, "--inside", stack, "--lib", arguments.lib, "--bin",
                                arguments.bin, "--debian-lib", arguments.debian_lib,
                                *arguments.words])
              for stack in arguments.stack or EVERYWHERE]
    return max(each.wait() for each in inside)


def debian_lib():
    """The folder of Debian's libdat2, which is also that of the C library."""
    found = sorted(pathlib.Path("/usr/lib").glob("*/libdat2.so.2"))
    return found[0].parent if found else pathlib.Path("/usr/lib")


def installed():
    """The folder of the programs. Installs them if they are missing. Only this step uses the
    network."""
    found = shutil.which("dtest")
    if not found:
        subprocess.run([ROOT / "scripts/deps.sh", "interop"], check=False)
        found = shutil.which("dtest")
    return pathlib.Path(found).parent if found else None


def without_programs():
    if os.environ.get("CI") == "true":
        print("the programs of dapl2-utils are not installed, and scripts/deps.sh interop could not do it; "
              "install them: make deps GROUPS=interop", file=sys.stderr)
        return 1
    print("absent: the programs of dapl2-utils, which scripts/deps.sh interop could not install")
    return 4


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--lib", type=pathlib.Path, default=ROOT / "build/release/lib",
                        help="where libdat2.so.2 and libdatum2.so are")
    parser.add_argument("--bin", type=pathlib.Path, help="where the programs are")
    parser.add_argument("--debian-lib", type=pathlib.Path, default=debian_lib(),
                        help="where Debian's libdat2.so.2 is")
    parser.add_argument("--stack", action="append", choices=EVERYWHERE, help="only this stack")
    parser.add_argument("--inside", choices=EVERYWHERE, help=argparse.SUPPRESS)
    parser.add_argument("--list", action="store_true", help="the rows")
    parser.add_argument("words", nargs="*", metavar="WORD")
    arguments = parser.parse_args()
    rows = [row for row in MATRIX
            if not arguments.words or any(word in row.name for word in arguments.words)]
    if arguments.list or not rows:
        print("\n".join(row.name for row in rows) or "no such row; --list prints them")
        if arguments.list:
            print("left out, with what happens over Debian's own stack, and why:")
            print("\n".join(f"  {each.mode}: {(LEFT_OUT_LOGS / each.log).relative_to(ROOT)}"
                            for each in LEFT_OUT))
        return 0 if rows else 2
    arguments.bin = arguments.bin or installed()
    if arguments.bin is None:
        return without_programs()
    arguments.lib = arguments.lib.resolve()
    if not (arguments.lib / "libdatum2.so").exists():
        print(f"no libdatum2.so in {arguments.lib}; build it: scripts/build.sh bench", file=sys.stderr)
        return 2
    return run_stack(arguments, rows) if arguments.inside else run_side_by_side(arguments)


if __name__ == "__main__":
    sys.exit(main())

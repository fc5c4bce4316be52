#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Holds dat-cp against cp, rsync and scp: scripts/bench/copies.py [OPTION...] [BIN]

Each round runs every program once, in turns, on the same tree, into a new place of the same file
system. Time is wall time of the command as typed, process start included, from a warm cache; the
servers (dat-cp serve, sshd) run already. Prints a table for docs/lab.

  BIN              where dat-cp is (default: build/release/bin)
  --runs N         rounds (default 7)
  --tree NAME      demo (the tree of scripts/demo.sh), small (10,000 files of 500 octets) or large
                   (one file of 2 GB); repeat it for more (default: all)
  --only NAME      only this program, beside cp; repeat it for more
  --folder DIR     where trees and copies go (default: TMPDIR, else /tmp); 14 GB for all trees.
                   They are removed at the end
  --realtime       all programs and servers before everything else that runs here (needs root), for a
                   machine that is busy; the table says so
  --raw FILE       every single run as JSON

What is copied is not removed between rounds, but of the large tree: ext4 does not give out the inodes of
files that were removed a moment ago, and looks for others instead, in time that grows with their
number. The last copy of each program is compared with the original by diff(1), but for
that of the demo's tree by scp, which copies what symbolic links lead to.
Exit: 0 measured; 1 a program failed or copied wrongly; 2 not built, or no room.
"""

import argparse
import contextlib
import getpass
import json
import os
import pathlib
import re
import shutil
import socket
import statistics
import subprocess
import tempfile
import time

import machine
import page
from programs import ROOT, built, fail, run, running, say

TREES = ("demo", "small", "large")
TITLES = {"demo": "the demo's tree", "small": "10,000 files of 500 octets", "large": "one file of 2 GB"}
LIMIT_S = 300
ROUND = {"demo": 1.2e9, "small": 0.3e9, "large": 0.0}  # octets that a round leaves
LEAST = 4.5e9


# The trees.

def make_demo(folder):
    """Makes the files that scripts/demo.sh gathers, by that script's own function."""
    script = ROOT / "scripts/demo.sh"
    text = script.read_text(encoding="utf-8")
    gather = re.search(r"^gather\(\) \{.*?^\}$", text, re.S | re.M)
    wanted = re.search(r"^wanted=.*$", text, re.M)
    if not gather or not wanted:
        fail(2, f"{script} has no function gather() any more")
    with tempfile.TemporaryDirectory(dir=os.path.dirname(folder)) as work:
        subprocess.run(["bash", "-euc", f"fail() {{ echo \"$@\" >&2; exit 1; }}\n{wanted[0]}\n"
                        f"{gather[0]}\nwork=$1\ngather", "-", work], check=True, timeout=LIMIT_S)
        os.rename(os.path.join(work, "original"), folder)


def make_files(folder, names, pieces, size):
    os.mkdir(folder)
    for name in names:
        with open(os.path.join(folder, name), "wb") as file:
            for _ in range(pieces):
                file.write(os.urandom(size))


MAKERS = {"demo": make_demo,
          "small": lambda folder: make_files(folder, (f"file-{number:05}" for number in range(10000)), 1, 500),
          "large": lambda folder: make_files(folder, ("large",), 2000, 1000 * 1000)}


def warm(folder):
    """Reads all files of the folder once."""
    for path, _, names in os.walk(folder):
        for name in names:
            full = os.path.join(path, name)
            if os.path.islink(full):
                continue
            with open(full, "rb", buffering=0) as file:
                while file.read(1 << 20):
                    pass


# The programs. Each has a name and run(source, place).

def ticks_of(pid):
    """User and system time of a running process, in seconds."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def timed(command, env=None, allowed=(0,)):
    """Wall time of the command, and processor time of the command and its children."""
    start = time.monotonic()
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE, env=env)
    errors = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.monotonic() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in allowed:
        raise RuntimeError(f"{command[0]} ended with {child.returncode}: {errors.decode(errors='replace')[-400:]}")
    return wall, usage.ru_utime + usage.ru_stime


class Command:
    """A program that copies without a server of its own, or to a server that accepts every path."""

    def __init__(self, name, command, server="", allowed=(0,)):
        self.name, self.command, self.server, self.allowed = name, command, server, allowed

    def run(self, source, place):
        return timed([*self.command, source, self.server + place], allowed=self.allowed)


class DatCp:
    """A dat-cp client of a running server."""

    def __init__(self, binary, direction, folder, servers):
        self.binary, self.direction, self.folder = binary, direction, folder
        self.name = f"dat-cp {direction}"
        self.server = servers.enter_context(running(
            [binary, "serve", "--quiet", "--reuse-token", "--port", "0", folder], subprocess.Popen.terminate,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL))
        first, second = self.server.stdout.readline(), self.server.stdout.readline()
        port = re.search(r", port (\d+),", first)
        if not port or not second.startswith("token: "):
            raise RuntimeError(f"dat-cp serve said {first!r} and {second!r}")
        self.host = f"127.0.0.1:{port[1]}"
        self.env = dict(os.environ, DAT_CP_TOKEN=second.split()[1])

    def run(self, source, place):
        inside = os.path.relpath(place if self.direction == "put" else source, self.folder)
        paths = [source, f"{self.host}:{inside}"] if self.direction == "put" else [f"{self.host}:{inside}", place]
        before = ticks_of(self.server.pid)
        wall, cpu = timed([self.binary, self.direction, *paths], self.env)
        return wall, cpu + ticks_of(self.server.pid) - before


def start_sshd(folder, servers):
    """Starts an sshd for this run on a free loopback port, with its own keys. Returns its port, and
    options for ssh."""
    os.mkdir(folder, 0o700)
    if os.geteuid() == 0 and not os.path.isdir("/run/sshd"):
        os.mkdir("/run/sshd", 0o755)  # sshd refuses to start as root without this folder
        servers.callback(os.rmdir, "/run/sshd")
    host, user = os.path.join(folder, "host_key"), os.path.join(folder, "user_key")
    for key in (host, user):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    config = pathlib.Path(folder, "sshd_config")
    config.write_text(f"Port {port}\nListenAddress 127.0.0.1\nHostKey {host}\nStrictModes no\nUsePAM no\n"
                      f"AuthorizedKeysFile {user}.pub\nPidFile none\nPermitRootLogin yes\n"
                      "Subsystem sftp internal-sftp\n", encoding="utf-8")
    servers.enter_context(running([shutil.which("sshd"), "-D", "-e", "-f", str(config)], subprocess.Popen.terminate,
                                  stderr=subprocess.DEVNULL))
    for _ in range(100):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return str(port), ["-i", user, "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null",
                               "-o", "LogLevel=ERROR", "-o", "BatchMode=yes"]
        except OSError:
            time.sleep(0.05)
    raise RuntimeError("sshd does not listen")


def programs_here(options, work, servers):
    """The programs that are installed, and the names of the missing ones."""
    binary = os.path.join(options.bin, "dat-cp")
    found = [Command("cp", ["cp", "-r", "--reflink=never"]),
             *(DatCp(binary, direction, work, servers) for direction in ("put", "get"))]
    absent = []
    rsync = shutil.which("rsync")
    if rsync:
        found.append(Command("rsync", [rsync, "-a"]))
    else:
        absent.append("rsync")
    missing = [name for name in ("sshd", "ssh", "scp", "ssh-keygen") if not shutil.which(name)]
    if missing:
        absent.append(f"scp ({', '.join(missing)} not installed)")
    else:
        try:
            port, ssh = start_sshd(os.path.join(work, "keys"), servers)
            here = f"{getpass.getuser()}@127.0.0.1:"
            # scp follows links, and fails at links that lead nowhere.
            found.append(Command("scp", ["scp", "-q", "-r", "-P", port, *ssh], here, allowed=(0, 1)))
            if rsync:
                found.append(Command("rsync over ssh", [rsync, "-a", "-e", " ".join(["ssh", "-p", port, *ssh])], here))
        except (RuntimeError, OSError, subprocess.SubprocessError) as error:
            absent.append(f"scp ({error})")
    if options.only:
        found = [p for p in found if p.name == "cp" or any(word in p.name for word in options.only)]
    return found, absent


# A round.

def place_for(program, source, folder, label):
    """The place of a copy. Without a trailing /, rsync makes the folder itself below its destination."""
    place = os.path.join(folder, label)
    if "rsync" in program.name:
        os.mkdir(place)
        return place, os.path.join(place, os.path.basename(source))
    return place, place


def take(tree, members, options, work):
    source = os.path.join(work, tree)
    say(f"making {TITLES[tree]}")
    MAKERS[tree](source)
    folder = os.path.join(work, f"{tree}-copies")
    os.mkdir(folder)
    warm(source)
    if tree == "large":
        os.sync()  # otherwise the kernel writes the original to disk during the first rounds
    samples = {program.name: [] for program in members}
    for number in range(options.runs):
        for turn in range(len(members)):
            program = members[(turn + number) % len(members)]  # the order changes from round to round
            place, copy = place_for(program, source, folder, f"{program.name.replace(' ', '-')}-{number}")
            samples[program.name].append(program.run(source, place))
            if number == options.runs - 1 and not (program.name == "scp" and tree == "demo"):
                subprocess.run(["diff", "-r", "--no-dereference", source, copy], check=True,
                               stdout=subprocess.DEVNULL, timeout=LIMIT_S)
            if tree == "large":
                shutil.rmtree(place)
        say(f"{tree}: round {number + 1} of {options.runs}")
    entries = sum(len(names) for _, _, names in os.walk(source))
    size = sum(os.lstat(os.path.join(path, name)).st_size
               for path, _, names in os.walk(source) for name in names)
    shutil.rmtree(folder)
    shutil.rmtree(source)
    return {"tree": tree, "entries": entries, "bytes": size, "samples": samples}


# The results.

def quartiles(values):
    if len(values) < 3:
        return min(values), max(values)
    cut = statistics.quantiles(values, n=4, method="inclusive")
    return cut[0], cut[2]


def row(result, name):
    walls, cpus = zip(*result["samples"][name])
    base = [wall for wall, _ in result["samples"]["cp"]]
    low, high = quartiles([wall / of for wall, of in zip(walls, base)])
    middle = statistics.median(walls)
    return page.cells(TITLES[result["tree"]], name, f"{middle:.3f}",
                      f"{low:.2f} / **{middle / statistics.median(base):.2f}** / {high:.2f}",
                      "" if "ssh" in name or name == "scp" else f"{statistics.median(cpus):.3f}")


def report(results, absent, options, kind):
    lines = page.titles("tree", "program", "seconds", "beside cp: lower quartile, medians, upper quartile",
                        "user + system, seconds")
    for result in results:
        lines += [row(result, name) for name in result["samples"]]
    load = os.getloadavg()[0]
    before = ", all at real-time priority" if options.realtime else ""
    lines += ["", f"({machine.name()}, {kind}, {machine.today()}, commit {machine.commit()}, {options.runs} rounds"
              f"{before}; load {load:.1f} at the end, of which the copies are about 1.5.)"]
    if absent:
        lines.append(f"Not here: {', '.join(absent)}.")
    for result in results:
        lines.append(f"{TITLES[result['tree']]}: {result['entries']} files and links, {result['bytes'] / 1e6:.0f} MB.")
    return "\n".join(lines)


def file_system(folder):
    return (run(["df", "--output=fstype", folder]).stdout.split() or ["unknown file system"])[-1]


def arguments():
    made = argparse.ArgumentParser(prog="copies.py", description=__doc__,
                                   formatter_class=argparse.RawDescriptionHelpFormatter, usage=argparse.SUPPRESS)
    made.add_argument("bin", nargs="?", default=str(ROOT / "build/release/bin"))
    made.add_argument("--runs", type=int, default=7)
    made.add_argument("--tree", action="append", choices=TREES)
    made.add_argument("--only", action="append", default=[])
    made.add_argument("--folder", default=os.environ.get("TMPDIR", "/tmp"))
    made.add_argument("--realtime", action="store_true")
    made.add_argument("--raw")
    options = made.parse_args()
    options.tree = options.tree or list(TREES)
    if options.realtime:
        try:
            os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))  # children inherit this
        except OSError as error:
            fail(2, f"--realtime: {error}; only root may")
    if options.runs < 1:
        fail(2, "--runs wants 1 or more")
    built(options.bin, "dat-cp", "make")
    free = shutil.disk_usage(options.folder).free
    need = LEAST + options.runs * max(ROUND[tree] for tree in options.tree)
    if free < need:
        fail(2, f"{options.folder} has {free / 1e9:.1f} GB free, {need / 1e9:.0f} GB are needed; "
                "name another one with --folder")
    return options


def main():
    options = arguments()
    with tempfile.TemporaryDirectory(prefix="datum-copies-", dir=options.folder) as work, \
            contextlib.ExitStack() as servers:
        try:
            members, absent = programs_here(options, work, servers)
            results = [take(tree, members, options, work) for tree in options.tree]
            kind = file_system(work)
        except (RuntimeError, OSError, subprocess.SubprocessError) as error:
            fail(1, error)
    for name in absent:
        say(f"not here: {name}")
    print(report(results, absent, options, kind))
    if options.raw:
        pathlib.Path(options.raw).write_text(json.dumps(results), encoding="utf-8")


if __name__ == "__main__":
    main()

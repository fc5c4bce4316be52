# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The lines above each table: the machine, commit and day of its figures, and how busy the machine was."""

import datetime
import os
import pathlib
import time

import programs


def processor(cpuinfo):
    """The model of the processor, as far as the kernel or the hypervisor names it."""
    model = next((line.split(": ", 1)[1].strip() for line in cpuinfo.splitlines()
                  if line.startswith("model name")), os.uname().machine)
    guest = any("hypervisor" in line.split() for line in cpuinfo.splitlines() if line.startswith("flags"))
    return model + (" (a virtual machine)" if guest else "")


def name():
    model = processor(pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    cores = len(os.sched_getaffinity(0))
    return f"{model}, {cores} usable cores, {os.uname().sysname} {os.uname().release}"


def today():
    return datetime.date.today().isoformat()


def commit():
    def git(*words):
        return programs.run(["git", "-C", str(programs.ROOT), *words]).stdout.strip()

    # docs are left out: the other table, which was written just before, does not change what is
    # measured.
    dirty = " with local changes" if git("status", "--porcelain", "-uno", "--", ":!docs") else ""
    return (git("rev-parse", "--short=12", "HEAD") or "unknown") + dirty


def lines():
    return [f"- Machine: {name()}", f"- Date: {today()}; commit: {commit()}"]


def others_use():
    """The share of all processors' time that other programs use while this program waits two seconds."""
    def times():
        with open("/proc/stat", encoding="utf-8") as stat:
            fields = [int(field) for field in stat.readline().split()[1:9]]
        return sum(fields), fields[3] + fields[4]  # idle, and idle while waiting for a disk
    total, idle = times()
    time.sleep(2)
    later, later_idle = times()
    return 1 - (later_idle - idle) / max(1, later - total)

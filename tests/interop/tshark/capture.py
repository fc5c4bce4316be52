#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Runs a command in a network of its own, and writes the frames on its loopback device to a file.

  capture.py FILE COMMAND...

Where there are user namespaces, no privilege is needed. The frames are those of a wire with an MTU
of 1500. The kernel does not merge or cut segments. The frames stay in a ring until the command has
ended. If the ring was too small, or the command failed, the exit status says so.
"""
import mmap
import os
import pathlib
import socket
import struct
import subprocess
import sys

# <linux/if_packet.h>
SOL_PACKET, PACKET_RX_RING, PACKET_STATISTICS, PACKET_IGNORE_OUTGOING = 263, 5, 6, 23
TP_STATUS_USER = 1
FRAME = 2048  # octets of the ring for a frame, more than a frame of that MTU has
FRAMES = 32768
BLOCK = 65536
HEADER = "LIIHHII"  # struct tpacket_hdr
ETHERNET = 1


def enter():
    if os.environ.get("DATUM_CAPTURE_INSIDE"):
        return
    os.environ["DATUM_CAPTURE_INSIDE"] = "1"
    own_network = str(pathlib.Path(__file__).resolve().parents[2] / "own_network.sh")
    os.execv(own_network, [own_network, sys.executable] + sys.argv)


def set_up_loopback():
    subprocess.run(["ip", "link", "set", "dev", "lo", "mtu", "1500", "gso_max_size", "1500",
                    "gso_max_segs", "1", "up"], check=True,
                   env=dict(os.environ, PATH=os.environ["PATH"] + ":/usr/sbin:/sbin"))


def write_capture(ring, path):
    with open(path, "wb") as out:
        out.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, FRAME, ETHERNET))
        for at in range(0, FRAME * FRAMES, FRAME):
            status, length, caught, mac, _, seconds, micros = struct.unpack_from(HEADER, ring, at)
            if not status & TP_STATUS_USER:
                return
            out.write(struct.pack("<IIII", seconds, micros, caught, length))
            out.write(ring[at + mac:at + mac + caught])


def main():
    enter()
    path, command = sys.argv[1], sys.argv[2:]
    set_up_loopback()
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0) as listener:
        # On loopback each frame would appear twice, once as it leaves and once as it arrives.
        listener.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
        listener.setsockopt(SOL_PACKET, PACKET_RX_RING,
                            struct.pack("IIII", BLOCK, FRAME * FRAMES // BLOCK, FRAME, FRAMES))
        with mmap.mmap(listener.fileno(), FRAME * FRAMES) as ring:
            listener.bind(("lo", 3))  # every protocol
            status = subprocess.run(command).returncode
            missed = struct.unpack("II", listener.getsockopt(SOL_PACKET, PACKET_STATISTICS, 8))[1]
            if missed:
                sys.exit(f"capture.py: the ring was too small: {missed} frames are missing")
            write_capture(ring, path)
    sys.exit(status)


if __name__ == "__main__":
    main()

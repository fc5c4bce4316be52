#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Checks that Wireshark's dissectors decode every frame of our connections, with good CRCs.

Tests of the conformance suite run over a loopback device, whose frames are captured. tshark decodes
the frames, and knows nothing of Datum. All data over TCP on that device must be iWARP.
Exit 4: tshark is not installed. With CI=true, where nothing may be left out, that is a failure.
"""
# Rules: tcp.W1 tcp.W2 tcp.W3
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD = ROOT / "build" / os.environ.get("DATUM_PRESET", "dev")
LIMIT = 60  # seconds for each program
# Some dissectors take a Send for their own protocol because its first octets look like it. Others
# own a port that one of our connections happens to have.
OTHERS = ["--disable-protocol", "rpcordma", "--disable-protocol", "smb_direct",
          "-o", "tcp.try_heuristic_first:TRUE",
          # Loopback has a queue for each processor, and segments in different queues overtake each
          # other. Without this option the dissector takes a segment that comes too early for the
          # beginning of an FPDU. For example, it finds 181 empty FPDUs in 1448 octets of zeroes.
          "-o", "tcp.reassemble_out_of_order:TRUE"]

# Suite, transport, tests, and the opcodes (RFC 5040, RFC 7306) that the tests must have sent.
# Left out are tests that free memory while TCP has a part of an FPDU, since their streams end
# within that FPDU.
CAPTURES = (
    ("datum-conformance", "tcp", "DatEpPost*:DatCr*:RuleDtoErrors*-*TheMemoryOfAllThatIsUnderWayIsGone:"
     "*TheMemoryIsGoneWhileItIsWritten",
     {0: "Write", 1: "Read Request", 2: "Read Response", 3: "Send",
      5: "Send with Solicited Event", 7: "Terminate"}),
    ("datum-conformance", "tcp6", "DatEpPostSend*:DatEpPostRdma*",
     {0: "Write", 1: "Read Request", 2: "Read Response", 3: "Send",
      5: "Send with Solicited Event", 7: "Terminate"}),
    ("datum-conformance2", "tcp", "*Ext*:*Immed*:*Inval*:*Atomic*",
     {0: "Write", 1: "Read Request", 2: "Read Response", 3: "Send", 4: "Send with Invalidate",
      6: "Send with Solicited Event and Invalidate", 7: "Terminate", 8: "Immediate Data",
      9: "Immediate Data with Solicited Event", 10: "Atomic Request", 11: "Atomic Response"}),
)


def tshark(capture, arguments):
    # Two passes (-2), because only a later frame shows that a piece belongs to a longer FPDU.
    done = subprocess.run(["tshark", "-n", "-2", "-r", capture, *OTHERS, *arguments], timeout=LIMIT,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"tshark: {done.stderr}")
    return done.stdout


def streams_with(capture, condition):
    return set(tshark(capture, ["-Y", condition, "-T", "fields", "-e", "tcp.stream"]).split())


# On a busy machine TCP sends some segments twice, and the dissectors decode only one of the two. So
# the other segment need not be iWARP. This excuses nothing else in the stream.
REPEATED = ("(tcp.analysis.retransmission || tcp.analysis.out_of_order || "
            "tcp.analysis.spurious_retransmission)")


def judge(capture, opcodes):
    """Returns what is wrong with the capture, a string for each finding."""
    wrong = []
    other = streams_with(capture,
                         f"tcp.len > 0 && !iwarp_mpa && !tcp.reassembled_in && !{REPEATED}")
    if other:
        wrong.append(f"there is more than iWARP in streams {' '.join(sorted(other))}")
    malformed = streams_with(capture, "_ws.malformed || iwarp_mpa.bad_length")
    if malformed:
        wrong.append(f"malformed frames in streams {' '.join(sorted(malformed))}")
    text = tshark(capture, ["-Y", "iwarp_mpa", "-O", "iwarp_mpa,iwarp_ddp_rdmap", "-V"])
    fpdus = len(re.findall(r"ULPDU length: ", text))
    good = len(re.findall(r"\(Good CRC32\)", text))
    if good != fpdus or fpdus == 0:
        wrong.append(f"of {fpdus} FPDUs {good} have a good CRC")
    sent = collections.Counter(int(code, 16) for code in re.findall(r"OpCode: .*\((0x\w+)\)", text))
    for code, name in opcodes.items():
        if sent[code] == 0:
            wrong.append(f"no {name} (opcode {code}) among them")
    for code in sent.keys() - opcodes.keys():
        wrong.append(f"opcode {code} is unexpected")
    for kind in ("Request", "Reply"):
        if not re.search(f"{kind} frame header", text):
            wrong.append(f"no MPA {kind.lower()}")
    print(f"  {fpdus} FPDUs: " +
          ", ".join(f"{count} {opcodes.get(code, code)}" for code, count in sorted(sent.items())))
    return wrong


def run(folder, suite, transport, tests, opcodes):
    capture = folder / f"{suite}.pcap"
    done = subprocess.run(
        [sys.executable, pathlib.Path(__file__).with_name("capture.py"), capture, BUILD / "bin" / suite,
         f"--transport={transport}", "--gtest_brief=1", f"--gtest_filter={tests}"],
        timeout=LIMIT, env=dict(os.environ, DATUM_CRC="on"), stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        return [f"{suite} or its capture failed: {done.stdout}"]
    return judge(capture, opcodes)


def without_tshark():
    if os.environ.get("CI") == "true":
        print("tshark is not installed; install it: make deps GROUPS=check", file=sys.stderr)
        return 1
    print("absent: tshark is not installed (make deps GROUPS=check)")
    return 4


def main():
    if shutil.which("tshark") is None:
        return without_tshark()
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for suite, transport, tests, opcodes in CAPTURES:
            print(f"{suite} {transport} {tests}")
            for line in run(pathlib.Path(folder), suite, transport, tests, opcodes):
                print(f"  WRONG: {line}")
                failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

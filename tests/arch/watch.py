#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Runs a program of GoogleTest, and ends it if one of its tests takes too long: watch.py SECONDS PROGRAM [ARGUMENT...]

With --gtest_brief=1 such a program does not name what it runs. Here it does so, and this script keeps the names to
itself. If the program hangs, or ends in the midst of a test, the last line names that test.
Exit: as the program; 124: it hung.
"""

import os
import queue
import re
import subprocess
import sys
import threading
import time

BEGINS = re.compile(rb"\[ RUN      \] (\S+)")
ENDS = re.compile(rb"\[(       OK |  FAILED  |  SKIPPED )\] \S.* \(\d+ ms\)$")
ONLY_OF_LONG = re.compile(rb"\[( RUN      |       OK |----------)\]|$")
BRIEF = "--gtest_brief=1"


def pass_on(stream, lines):
    for line in stream:
        lines.put(line)


def main(seconds, program):
    brief = BRIEF in program
    test, since, hung = None, time.monotonic(), False
    with subprocess.Popen([word for word in program if word != BRIEF], stdout=subprocess.PIPE) as child:
        lines = queue.Queue()
        # Processes that the program leaves behind may keep its output open. This script does not
        # wait until they close it.
        threading.Thread(target=pass_on, args=(child.stdout, lines), daemon=True).start()
        ended = False
        while not hung:
            try:
                line = lines.get(timeout=0.2)
            except queue.Empty:
                if ended:
                    break
                ended, line = child.poll() is not None, b""
            begins = BEGINS.match(line)
            if begins or ENDS.match(line):
                test, since = begins and begins.group(1).decode(errors="replace"), time.monotonic()
            if not (brief and ONLY_OF_LONG.match(line)):
                sys.stdout.buffer.write(line)
                sys.stdout.buffer.flush()
            hung = not ended and time.monotonic() - since > seconds
        if hung:
            child.kill()
        status = child.wait()
        if hung:
            print(f"watch.py: {test or 'between two tests'}: not done after {seconds:g} s, ended")
        elif test:
            print(f"watch.py: the program ended in {test}: {status}")
        sys.stdout.flush()
        # Exits at once, because the thread may still be reading.
        os._exit(124 if hung else status if status >= 0 else 128 - status)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(float(sys.argv[1]), sys.argv[2:])

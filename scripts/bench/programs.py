# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Finds and runs other programs, and reports what went wrong."""

import contextlib
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def say(text):
    """Prints the text after the name of the running script."""
    print(f"{pathlib.Path(sys.argv[0]).stem}: {text}", file=sys.stderr)


def fail(status, text):
    say(text)
    sys.exit(status)


def built(folder, name, build):
    """The path of a program of ours; `build` is the command that builds it."""
    program = os.path.join(folder, name)
    if not os.access(program, os.X_OK):
        fail(2, f"{program} is not built; run: {build}")
    return program


def run(command, environment=None, timeout=30):
    """Runs a command to its end. Callers check the status."""
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False,
                          env={**os.environ, **(environment or {})})


def output(command, environment=None, timeout=30):
    """The standard output of the command. If it fails, RuntimeError with what it printed."""
    done = run(command, environment, timeout)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: exit {done.returncode}: {done.stderr.strip()}")
    return done.stdout


@contextlib.contextmanager
def running(command, end=subprocess.Popen.kill, **more):
    """A process that is always ended at the end of the block."""
    with subprocess.Popen(command, text=True, **more) as process:
        try:
            yield process
        finally:
            end(process)

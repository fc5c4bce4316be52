#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Do the tests notice when the product is broken?

Breaks the product in one line at a time (mutation.py), builds only what the tests of that layer
need, runs them, the fast ones first, until one fails, and reports what survived. The work is done
in copies of the tree below build/mutants; the results stand in build/mutants/results.jsonl, and a
mutant that stands there is not tried again: a run may be interrupted and gone on with, and several
may run side by side.
"""
import argparse
import collections
import contextlib
import fcntl
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

import mutation

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "mutants"
RESULTS = WORK / "results.jsonl"
LAYERS = ["src/core", "src/facade", "src/transport/link", "src/transport/shm"]

# What each step builds, and what it runs in the build directory.
STEPS = {
    "link": (["datum-link-test"], ["bin/datum-link-test"]),
    "shm": (["datum-shm-test"], ["bin/datum-shm-test"]),
    "facade": (["facade_test"], ["bin/facade_test"]),
    "sim": (["datum-sim-test"], ["bin/datum-sim-test"]),
    "search": (["datum-sim-search"], ["bin/datum-sim-search", "1", "300"]),
    "conformance-sim": (["datum1_sim", "datum-conformance"], ["bin/datum-conformance", "--transport=sim"]),
    "conformance-shm": (["datum1", "datum-conformance"], ["bin/datum-conformance", "--transport=shm"]),
}
# Which tests could notice, the fast ones first.
PLANS = {
    "src/core": ["link", "sim", "search", "conformance-sim", "conformance-shm"],
    "src/facade": ["facade", "conformance-sim", "conformance-shm"],
    "src/transport/link": ["link", "sim", "search", "conformance-sim", "conformance-shm"],
    "src/transport/shm": ["shm", "conformance-shm"],
}
BUILD_SECONDS = 900


def layer_of(path):
    return next(layer for layer in LAYERS if path.startswith(layer + "/"))


def run(command, seconds, directory, output=subprocess.DEVNULL):
    """The exit status; None: out of time, and then everything it started has been ended."""
    with subprocess.Popen(command, cwd=directory, stdin=subprocess.DEVNULL, stdout=output,
                          stderr=subprocess.STDOUT, start_new_session=True) as process:
        try:
            return process.wait(timeout=seconds)
        except BaseException as why:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            if isinstance(why, subprocess.TimeoutExpired):
                return None
            raise


class Tree:
    """A copy of the working tree with a build of its own, for this process alone."""

    def __init__(self):
        self.lock = None
        for number in range(64):
            self.path = WORK / f"tree-{number}"
            self.path.mkdir(parents=True, exist_ok=True)
            lock = open(WORK / f"tree-{number}.lock", "w", encoding="utf-8")
            with contextlib.suppress(BlockingIOError):
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                self.lock = lock
                break
            lock.close()
        self.build = self.path / "build" / "dev"
        self.log = WORK / f"{self.path.name}.log"
        self.baseline = {}

    def prepare(self):
        """Brings the copy up to date; a file that is the same keeps its time, so nothing is rebuilt."""
        names = subprocess.run(["git", "ls-files", "-z", "-c", "-o", "--exclude-standard"], cwd=ROOT,
                               check=True, capture_output=True, text=True).stdout.split("\0")
        wanted = {name for name in names if name and (ROOT / name).is_file()}
        for name in wanted:
            source, copy = ROOT / name, self.path / name
            if not copy.exists() or copy.read_bytes() != source.read_bytes():
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_bytes(source.read_bytes())
                copy.chmod(source.stat().st_mode)
        for copy in self.path.rglob("*"):
            name = copy.relative_to(self.path).as_posix()
            if copy.is_file() and name not in wanted and not name.startswith("build/"):
                copy.unlink()
        if run(["cmake", "--preset", "dev", "-DDATUM_WERROR=OFF", "-DDATUM_EXAMPLES=OFF"], 120, self.path) != 0:
            sys.exit("cmake --preset dev failed; if a package is missing: make deps")

    def compile(self, targets):
        with open(self.log, "w", encoding="utf-8") as log:
            return run(["cmake", "--build", "build/dev", "--target", *targets], BUILD_SECONDS, self.path, log) == 0

    def measure(self, steps):
        """The steps without a mutant: how long they take, and which tests fail anyhow."""
        for step in steps:
            targets, command = STEPS[step]
            if not self.compile(targets):
                sys.exit(f"the tree does not build; see {self.log}")
            failing = self.failing_tests(command)
            command = self.command(command, failing)
            begun = time.monotonic()
            if run(command, 600, self.build) != 0:
                sys.exit(f"{' '.join(command)} fails without a mutant")
            self.baseline[step] = (command, time.monotonic() - begun)
            note = f", without {len(failing)} tests that fail anyhow" if failing else ""
            print(f"{step}: {self.baseline[step][1]:.1f} s{note}", flush=True)

    def failing_tests(self, command):
        if "search" in command[0]:
            return []
        report = self.build / "mutants.json"
        report.unlink(missing_ok=True)
        run([*command, f"--gtest_output=json:{report}"], 600, self.build)
        if not report.exists():
            sys.exit(f"{' '.join(command)} ends early without a mutant")
        suites = json.loads(report.read_text())["testsuites"]
        return [f"{test['classname']}.{test['name']}" for suite in suites for test in suite["testsuite"]
                if test.get("failures")]

    @staticmethod
    def command(command, failing):
        if "search" in command[0]:
            return command
        without = f"--gtest_filter=-{':'.join(failing)}" if failing else "--gtest_filter=*"
        return [*command, "--gtest_fail_fast", "--gtest_brief=1", without]

    @contextlib.contextmanager
    def broken(self, mutant):
        file = self.path / mutant.path
        text = file.read_text()
        lines = text.split("\n")
        lines[mutant.line - 1] = mutant.after
        file.write_text("\n".join(lines))
        try:
            yield
        finally:
            file.write_text(text)

    def judge(self, mutant):
        """(verdict, by which step)"""
        with self.broken(mutant):
            for step in PLANS[layer_of(mutant.path)]:
                if not self.compile(STEPS[step][0]):
                    return "does not compile", step
                command, seconds = self.baseline[step]
                status = run(command, 5 * seconds + 20, self.build)
                if status != 0:
                    return ("out of time" if status is None else "killed"), step
        return "survived", ""


def all_mutants(layers):
    names = subprocess.run(["git", "ls-files", *layers], cwd=ROOT, check=True, capture_output=True,
                           text=True).stdout.split()
    sources = [name for name in names if re.search(r"\.(cc|h)$", name)]
    return [mutant for name in sources for mutant in mutation.of_text(name, (ROOT / name).read_text())]


def results():
    if not RESULTS.exists():
        return {}
    return {entry["key"]: entry for entry in map(json.loads, RESULTS.read_text().splitlines())}


def note(mutant, verdict, step, seconds):
    entry = {"key": mutant.key, "verdict": verdict, "step": step, "seconds": round(seconds, 1)}
    with open(RESULTS, "a", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.write(json.dumps(entry) + "\n")


@contextlib.contextmanager
def claimed(mutant):
    """Whether nobody else is at work on it."""
    path = WORK / "claims" / mutant.key
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True


def report(chosen):
    known = results()
    done = [(mutant, known[mutant.key]) for mutant in chosen if mutant.key in known]
    print(f"\n{'folder':22}{'mutants':>8}{'killed':>8}{'survived':>9}{'no build':>9}{'killed %':>9}")
    for layer in [*LAYERS, "src"]:
        verdicts = collections.Counter(entry["verdict"] for mutant, entry in done
                                       if mutant.path.startswith(layer + "/"))
        killed = verdicts["killed"] + verdicts["out of time"]
        lived = verdicts["survived"]
        share = f"{100 * killed / (killed + lived):.1f}" if killed + lived else "-"
        print(f"{layer:22}{sum(verdicts.values()):8}{killed:8}{lived:9}{verdicts['does not compile']:9}{share:>9}")
    steps = collections.Counter(entry["step"] for _, entry in done if entry["verdict"] in ("killed", "out of time"))
    print("killed by: " + ", ".join(f"{step} {count}" for step, count in steps.most_common()))
    for mutant, entry in sorted(done, key=lambda pair: (pair[0].path, pair[0].line)):
        if entry["verdict"] == "survived":
            print(f"survived: {mutant.path}:{mutant.line}: {mutant.name}\n"
                  f"  - {mutant.before.strip()}\n  + {mutant.after.strip()}")
    missing = len(chosen) - len(done)
    if missing:
        print(f"{missing} of {len(chosen)} not tried yet; the same command goes on")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1, help="which mutants, and in which order (1)")
    parser.add_argument("--count", type=int, default=200, help="how many of them (200)")
    parser.add_argument("--only", action="append", metavar="PATH", help="mutants of this file or folder alone")
    parser.add_argument("--list", action="store_true", help="print the mutants and try none")
    parser.add_argument("--report", action="store_true", help="print what is known and try none")
    return parser.parse_args()


def main():
    # So that what was started is ended, and the copy is whole again, also then.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    options = arguments()
    chosen = mutation.in_seeded_order(all_mutants(options.only or LAYERS), options.seed)[:options.count]
    if options.list:
        for mutant in chosen:
            print(f"{mutant.path}:{mutant.line}: {mutant.name}: {mutant.after.strip()}")
        return
    if not options.report:
        known = results()
        waiting = [mutant for mutant in chosen if mutant.key not in known]
        if waiting:
            tree = Tree()
            tree.prepare()
            plans = [PLANS[layer_of(mutant.path)] for mutant in waiting]
            tree.measure([step for step in STEPS if any(step in plan for plan in plans)])
        for mutant in waiting:
            with claimed(mutant) as mine:
                if not mine or mutant.key in results():
                    continue
                begun = time.monotonic()
                verdict, step = tree.judge(mutant)
                note(mutant, verdict, step, time.monotonic() - begun)
                print(f"{verdict:16} {step:16} {mutant.path}:{mutant.line}: {mutant.name}", flush=True)
    report(chosen)


if __name__ == "__main__":
    main()

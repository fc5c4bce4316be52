# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The tests that judge mutants: which tests exist, which test reaches which mutant, and running some of them. A run is
bounded in time and isolated, so that no process of it is left and other programs are not disturbed."""
import dataclasses
import itertools
import json
import os
import re
import resource
import secrets
import signal
import subprocess
import sys
import time

MEMORY_BYTES = 16 << 30  # address space, most of it never touched
MUTANT_LIMIT = 4096  # bytes that mutant_switch.h maps
FIRST = 12  # so many of a suite's fastest tests are tried before any slower test
NEIGHBOURS = 8  # so many tests of a group run at once when it is learned which mutants they reach
PORTION = 5  # seconds that the tests of one run need without a mutant
# The parts of the suites. One part of all suites is tried before anything of the next part.
PARTS = FASTEST, REST, SLOW = "fastest", "rest", "slow suites"


@dataclasses.dataclass(frozen=True)
class Suite:
    name: str
    targets: tuple
    command: tuple
    layers: tuple  # of which it could see a mutant
    slow: bool = False  # tried last


CORE, FACADE, LINK, SHM = "src/core", "src/facade", "src/transport/link", "src/transport/shm"
BASE, PROGRESS, REGISTRY = "src/base", "src/progress", "src/registry"
# The suites, in the order in which they are tried.
SUITES = [
    Suite("base", ("datum-base-test",), ("bin/datum-base-test",), (BASE,)),
    Suite("port", ("datum-port-test",), ("bin/datum-port-test",), ("src/core/port",)),
    Suite("progress", ("datum-progress-test",), ("bin/datum-progress-test",), (BASE, PROGRESS)),
    Suite("registry", ("registry_units_test",), ("bin/registry_units_test",), (REGISTRY,)),
    Suite("core", ("datum-core-test",), ("bin/datum-core-test",), (CORE,)),
    Suite("link", ("datum-link-test",), ("bin/datum-link-test",), (CORE, LINK)),
    Suite("facade", ("facade_test",), ("bin/facade_test",), (CORE, FACADE)),
    Suite("conformance-sim", ("datum1_sim", "datum-conformance"), ("bin/datum-conformance", "--transport=sim"),
          (CORE, FACADE, LINK)),
    Suite("sim", ("datum-sim-test",), ("bin/datum-sim-test",), (CORE, LINK)),
    Suite("search", ("datum-sim-search",), ("bin/datum-sim-search", "1", "300"), (CORE, LINK)),
    Suite("shm", ("datum-shm-test",), ("bin/datum-shm-test",), (CORE, LINK, SHM)),
    Suite("conformance-shm", ("datum1", "datum-conformance"), ("bin/datum-conformance", "--transport=shm"),
          (CORE, FACADE, LINK, SHM)),
    Suite("conformance2-sim", ("datum2_sim", "datum-conformance2"), ("bin/datum-conformance2", "--transport=sim"),
          (CORE, FACADE, LINK)),
    Suite("shortage", ("datum1", "datum-shortage-test"), ("bin/datum-shortage-test",), (CORE, FACADE, LINK, SHM), True),
    Suite("process", ("datum1", "datum-process-test"), ("bin/datum-process-test",), (LINK, SHM), True),
]


CAGED = "DATUM_MUTANTS_CAGED"


CAGE = ["unshare", "--net", "--pid", "--fork", "--mount-proc", "--kill-child", "--",
        "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]


def enter_cage():
    """Starts this program again with its own network and its own table of processes, if that is allowed. Then tests of
    other runs do not interfere, and no process that a mutant leaves behind escapes."""
    if CAGED in os.environ:
        return
    works = subprocess.run([*CAGE, "true"], check=False, capture_output=True).returncode == 0
    os.environ[CAGED] = "yes" if works else "no"
    if works:
        os.execvp(CAGE[0], [*CAGE, sys.executable, "-u", *sys.argv])


def start_beside(arguments):
    """Starts this program once more, in its own cage."""
    cage = CAGE if os.environ.get(CAGED) == "yes" else []
    return subprocess.Popen([*cage, sys.executable, "-u", sys.argv[0], *arguments])


def _caged():
    return os.environ.get(CAGED) == "yes" and os.getpid() == 1


def _end_leftovers(group):
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        pass
    if not _caged():
        return
    for process in [int(name) for name in os.listdir("/proc") if name.isdigit() and name != "1"]:
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            pass


def _reap():
    if _caged():
        try:
            while True:
                os.waitpid(-1, 0)
        except ChildProcessError:
            pass


def _wait(process, seconds):
    """The exit status; None: out of time. The time in which this program itself was stopped does not count."""
    while seconds > 0:
        step = min(seconds, 1)
        try:
            return process.wait(timeout=step)
        except subprocess.TimeoutExpired:
            seconds -= step
    return None


def run(command, seconds, directory, output, environment=None):
    """The exit status; None: out of time. All processes that the command started have been ended."""
    def limited():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))

    process = subprocess.Popen(command, cwd=directory, stdin=subprocess.DEVNULL, stdout=output,
                               stderr=subprocess.STDOUT, start_new_session=True, preexec_fn=limited,
                               env={**os.environ, **(environment or {})})
    try:
        return _wait(process, seconds)
    finally:
        _end_leftovers(process.pid)
        process.wait()
        _reap()


def _neighbours(tests):
    """A few tests of one group at a time, because starting a program for each test takes longer than the tests."""
    for _, group in itertools.groupby(tests, key=lambda test: test.split(".")[0]):
        group = list(group)
        yield from (group[at:at + NEIGHBOURS] for at in range(0, len(group), NEIGHBOURS))


def _portions(tests, seconds):
    """The tests, divided into short runs, so that a run that hangs is soon noticed."""
    portions, spent = [[]], 0
    for test in tests:
        if portions[-1] and spent + seconds[test] > PORTION:
            portions.append([])
            spent = 0
        portions[-1].append(test)
        spent += seconds[test]
    return portions


class Judge:
    """The tests of one build, and what was learned about them."""

    def __init__(self, tree, work):
        self.tree, self.output = tree, work / f"output-{secrets.token_hex(4)}.log"
        self.reached_file, self.memory = work / "reached", work / "tests.json"
        self.watched = set()  # mutants that were there when the tests were learned; others may be seen by any test
        self.useless = {}  # suite -> {test that says nothing: why}
        self.tests = {}  # suite -> {test: [seconds, keys of mutants it comes by]}

    def _run(self, suite, tests, seconds, environment):
        command = list(suite.command)
        if tests is not None and suite.name != "search":
            command += ["--gtest_fail_fast", "--gtest_color=no", f"--gtest_filter={':'.join(tests)}"]
        with open(self.output, "w", encoding="utf-8") as output:
            return run(command, seconds, self.tree.build, output, environment)

    def _all_of(self, suite):
        if suite.name == "search":
            return ["seeds"]
        listed = subprocess.run([*suite.command, "--gtest_list_tests"], cwd=self.tree.build, check=True,
                                capture_output=True, text=True).stdout
        tests, group = [], ""
        for line in listed.splitlines():
            name = line.split("#")[0].rstrip()
            if not line.startswith(" "):
                group = name if name.endswith(".") else ""
            elif group and "DISABLED_" not in group + name:
                tests.append(group + name.strip())
        return tests

    def run_one(self, suite, test, number):
        """The exit status of that test, with mutant `number` switched on; None: out of time."""
        environment = {} if number is None else {"DATUM_MUTANT": str(number)}
        return self._run(suite, [test], 600 if test == "*" else 120, environment)

    def recall(self):
        """Reads what an earlier run has learned."""
        known = json.loads(self.memory.read_text()) if self.memory.exists() else {}
        self.watched = set(known.get("watched", []))
        self.tests = known.get("suites", {})
        self.useless = known.get("useless", {})

    def learn(self, suites, keys):
        """Runs each new test, among its neighbours, without a mutant. Learns how long it takes and which mutants these
        tests reach. A test that fails without a mutant shows nothing about mutants and is left out."""
        self.recall()
        self.watched = self.watched or set(keys)
        for suite in suites:
            begun, before = time.monotonic(), self.tests.get(suite.name, {})
            useless = self.useless.setdefault(suite.name, {})
            there = self._all_of(suite)
            self.tests[suite.name] = {test: before[test] for test in there if test in before}
            for neighbours in _neighbours([test for test in there if test not in before and test not in useless]):
                self._learn_among(suite, neighbours, keys)
            self.memory.write_text(json.dumps({"watched": sorted(self.watched), "suites": self.tests, "useless": self.useless}))
            print(f"{suite.name}: {len(self.tests[suite.name])} tests in {time.monotonic() - begun:.0f} s; not of use: "
                  f"{', '.join(f'{test} {why}' for test, why in useless.items()) or 'none'}", flush=True)

    def _learn_among(self, suite, tests, keys):
        self.reached_file.write_bytes(bytes(MUTANT_LIMIT))
        started = time.monotonic()
        status = self._run(suite, tests, 120, {"DATUM_MUTANTS_REACHED": str(self.reached_file)})
        seconds = time.monotonic() - started
        if status != 0 and len(tests) > 1:
            for test in tests:
                self._learn_among(suite, [test], keys)
            return
        said = {test: (how, float(ms) / 1000) for how, test, ms in re.findall(
            r"^\[ +(OK|SKIPPED) \] (\S+) \((\d+) ms\)", self.output.read_text(errors="replace"), re.M)}
        reached = [keys[number] for number, byte in enumerate(self.reached_file.read_bytes()) if byte]
        for test in tests:
            how, took = said.get(test, ("OK", seconds))
            if status == 0 and how == "OK":
                self.tests[suite.name][test] = [round(took, 3), reached]
            else:
                self.useless[suite.name][test] = "fails" if status != 0 else "is skipped"

    def _judging(self, suite, number, key):
        """{test: seconds} of the suite's tests that reach this mutant, the fastest first. number None: the mutant is
        compiled in for good, and every test may notice it."""
        tests = {test: seconds for test, (seconds, reached) in self.tests[suite.name].items()
                 if number is None or key not in self.watched or key in reached}
        return dict(sorted(tests.items(), key=lambda test: test[1]))

    def cost(self, suite, number, key):
        """The seconds for all tests that killer() may have to run."""
        return sum(self._judging(suite, number, key).values())

    def killer(self, suite, number, key, part):
        """(test, how) of the test that notices mutant `number`, among this part of the tests that reach it;
        None: no test notices it."""
        tests = self._judging(suite, number, key)
        environment = {} if number is None else {"DATUM_MUTANT": str(number)}
        ordered = list(tests)
        parts = {SLOW: ordered} if suite.slow else {FASTEST: ordered[:FIRST], REST: ordered[FIRST:]}
        found = (self._killer_among(suite, {test: tests[test] for test in portion}, environment)
                 for portion in _portions(parts.get(part, []), tests) if portion)
        return next(filter(None, found), None)

    def _killer_among(self, suite, tests, environment):
        left = list(tests)
        while left:
            status = self._run(suite, left, 10 + 3 * sum(tests[test] for test in left), environment)
            if status == 0:
                return None
            culprit = self._culprit(left)
            # Runs the test once more alone. A test that fails now and then, or that failed because
            # the machine was busy, has killed nothing.
            again = self._run(suite, [culprit], 10 + 5 * tests[culprit], environment)
            if again != 0:
                return culprit, "out of time" if again is None else "failed"
            left.remove(culprit)
        return None

    def _culprit(self, tests):
        """The last test that began."""
        begun = re.findall(r"^\[ RUN      \] (\S+)", self.output.read_text(errors="replace"), re.M)
        return begun[-1] if begun and begun[-1] in tests else tests[0]

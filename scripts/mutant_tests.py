# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The tests that judge mutants: what there is, which test comes by which mutant, and one run of some
of them, bounded in time and shut off, so that nothing of it is left and nobody else is disturbed."""
import dataclasses
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
FIRST = 12  # so many of the fastest tests of a suite are tried before any slower one
FASTEST, REST = "fastest", "rest"


@dataclasses.dataclass(frozen=True)
class Suite:
    name: str
    targets: tuple
    command: tuple
    layers: tuple  # of which it could see a mutant
    slow: bool = False  # even its fastest tests are none


CORE, FACADE, LINK, SHM = "src/core", "src/facade", "src/transport/link", "src/transport/shm"
# In the order in which they are tried.
SUITES = [
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
    Suite("process", ("datum1", "datum-process-test"), ("bin/datum-process-test",), (LINK, SHM), True),
]


CAGED = "DATUM_MUTANTS_CAGED"


CAGE = ["unshare", "--net", "--pid", "--fork", "--mount-proc", "--kill-child", "--",
        "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]


def enter_cage():
    """Starts this program anew with a network and a table of processes of its own, if one may have
    that: tests of other runs are not in the way then, and nothing that a mutant leaves escapes."""
    if CAGED in os.environ:
        return
    works = subprocess.run([*CAGE, "true"], check=False, capture_output=True).returncode == 0
    os.environ[CAGED] = "yes" if works else "no"
    if works:
        os.execvp(CAGE[0], [*CAGE, sys.executable, "-u", *sys.argv])


def start_beside(arguments):
    """This program once more, in a cage of its own."""
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


def run(command, seconds, directory, output, environment=None):
    """The exit status; None: out of time. Whatever it started has been ended."""
    def limited():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))

    process = subprocess.Popen(command, cwd=directory, stdin=subprocess.DEVNULL, stdout=output,
                               stderr=subprocess.STDOUT, start_new_session=True, preexec_fn=limited,
                               env={**os.environ, **(environment or {})})
    try:
        return process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        return None
    finally:
        _end_leftovers(process.pid)
        process.wait()
        _reap()


class Judge:
    """Knows the tests of one build."""

    def __init__(self, tree, work):
        self.tree, self.output = tree, work / f"output-{secrets.token_hex(4)}.log"
        self.reached_file, self.memory = work / "reached", work / "tests.json"
        self.watched = set()  # mutants that were there when the tests were learned; others may be seen by any test
        self.useless = {}  # suite -> tests that fail anyhow or are skipped
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

    def recall(self):
        """What was learned."""
        known = json.loads(self.memory.read_text()) if self.memory.exists() else {}
        self.watched = set(known.get("watched", []))
        self.tests = known.get("suites", {})
        self.useless = known.get("useless", {})

    def learn(self, suites, keys):
        """Each new test by itself, without a mutant: how long it takes and which mutants it comes by.
        A test that fails without a mutant says nothing about one and is left out."""
        self.recall()
        self.watched = self.watched or set(keys)
        self.reached_file.write_bytes(bytes(MUTANT_LIMIT))
        for suite in suites:
            begun, failing, skipped = time.monotonic(), [], 0
            before = self.tests.get(suite.name, {})
            useless = self.useless.setdefault(suite.name, [])
            there = self._all_of(suite)
            learned = {test: before[test] for test in there if test in before}
            for test in there:
                if test in before or test in useless:
                    continue
                self.reached_file.write_bytes(bytes(MUTANT_LIMIT))
                started = time.monotonic()
                status = self._run(suite, [test], 120, {"DATUM_MUTANTS_REACHED": str(self.reached_file)})
                seconds = time.monotonic() - started
                if status != 0:
                    failing.append(test)
                    useless.append(test)
                elif "[  SKIPPED ]" in self.output.read_text(errors="replace"):
                    skipped += 1
                    useless.append(test)
                else:
                    reached = [keys[number] for number, byte in enumerate(self.reached_file.read_bytes()) if byte]
                    learned[test] = [round(seconds, 3), reached]
            self.tests[suite.name] = learned
            self.memory.write_text(json.dumps({"watched": sorted(self.watched), "suites": self.tests, "useless": self.useless}))
            print(f"{suite.name}: {len(learned)} tests in {time.monotonic() - begun:.0f} s, {skipped} skipped; "
                  f"fail without a mutant and do not count: {', '.join(failing) or 'none'}", flush=True)

    def killer(self, suite, number, key, part):
        """(test, how) of what notices mutant `number` among the fastest tests that come by it, or among
        the rest of them; None: nothing does. number None: the mutant is compiled in for good, and every
        test may see it."""
        tests = {test: seconds for test, (seconds, reached) in self.tests[suite.name].items()
                 if number is None or key not in self.watched or key in reached}
        ordered = sorted(tests, key=tests.get)
        environment = {} if number is None else {"DATUM_MUTANT": str(number)}
        first = 0 if suite.slow else FIRST
        left = ordered[:first] if part == FASTEST else ordered[first:]
        while left:
            status = self._run(suite, left, 10 + 3 * sum(tests[test] for test in left), environment)
            if status == 0:
                return None
            culprit = self._culprit(left)
            # Once more by itself: a test that fails now and then, or a machine that had no time for
            # it, would have killed nothing.
            again = self._run(suite, [culprit], 30 + 5 * tests[culprit], environment)
            if again != 0:
                return culprit, "out of time" if again is None else "failed"
            left = [test for test in left if test != culprit]
        return None

    def _culprit(self, tests):
        """The last test that began."""
        begun = re.findall(r"^\[ RUN      \] (\S+)", self.output.read_text(errors="replace"), re.M)
        return begun[-1] if begun and begun[-1] in tests else tests[0]

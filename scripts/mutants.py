#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Do the tests notice when the product is broken?

Breaks the product in one line at a time (mutation.py) and runs the tests that come by that line, the
fast ones first, until one fails. All mutants that the environment can switch on and off are built at
once (mutant_switch.py), in a copy of the tree (mutant_tree.py); the others, constants above all, are
built one by one. Results stand in build/mutants/results.jsonl, and a mutant that stands there is not
tried again: a run may be interrupted and gone on with. --again tries those once more that survived.
"""
import argparse
import collections
import json
import pathlib
import re
import signal
import subprocess
import sys
import time

import mutant_promises
import mutant_tests
import mutant_tree
import mutation

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "mutants"
RESULTS = WORK / "results.jsonl"
EXPLAINED = ROOT / "tests" / "mutants.txt"
PROMISES = ROOT / "tests" / "promises.txt"
LAYERS = ["src/core", "src/facade", "src/transport/link", "src/transport/shm"]
KILLED = ("failed", "out of time")


def all_mutants(layers):
    names = subprocess.run(["git", "ls-files", *layers], cwd=ROOT, check=True, capture_output=True,
                           text=True).stdout.split()
    sources = [name for name in names if re.search(r"\.(cc|h)$", name)]
    return [mutant for name in sources for mutant in mutation.of_text(name, (ROOT / name).read_text())]


def results():
    if not RESULTS.exists():
        return {}
    return {entry["key"]: entry for entry in map(json.loads, RESULTS.read_text().splitlines())}


def note(mutant, verdict, suite, test, seconds):
    entry = {"key": mutant.key, "file": mutant.path, "line": mutant.line, "mutation": mutant.name,
             "before": mutant.before.strip(), "after": mutant.after.strip(), "verdict": verdict, "suite": suite,
             "test": test, "seconds": round(seconds, 1)}
    with open(RESULTS, "a", encoding="utf-8") as file:
        file.write(json.dumps(entry) + "\n")
    print(f"{verdict:16} {suite:16} {mutant.path}:{mutant.line}: {mutant.name} {test} ({seconds:.0f} s)", flush=True)


def explained():
    """Mutants that no test can notice, by key, each with the reason."""
    lines = EXPLAINED.read_text().splitlines() if EXPLAINED.exists() else []
    return dict(line.split(" ", 1) for line in lines if line and not line.startswith("#"))


def suites_for(mutant):
    return [suite for suite in mutant_tests.SUITES if any(mutant.path.startswith(layer + "/") for layer in suite.layers)]


def judge_switched(tests, number, mutant, part):
    """(verdict, suite, test). The suite that takes least time is tried first."""
    for suite in sorted(suites_for(mutant), key=lambda suite: tests.cost(suite, number, mutant.key)):
        found = tests.killer(suite, number, mutant.key, part)
        if found:
            return found[1], suite.name, found[0]
    return "survived", "", ""


def judge_alone(tree, tests, mutant):
    """The same for a mutant that has to be built alone."""
    with tree.broken(mutant):
        # Tests of inner parts are slow to build when a header has changed.
        for suite in sorted(suites_for(mutant), key=lambda suite: "conformance" not in suite.name):
            if not tree.compile(suite.targets):
                return "does not compile", suite.name, ""
            for part in mutant_tests.PARTS:
                found = tests.killer(suite, None, mutant.key, part)
                if found:
                    return found[1], suite.name, found[0]
    return "survived", "", ""


def report(chosen):
    known, why = results(), explained()
    done = [(mutant, known[mutant.key]) for mutant in chosen if mutant.key in known]
    heads = ["mutants", "killed", "explained", "survived", "no build", "killed %"]
    print(f"\n{'folder':22}" + "".join(f"{head:>10}" for head in heads))
    for layer in [*LAYERS, "src"]:
        here = [(mutant, entry["verdict"]) for mutant, entry in done if mutant.path.startswith(layer + "/")]
        count = collections.Counter("killed" if verdict in KILLED else "explained"
                                    if verdict == "survived" and mutant.key in why else verdict
                                    for mutant, verdict in here)
        tried = count["killed"] + count["explained"] + count["survived"]
        share = f"{100 * count['killed'] / tried:.1f}" if tried else "-"
        print(f"{layer:22}{len(here):10}{count['killed']:10}{count['explained']:10}{count['survived']:10}"
              f"{count['does not compile']:10}{share:>10}")
    by = collections.Counter(entry["suite"] for _, entry in done if entry["verdict"] in KILLED)
    print("killed by: " + ", ".join(f"{suite} {count}" for suite, count in by.most_common()))
    for mutant, entry in sorted(done, key=lambda pair: (pair[0].path, pair[0].line)):
        if entry["verdict"] == "survived":
            print(f"survived: {mutant.path}:{mutant.line}: {mutant.name} {mutant.key} {why.get(mutant.key, '')}\n"
                  f"  - {mutant.before.strip()}\n  + {mutant.after.strip()}")
    of_today = {mutant.key for mutant in all_mutants(["src"])}
    for key, reason in why.items():
        if key not in of_today:
            print(f"stale: tests/mutants.txt: {key} {reason}")
    missing = len(chosen) - len(done)
    if missing:
        print(f"{missing} of {len(chosen)} not tried yet; the same command goes on")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1, help="which mutants, and in which order (1)")
    parser.add_argument("--count", type=int, default=200, help="how many of them (200)")
    parser.add_argument("--only", action="append", metavar="PATH", help="mutants of this file or folder alone")
    parser.add_argument("--again", action="store_true", help="try those once more that survived")
    parser.add_argument("--jobs", type=int, default=2, help="how many side by side (2)")
    parser.add_argument("--share", help=argparse.SUPPRESS)
    parser.add_argument("--list", action="store_true", help="print the mutants and try none")
    parser.add_argument("--report", action="store_true", help="print what is known and try none")
    parser.add_argument("--promises", action="store_true",
                        help="break the promises of tests/promises.txt, and see the assertion of each")
    return parser.parse_args()


def untried(chosen, again):
    """The untried mutants with their numbers. Those that take longest come last, because no test is expected to notice
    them."""
    known, why = results(), explained()
    wanted = [(number, mutant) for number, mutant in enumerate(chosen) if mutant.key not in known or
              (again and known[mutant.key]["verdict"] == "survived" and mutant.key not in why)]
    return sorted(wanted, key=lambda pair: pair[1].key in why)


def try_all(chosen, options):
    waiting = untried(chosen, options.again)
    if not waiting:
        return
    tree = mutant_tree.Tree(ROOT, WORK)
    tree.lock(WORK)
    tree.choose(chosen)
    tree.prepare()
    suites = [suite for suite in mutant_tests.SUITES if any(suite in suites_for(mutant) for _, mutant in waiting)]
    tree.compile_switched(["datum1", "datum1_sim", "datum2_sim"])  # what shows most switches that do not compile
    tree.compile_switched(sorted({target for suite in suites for target in suite.targets}))
    tests = mutant_tests.Judge(tree, WORK)
    tests.learn(suites, tree.keys)
    if any(tree.switched(*pair) for pair in waiting):
        same = [f"--seed={options.seed}", f"--count={options.count}", *(["--again"] if options.again else []),
                *(f"--only={path}" for path in options.only or [])]
        beside = [mutant_tests.start_beside([*same, f"--share={share}/{options.jobs}"]) for share in range(options.jobs)]
        for process in beside:
            process.wait()
    for number, mutant in untried(chosen, options.again):
        if not tree.switched(number, mutant):
            begun = time.monotonic()
            note(mutant, *judge_alone(tree, tests, mutant), time.monotonic() - begun)


def break_promises(promises):
    """Breaks each promise and runs its test. True: the assertion has caught each of them."""
    tree = mutant_tree.Tree(ROOT, WORK)
    tree.lock(WORK)
    tree.choose([promise.mutant for promise in promises])
    tree.prepare()
    tree.compile_switched(sorted({target for promise in promises for target in promise.suite.targets}))
    tests, verdicts = mutant_tests.Judge(tree, WORK), collections.Counter()
    numbered = list(enumerate(promises))
    # Promises that are compiled in come last, because they stay in a program until it is built
    # again.
    for number, promise in sorted(numbered, key=lambda pair: not tree.switched(pair[0], pair[1].mutant)):
        mutant = promise.mutant
        if tree.switched(number, mutant):
            verdict, test = mutant_promises.judge(tests, promise, number)
        else:
            with tree.broken(mutant):
                built = tree.compile(promise.suite.targets)
                verdict, test = mutant_promises.judge(tests, promise, None) if built else ("does not compile", "")
        verdicts[verdict == "caught"] += 1
        print(f"{verdict}: {mutant.path}:{mutant.line}: {promise.assertion}: {promise.suite.name} {test}", flush=True)
    print(f"{verdicts[True]} of {len(promises)} broken promises were caught by their assertions")
    return verdicts[True] == len(promises)


def try_share(chosen, options):
    """Tries a share of the mutants that the build of try_all() can switch on."""
    share, jobs = map(int, options.share.split("/"))
    tree = mutant_tree.Tree(ROOT, WORK)
    tree.choose(chosen)
    tests = mutant_tests.Judge(tree, WORK)
    tests.recall()
    mine = [pair for pair in untried(chosen, options.again) if tree.switched(*pair) and pair[0] % jobs == share]
    for part in mutant_tests.PARTS:
        mine = try_part(tests, mine, part)
    for _, mutant in mine:
        note(mutant, "survived", "", "", 0)


def try_part(tests, numbered, part):
    """The mutants that this part of the tests did not notice."""
    left = []
    for number, mutant in numbered:
        begun = time.monotonic()
        verdict = judge_switched(tests, number, mutant, part)
        if verdict[0] in KILLED:
            note(mutant, *verdict, time.monotonic() - begun)
        else:
            left.append((number, mutant))
            print(f"not noticed by the {part}: {mutant.path}:{mutant.line}: {mutant.name}", flush=True)
    return left


def main():
    # On SIGTERM, too, child processes must be ended and the copy must be restored.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    options = arguments()
    if options.promises:
        promises = [promise for promise in mutant_promises.read(ROOT, PROMISES)
                    if not options.only or any(promise.mutant.path.startswith(path) for path in options.only)]
        mutant_tests.enter_cage()
        WORK.mkdir(parents=True, exist_ok=True)
        sys.exit(0 if break_promises(promises) else 1)
    chosen = mutation.in_seeded_order(all_mutants(options.only or LAYERS), options.seed)[:options.count]
    if options.list:
        for mutant in chosen:
            print(f"{mutant.path}:{mutant.line}: {mutant.name}: {mutant.after.strip()}")
        return
    if not options.report:
        mutant_tests.enter_cage()
        WORK.mkdir(parents=True, exist_ok=True)
        if options.share:
            try_share(chosen, options)
            return
        try_all(chosen, options)
    report(chosen)


if __name__ == "__main__":
    main()

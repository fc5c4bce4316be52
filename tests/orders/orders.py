#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Checks that each memory order of the product is needed, and that a scene shows it.

  orders.py PROGRAM [SOURCE]   PROGRAM: datum-orders; SOURCE: the tree (default: this one)
  orders.py PROGRAM --list     only lists the orders, each with the scenes that execute it

Reads every order out of src: each acquire, release, acq_rel and seq_cst of an access or a fence,
and each light and heavy fence. Weakens each of them by one step in the compiled program. Then a
scene must fail. If no scene executes an order, or no scene fails without it, explained.txt must
have the reason. Fails for an order without a failing scene and without a reason, and for a reason
that is no longer needed.
"""
import argparse
import collections
import dataclasses
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ORDER = re.compile(r"memory_order_(acquire|release|acq_rel|seq_cst)|memory_order::(acquire|release|acq_rel|seq_cst)")
ACCESS = re.compile(r"[.>](load|store|exchange|fetch_\w+|compare_exchange_\w+|test_and_set)\s*\(")
CALL = re.compile(r"(?<![\w:~])(?:(?:std::|\w+(?:\(\))?(?:\.|->))*)"
                  r"(light_fence|heavy_fence|shared_heavy_fence|fence_everywhere|fence|atomic_\w+_fence)\s*\(")
DECLARES = re.compile(r"\b(inline|virtual|void|bool)\s+(\w+::)?(light_fence|heavy_fence|shared_heavy_fence|fence_everywhere|fence)"
                      r"\s*\(")
KINDS = {"light_fence": {"light"}, "heavy_fence": {"heavy"}, "shared_heavy_fence": {"heavy"}, "fence_everywhere": {"heavy"},
         "fence": {"light", "fence"}, "atomic_signal_fence": {"light"}, "atomic_thread_fence": {"fence"}}
UPDATES = ("exchange", "fetch_", "compare_exchange", "test_and_set")
WEAKER = {
    ("load", "acquire"): ["relaxed"], ("load", "seq_cst"): ["acquire"],
    ("store", "release"): ["relaxed"], ("store", "seq_cst"): ["release"],
    ("update", "acquire"): ["relaxed"], ("update", "release"): ["relaxed"],
    ("update", "acq_rel"): ["acquire", "release"], ("update", "seq_cst"): ["acq_rel"],
    ("fence", "acquire"): ["relaxed"], ("fence", "release"): ["relaxed"],
    ("fence", "acq_rel"): ["acquire", "release"], ("fence", "seq_cst"): ["acq_rel"],
    ("light", "seq_cst"): ["relaxed"], ("heavy", "seq_cst"): ["relaxed"],
}


@dataclasses.dataclass(frozen=True)
class Place:
    """An order in the source. All orders in one line count as one."""
    path: str
    line: int
    text: str
    kinds: frozenset

    def __str__(self):
        return f"{self.path}:{self.line}: {self.text}"


def without_comments(text):
    return re.sub(r'"(?:\\.|[^"\\\n])*"|//[^\n]*', lambda match: " " * len(match.group()), text)


def kinds_of(code, at, order):
    """The kinds of access that this order may belong to, by the call around it."""
    before = code[:at]
    for call in list(re.finditer(r"[.>](\w+)\s*\(|\b(atomic_\w+_fence)\s*\(", before))[::-1][:3]:
        name = call.group(1) or call.group(2)
        if name in KINDS:
            return KINDS[name]
        if name in ("load", "store"):
            return {name}
        if name.startswith(UPDATES):
            return {"update"}
    return set()


def places_in(path, text):
    code = without_comments(text)
    found = collections.defaultdict(set)
    line_of = lambda at: code.count("\n", 0, at) + 1
    for order in ORDER.finditer(code):
        # A default of a parameter is not the order of an access.
        if re.search(r"std::memory_order \w*\s*=\s*(std::)?$", code[:order.start()]):
            continue
        kinds = kinds_of(code, order.start(), order)
        if kinds:
            found[line_of(order.start())] |= kinds
    for call in CALL.finditer(code):
        begin = code.rfind("\n", 0, call.start()) + 1
        if DECLARES.search(code[begin:code.find("\n", call.start())]):
            continue
        if call.group(1).startswith("atomic_"):
            continue
        found[line_of(call.start(1))] |= KINDS[call.group(1)]
    # An access that names no order has the strongest order.
    for access in ACCESS.finditer(code):
        end = code.find(";", access.end())
        if access.group(1) in ("load", "exchange") or access.group(1).startswith(UPDATES[1:]):
            if "memory_order" not in code[access.end():end] and not code[:access.start() + 1].endswith("std::"):
                if access.group(1) != "load" or code[access.end():access.end() + 1] == ")":
                    found[line_of(access.start())] |= {"load"} if access.group(1) == "load" else {"update"}
    lines = text.splitlines()
    return [Place(path, line, lines[line - 1].strip(), frozenset(kinds)) for line, kinds in sorted(found.items())]


def all_places(source):
    files = sorted(path for path in (source / "src").rglob("*") if path.suffix in (".h", ".cc"))
    return [place for file in files
            for place in places_in(str(file.relative_to(source)), file.read_text(encoding="utf-8"))]


@dataclasses.dataclass(frozen=True)
class Site:
    address: str
    access: str
    order: str


def sites_of(program, source):
    """The sites by file and line, each with the scenes that execute it."""
    output = subprocess.run([program, "sites"], check=True, capture_output=True, text=True).stdout
    scenes = collections.defaultdict(list)
    for line in output.splitlines():
        scene, address, access, order = line.split()
        scenes[Site(address, access, order)].append(scene)
    addresses = sorted({site.address for site in scenes})
    listing = subprocess.run(["addr2line", "-a", "-i", "-e", program], input="\n".join(addresses), check=True,
                             capture_output=True, text=True).stdout
    lines = collections.defaultdict(set)
    current = None
    for line in listing.splitlines():
        if line.startswith("0x"):
            current = f"{int(line, 16):x}"
            continue
        match = re.match(r"(.*):(\d+)", line)
        path = pathlib.Path(match.group(1))
        if not path.is_absolute():
            path = source / path
        path = path.resolve()
        # The compiler finds headers through links to their layers (cmake/DatumLayer.cmake).
        if source / "src" in path.parents:
            lines[current].add((str(path.relative_to(source)), int(match.group(2))))
    by_place = collections.defaultdict(list)
    for site, names in scenes.items():
        for place in lines[site.address]:
            by_place[place].append((site, names))
    return by_place


def explained(path):
    reasons = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            file, fragment, reason = (part.strip() for part in line.split(" | ", 2))
            reasons.append((file, fragment, reason))
    return reasons


def reason_for(place, reasons):
    for reason in reasons:
        if place.path == reason[0] and (reason[1] == "*" or reason[1] in place.text):
            return reason
    return None


def mutants_of(place, sites):
    """The sites and the scenes for each (access, weaker order)."""
    mutants = collections.defaultdict(lambda: ([], set()))
    for site, scenes in sites:
        if site.access not in place.kinds:
            continue
        for order in WEAKER.get((site.access, site.order), []):
            mutants[site.access, order][0].append(site)
            mutants[site.access, order][1].update(scenes)
    return mutants


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("source", nargs="?", default=HERE.parent.parent, type=pathlib.Path)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--explained", default=HERE / "explained.txt", type=pathlib.Path)
    arguments = parser.parse_args()
    source = arguments.source.resolve()
    # A scene that fails even without a mutant shows nothing.
    subprocess.run([arguments.program, "all"], check=True, stdout=subprocess.DEVNULL)
    sites = sites_of(arguments.program, source)
    reasons = explained(arguments.explained)
    asked, names, silent = [], {}, []
    for place in all_places(source):
        mutants = mutants_of(place, sites[place.path, place.line])
        if arguments.list:
            print(place, "|", ", ".join(sorted({scene for _, scenes in mutants.values() for scene in scenes})) or "no scene")
        if not mutants:
            silent.append(place)
        for (access, order), (where, scenes) in sorted(mutants.items()):
            name = f"{len(names)}"
            names[name] = (place, access, order)
            asked.append(" ".join([name, order, ",".join(sorted(scenes)),
                                   *sorted(f"{site.address}:{site.access}" for site in where)]))
    if arguments.list:
        return 0
    answer = subprocess.run([arguments.program, "mutants"], input="\n".join(asked) + "\n", check=True, capture_output=True,
                            text=True).stdout
    survived, found = collections.defaultdict(list), 0
    for line in answer.splitlines():
        name, order, verdict = line.split()
        if verdict == "survived":
            place, access, order = names[name]
            survived[place].append(f"{access} {order}")
        else:
            found += 1
    used, problems = set(), []
    for place in silent:
        reason = reason_for(place, reasons)
        used.add(reason)
        if reason is None:
            problems.append(f"no scene comes by {place}")
    for place, what in survived.items():
        reason = reason_for(place, reasons)
        used.add(reason)
        if reason is None:
            problems.append(f"no scene misses it where it is weakened ({', '.join(what)}): {place}")
    problems += [f"explained, but there is no such order, or a scene shows it: {reason[0]} | {reason[1]}"
                 for reason in reasons if reason not in used]
    print(f"{len(names)} mutants of {len({place for place, _, _ in names.values()})} orders: {found} found; "
          f"{len(survived) + len(silent)} orders explained")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

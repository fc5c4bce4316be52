#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Holds the includes of a source tree against layers.rules: check-layers.py [TREE]

TREE (default: this repository) has src/ and scripts/layers.rules. Each finding is one line: file,
line, what is wrong and which rule says so. The build already hides most wrong folders; this also
sees system headers, clocks, and folders that reach a layer through somebody else's target.
"""

import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')

# Headers that are only used to reach the world outside the process, or to run in parallel to it.
IMPURE_HEADER = re.compile(
    r"^(sys/(?!types\.h$|queue\.h$|uio\.h$)|net/|netinet/|arpa/|linux/|"
    r"(unistd|fcntl|poll|pthread|signal|spawn|netdb|ifaddrs|dlfcn|sched|time|stdio)\.h$|"
    r"(ctime|cstdio|csignal|iostream|fstream|filesystem|thread|mutex|condition_variable|future)$)"
)
IMPURE_CALL = re.compile(
    r"\b(system_clock|steady_clock|high_resolution_clock)\b|"
    r"\b(clock_gettime|gettimeofday|getenv|nanosleep|usleep|socket|syscall)\s*\("
)
COMMENT = re.compile(r"//.*|/\*.*?\*/")


class Rules:
    """The rules of layers.rules."""

    def __init__(self, path):
        self.layers, self.pure, self.allowed = {}, set(), set()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            words = line.split("#")[0].replace(":", " ").split()
            if not words:
                continue
            kind, rest = words[0], words[1:]
            if kind == "layer" and rest:
                self.layers.setdefault(rest[0], set()).update(rest[1:])
            elif kind == "pure" and len(rest) == 1:
                self.pure.add(rest[0])
            elif kind == "allow" and len(rest) == 2:
                self.allowed.add((rest[0], rest[1]))
            else:
                sys.exit(f"{path}:{number}: not a rule: {line}")

    def layer_of(self, path):
        """The layer of a path such as transport/shm/ring.h: the longest layer name that fits."""
        fits = [name for name in self.layers if path.startswith(name + "/")]
        return max(fits, key=len, default=None)


def target_of(header, file, source, rules):
    """The layer of an included header; None if the header belongs to no layer."""
    if header.startswith(("dat/", "dat2/")):
        return "dat"
    if header.startswith("datum/"):
        return "datum"
    beside = (file.parent / header).resolve()
    if beside.is_file() and source in beside.parents:
        header = beside.relative_to(source).as_posix()
    return rules.layer_of(header)


def findings_in(file, source, rules):
    inside = file.relative_to(source).as_posix()
    layer = rules.layer_of(inside)
    if layer is None:
        yield 1, f"src/{inside} lies in no layer that scripts/layers.rules names"
        return
    pure = layer in rules.pure
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        found = INCLUDE.match(line)
        if found:
            header = found.group(2)
            target = target_of(header, file, source, rules)
            if target and target != layer and not rules.layers[layer] & {target, header}:
                yield number, f"{layer} may not include {target} ({header})"
            if pure and target is None and IMPURE_HEADER.match(header) and (inside, header) not in rules.allowed:
                yield number, f"{layer} is pure, but this includes <{header}>"
        elif pure:
            call = IMPURE_CALL.search(COMMENT.sub("", line))
            if call and (inside, call.group(0).rstrip("( ")) not in rules.allowed:
                yield number, f"{layer} is pure, but this uses {call.group(0).rstrip('( ')}"


def main(tree):
    source = (tree / "src").resolve()
    rules = Rules(tree / "scripts" / "layers.rules")
    files = sorted(p for p in source.rglob("*") if p.suffix in (".h", ".cc", ".c", ".hh", ".cpp"))
    count = 0
    for file in files:
        for number, text in findings_in(file, source, rules):
            print(f"src/{file.relative_to(source)}:{number}: {text}")
            count += 1
    print(f"layers: {len(files)} files, {count} findings")
    return 1 if count or not files else 0


if __name__ == "__main__":
    if len(sys.argv) > 2:
        sys.exit(__doc__)
    here = pathlib.Path(__file__).resolve().parent.parent
    sys.exit(main(pathlib.Path(sys.argv[1]) if len(sys.argv) == 2 else here))

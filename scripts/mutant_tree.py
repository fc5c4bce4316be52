# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A copy of the working tree into which many mutants are compiled at once (mutant_switch.py), and how it is built. One
process at a time may use the copy's directory."""
import contextlib
import fcntl
import functools
import itertools
import json
import os
import re
import shutil
import subprocess
import sys

import mutant_switch

FAST_LINKERS = ["mold", "lld"]
# The preset's own flags for the tests, so a compiler cache knows the results.
OPTIONS = ["--preset", "dev", "-DDATUM_HASTE=ON", "-DDATUM_EXAMPLES=OFF", "-DDATUM_TOOLS=OFF"]


def change_of(mutant):
    """(position in the line, end position, new text) of the smallest part that differs."""
    before, after = mutant.before, mutant.after
    first = len(os.path.commonprefix([before, after]))
    same = len(os.path.commonprefix([before[first:][::-1], after[first:][::-1]]))
    return first, len(before) - same, after[first:len(after) - same]


def overlap(edit, other):
    """Whether two edits share a part of their places but not the whole. Edits of the same place can be chosen among."""
    return edit.begin < other.end and other.begin < edit.end and (edit.begin, edit.end) != (other.begin, other.end)


class Tree:
    def __init__(self, root, work):
        self.root, self.path, self.build, self.log = root, work / "tree", work / "tree" / "build" / "dev", work / "build.log"
        self.keys, self.edits = [], {}  # path -> {number: Switched}
        self.header = work / "switch.h"
        self.faulty_keys = work / "not-switched.json"
        self.path.mkdir(parents=True, exist_ok=True)

    def lock(self, work):
        """Locks the copy for the process that changes it. The lock ends with the process."""
        self.locked = open(work / "lock", "w", encoding="utf-8")
        try:
            fcntl.flock(self.locked, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sys.exit("another run is at work in build/mutants")

    def choose(self, mutants):
        """Chooses those of the mutants that can be switched."""
        self.keys = [mutant.key for mutant in mutants]
        self.edits = self._switches(mutants)

    def names(self):
        listed = subprocess.run(["git", "ls-files", "-z", "-c", "-o", "--exclude-standard"], cwd=self.root,
                                check=True, capture_output=True, text=True).stdout.split("\0")
        return [name for name in listed if name and (self.root / name).is_file()]

    def prepare(self):
        """Updates the copy, with all chosen switches in it. An unchanged file keeps its time, so nothing
        is built twice."""
        wanted = set(self.names())
        for copy in self.path.rglob("*"):
            name = copy.relative_to(self.path).as_posix()
            if copy.is_file() and name not in wanted and not name.startswith("build/"):
                copy.unlink()
        for name in wanted:
            self._write(name, self._text(name))
        header = (self.root / "scripts" / "mutant_switch.h").read_bytes()
        if not self.header.exists() or self.header.read_bytes() != header:
            self.header.write_bytes(header)
        linker = next((name for name in FAST_LINKERS if shutil.which(f"ld.{name}")), None)
        options = OPTIONS + [f"-DCMAKE_{kind}_LINKER_FLAGS=-fuse-ld={linker}"
                             for kind in ("EXE", "SHARED", "MODULE") if linker]
        configured = subprocess.run(["cmake", *options], check=False, cwd=self.path,
                                    capture_output=True, text=True)
        if configured.returncode != 0:
            sys.exit(f"{configured.stderr}\nif a package is missing: make deps")

    def _switches(self, mutants):
        edits = {}
        known = json.loads(self.faulty_keys.read_text()) if self.faulty_keys.exists() else []
        for number, mutant in enumerate(mutants):
            if mutant.key in known:  # has been found not to compile as a switch
                continue
            text = (self.root / mutant.path).read_text()
            start = sum(len(line) + 1 for line in text.split("\n")[:mutant.line - 1])
            first, last, new = change_of(mutant)
            edit = mutant_switch.switched(text, mutant_switch.blanked(text), start + first, start + last, new, number)
            of_file = edits.setdefault(mutant.path, {})
            if edit and not any(overlap(edit, other) for other in of_file.values()):
                of_file[number] = edit
        return edits

    def switched(self, number, mutant):
        return number in self.edits.get(mutant.path, {})

    def _text(self, name, edits=None):
        content = (self.root / name).read_bytes()
        edits = sorted((self.edits.get(name, {}) if edits is None else edits).values(), key=lambda edit: edit.begin)
        if not edits:
            return content
        text, done, at = content.decode(), f'#include "{self.header}"\n#line 1\n', 0
        for _, same in itertools.groupby(edits, key=lambda edit: (edit.begin, edit.end)):
            edit = functools.reduce(lambda under, edit: edit.over(under), same)
            done += text[at:edit.begin] + edit.text
            at = edit.end
        return (done + text[at:]).encode()

    def _write(self, name, content):
        copy = self.path / name
        if not copy.exists() or copy.read_bytes() != content:
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(content)
            copy.chmod((self.root / name).stat().st_mode)

    def compile(self, targets):
        with open(self.log, "w", encoding="utf-8") as log:
            return subprocess.run(["cmake", "--build", self.build, "--target", *targets, "--", "-k", "0"], check=False,
                                  stdout=log, stderr=subprocess.STDOUT).returncode == 0

    def compile_switched(self, targets):
        """Builds; a switch that does not compile is taken out again."""
        while not self.compile(targets):
            faulty = self._faulty()
            if not faulty:
                sys.exit(f"the tree does not build; see {self.log}")
            print(f"{len(faulty)} mutants cannot be switched at run time", flush=True)
            known = json.loads(self.faulty_keys.read_text()) if self.faulty_keys.exists() else []
            self.faulty_keys.write_text(json.dumps(known + [self.keys[number] for _, number in faulty]))
            for path, number in faulty:
                del self.edits[path][number]
            for path in {path for path, _ in faulty}:
                self._write(path, self._text(path))

    def _faulty(self):
        """(path, number) of the switches whose lines the compiler names."""
        found = set()
        # Headers are found below build/dev/layers, through links.
        named = re.findall(r"(?:/tree/src/|\blayers/\w+/)([\w./-]+):(\d+)(?=[:,])", self.log.read_text())
        for name, line in [(f"src/{name}", line) for name, line in named]:
            of_file = self.edits.get(name, {})
            text = (self.path / name).read_text().split("\n")[2:]
            for number in of_file:
                marks = [i for i, code in enumerate(text, 1) if f"DATUM_MUTANT({number})" in code]
                lines = of_file[number].text.count("\n")
                if any(mark <= int(line) <= mark + lines for mark in marks):
                    found.add((name, number))
        return found

    @contextlib.contextmanager
    def broken(self, mutant):
        """The copy in which only this mutant is changed for good, because no switch can do that."""
        text = (self.root / mutant.path).read_text()
        start = sum(len(line) + 1 for line in text.split("\n")[:mutant.line - 1])
        first, last, new = change_of(mutant)
        change = mutant_switch.Switched(start + first, start + last, new)
        edits = {number: edit for number, edit in self.edits.get(mutant.path, {}).items()
                 if edit.end <= change.begin or change.end <= edit.begin}
        self._write(mutant.path, self._text(mutant.path, {**edits, "change": change}))
        try:
            yield
        finally:
            self._write(mutant.path, self._text(mutant.path))

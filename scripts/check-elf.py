#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Programs and libraries load nothing of a stranger's, and installed ones are hardened.

  check-elf.py [--commands BUILD_DIR] [--installed] DIR...

In each ELF program or library below DIR, no RPATH or RUNPATH element may be empty or relative, but for $ORIGIN: the
loader would take it for the current folder; nor may the name of a library that it needs be a relative path. With
--installed elements must begin with $ORIGIN, all that cmake/DatumHardening.cmake asks for must be there, and no library
may be needed that other releases of a distribution have under another name. Files of
debug information alone are left out. With --commands the compile commands of src and tools in BUILD_DIR are held
against it as well; a build without optimisation (Debug) is not asked for checked library calls.
Each finding is one line; the exit code is 1 if there is one, and 2 if there was nothing to check.
"""

import argparse
import json
import pathlib
import platform
import re
import shlex
import subprocess
import sys

PROGRAM, LIBRARY = 2, 3  # e_type; a position-independent program is a "library", too
ORIGIN = re.compile(r"\$(ORIGIN|\{ORIGIN\})(/|$)")
# The C and C++ run-time libraries, our own libraries, and two whose names have not changed for
# years.
EXPECTED = re.compile(r"(lib(c|m|dl|rt|pthread|atomic|gcc_s|stdc\+\+|dat|dat2|datum|isal|xxhash)|ld[-0-9a-z_]*)"
                      r"\.so(\.[0-9]+)?$")


def elf_type(file):
    """e_type; None if the file is not an ELF file of this byte order."""
    if file.is_symlink() or not file.is_file():
        return None
    with file.open("rb") as opened:
        head = opened.read(18)
    if len(head) < 18 or head[:4] != b"\x7fELF":
        return None
    return int.from_bytes(head[16:18], sys.byteorder)


def readelf(file, *options):
    done = subprocess.run(["readelf", "-W", *options, file], capture_output=True, text=True, check=True)
    return done.stdout


def is_debug_information(file):
    """True for a file that objcopy --only-keep-debug has made, which cannot be run."""
    return file.suffix == ".debug" and bool(re.search(r" \.text +NOBITS ", readelf(file, "-S")))


def elf_files(folder):
    files = [file for file in sorted(folder.rglob("*")) if elf_type(file) in (PROGRAM, LIBRARY)]
    return [file for file in files if not is_debug_information(file)]


def search_path(dynamic):
    """The elements of RPATH and RUNPATH; an empty list if there is neither."""
    found = re.findall(r"\((?:RPATH|RUNPATH)\)\s+Library (?:rpath|runpath): \[(.*)\]", dynamic)
    return [element for path in found for element in path.split(":")] if found else []


def path_findings(elements, installed):
    for element in elements:
        if ORIGIN.match(element):
            continue
        if not element.startswith("/"):
            yield f'searches "{element}" for libraries, which is the current folder or below it'
        elif installed:
            yield f'searches "{element}" for libraries, which is no part of the installation'


def name_findings(dynamic):
    """A name with a slash is not searched for: the loader takes it as a path."""
    for name in re.findall(r"\((?:NEEDED|AUDIT|DEPAUDIT|FILTER|AUXILIARY)\).*\[(.*)\]", dynamic):
        if "/" in name and not name.startswith("/") and not ORIGIN.match(name):
            yield f'loads "{name}", which is below the current folder'


def dependency_findings(dynamic):
    for name in re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic):
        if not EXPECTED.match(name):
            yield f'needs "{name}", which another release of the distribution may not have'


def hardening_findings(file, dynamic):
    segments = readelf(file, "-l")
    if "GNU_RELRO" not in segments:
        yield "no read-only relocations: link with -z relro"
    if not re.search(r"\(FLAGS\).*BIND_NOW|\(FLAGS_1\).*\bNOW\b", dynamic):
        yield "symbols are bound lazily, so that their table stays writable: link with -z now"
    if re.search(r"GNU_STACK.*\bRWE\b", segments):
        yield "the stack may be executed"
    if elf_type(file) == PROGRAM:
        yield "the program has a fixed address: link with -pie"
    if "__stack_chk_fail" not in readelf(file, "--dyn-syms"):
        yield "no stack protector: compile with -fstack-protector-strong"


def command_findings(build):
    """Options that the compile commands of src and tools lack."""
    root = pathlib.Path(__file__).resolve().parent.parent
    ours = tuple(f"{base}/{part}/" for base in (root, build.resolve()) for part in ("src", "tools"))
    commands = json.loads((build / "compile_commands.json").read_text())
    commands = [entry for entry in commands if entry["file"].startswith(ours)]
    if not commands:
        yield f"{build}/compile_commands.json: no command for src or tools"
    cache = (build / "CMakeCache.txt").read_text()
    wanted = [("stack protector", r"-fstack-protector-strong")]
    if not re.search(r"^CMAKE_BUILD_TYPE:\w+=Debug$", cache, re.M):
        wanted.append(("checked library calls", r"-D_FORTIFY_SOURCE=[23]"))
    if platform.machine() in ("x86_64", "i686"):
        wanted.append(("marked jump targets", r"-fcf-protection(=full)?"))
    for entry in commands:
        words = entry.get("arguments") or shlex.split(entry["command"])
        for what, option in wanted:
            if not any(re.fullmatch(option, word) for word in words):
                yield f"{entry['file']}: compiled without {what} ({option})"


def has_mark(file):
    return bool(re.search(r"x86 feature:.*IBT.*SHSTK", readelf(file, "-n")))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--commands", type=pathlib.Path, metavar="BUILD_DIR")
    parser.add_argument("--installed", action="store_true")
    parser.add_argument("folders", nargs="+", type=pathlib.Path, metavar="DIR")
    options = parser.parse_args()

    findings = list(command_findings(options.commands)) if options.commands else []
    files = [file for folder in options.folders for file in elf_files(folder)]
    for file in files:
        dynamic = readelf(file, "-d")
        found = [*path_findings(search_path(dynamic), options.installed), *name_findings(dynamic)]
        if options.installed:
            found += [*dependency_findings(dynamic), *hardening_findings(file, dynamic)]
        findings += [f"{file}: {finding}" for finding in found]
    for finding in findings:
        print(finding)
    marked = f", {sum(map(has_mark, files))} of them with marked jump targets" if options.installed else ""
    print(f"elf: {len(files)} files{marked}, {len(findings)} findings")
    return 2 if not files else 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())

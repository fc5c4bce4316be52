#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Hold the manual pages against headers, rules and a C compiler.

Every function of the public headers, those of <datum/...> included, every call of an extension that is
a macro, and every name that a registry exports has a page or a link to one; some page names every type
and constant of the headers of DAT 2.0; links and references lead to pages; a rule that a page names
exists, a page names every rule of its functions, and some page every rule of DAT 2.0; the page of a
call has all sections, and its SYNOPSIS shows the calls as the headers of both versions declare them
(synopsis.py); the examples compile without warnings; datum(7) names every file of pkg-config and every
target of CMake; README.md has a row for each page.

A page of section 3 names rules in its section RULES, on a line each: "| R4: NULL event" is a rule of one
of the page's own functions, "| EVENT.3, EVENT.4: requests" are others. Other pages name them in
parentheses: (EVENT.3). "R5 to R10" names all of them, "R5.default" what R5 is where DATUM_STRICT is not
on. In a list of constants, one paragraph, the later ones may leave out how the last whole one begins:
"DAT_EVD_STATE_ENABLED, _DISABLED".
"""
import argparse
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
import synopsis

MAN = pathlib.Path(__file__).resolve().parent
ROOT = MAN.parent.parent
HEADERS = ("udat.h", "dat.h", "dat_registry.h")
# What programs of DAT 2.0 see. Not here: udat_redirection.h and what it includes, which are for
# libraries that register themselves.
NAMES = ("udat.h", "dat.h", "dat_error.h", "dat_registry.h", "dat_platform_specific.h",
         "udat_config.h", "dat_ib_extensions.h")
# Collectives are not offered: one page lists them all.
NO_PAGE = "dat_ib_collective_"
EXPORTS = ("libdat.so.1.symbols", "libdat2.so.2.symbols")
SECTIONS = ("SYNOPSIS", "DESCRIPTION", "PARAMETERS", "RETURN VALUES", "THREADS", "EXAMPLE",
            "SEE ALSO")
# Calls on objects that have states.
WITH_STATES = ("dat_ep_", "dat_evd_", "dat_cno_", "dat_lmr_", "dat_srq_")
OWNER = r"[A-Za-z_-][A-Za-z0-9_-]*"
TAG = re.compile(rf"(?:({OWNER}?)[.-])?(R?)(\d+)(\.default)?(?: to (?:{OWNER}?[.-])?R?(\d+))?")


def tags_in(lists):
    """The words that are tags, of texts with commas between words."""
    words = (word for text in lists for word in re.split(r",\s*", " ".join(text.split())))
    tags = ((word, TAG.fullmatch(word)) for word in words)
    return [word for word, tag in tags if tag and (tag[1] or tag[2])]


def lines_of(path):
    return [line for line in path.read_text().splitlines() if line and not line.startswith("#")]


class Page:
    def __init__(self, path):
        self.file = path.name
        self.text = path.read_text()
        parts = re.search(r"^# NAME\n+(.*?) - (.*?)\n\n", self.text, re.S | re.M)
        names, self.what = (" ".join(part.split()) for part in parts.groups()) if parts else ("", "")
        self.names = [name.strip() for name in names.split(",")] if names else []

    def tags(self, rules):
        """The rules that the page names, those that do not exist, and those in the wrong place."""
        found, unknown = set(), set()
        listed, in_text = self._words()
        for word in listed + in_text:
            tag = TAG.fullmatch(word)
            owners = [tag[1]] if tag[1] else self.names
            for number in range(int(tag[3]), int(tag[5] or tag[3]) + 1):
                known = {f"{owner}{dot}{tag[2]}{number}{tag[4] or ''}" for owner in owners
                         for dot in ".-"} & rules
                found |= known
                if not known:
                    unknown.add(word)
        return found, unknown, in_text if self.file.endswith(".3.md") else []

    def _words(self):
        """The tags of the section RULES, and those in parentheses anywhere."""
        prose = re.sub(r"```.*?```", "", self.text, flags=re.S)
        section = re.search(r"^# RULES\n(.*?)^# ", prose, re.S | re.M)
        lines = re.findall(r"^\| ([^:]+): \S", section[1], re.M) if section else []
        return tags_in(lines), tags_in(re.findall(r"\(([^()]*)\)", prose))

    def examples(self):
        return re.findall(r"^# EXAMPLE\n.*?```c\n(.*?)```", self.text, re.S | re.M)


def check_reach(pages, complain):
    reachable = {page.file[:-len(".md")] for page in pages}
    for line in lines_of(MAN / "links.txt"):
        link, target = line.split()
        if target not in reachable:
            complain(f"links.txt: {link} leads to {target}, which does not exist")
        reachable.add(link)
    for page in pages:
        for name, section in re.findall(r"\*\*(dats?_[a-z_]+|dat2[a-z_]*|datum[a-z_]*)\*\*\((\d)\)", page.text):
            if f"{name}.{section}" not in reachable:
                complain(f"{page.file}: refers to {name}({section}), which does not exist")
    for header in (f"{version}/{name}" for version in ("dat", "dat2") for name in HEADERS):
        text = without_comments(ROOT / "include" / header)
        for name in sorted(set(re.findall(r"\b(dat_[a-z_]+)\(", text))):
            if f"{name}.3" not in reachable:
                complain(f"{header}: {name} has no page")
    for header in sorted((ROOT / "include/datum").glob("*.h")):
        for name in sorted(set(re.findall(r"\b(datum_[a-z_]+)\(", without_comments(header)))):
            if f"{name}.3" not in reachable:
                complain(f"datum/{header.name}: {name} has no page")
    text = without_comments(ROOT / "include/dat2/dat_ib_extensions.h")
    calls = re.findall(r"^DAT_RETURN (dat_\w+)\(|^\s*#define (dat_ib_\w+)[ (]", text, re.M)
    for name in sorted(function or macro for function, macro in calls):
        if f"{name}.3" not in reachable and not name.startswith(NO_PAGE):
            complain(f"dat2/dat_ib_extensions.h: {name} has no page")
    for exports in EXPORTS:
        for name in lines_of(ROOT / "tests" / "abi" / exports):
            if name.endswith("@@DATUM_PRIVATE"): # for Datum's own libraries
                continue
            if f"{name.split('@')[0]}.3" not in reachable:
                complain(f"{exports}: {name} has no page")


def without_comments(path):
    text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
    return text.replace("\\\n", " ")


def names_of(text):
    """Types, constants and macros that a header defines, but for its guard against a second look."""
    names = set(re.findall(r"^\s*#\s*define\s+(\w+)", text, re.M))
    names |= set(re.findall(r"\}\s*(DAT_\w+)\s*;", text))
    names |= set(re.findall(r"typedef[^;{]*?\b(DAT_\w+)\s*(?:\[\w+\])?;", text))
    names |= set(re.findall(r"typedef[^;{]*?\(\*\s*(DAT_\w+)\)", text))
    for body in re.findall(r"\benum\s+\w*\s*\{(.*?)\}", text, re.S):
        names |= set(re.findall(r"(?:^|,)\s*(\w+)", body))
    return {name for name in names if not name.startswith("_")}


def names_in(paragraph):
    """The names in a paragraph of a page, those included that leave out how they begin."""
    found, whole = set(), None
    for word in re.findall(r"\w+", paragraph):
        if not word.startswith("_"):
            whole = word if "_" in word else whole
            found.add(word)
        elif whole:
            found |= {whole[:at] + word for at, letter in enumerate(whole) if letter == "_"}
    return found


def check_names(pages, complain):
    found = set()
    for page in pages:
        for paragraph in re.split(r"\n\s*\n|\n(?=\|)", page.text.replace("\\_", "_")):
            found |= names_in(paragraph)
    for header in NAMES:
        for name in sorted(names_of(without_comments(ROOT / "include" / "dat2" / header)) - found):
            complain(f"dat2/{header}: no page names {name}")


def check_rules(pages, complain):
    rules = {line.split(" | ")[0].strip() for path in (ROOT / "tests" / "rules").glob("*.rules")
             for line in lines_of(path)}
    stated = set()
    for page in pages:
        found, unknown, stray = page.tags(rules)
        stated |= found
        for tag in stray:
            complain(f"{page.file}: names {tag} outside of RULES")
        for tag in sorted(unknown):
            complain(f"{page.file}: there is no rule {tag}")
        for tag in sorted(rules - found):
            if tag.split(".R")[0] in page.names:
                complain(f"{page.file}: does not state {tag}")
    for tag in sorted(rules - stated):
        if tag.startswith("DAT2."):
            complain(f"no page states {tag}")


def check_sections(pages, complain):
    for page in pages:
        if re.match(r"dats?_.*\.3\.md", page.file):
            there = set(re.findall(r"^# (.*)", page.text, re.M))
            states = ("STATES",) if page.file.startswith(WITH_STATES) else ()
            for section in SECTIONS + states:
                if section not in there:
                    complain(f"{page.file}: has no section {section}")


def check_building(pages, complain):
    (text,) = (page.text for page in pages if page.file == "datum.7.md")
    section = re.search(r"^# BUILDING A PROGRAM\n(.*?)^# ", text, re.S | re.M)
    named = set(re.findall(r"\*\*([\w:]+)\*\*", section[1])) if section else set()
    config = (ROOT / "packaging/DatumConfig.cmake.in").read_text()
    offered = {path.name[:-len(".pc.in")] for path in (ROOT / "packaging").glob("*.pc.in")}
    offered |= set(re.findall(r"^ *datum_imported_library\((\S+)", config, re.M))
    for name in sorted(offered - named):
        complain(f"datum.7.md: BUILDING A PROGRAM does not name {name}")


def check_overview(pages, complain):
    rows = re.findall(r"^\| \[.*$", (MAN / "README.md").read_text(), re.M)
    wanted = [f"| [{', '.join(page.names)}]({page.file}) | {page.what} |" for page in pages]
    for row in sorted(set(wanted) - set(rows)):
        complain(f"README.md: has no row {row}")
    for row in sorted(row for row in set(rows) if row not in wanted or rows.count(row) > 1):
        complain(f"README.md: one too many: {row}")


def check_examples(pages, compiler, complain):
    command = [compiler, "-std=c99", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-fsyntax-only",
               "-I", str(ROOT / "include"), "-x", "c", "-"]
    for page in pages:
        for code in page.examples():
            result = subprocess.run(command, input=code, text=True, capture_output=True, check=False)
            if result.returncode != 0 or result.stderr:
                complain(f"{page.file}: the example does not compile:\n{result.stderr}")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--cc", default="cc", help="C compiler for the examples")
    compiler = arguments.parse_args().cc
    pages = [Page(path) for path in sorted(MAN.glob("*.[1-8].md"))]
    errors = []
    check_reach(pages, errors.append)
    check_names(pages, errors.append)
    check_rules(pages, errors.append)
    check_sections(pages, errors.append)
    check_building(pages, errors.append)
    check_overview(pages, errors.append)
    synopsis.check(pages, ROOT / "include", errors.append)
    check_examples(pages, compiler, errors.append)
    for error in errors:
        print(error, file=sys.stderr)
    print(f"{len(pages)} manual pages, {len(errors)} mistakes")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())

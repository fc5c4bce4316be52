# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Hold the SYNOPSIS of a manual page against the headers of its version.

A block of code belongs to the versions whose headers its lines of #include name, in their comments too:
#include <dat/udat.h> /* DAT 1.2; for DAT 2.0 <dat2/udat.h> */ stands over calls that are the same in
both. A block of one version stands under a line **DAT 1.2** or **DAT 2.0** if its page has both.

What a page shows and the headers of the version do not declare is a mistake, and so is what these
declare of the page's calls and the page does not show. Text of the SYNOPSIS names each type that
stands in a call of both versions, and that they define differently.
"""
import re

VERSIONS = {"dat": "DAT 1.2", "dat2": "DAT 2.0", "datum": "Datum"}
# What libraries export and no header declares; and what the library of a provider exports, of which the
# headers declare only the type of a pointer.
UNDECLARED = ("dats_get_ia_handle",)
EXPORTED = {"dat_provider_init": "DAT_PROVIDER_INIT_FUNC", "dat_provider_fini": "DAT_PROVIDER_FINI_FUNC"}

CALL = re.compile(r"(?:^|(?<=[;{}]))([\w\s*]*?\b(dats?_\w+|datum_\w+)\s*\([^;{}]*\))\s*[;{]")
MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+((dat_\w+)(\([^)]*\))?[ \t]*(.*))$", re.M)
POINTER = re.compile(r"typedef\s+(\w+)\s+\(\*(\w+)\)(\([^;]*\));")
TYPE = re.compile(r"(?:typedef\s+(?:enum|struct|union)|struct)\s+(\w+)\s*"
                  r"(\{(?:[^{}]|\{[^{}]*\})*\})\s*(DAT_\w+)?\s*;")


def plain(code):
    """The code with no more white space than it needs, so that lines may end anywhere."""
    code = re.sub(r"\b(?:extern|static|inline|DATUM_MEMORY_API)\b", " ", code)
    return re.sub(r"\s*([(),*\[\]{};])\s*", r"\1", " ".join(code.split()))


def without_comments(code):
    return re.sub(r"/\*.*?\*/", " ", code, flags=re.S).replace("\\\n", " ")


def without_names(call):
    return re.sub(r"\w+([,)])", r"\1", call)


def calls_of(code):
    """(name, call) of each function that the code declares or defines."""
    code = re.sub(r"^[ \t]*#.*$|extern \"C\" \{", ";", code, flags=re.M)
    return [(name, plain(call)) for call, name in CALL.findall(code)]


class Headers:
    """What the headers of one version declare."""

    def __init__(self, folder):
        text = "\n".join(without_comments(path.read_text()) for path in sorted(folder.glob("*.h"))
                         if not path.name.endswith("redirection.h"))
        self.calls = dict(calls_of(text))
        pointers = {name: f"{result} {{}}{arguments}" for result, name, arguments in POINTER.findall(text)}
        for name, pointer in EXPORTED.items():
            if pointer in pointers:
                self.calls[name] = plain(pointers[pointer].format(name))
        self.macros, self.aliases, self.arguments = set(), {}, {}
        for whole, name, arguments, meaning in MACRO.findall(text):
            self.macros.add(plain(whole))
            if arguments:
                self.arguments[name] = plain(arguments)
            else:
                self.aliases[name] = meaning.strip()
        self.types = {name or tag.upper(): plain(body) for tag, body, name in TYPE.findall(text)}

    def declares(self, name, call):
        """Does this call look as the headers say? Of a macro they say the names of its arguments."""
        if name in self.aliases:
            target = self.aliases[name]
            return without_names(call) == without_names(self.calls[target]).replace(target, name)
        if name in self.arguments:
            names = re.findall(r"(\w+)[,)]", call)
            return self.arguments[name] == f"({','.join(names)})"
        return self.calls.get(name) == call


class Block:
    """A block of code of a SYNOPSIS, with the line that it stands under."""

    def __init__(self, heading, code):
        self.heading = heading
        included = "\n".join(re.findall(r"^#include.*$", code, re.M))
        self.versions = [version for version in VERSIONS if f"<{version}/" in included]
        code = without_comments(code)
        self.calls = calls_of(code)
        self.macros = [plain(macro[0]) for macro in MACRO.findall(code)]


def blocks_of(synopsis):
    parts = re.split(r"^```c?$\n", synopsis, flags=re.M)
    return [Block(text.strip().splitlines()[-1] if text.strip() else "", code)
            for text, code in zip(parts[::2], parts[1::2])]


def check_shown(block, headers, complain):
    for version in block.versions:
        for name, call in block.calls:
            of_datum = name.startswith("datum_")
            if name not in UNDECLARED and of_datum == (version == "datum") \
                    and not headers[version].declares(name, call):
                complain(f"{call} is not what the headers of {VERSIONS[version]} declare")
        for macro in block.macros:
            if version != "datum" and macro not in headers[version].macros:
                complain(f"#define {macro} is not what the headers of {VERSIONS[version]} define")


def check_missing(names, blocks, headers, complain):
    for version, declared in headers.items():
        shown = {name for block in blocks if version in block.versions for name, _ in block.calls}
        shown |= {macro.split("(")[0] for block in blocks for macro in block.macros}
        for name in names:
            if name in declared.calls | declared.arguments | declared.aliases and name not in shown:
                complain(f"{declared.calls.get(name, name)} of {VERSIONS[version]} is missing")


def check_headings(blocks, complain):
    versions = {version for block in blocks for version in block.versions} & {"dat", "dat2"}
    for block in blocks:
        own = versions & set(block.versions)
        if len(versions) == 2 and len(own) == 1:
            heading = f"**{VERSIONS[own.pop()]}**"
            if block.heading != heading:
                complain(f"a block of one version does not stand under {heading}")


def check_types(text, blocks, headers, complain):
    one, two = headers["dat"].types, headers["dat2"].types
    versions = {version for block in blocks for version in block.versions}
    used = set(re.findall(r"\bDAT_\w+", " ".join(call for block in blocks for _, call in block.calls)))
    for name in sorted(used & one.keys() & two.keys()):
        if {"dat", "dat2"} <= versions and one[name] != two[name] and not re.search(rf"\b{name}\b", text):
            complain(f"no text says that {name} differs between DAT 1.2 and DAT 2.0")


def check(pages, include, complain):
    headers = {version: Headers(include / version) for version in VERSIONS}
    for page in pages:
        section = re.search(r"^# SYNOPSIS\n(.*?)^# ", page.text, re.S | re.M)
        if not page.file.endswith(".3.md") or not section:
            continue
        blocks = blocks_of(section[1])
        text = re.sub(r"^```.*?^```$", "", section[1], flags=re.S | re.M)

        def complain_of_page(mistake, page=page):
            complain(f"{page.file}: SYNOPSIS: {mistake}")

        for block in blocks:
            check_shown(block, headers, complain_of_page)
        check_missing(page.names, blocks, headers, complain_of_page)
        check_headings(blocks, complain_of_page)
        check_types(text, blocks, headers, complain_of_page)

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""links_test.py <source>: everything that the pages of the tree name exists: targets of links within the tree,
headings behind a "#", and paths of files.

A path is in backticks, or between asterisks on a manual page, and begins with one of TOPS. Or it is the name of a
source with its folder, as in `link/ring.h`; such a name is searched below each of SHORT. Braces, "*" and "?" are read
as a shell reads them. Not checked are a word with a placeholder in capitals (NAME), and names of a later release.
Pages of the past (PAST) may name files that no longer exist, but their links have to lead somewhere.
"""

import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop()).resolve()
TOPS = ("src", "tests", "docs", "tools", "scripts", "bench", "examples", "include", "packaging", "cmake")
SHORT = ("", "src", "src/facade", "src/transport", "include", "tools", "tests", "tests/conformance", "docs",
         "docs/design")
PAST = ("docs/lab/", "CHANGELOG.md")
NOT_THERE = {
    "packaging/source.txt": "make dist writes it into the tarball",
    "tests/versions/recorded/0.2": "the next release's",
}
FENCE = re.compile(r"^\s*(?:```|~~~)")
LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"`[^`]*`")
NAMED = re.compile(r"`([\w.-]+/[\w./*?{},+-]*)[`\s]|(?<!\*)\*([\w.-]+/[\w./{},+-]*)\*(?!\*)")
SOURCE = re.compile(r"^[a-z0-9_]+(?:/[\w{},-]+)*/[\w{},*-]+\.(?:h|cc|py|sh|rules)$")
PLACEHOLDER = re.compile(r"(?:^|[/_.])[A-Z]{2,}(?=$|[/_.])")
BY_NAME = re.compile(r"/(?:README|ARCHITECTURE|CONTRIBUTING|CHANGELOG|SECURITY|LICENSES?)(?=$|[/.])")


def pages():
    """The tracked pages. In a tarball, all pages except those of build trees."""
    listed = subprocess.run(["git", "ls-files", "-z", "-c", "-o", "--exclude-standard", "*.md"], cwd=ROOT,
                            capture_output=True, text=True, check=False)
    if listed.returncode == 0 and listed.stdout:
        return sorted(name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file())
    names = (path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.md"))
    return sorted(name for name in names if not name.startswith("build/"))


def prose(text):
    """The lines of a page with their numbers, without blocks of code."""
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        if FENCE.match(line):
            inside = not inside
        elif not inside:
            yield number, line


def anchors(text):
    """The anchors of a page's headings, as GitHub and GitLab make them."""
    found = set()
    for _, line in prose(text):
        if not (heading := re.match(r"#{1,6}\s+(.*?)\s*#*$", line)):
            continue
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1]).lower()
        name = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        found.add(next(each for each in (name, *(f"{name}-{again}" for again in range(1, 1000))) if each not in found))
    return found


def bad_links(name, text, root=ROOT):
    """The bad links of the page `name`: number of the line, and target."""
    bad = []
    for number, line in prose(text):
        for target in LINK.findall(CODE.sub("x", line)):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            page = (root / name).parent / path
            if not page.exists() or (anchor and anchor not in anchors(page.read_text() if path else text)):
                bad.append((number, target))
    return bad


def alternatives(pattern):
    """The words into which a shell expands braces."""
    if not (braces := re.search(r"\{([^{}]*)\}", pattern)):
        return [pattern]
    return [each for word in braces[1].split(",")
            for each in alternatives(pattern[:braces.start()] + word + pattern[braces.end():])]


def is_there(path, root=ROOT):
    return (root / path).exists() or (any(sign in path for sign in "*?") and any(root.glob(path.rstrip("/"))))


def missing_paths(text, root=ROOT):
    """The missing paths of a page: number of the line, and path."""
    missing = []
    for number, line in prose(text):
        for in_backticks, between_asterisks in NAMED.findall(line):
            path = (in_backticks or between_asterisks).rstrip(".,")
            full = path.split("/")[0] in TOPS
            if PLACEHOLDER.search(BY_NAME.sub("", path)) or path in NOT_THERE:
                continue
            if full and not all(is_there(each, root) for each in alternatives(path)):
                missing.append((number, path))
            elif not full and SOURCE.match(path) and not all(
                    any(is_there(f"{top}/{each}".lstrip("/"), root) for top in SHORT) for each in alternatives(path)):
                missing.append((number, path))
    return missing


class Links(unittest.TestCase):
    maxDiff = None  # names each link that leads nowhere

    def test_each_leads_somewhere(self):
        names = pages()
        self.assertIn("README.md", names)
        self.assertEqual([], [f"{name}:{number}: {target} leads nowhere" for name in names
                              for number, target in bad_links(name, (ROOT / name).read_text())])

    def test_each_path_is_there(self):
        self.assertEqual([], [f"{name}:{number}: {path} is not there" for name in pages()
                              if not name.startswith(PAST)
                              for number, path in missing_paths((ROOT / name).read_text())])

    def test_a_link_that_leads_nowhere_is_found(self):
        page = "# A thing\n## A thing\n\n[a](README.md) [b](gone.md) [c](#a-thing-1)\n[d](#other) [e](https://x.y)\n"
        self.assertEqual([(4, "gone.md"), (5, "#other")], bad_links("page.md", page))
        self.assertEqual([], bad_links("page.md", "```\n[b](gone.md)\n```\n[in the code](README.md#datum)\n"))
        self.assertEqual([(1, "README.md#gone")], bad_links("page.md", "[b](README.md#gone)"))

    def test_a_path_that_is_not_there_is_found(self):
        for path in ("src/gone.cc", "docs/gone.md", "tests/{house,gone}", "scripts/gone*", "link/gone.h"):
            self.assertEqual([(1, path)], missing_paths(f"see `{path}`, too"), path)
        self.assertEqual([(1, "tests/gone/")], missing_paths("rules of *tests/gone/* in"))

    def test_what_is_there_or_no_path_is_left_alone(self):
        for path in ("src/base", "tests/house/links_test.py", "scripts/*.sh", "src/base/log.{h,cc}", "base/log.h",
                     "tests/fuzz/fuzz_NAME.cc", "http/gone", "README.md", "docs/man/*.3.md", "scripts/build.sh dev"):
            self.assertEqual([], missing_paths(f"`{path}`"), path)
        self.assertEqual([], missing_paths("```\n`src/gone.cc`\n```\n"))


if __name__ == "__main__":
    unittest.main()

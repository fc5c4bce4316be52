# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What rules and comments may cite: documents of docs/sources.md, decisions of docs/decisions.md.

A rule's source is one or more of these, with "; " between them:
  dat_ep_connect(3DAT), Return Values   manual page and heading, as docs/sources.md lists them
  dat/udat.h, DAT_EVD_STATE             header and a name in it
  RFC 5044 section 7.1.2                as docs/sources.md lists it
  decision 17                           a number of docs/decisions.md
  datum(7), FORK                        page of docs/man and a heading of it
"""
import re

FOLDERS = ("src", "tests", "tools", "docs", "include", "scripts")
# These files contain citations that do not exist, to test that they are found.
EXAMPLES = ("tests/house/check_rules_test.py",)
CODE = (".cc", ".h", ".c", ".cpp", ".hpp")
TEXT = (*CODE, ".py", ".sh", ".md", ".rules", ".txt", ".cmake", ".in", ".hex", "")
PAGE = re.compile(r"(\w+)\((\d\w*)\), (.+)")
HEADER = re.compile(r"(dat2?/\w+\.h), (\w+)")
SECTION = re.compile(r"(RFC \d+) section (\d+(?:\.\d+)*)")
DECISION = re.compile(r"decision (\d+)")
IN_TEXT = re.compile(
    r"\b(?P<page>dat_\w+\(3DAT\)), (?P<heading>[A-Z][a-z]+(?: [A-Z][a-z]+)?)"
    r"|\b(?P<rfc>RFC \d{4})(?: section (?P<section>\d+(?:\.\d+)*))?"
    r"|\b[Dd]ecisions? (?P<first>\d+)(?:(?:,| and| to) (?P<second>\d+))?")
# Chapters and numbers of documents that are not public.
OLD = re.compile(
    r"\b(?i:api|spec|design|functions|types|registry|iwarp|abi|siw|habits|dapl-utils)(?:\.md)? \d+(?:\.\d+)?\b"
    r"|(?<![\w.])[CD]-\d\d\b|(?<![\w.])H\d{1,2}\b")
OLD_IN_CODE = re.compile(OLD.pattern + r"|\(\d{1,2}\.\d{1,2}(?:\.\d+)*[),]")
COMMENT = {"code": re.compile(r"//(.*)|/\*(.*)|^\s*\*(.*)"), "script": re.compile(r"(?:^|\s)#(.*)")}
CLAIM = re.compile(r"\s*Rules:")
TAGS = re.compile(r"\s*(?:[\w.*-]+[.-][\w.*-]+,?\s*)+$")


class Sources:
    def __init__(self, root):
        self.root = root
        self.errors = []
        self.headings = {}
        for line in self._lines("docs/sources.md"):
            row = re.match(r"\| `([^`]+)` \| ?(.*?) ?\|$", line)
            if row and row.group(1) in self.headings:
                self.errors.append(f"docs/sources.md: {row.group(1)} is listed twice")
            if row:
                self.headings[row.group(1)] = {h.strip() for h in row.group(2).split(",")}
        self.decisions = set()
        for line in self._lines("docs/decisions.md"):
            entry = re.match(r"\*\*(\d+)\. ", line)
            if entry and int(entry.group(1)) in self.decisions:
                self.errors.append(f"docs/decisions.md: {entry.group(1)} is given twice")
            if entry:
                self.decisions.add(int(entry.group(1)))

    def _lines(self, name):
        path = self.root / name
        if not path.is_file():
            self.errors.append(f"{name} is missing")
            return []
        return path.read_text().splitlines()

    def has(self, document, heading):
        return heading in self.headings.get(document, ())

    def judge(self, item):
        """None, or the reason why a rule may not cite this item."""
        if entry := DECISION.fullmatch(item):
            return None if int(entry.group(1)) in self.decisions else "is not in docs/decisions.md"
        if entry := SECTION.fullmatch(item):
            return None if self.has(*entry.groups()) else "is not in docs/sources.md"
        if entry := HEADER.fullmatch(item):
            return self._judge_header(*entry.groups())
        if entry := PAGE.fullmatch(item):
            return self._judge_page(*entry.groups())
        return "is no citation: page and heading, header and name, RFC and section, or decision"

    def _judge_header(self, header, name):
        if header not in self.headings:
            return "is not in docs/sources.md"
        path = self.root / "include" / header
        found = path.is_file() and re.search(rf"\b{name}\b", path.read_text(), re.IGNORECASE)
        return None if found else f"names what include/{header} does not have"

    def _judge_page(self, page, section, heading):
        if self.has(f"{page}({section})", heading):
            return None
        own = self.root / "docs" / "man" / f"{page}.{section}.md"
        if own.is_file() and f"# {heading}" in own.read_text().splitlines():
            return None
        return "is not in docs/sources.md, nor a heading of a page of docs/man"


def check_rules(rules, sources, errors):
    for tag, rule in rules.items():
        for item in rule["source"].split("; "):
            if why := sources.judge(item):
                errors.append(f"{rule['where']}: {tag}: source `{item}` {why}")


def check_text(name, text, sources, errors):
    """Checks the citations of a whole file. A citation may continue on the next line."""
    joined = re.sub(r"\n[ \t]*(?://|#|\*)?[ \t]*", " ", text)
    for cited in IN_TEXT.finditer(joined):
        where = f"{name}: `{cited.group(0)}`"
        if cited["page"] and not sources.has(cited["page"], cited["heading"]):
            errors.append(f"{where} is not in docs/sources.md")
        if cited["rfc"] and cited["rfc"] not in sources.headings:
            errors.append(f"{where} is not in docs/sources.md")
        elif cited["section"] and not sources.has(cited["rfc"], cited["section"]):
            errors.append(f"{where} is not in docs/sources.md")
        for number in filter(None, (cited["first"], cited["second"])):
            if int(number) not in sources.decisions:
                errors.append(f"{where} is not in docs/decisions.md")


def without_sources(rules):
    lines = (line if line.startswith("#") else line.split(" | ") for line in rules.splitlines())
    return "\n".join(line if isinstance(line, str) else " | ".join(line[:2] + line[3:]) for line in lines)


def prose_of(name, suffix, text):
    """Yields (line number, the part of the line that is not code)."""
    if suffix in (".md", ".hex"):
        yield from enumerate(text.splitlines(), 1)
    elif suffix == ".rules":
        for number, line in enumerate(text.splitlines(), 1):
            yield number, line if line.startswith("#") else line.split(" | ")[2] if line.count(" | ") > 1 else ""
    else:
        comment = COMMENT["code" if suffix in CODE else "script"]
        for number, line in enumerate(text.splitlines(), 1):
            if found := comment.search(line):
                yield number, next(group for group in found.groups() if group is not None)


def check_old_forms(name, suffix, text, tags, errors):
    """Finds chapters of documents outside the tree. The tag of a rule (`C-12`) may occur in pages and claims."""
    claim = False
    for number, prose in prose_of(name, suffix, text):
        claim = bool(CLAIM.match(prose)) or (claim and bool(TAGS.match(prose)))
        if claim:
            continue
        for old in (OLD_IN_CODE if suffix in CODE else OLD).findall(prose):
            if not (suffix == ".md" and old in tags):
                errors.append(f"{name}:{number}: `{old}` is a chapter of a document that is not in docs/sources.md")


def check_tree(root, tags, sources, errors):
    files = [path for folder in FOLDERS for path in (root / folder).rglob("*")] + list(root.glob("*.md"))
    for path in sorted(files):
        name = path.relative_to(root).as_posix()
        if path.suffix not in TEXT or name in EXAMPLES or not path.is_file() or path.is_symlink():
            continue
        text = path.read_bytes().decode(errors="replace")
        check_text(name, without_sources(text) if path.suffix == ".rules" else text, sources, errors)
        check_old_forms(name, path.suffix, text, tags, errors)

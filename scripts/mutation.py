# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Mutations of one line of C++: what is changed, and where. This file has nothing about builds or tests."""
import collections
import dataclasses
import hashlib
import re

# Changing these lines breaks no promise: text, checks by the compiler, and log output.
UNTOUCHED = re.compile(r"^\s*(//|#|\*|static_assert|DATUM_ASSERT\(|assert\(|log\(|log_line\(|using |namespace |template|"
                       r"friend |public:|private:|protected:|case .*:$|virtual .*= 0;|"
                       r".*\) (const )?= 0;|"
                       r"[\w:<>]+ \w+ = 0;)")  # pure, or a member's default that is hardly ever read
ERRORS = ["Type::InvalidHandle", "Type::InvalidParameter", "Type::InvalidState", "Type::InsufficientResources"]


@dataclasses.dataclass(frozen=True)
class Mutant:
    path: str
    line: int  # counted from 1
    name: str
    before: str
    after: str

    @property
    def key(self):
        """The same key for the same change of the same text, even if the line has moved."""
        text = "\0".join([self.path, self.name, self.before.strip(), self.after.strip()])
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def _code(line):
    """The line with blanks for strings and the comment. All positions stay the same."""
    blank = lambda match: " " * len(match.group())
    line = re.sub(r'"(\\.|[^"\\])*"|\'(\\.|[^\'\\])*\'', blank, line)
    return re.sub(r"//.*", blank, line)


def _swap(pattern, replacement):
    """Changes that replace one match each. The replacement is a string or a function of the match."""
    def changes(line, code):
        for match in re.finditer(pattern, code):
            new = replacement(match) if callable(replacement) else replacement
            if new is not None:
                yield line[:match.start()] + new + line[match.end():]
    return changes


def _other_error(match):
    return ERRORS[(ERRORS.index(match.group()) + 1) % len(ERRORS)]


def _next_number(match):
    return str(int(match.group()) + 1)


def _without_condition(line, code):
    """if (A) becomes if (false && (A)), where A ends on the line."""
    match = re.search(r"\bif (?:constexpr )?\(", code)
    if not match or "constexpr" in match.group() or ";" in code[match.end():].split(")")[0]:
        return
    depth = 1
    for at in range(match.end(), len(code)):
        depth += {"(": 1, ")": -1}.get(code[at], 0)
        if depth == 0:
            inside = line[match.end():at]
            # A declaration in a condition cannot be negated in its place.
            if not re.search(r"[^=!<>]=[^=]", inside):
                yield f"{line[:match.end()]}false && ({inside}){line[at:]}"
            return


def _without_statement(line, code):
    """Leaves out a statement that is only a call or an assignment."""
    call = re.fullmatch(r"(\s+)(?!return|throw|delete|else|if|for|while|co_)[\w.:>\[\]-]+(\(.*\)| [+|-]?= .*|\+\+|--);\s*", code)
    if call and not re.match(r"\s*[\w:<>*& ]+ \w+(\(|\{| =)", code):
        yield f"{call.group(1)};"


OPERATORS = {
    "relation": _swap(r"(?<= )(<=|>=|<|>)(?= )", lambda m: {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}[m.group()]),
    "equality": _swap(r"(?<= )(==|!=)(?= )", lambda m: {"==": "!=", "!=": "=="}[m.group()]),
    "logic": _swap(r"(?<= )(&&|\|\|)(?= |$)", lambda m: {"&&": "||", "||": "&&"}[m.group()]),
    "negation": _swap(r"(?<=[( ])!(?=[\w(])", ""),
    "arithmetic": _swap(r"(?<=[\w)\]] )[+-](?= [\w(])", lambda m: {"+": "-", "-": "+"}[m.group()]),
    "bits": _swap(r"(?<=[\w)] )[&|](?= [\w(~])", lambda m: {"&": "|", "|": "&"}[m.group()]),
    "count": _swap(r"\+\+|--|\+=|-=", lambda m: {"++": "--", "--": "++", "+=": "-=", "-=": "+="}[m.group()]),
    "truth": _swap(r"\b(true|false)\b", lambda m: {"true": "false", "false": "true"}[m.group()]),
    "number": _swap(r"(?<![\w.'])\d+(?![\w.'])", _next_number),
    "error": _swap("|".join(ERRORS), _other_error),
    "argument": _swap(r"Detail::Arg\d\b", lambda m: f"Detail::Arg{int(m.group()[-1]) % 9 + 1}"),
    "condition": _without_condition,
    "statement": _without_statement,
}


def of_text(path, text):
    """Every mutant of one file."""
    mutants = []
    for number, line in enumerate(text.split("\n"), start=1):
        code = _code(line)
        if not code.strip() or UNTOUCHED.match(line):
            continue
        for name, changes in OPERATORS.items():
            mutants += [Mutant(path, number, name, line, after) for after in changes(line, code) if after != line]
    return mutants


def in_seeded_order(mutants, seed):
    """A fixed shuffle: a larger number of mutants with the same seed begins with the same mutants, and a change of the
    tree moves few of them. Files take turns, because a long file shows no more about the tests than a short one."""
    def drawn(text):
        return hashlib.sha256(f"{seed} {text}".encode()).digest()

    by_file = collections.defaultdict(list)
    for mutant in sorted(mutants, key=lambda mutant: drawn(mutant.key)):
        by_file[mutant.path].append(mutant)
    turns = [(turn, drawn(f"{turn} {path}"), mutant) for path, of_file in by_file.items()
             for turn, mutant in enumerate(of_file)]
    return [mutant for _, _, mutant in sorted(turns, key=lambda place: place[:2])]

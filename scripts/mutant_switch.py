# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Puts a mutant beside the code that it replaces. The environment chooses between the two at run time, so many mutants
are built at once. This needs little knowledge of C++: where a statement begins and ends. A mutant that cannot be
switched (a constant, a declaration's type) has to be compiled alone."""
import dataclasses
import re

OPENING, CLOSING = "([{", ")]}"
# The code before the `{` of a block. The `{` of an initialiser follows other code.
BLOCK = re.compile(r"(\)|\]\s|\belse|\bdo|\btry|\bconst|\bnoexcept|\boverride|[;{}:])\s*$|^\s*$")
TYPE = re.compile(r"\b(class|struct|union|enum|namespace)\b[^()=]*$")
NO_STATEMENT = re.compile(r"(case|default|using|template|static_assert|constexpr|static constexpr|inline|friend|"
                          r"namespace|class|struct|union|enum|virtual|explicit|goto|typedef|extern)\b")
# `Type name`, `Type* name`, `Type<X>& name`: no call and no assignment begins in this way.
DECLARES = re.compile(r"(?!return|throw|delete|co_return)(const |static |mutable |unsigned |alignas\(\w+\) )*"
                      r"[A-Za-z_][\w:]*(<.*?>)?(::\w+)*( const)?([*&]+ | [*&]*)[A-Za-z_]\w*(\[\w*\])?\s*(=|;|\(|\{|:)")


@dataclasses.dataclass(frozen=True)
class Switched:
    """Replace text[begin:end], `before`, by `text`."""
    begin: int
    end: int
    text: str
    before: str = ""

    def over(self, other):
        """This switch, with another switch of the same place in its branch for the original code."""
        at = self.text.rindex(self.before)
        return Switched(self.begin, self.end, self.text[:at] + other.text + self.text[at + len(self.before):], other.before)


def blanked(text):
    """The text in which strings, characters and comments are spaces. All positions stay the same."""
    blank = lambda match: re.sub(r"[^\n]", " ", match.group())
    return re.sub(r'"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])*\'|//[^\n]*|(?m:^\s*#[^\n]*)', blank, text)


def _block_brace(code, at):
    """Whether the `{` there opens a block, not an initialiser."""
    before = code[:at]
    return bool(BLOCK.search(before[-40:])) or bool(TYPE.search(re.split(r"[;{}]", before)[-1]))


def _begin(code, at):
    """Where the statement around `at` begins."""
    depth = 0
    while at > 0:
        c = code[at - 1]
        if c in CLOSING:
            if c == "}" and depth == 0 and _closes_block(code, at - 1):
                return at
            depth += 1
        elif c in OPENING:
            if depth > 0:
                depth -= 1
            elif c == "{" and _block_brace(code, at - 1):
                return at
        elif c == ";" and depth == 0 and not _inside_for(code, at - 1):
            return at
        at -= 1
    return 0


def _closes_block(code, at):
    depth = 0
    for i in range(at, -1, -1):
        depth += (code[i] == "}") - (code[i] == "{")
        if depth == 0:
            return _block_brace(code, i)
    return True


def _inside_for(code, at):
    """Whether the `;` at `at` is in the head of a for or an if."""
    depth = 0
    for i in range(at - 1, max(-1, at - 400), -1):
        depth += (code[i] in CLOSING) - (code[i] in OPENING)
        if depth < 0:
            return code[i] == "("
    return False


def _end(code, at):
    """The place after the `;` that ends the statement beginning at `at`, or the place of the `{` of its block."""
    depth = 0
    while at < len(code):
        c = code[at]
        if c == "{" and depth == 0 and _block_brace(code, at):
            return at
        if c in OPENING:
            depth += 1
        elif c in CLOSING:
            depth -= 1
        elif c == ";" and depth == 0:
            return at + 1
        if depth < 0:
            return None
        at += 1
    return None


def _closing(code, at):
    """The place of the bracket that closes the bracket at `at`."""
    depth = 0
    for i in range(at, len(code)):
        depth += (code[i] in OPENING) - (code[i] in CLOSING)
        if depth == 0:
            return i
    return None


class _Place:
    """The text of one mutant: before, and after the change of text[first:last] into `new`."""

    def __init__(self, text, code, first, last, new, number):
        self.text, self.code, self.first, self.last, self.new = text, code, first, last, new
        self.condition = f"DATUM_MUTANT({number})"

    def holds(self, begin, end):
        return begin <= self.first and self.last <= end

    def both(self, begin, end):
        before = self.text[begin:end]
        return before, self.text[begin:self.first] + self.new + self.text[self.last:end]

    def expression(self, begin, end, cast=""):
        if not self.holds(begin, end):
            return None
        before, after = self.both(begin, end)
        return Switched(begin, end, f"({self.condition} ? {cast}({after}) : {cast}({before}))", before)

    def statement(self, begin, end):
        if not self.holds(begin, end):
            return None
        before, after = self.both(begin, end)
        return Switched(begin, end, f"{{ if ({self.condition}) {{ {after} }} else {{ {before} }} }}", before)


def _head(place, opening):
    """A switch within the brackets after if, while or for."""
    code = place.code
    closing = _closing(code, opening)
    if closing is None or not place.holds(opening + 1, closing):
        return None
    parts, depth = [opening + 1], 0
    for i in range(opening + 1, closing):
        depth += (code[i] in OPENING) - (code[i] in CLOSING)
        if code[i] == ";" and depth == 0:
            parts.append(i + 1)
    parts.append(closing + 1)
    for index, (begin, end) in enumerate(zip(parts, parts[1:])):
        if place.holds(begin, end - 1):
            part = code[begin:end - 1]
            if DECLARES.match(part.strip() + ";") or re.search(r"[^=!<>]=[^=]", part) and len(parts) < 4:
                equals = re.search(r"(?<![=!<>+-])=(?!=)", part)
                return place.expression(begin + equals.end(), end - 1) if equals else None
            if len(parts) == 4 and index == 2:
                return place.expression(begin, end - 1, "(void)")
            return place.expression(begin, end - 1, "static_cast<bool>")
    return None


def switched(text, code, first, last, new, number):
    """The switch `number` for the change of text[first:last] into `new`; None: it cannot be switched."""
    place = _Place(text, code, first, last, new, number)
    begin = _begin(code, first)
    while True:
        begin += len(code[begin:]) - len(code[begin:].lstrip())
        label = re.match(r"(case [\w:]+|default|public|private|protected):(?!:)\s*|else\b(?! if)\s*|else (?=if)|"
                         r"\[\[\w+\]\]\s*", code[begin:])
        if not label or begin + label.end() > first:
            break
        begin += label.end()
    end = _end(code, begin)
    if end is None or not place.holds(begin, end):
        return None
    statement = code[begin:end]
    if NO_STATEMENT.match(statement):
        return None
    head = re.match(r"(if|while|for)\s*\(", statement)
    if head and not code[:begin].rstrip().endswith("do"):
        opening = begin + head.end() - 1
        closing = _closing(code, opening)
        if closing is not None and last <= closing:
            return _head(place, opening)
        if closing is not None and first > closing and head.group(1) != "do":
            begin = closing + 1 + len(code[closing + 1:]) - len(code[closing + 1:].lstrip())
            return switched_from(place, begin, end)
        return None
    return switched_from(place, begin, end)


def switched_from(place, begin, end):
    code = place.code
    statement = code[begin:end]
    if not statement.rstrip().endswith(";") or NO_STATEMENT.match(statement):
        return None
    attribute = re.match(r"\[\[\w+\]\]\s*", statement)
    if attribute:
        begin += attribute.end()
        statement = code[begin:end]
    if re.match(r"(if|while|for|else|do)\b", statement):
        return None
    if DECLARES.match(statement):
        depth = 0
        for i in range(begin, end):
            depth += (code[i] in OPENING) - (code[i] in CLOSING)
            if depth == 0 and code[i] == "=" and code[i + 1] != "=" and code[i - 1] not in "=!<>+-|&":
                return place.expression(i + 1, end - 1)
        return None
    return place.statement(begin, end)

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Draws the tables of states in src/ (base/state_table.h) into docs/design/states.md.

  scripts/draw_states.py [ROOT]           writes the page
  scripts/draw_states.py --check [ROOT]   only says whether it is current

Each header with a StateRow<State, Event> has both enumerations, the table, a list of all states and one
of all events, and says in static_asserts where a machine begins and where it ends. It is read as it
stands there, by rules that are as strict as the layout: what is not understood is a fault.
Exit: 0 written, or current; 1 the page is not current, or a table is broken.
"""

import argparse
import collections
import pathlib
import re
import sys

PAGE = "docs/design/states.md"
HEAD = """# States

Drawn by `scripts/draw_states.py` from the headers that are named below: change those, then run it.

Each machine is one table, with one function that writes the state. Compilers check it (`base/state_table.h`): no two rows
for one event, every state is entered and left, every event happens, no enumerator is missing; so does the script. A test
walks each state with each event against a table of its own. An empty cell: that does not happen there.
"""

Machine = collections.namedtuple("Machine", "file about state event states events meaning cause rows first last")


class Broken(Exception):
    """A table is broken. The text says what is wrong, and where."""


def only(pattern, text, what):
    found = re.findall(pattern, text, re.DOTALL)
    if len(found) != 1:
        raise Broken(f"{len(found)} times instead of once: {what}")
    return found[0]


def enumeration(text, name):
    """{enumerator: comment}. The comment is beside the enumerator and continues in the same column, or it is above the
    enumerator, in whole sentences."""
    body = only(rf"enum class {name} : std::uint8_t \{{\n(.*?)\n\}};", text, f"enum class {name} : std::uint8_t")
    found, above, column, last = {}, [], None, None
    for line in body.split("\n"):
        comment = re.fullmatch(r"( *)// (.*)", line)
        entry = re.fullmatch(r"  (\w+)(?: = \d+)?,( *)(?:// (.*))?", line)
        if comment and last and len(comment.group(1)) == column:
            found[last] += " " + comment.group(2)
        elif comment:
            above.append(comment.group(2))
            column = None
        elif entry:
            last = entry.group(1)
            column = line.find("//") if entry.group(3) else None
            found[last] = entry.group(3) or " ".join(above)
            above = []
        else:
            raise Broken(f"{name}: not understood: {line.strip()}")
    return found


def names(text, kind, known):
    """The names in a list such as "State::A, State::B"."""
    found = []
    for item in filter(None, (item.strip() for item in text.split(","))):
        match = re.fullmatch(rf"{kind}::(\w+)", item)
        if not match or match.group(1) not in known:
            raise Broken(f"{item} is no {kind}")
        found.append(match.group(1))
    return found


def whole_list(text, name, kind, known):
    listed = names(only(rf"std::array {name}\{{([^}}]*)\}};", text, f"std::array {name}"), kind, known)
    for each in known:
        if listed.count(each) != 1:
            raise Broken(f"{name} has {kind}::{each} {listed.count(each)} times")
    return listed


def rows_of(text, table, row, state, event, states, events):
    found = []
    body = re.sub(r"//.*", "", only(rf"std::array {table}\{{\n(.*?)\}};", text, f"std::array {table}"))
    for part in filter(None, (part.strip() for part in re.split(rf"\b{row}\{{", body))):
        match = re.fullmatch(rf"{state}::(\w+),\s*{event}::(\w+),\s*{state}::(\w+)\}},?", part)
        if not match:
            raise Broken(f"{table}: not understood: {row}{{{part}")
        start, on, end = match.groups()
        if not {start, end} <= set(states) or on not in events:
            raise Broken(f"{table}: {start}, {on}, {end} names what there is not")
        if any((start, on) == each[:2] for each in found):
            raise Broken(f"{table}: two rows for {on} in {start}")
        found.append((start, on, end))
    return found


def check(machine, table):
    reached = set(machine.first)
    for _ in machine.states:
        reached |= {end for start, _, end in machine.rows if start in reached}
    for state in machine.states:
        if state not in reached:
            raise Broken(f"{table}: nothing enters {state}")
        if state not in machine.last and not any(start == state != end for start, _, end in machine.rows):
            raise Broken(f"{table}: nothing leaves {state}")
    for event in machine.events:
        if all(on != event for _, on, _ in machine.rows):
            raise Broken(f"{table}: {event} never happens")


def about(text, name):
    """The sentence that follows the name of the file in its first lines."""
    head = re.search(rf"^// {re.escape(name)}: ((?:.|\n)*?\.)(?=\s)", text, re.MULTILINE)
    if not head:
        raise Broken(f'no "// {name}: ..." at its beginning')
    return re.sub(r"\s*\n// ?", " ", head.group(1))


def machines(path, name):
    text = path.read_text()
    for row, state, event in re.findall(r"^using (\w+) = StateRow<(\w+), (\w+)>;", text, re.MULTILINE):
        meaning, cause = enumeration(text, state), enumeration(text, event)
        table = only(rf"std::array (\w+)\{{\s*(?://[^\n]*\s*)*{row}\{{", text, f"a table of {row}")
        lists = only(rf"every_state_is_left\(\s*{table},\s*(\w+),\s*(\w+)((?:,\s*\w+::\w+)*)\)", text,
                     f"every_state_is_left({table}, ...)")
        begins = only(rf"every_state_is_reached\(\s*{table},\s*{lists[0]},\s*std::array\{{([^}}]*)\}}", text,
                      f"every_state_is_reached({table}, {lists[0]}, ...)")
        only(rf"(no_two_rows_match\({table}\))", text, f"no_two_rows_match({table})")
        machine = Machine(name, about(text, name), state, event, whole_list(text, lists[0], state, meaning),
                          whole_list(text, lists[1], event, cause), meaning, cause,
                          rows_of(text, table, row, state, event, meaning, cause),
                          names(begins, state, meaning), names(lists[2], state, meaning))
        check(machine, table)
        yield machine


def line(cells):
    return "| " + " | ".join(cells) + " |"


def grid(head, body):
    return [line(head), "|" + "---|" * len(head), *map(line, body)]


def draw(machine):
    next_in = {(start, on): end for start, on, end in machine.rows}
    between = {}  # in the order of the rows
    for start, on, end in machine.rows:
        between.setdefault((start, end), []).append(on)
    return [
        "", f"## {machine.state}", "", f"`src/{machine.file}`: {machine.about}", "",
        *grid(("state", "what it means"), ((f"`{s}`", machine.meaning[s]) for s in machine.states)), "",
        *grid(("", *(f"`{s}`" for s in machine.states)),
              ((f"`{e}`", *(next_in.get((s, e), "") for s in machine.states)) for e in machine.events)), "",
        *([*grid(("event", "what it is"), ((f"`{e}`", machine.cause[e]) for e in machine.events if machine.cause[e])), ""]
          if any(machine.cause.values()) else []),
        "```mermaid", "stateDiagram-v2",
        *(f"  [*] --> {s}" for s in machine.first),
        *(f"  {start} --> {end}: {', '.join(on)}" for (start, end), on in between.items()),
        *(f"  {s} --> [*]" for s in machine.last),
        "```",
    ]


def page(root):
    lines = HEAD.rstrip("\n").split("\n")
    broken = []
    source = root / "src"
    for path in sorted(source.rglob("*.h")):
        name = path.relative_to(source).as_posix()
        if name == "base/state_table.h" or "StateRow" not in path.read_text():
            continue
        try:
            found = list(machines(path, name))
            if not found:
                raise Broken("has a StateRow, and no using Row = StateRow<State, Event>")
            for machine in found:
                lines += draw(machine)
        except Broken as error:
            broken.append(f"src/{name}: {error}")
    if broken:
        raise Broken("\n".join(broken))
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("root", nargs="?", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    chosen = parser.parse_args()
    try:
        text = page(chosen.root)
    except Broken as error:
        print(error)
        return 1
    file = chosen.root / PAGE
    if not chosen.check:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    elif not file.is_file() or file.read_text() != text:
        print(f"{PAGE} is not what the tables say: run scripts/draw_states.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

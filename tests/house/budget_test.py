#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""scripts/budget.py: what it reads from callgrind, and that it finds a piece that costs more than it may.

No run counts anything here: its result is made up by the test.
"""
import contextlib
import io
import pathlib
import platform
import sys
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(sys.argv.pop() if len(sys.argv) > 1 else ".").resolve()
sys.path.insert(0, str(ROOT / "scripts"))
sys.dont_write_bytecode = True
import budget  # noqa: E402

LIBRARY = "/build/lib/libdatum1.so"
# Two dumps of two threads. In the first dump the library runs 30 + 4 instructions, two of them in
# an inlined function of a header. The library calls the C library, which runs 6 instructions. The
# program itself runs 100. Each name is given once.
DUMP = """# callgrind format
version: 1
creator: callgrind-3.19.0
part: 1

desc: Trigger: --dump-after=budget_counted_enough

positions: instr line
events: Ir


thread: 1

ob=(1) /build/bin/datum-budget
fl=(1) /tree/bench/budget/main.cc
fn=(1) budget_counted
0x1000 1 100
cob=(2) /build/lib/libdatum1.so
cfi=(2) /tree/src/core/endpoint.cc
cfn=(2) post_send
calls=2 0x2000 7
0x1000 1 40

ob=(2)
fl=(2)
fn=(2)
0x2000 7 30
fi=(3) /build/layers/core/core/endpoint.h
0x2002 9 2
fe=(2)
0x2004 8 2
cob=(3) /lib/libc.so.6
cfi=(4) ???
cfn=(3) send
calls=2 0x3000 0
0x2004 8 6

ob=(3)
fl=(4)
fn=(3)
0x3000 0 4
0x3002 0 2

totals: 140

thread: 2

ob=(2)
fl=(2)
fn=(4) run_background
0x2100 20 1000

part: 2

thread: 1

ob=(2)
fl=(2)
fn=(2)
0x2000 7 14

thread: 2

totals: 0
"""


def elf(code_at, code):
    """A 64-bit ELF file with one loaded segment: `code`, at the address `code_at`."""
    header = bytearray(64)
    header[:5] = b"\x7fELF\x02"
    header[32:40] = (64).to_bytes(8, "little")
    header[54:56] = (56).to_bytes(2, "little")
    header[56:58] = (1).to_bytes(2, "little")
    fields = ((1, 4), (5, 4), (120, 8), (code_at, 8), (code_at, 8), (len(code), 8), (len(code), 8), (16, 8))
    return bytes(header) + b"".join(value.to_bytes(size, "little") for value, size in fields) + code


class Reading(unittest.TestCase):
    def setUp(self):
        self.pieces = budget.Dump(DUMP.splitlines(keepends=True)).pieces
        self.addCleanup(budget.Code.known.clear)
        # A system call of the C library at 0x3002. Its two octets also occur inside an instruction
        # that begins at 0x3000.
        budget.Code.known["/lib/libc.so.6"] = budget.Code(elf(0x3000, b"\xb8\x0f\x0f\x05"))
        budget.Code.known[LIBRARY] = budget.Code(elf(0x2000, bytes(16)))

    def test_one_piece_for_each_dump_of_the_first_thread(self):
        self.assertEqual(len(self.pieces), 2)

    def test_all_is_counted_but_the_program_itself_and_other_threads(self):
        self.assertEqual([piece.count().instructions for piece in self.pieces], [40, 14])

    def test_system_calls_are_instructions_that_make_one(self):
        self.assertEqual([piece.count().system_calls for piece in self.pieces], [2, 0])

    def test_counts_are_means_of_the_rounds(self):
        found = budget.counted(self.pieces, "send 2\nread 7\n")
        self.assertEqual(list(found), ["send", "read"])
        self.assertEqual(found["send"].count(), (20, 1))
        self.assertEqual(found["read"].count(), (2, 0))

    def test_fewer_dumps_than_pieces_are_no_counts(self):
        with self.assertRaisesRegex(budget.Trouble, "named 3 pieces and callgrind dumped 2"):
            budget.counted(self.pieces, "send 2\nread 2\nwrite 2\n")

    def test_a_program_that_names_nothing_has_counted_nothing(self):
        with self.assertRaisesRegex(budget.Trouble, "named 0 pieces"):
            budget.counted(self.pieces, "")

    def test_by_file_inlined_instructions_belong_to_their_source(self):
        self.assertEqual(budget.by_file(self.pieces[0]),
                         {"src/core/endpoint.cc": 32, "src/core/endpoint.h": 2, "libc.so.6": 6})

    def test_a_function_has_by_itself_and_with_what_it_calls(self):
        self.assertEqual(budget.by_function(self.pieces[0])[LIBRARY, "post_send"], 34)
        self.assertEqual(self.pieces[0].whole[LIBRARY, "post_send"], 40)


TABLE = """# What it is.
# compiler: GNU 12.2.0 x86_64
shm/post\t400.0\t0.00\t2026-11-01\tthe first count
tcp/post\t1000.0\t1.00\t2026-11-02\ta reason
"""


class FakeCosts:
    def __init__(self, instructions, system_calls):
        self.value = budget.Count(instructions, system_calls)

    def count(self):
        return self.value


class Checking(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.table = pathlib.Path(folder.name, "budget.tsv")
        self.table.write_text(TABLE)

    def budget(self, found, *arguments, compiler="GNU 12.2.0 x86_64", machine="x86_64"):
        """The exit code and the output. `found` is what a run would have counted."""
        costs = {piece: FakeCosts(*count) for piece, count in found.items()}
        said = io.StringIO()
        with mock.patch.object(budget, "run", return_value=costs), \
                mock.patch.object(budget, "compiler_of", return_value=compiler), \
                mock.patch.object(platform, "machine", return_value=machine), contextlib.redirect_stdout(said):
            status = budget.main([*arguments, "--table", str(self.table)])
        return status, said.getvalue()

    def test_what_the_table_says_passes(self):
        status, said = self.budget({"shm/post": (400, 0), "tcp/post": (1000, 1)})
        self.assertEqual(status, 0, said)
        self.assertIn("2 pieces cost what", said)

    def test_one_percent_passes_up_and_down(self):
        status, said = self.budget({"shm/post": (404, 0.01), "tcp/post": (990, 1.01)})
        self.assertEqual(status, 0, said)

    def test_more_fails_and_says_what_was_expected_and_found_and_what_to_do(self):
        status, said = self.budget({"shm/post": (404.1, 0), "tcp/post": (1000, 1)})
        self.assertEqual(status, 1)
        self.assertIn("shm/post: expected 400.0 instructions and 0.00 system calls (since 2026-11-01: the first "
                      "count), found 404.1 instructions and 0.00 system calls: +1.0 %\n", said)
        self.assertIn('scripts/budget.py --update "WHY"', said)
        self.assertNotIn("tcp/post", said)

    def test_less_fails_too_so_that_the_table_stays_true(self):
        status, said = self.budget({"shm/post": (300, 0), "tcp/post": (1000, 1)})
        self.assertEqual(status, 1)
        self.assertIn(": -25.0 %\n", said)

    def test_one_more_system_call_fails(self):
        status, said = self.budget({"shm/post": (400, 0), "tcp/post": (1000, 1.03)})
        self.assertEqual(status, 1)
        self.assertIn("tcp/post: expected 1000.0 instructions and 1.00 system calls", said)

    def test_a_new_piece_and_a_lost_one_fail(self):
        status, said = self.budget({"shm/post": (400, 0), "shm/new": (1, 0)})
        self.assertEqual(status, 1)
        self.assertIn("shm/new: 1.0 instructions and 0.00 system calls, and the table has no such piece\n", said)
        self.assertIn("tcp/post: is in the table, and was not counted\n", said)

    def test_an_update_writes_what_deviates_and_leaves_the_rest(self):
        status, _ = self.budget({"shm/post": (300.04, 0), "tcp/post": (1009, 1)}, "--update", "less is checked")
        self.assertEqual(status, 0)
        lines = self.table.read_text().splitlines()
        self.assertEqual(lines[:2], ["# What it is.", "# compiler: GNU 12.2.0 x86_64"])
        self.assertRegex(lines[2], r"^shm/post\t300\.0\t0\.00\t\d{4}-\d\d-\d\d\tless is checked$")
        self.assertEqual(lines[3], "tcp/post\t1000.0\t1.00\t2026-11-02\ta reason")
        self.assertEqual(self.budget({"shm/post": (300.04, 0), "tcp/post": (1009, 1)})[0], 0)

    def test_an_update_adds_new_pieces_and_takes_lost_ones_away(self):
        self.budget({"shm/post": (400, 0), "shm/new": (7, 0)}, "--update", "another call")
        rows = budget.Table(self.table.read_text(), "budget.tsv").rows
        self.assertEqual(list(rows), ["shm/post", "shm/new"])
        self.assertEqual(rows["shm/new"].count, (7, 0))

    def test_an_update_wants_a_reason(self):
        for why in ("", " ", "two\nlines", "a\ttab"):
            with self.assertRaisesRegex(budget.Trouble, "takes a reason"):
                self.budget({"shm/post": (400, 0), "tcp/post": (1000, 1)}, "--update", why)

    def test_another_compiler_is_not_held_against_the_table(self):
        with self.assertRaisesRegex(budget.Trouble, "of what GNU 12.2.0 x86_64 built, and this was built by GNU 14"):
            self.budget({"shm/post": (400, 0), "tcp/post": (1000, 1)}, compiler="GNU 14.2.0 x86_64")

    def test_another_processor_is_reported_as_absent(self):
        status, said = self.budget({}, machine="aarch64")
        self.assertEqual(status, 4)
        self.assertIn("this is aarch64", said)

    def test_a_line_that_is_no_row_is_named(self):
        for line in ("shm/x\t1.0\t0.00\t2026-11-01", "shm/x\t0.0\t0.00\t2026-11-01\twhy", "shm/x\t1\t0\t2026\twhy",
                     "shm/x\t1.0\t0.00\t2026-11-01\t"):
            with self.assertRaisesRegex(budget.Trouble, "^budget.tsv:2: "):
                budget.Table(f"# head\n{line}\n", "budget.tsv")
        with self.assertRaisesRegex(budget.Trouble, "^budget.tsv:5: shm/post stands there twice"):
            budget.Table(TABLE + "shm/post\t1.0\t0.00\t2026-11-01\twhy\n", "budget.tsv")


class Tree(unittest.TestCase):
    def test_the_table_of_this_tree_can_be_read_and_says_the_compiler(self):
        path = ROOT / "bench/budget/budget.tsv"
        table = budget.Table(path.read_text(), path)
        self.assertTrue(table.compiler)
        self.assertEqual({piece.split("/")[0] for piece in table.rows}, set(budget.TRANSPORTS))
        self.assertEqual(table.text(), path.read_text())


if __name__ == "__main__":
    unittest.main()

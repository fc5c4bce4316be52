#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""tests/interop/dapl-utils/run.py: what it takes for a pass, with small programs in the place of Debian's."""

import contextlib
import importlib.util
import io
import os
import pathlib
import sys
import tempfile
import types
import unittest
from unittest import mock

ROOT = pathlib.Path(sys.argv.pop())
SPEC = importlib.util.spec_from_file_location("run", ROOT / "tests/interop/dapl-utils/run.py")
run = importlib.util.module_from_spec(SPEC)
sys.modules["run"] = run
SPEC.loader.exec_module(run)

PASSED = "echo PASSED"


def until(output):
    """A server is there until this output of another one is: nobody is late then."""
    return f"until [ -e $(dirname $0)/{output} ]; do sleep 0.01; done"


HERE = types.SimpleNamespace(address="127.0.0.1", client_prefix=[], adapters=[], by_memory=False,
                             environment=dict(os.environ))


class Verdict(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.place = pathlib.Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def play(self, row, client, server=PASSED):
        program = self.place / row.program
        program.write_text(f'#!/bin/sh\nif [ "$1" = -s ]; then\n{server}\nelse\n{client}\nfi\n')
        program.chmod(0o755)
        return run.play(row, HERE, self.place, self.place)[0]

    def alone(self, client):
        return self.play(run.Row("dtestcm", "-c 1", ["PASSED"]), client)

    def both(self, end_of_server):
        row = run.Row("dtestcm", "-c 1", ["PASSED"], "-s", ["PASSED"], "PASSED")
        return self.play(row, PASSED, f"{PASSED}; {until('client0.out')}; {end_of_server}")

    def test_the_pass_line_is_a_pass(self):
        self.assertEqual(self.alone(PASSED), [])

    def test_the_exit_status_does_not_tell(self):
        self.assertEqual(self.alone(f"{PASSED}; exit 1"), [])
        self.assertEqual(self.alone("exit 0"), ['the client did not say "PASSED"'])

    def test_what_it_says_besides_may_not_be_an_error(self):
        self.assertEqual(self.alone(f"{PASSED}; echo Error x"), ['the client said "Error x"'])

    def test_a_signal_behind_the_pass_line_fails(self):
        self.assertEqual(self.alone(f"{PASSED}; kill -SEGV $$"),
                         ["client: ended by signal 11, Segmentation fault"])
        self.assertEqual(self.alone(f"{PASSED}; kill -KILL $$"), ["client: ended by signal 9, Killed"])

    def test_both_sides_pass_whatever_the_exit_status(self):
        self.assertEqual(self.both("exit 1"), [])

    def test_so_does_a_signal_to_the_server(self):
        self.assertEqual(self.both("kill -ABRT $$"), ["server: ended by signal 6, Aborted"])

    def test_and_one_to_who_tells_the_server_to_quit(self):
        quits = "\n".join(f"echo '{each}'" for each in run.QUIT_SAYS)
        row = run.Row("dapltest", "-T T", ["Exiting"], "-T S", ["Ready"], "Ready")
        body = (f'case "$2" in S) echo Ready; {until("quit.out")}; echo Exiting;; T) echo Exiting;; '
                f'Q) {quits}\nkill -SEGV $$;; esac')
        self.assertEqual(self.play(row, body), ["-T Q: ended by signal 11, Segmentation fault"])

    def test_who_does_not_end_fails(self):
        with mock.patch.object(run, "LIMIT", 0.3):
            self.assertEqual(self.alone(f"{PASSED}; exec sleep 60"), ["client: not over after 0.3 s"])


class Installation(unittest.TestCase):
    def installed(self, *found):
        with mock.patch.object(run.shutil, "which", side_effect=found), \
             mock.patch.object(run.subprocess, "run") as called:
            return run.installed(), [each.args[0] for each in called.call_args_list]

    def test_what_is_there_is_not_asked_for(self):
        self.assertEqual(self.installed("/x/dtest"), (pathlib.Path("/x"), []))

    def test_what_is_missing_is_installed(self):
        self.assertEqual(self.installed(None, "/x/dtest"),
                         (pathlib.Path("/x"), [[ROOT / "scripts/deps.sh", "interop"]]))

    def test_without_them_the_stage_is_absent(self):
        said = io.StringIO()
        with mock.patch.object(run, "installed", return_value=None), contextlib.redirect_stdout(said), \
             mock.patch.object(sys, "argv", ["run.py"]):
            self.assertEqual(run.main(), 4)
        self.assertIn("scripts/deps.sh interop", said.getvalue())


if __name__ == "__main__":
    unittest.main()

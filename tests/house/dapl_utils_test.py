#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""tests/interop/dapl-utils/run.py: what it takes for a pass. Small programs replace Debian's."""

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
    """A server stays until this output of another program exists. So no client comes too late."""
    return f"until [ -e $(dirname $0)/{output} ]; do sleep 0.01; done"


HERE = types.SimpleNamespace(address="127.0.0.1", client_prefix=[], adapters=[], by_memory=False,
                             environment=dict(os.environ))


# What each program prints when something is wrong. It prints nothing else that shows that.
SAID_WHEN_WRONG = {
    "dapltest": (
        "LimitTest: dat_pz_free fails: DAT_INVALID_STATE", "LimitTest: dat_evd_free fails: DAT_INVALID_STATE",
        "LimitTest: dat_ia_close (graceful) fails: DAT_INVALID_STATE", "LimitTest: dat_cno_create unimplemented",
        "LimitTest: dat_lmr_create bogus outputs in: 0x1, 8 out 0x2, 8", "LimitTest: no memory for IOVs ",
        "DT_cs_Client: bad connection event", "DT_cs_Client: bad disconnect event",
        "DT_cs_Client: Cannot connect Endpoint DAT_MODEL_NOT_SUPPORTED", "Client: Cannot Create Test!",
        "DT_cs_Client: cannot post Server_Info recv buffer.", "DT_cs_Client: cannot send Command",
        "Warning: dto_event_wait swallowing DAT_CONNECTION_EVENT_BROKEN event", "\tGot NULL cr_handle",
        "Warning: conn_event_wait DAT_TIMEOUT", "Test[f231]: Warning: Bpool destroy fails",
        "--Private Data mismatch!", "DT_cs_Client: retrying connection...", "Unknown Test Type",
        "Warning: Destroy bpool fails, reboot for cleanup", "Connection rejected by peer; retrying",
        "Test Error: Send: Invalid endpoint completion reaped.", "Reposting!!! 1",
        "NOTICE: server already started for this NIC: x", "Command line syntax error",
        "Result: UNSUPP", "Result: FAIL", "Result: use other test tool", "Result: next stage to develop",
        "Result: not support or next stage to develop",
        " \t\tfff not get expected result when open NIC with device name: x",
        "----- Test completed successfully, but no operations!", "----- enough time has lapsed."),
    "dtest": (
        "1 Error unexpected cr event : DAT_X", "unexpected event data for receive: len=1 cookie=2 exp 3/4",
        " WARNING: CNO notification: without EVD?", "1 no address", "1 Couldn't send data",
        " RCV EVD ENTRY: op=1 stat=2 ln=3 ck=4", "1 SERVER RW pingpong: 0x1, last *buf 1 != cnt 2",
        "1: ERR: Tx data from server wrong", "1 No valid data was received from the server"),
    "dtestx": (
        "dat_ep_free returned DAT_INVALID_STATE : DAT_INVALID_STATE_EP_CONNECTED",
        "unexpected event, !conn established: 0x4003", "unexpected event,!conn req: 0x1",
        "wrong UD ext_event type: 0x1", "wrong cr event data", "event status returned DAT_ABORT : ",
        "Skipping CMP and SWAP as it is not supported by HW", "1 ERROR: IB extension not supported"),
    "dtestcm": (" ERR free EP[1] 0x1: DAT_X", " disconnect: invalid EP[1] 0x1 via DISC event!",
                " ASYNC EVD ENTRY: handle=0x1 reason=2"),
    "dtestsrq": (" Err freeing SRQ: DAT_X", " Err unexpected conn event : 0x4003 DAT_X",
                 " disconnect: invalid EP[1] 0x1 via DISC event!", " Invalid async event number 0x1 expected 0x2",
                 " Invalid EP via async event. conn event EP = 0x1, async event EP = 0x2"),
}


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

    def test_no_line_of_any_program_that_tells_of_a_fault_passes(self):
        for program, lines in SAID_WHEN_WRONG.items():
            for line in lines:
                with self.subTest(program=program, line=line):
                    row = run.Row(program, "-x", ["PASSED"])
                    (self.place / "line").write_text(f"{line}\n")
                    self.assertEqual(self.play(row, f"{PASSED}; cat {self.place}/line"),
                                     [f'the client said "{line.strip()}"'])

    def test_a_number_tells_of_no_fault_however_it_ends(self):
        self.assertEqual(self.alone(f"{PASSED}; echo qpn=0x922bad va=5643d0cebad len=0x100"), [])

    def test_what_is_a_remark_of_the_row_may_be_said(self):
        row = run.Row("dapltest", "-T L", ["PASSED"], remarks=("dat_ep_post_recv fails: DAT_X",))
        self.assertEqual(self.play(row, f"{PASSED}; echo dat_ep_post_recv fails: DAT_X"), [])
        self.assertEqual(self.play(row, f"{PASSED}; echo dat_ep_free fails: DAT_X"),
                         ['the client said "dat_ep_free fails: DAT_X"'])

    def test_each_case_has_to_pass(self):
        row = run.Row("dapltest", "-T F -f pz", [], cases=2)
        case = "echo Result: PASS"
        self.assertEqual(self.play(row, f"{case}; {case}"), [])
        self.assertEqual(self.play(row, case), ["1 of 2 cases passed"])
        self.assertEqual(self.play(row, f"{case}; {case}; {case}"), ["3 of 2 cases passed"])

    def test_a_server_of_dapltest_without_arguments_gets_none(self):
        quits = "; ".join(f"echo '{each}'" for each in run.QUIT_SAYS)
        row = run.Row("dapltest", "-T T", ["PASSED"], "", ["Exiting"], "Ready")
        body = (f'case "$#" in 0) echo Ready; {until("quit.out")}; echo Exiting;; '
                f'*) {PASSED}; if [ "$2" = Q ]; then {quits}; fi;; esac')
        self.assertEqual(self.play(row, body), [])

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

    def without_them(self, environment):
        said, complained = io.StringIO(), io.StringIO()
        with mock.patch.object(run, "installed", return_value=None), \
             contextlib.redirect_stdout(said), contextlib.redirect_stderr(complained), \
             mock.patch.dict(os.environ, environment), mock.patch.object(sys, "argv", ["run.py"]):
            return run.main(), said.getvalue(), complained.getvalue()

    def test_without_them_the_stage_is_absent(self):
        status, said, _ = self.without_them({"CI": ""})
        self.assertEqual(status, 4)
        self.assertIn("scripts/deps.sh interop", said)

    def test_without_them_ci_fails_and_names_the_command_that_installs_them(self):
        status, _, complained = self.without_them({"CI": "true"})
        self.assertEqual(status, 1)
        self.assertIn("make deps GROUPS=interop", complained)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
""".ci/run with stages of the test: which faults fail the run, which are only named, which end a stage."""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop())


class CiRun(unittest.TestCase):
    def run_stages(self, stages, *names):
        with tempfile.TemporaryDirectory() as folder:
            ci = pathlib.Path(folder, ".ci")
            ci.mkdir()
            shutil.copy(ROOT / ".ci/run", ci / "run")
            (ci / "stages").write_text(stages)
            done = subprocess.run(
                [ci / "run", *names], capture_output=True, text=True, check=False)
            return done.returncode, done.stdout, done.stderr

    def test_all_passed(self):
        status, output, _ = self.run_stages("# comment\none 5 true\ntwo 7 true\n")
        self.assertEqual(status, 0)
        self.assertRegex(output, r"(?m)^one +5 +\d+  passed$")
        self.assertRegex(output, r"(?m)^total +12 +\d+$")

    def test_a_failed_stage_fails_the_run_and_the_next_ones_still_run(self):
        status, output, _ = self.run_stages("one 5 exit 3\ntwo 5 true\n")
        self.assertEqual(status, 1)
        self.assertRegex(output, r"(?m)^one +5 +\d+  FAILED \(3\)$")
        self.assertRegex(output, r"(?m)^two +5 +\d+  passed$")

    def test_what_a_failed_stage_said_last_is_said_again_at_the_end(self):
        _, output, _ = self.run_stages("one 5 seq 100; echo why >&2; exit 3\ntwo 5 seq 500 600\n")
        self.assertEqual(output.count("\nwhy\n"), 2)
        again = output.partition("=== one failed; its last lines again:\n")[2].splitlines()
        self.assertEqual(again[0], "62")
        self.assertEqual(again[38:40], ["100", "why"])
        self.assertNotIn("=== two failed", output)

    def test_what_a_stage_leaves_running_keeps_nobody_waiting(self):
        status, _, _ = self.run_stages("one 5 sleep 60 & echo $! >left\ntwo 5 kill $(cat left)\n")
        self.assertEqual(status, 0)

    def test_an_absent_stage_is_named_and_is_not_passed(self):
        status, output, _ = self.run_stages("one 5 exit 4\ntwo 5 true\n")
        self.assertEqual(status, 0)
        self.assertRegex(output, r"(?m)^one +5 +\d+  absent$")
        self.assertIn("absent, nothing in this tree to check: one\n", output)

    def test_a_run_of_nothing_fails(self):
        for stages in ("", "# none\n", "one 5 exit 4\n"):
            status, _, complained = self.run_stages(stages)
            self.assertEqual(status, 1, stages)
            self.assertIn("nothing ran\n", complained)

    def test_a_stage_that_was_killed_is_not_out_of_time(self):
        status, output, _ = self.run_stages("one 60 kill -KILL $$\ntwo 5 true\n")
        self.assertEqual(status, 1)
        self.assertRegex(output, r"(?m)^one +60 +\d+  killed$")

    def test_help_is_what_stands_above(self):
        status, output, _ = self.run_stages("one 5 true\n", "--help")
        self.assertEqual(status, 0)
        self.assertTrue(output.startswith("All checks, "), output)
        self.assertTrue(output.endswith("there is no such stage.\n"), output)

    def test_a_stage_past_its_budget_fails(self):
        status, output, _ = self.run_stages("one 1 sleep 600\n")
        self.assertEqual(status, 1)
        self.assertRegex(output, r"(?m)^one +1 +\d+  out of time$")

    def test_a_stage_may_use_what_earlier_ones_left(self):
        status, output, _ = self.run_stages("one 9 true\ntwo 1 sleep 2\n")
        self.assertEqual(status, 0)
        self.assertRegex(output, r"(?m)^two +1 +[2-9]  passed$")

    def test_a_stage_that_failed_late_leaves_nothing(self):
        status, output, _ = self.run_stages("one 1 sleep 600\ntwo 1 sleep 600\n")
        self.assertEqual(status, 1)
        self.assertRegex(output, r"(?m)^two +1 +\d  out of time$")

    def test_a_stage_that_reads_its_input_does_not_eat_the_next_stage(self):
        _, output, _ = self.run_stages("one 5 cat\ntwo 5 true\n")
        self.assertRegex(output, r"(?m)^two +5 +\d+  passed$")

    def test_named_stages_run_alone(self):
        status, output, _ = self.run_stages("one 5 false\ntwo 5 true\n", "two")
        self.assertEqual(status, 0)
        self.assertNotIn("=== one", output)

    def test_an_unknown_stage_is_refused(self):
        status, _, error = self.run_stages("one 5 true\n", "three")
        self.assertEqual(status, 2)
        self.assertIn('no stage "three"; there are: one', error)

    def test_budgets_past_an_hour_are_refused(self):
        status, _, error = self.run_stages("one 3600 true\ntwo 1 true\n")
        self.assertEqual(status, 2)
        self.assertIn("sum to 3601 s", error)

    def test_the_stages_of_this_tree_fit_into_the_hour(self):
        done = subprocess.run([ROOT / ".ci/run", "--list"], capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("make test", done.stdout)


if __name__ == "__main__":
    unittest.main()

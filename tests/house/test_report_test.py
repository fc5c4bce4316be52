#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""scripts/test_report.py counts what ctest wrote, and fails where a run must fail."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop())

PASSED = '<testcase name="A.Ok" status="run"/>'
FAILED = (
    '<testcase name="p/B.Bad" status="fail"><failure message=""/>'
    "<system-out>one\n\nb.cc:7: Failure\n</system-out></testcase>"
)
NOT_STARTED = (
    '<testcase name="C.Gone" status="notrun"><skipped message="Unable to find executable"/></testcase>'
)
SKIPPED = (
    '<testcase name="D.Skip" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/>'
    "<system-out>d.cc:1: Skipped\nno second core\n[  SKIPPED ] D.Skip</system-out></testcase>"
)
PROGRAM = '<testcase name="sim2/suite" status="run"/>'
PROGRAM_SILENT = (
    '<testcase name="A.Ok" status="run"><system-out>[==========] 3 tests ran.\n'
    "[  SKIPPED ] 2 tests.</system-out></testcase>"
)
INSIDE = (
    '<testsuites><testsuite><testcase name="Ok" status="run" result="completed" classname="F"/>'
    '<testcase name="Skip/0" status="run" result="skipped" classname="P/F">'
    '<skipped message="f.cc:1&#x0A;one process"><![CDATA[f.cc:1\none process]]></skipped></testcase>'
    "</testsuite></testsuites>"
)
INSIDE_FAILED = (
    '<testsuites><testsuite><testcase name="Ok" status="run" result="completed" classname="F"/>'
    '<testcase name="Bad" status="run" result="completed" classname="F">'
    '<failure message="f.cc:9&#x0A;no such thing"/></testcase></testsuite></testsuites>'
)
INSIDE_NONE = (
    '<testsuites><testsuite><testcase name="Ok" status="notrun" result="suppressed" classname="F"/>'
    "</testsuite></testsuites>"
)
INSIDE_DISABLED = (
    '<testsuites><testsuite><testcase name="Ok" status="run" result="completed" classname="F"/>'
    '<testcase name="Other" status="notrun" result="suppressed" classname="F"/>'
    '<testcase name="DISABLED_Off" status="notrun" result="suppressed" classname="F"/>'
    "</testsuite></testsuites>"
)
PROGRAM_FAILED = '<testcase name="sim2/suite" status="fail"><failure message=""/></testcase>'
DISABLED = '<testcase name="E.Off" status="disabled"/>'


class TestReport(unittest.TestCase):
    def report(self, cases, skips="", programs=()):
        with tempfile.TemporaryDirectory() as folder:
            build = pathlib.Path(folder, "build/dev")
            build.mkdir(parents=True)
            (build / "CTestTestfile.cmake").write_text(
                'add_test([=[sim2/suite]=] "/bin/true" "--quick" "--gtest_output=xml:suite.xml")\n'
                'add_test([=[A.Ok]=] "/bin/false")\n')
            for name, inside in programs:
                written = build / "program-results" / (name + ".xml")
                written.parent.mkdir(parents=True)
                written.write_text(inside)
            results, list_of_skips = pathlib.Path(folder, "r.xml"), pathlib.Path(folder, "s.txt")
            results.write_text("<testsuite>" + "".join(cases) + "</testsuite>")
            list_of_skips.write_text(skips)
            done = subprocess.run(
                [sys.executable, ROOT / "scripts/test_report.py", "build/dev", results, list_of_skips],
                cwd=folder, capture_output=True, text=True, check=False)
            return done.returncode, done.stdout, done.stderr

    def last_line(self, *arguments):
        status, output, _ = self.report(*arguments)
        return status, output.splitlines()[-1]

    def test_all_passed(self):
        self.assertEqual(self.last_line([PASSED]), (0, "1 passed, 0 failed, 0 skipped"))

    def test_a_failure_fails_and_names_its_rerun_line(self):
        status, output, _ = self.report([PASSED, FAILED])
        self.assertEqual(status, 1)
        self.assertIn("ctest --test-dir build/dev --output-on-failure -R '^p/B\\.Bad$'", output)
        self.assertIn("      | one\n      | b.cc:7: Failure\n", output)
        self.assertTrue(output.endswith("1 passed, 1 failed, 0 skipped\n"), output)

    def test_a_test_that_could_not_start_failed(self):
        self.assertEqual(self.last_line([NOT_STARTED]), (1, "0 passed, 1 failed, 0 skipped"))

    def test_an_unlisted_skip_fails_and_shows_its_reason(self):
        status, output, _ = self.report([PASSED, SKIPPED])
        self.assertEqual(status, 1)
        self.assertIn("D.Skip: no second core", output)
        self.assertIn("1 passed, 0 failed, 1 skipped", output)

    def test_a_listed_skip_passes(self):
        self.assertEqual(
            self.last_line([PASSED, SKIPPED], "D.*: needs two cores\n"),
            (0, "1 passed, 0 failed, 1 skipped"))

    def test_many_that_were_skipped_for_one_reason_are_one_line(self):
        cases = [SKIPPED.replace("D.Skip", f"D.Skip{i}") for i in range(10)]
        status, output, _ = self.report([PASSED, *cases], "D.*: one core\n")
        self.assertEqual(status, 0)
        self.assertEqual(output.count("no second core"), 1)
        self.assertIn("D.Skip0 and 9 more: no second core\n", output)
        self.assertIn("1 passed, 0 failed, 10 skipped", output)

    def test_of_many_that_were_skipped_the_unlisted_are_named(self):
        cases = [SKIPPED.replace("D.Skip", f"D.Skip{i}") for i in range(10)]
        status, output, _ = self.report([PASSED, *cases], "D.Skip[0-8]: one core\n")
        self.assertEqual(status, 1)
        self.assertIn("D.Skip9: no second core   [not in", output)
        self.assertIn("1 skipped without standing in", output)

    def test_a_disabled_test_is_a_skip(self):
        self.assertEqual(self.last_line([PASSED, DISABLED])[0], 1)

    def test_a_listed_skip_without_a_reason_is_refused(self):
        status, _, error = self.report([PASSED], "D.Skip\n")
        self.assertEqual(status, 1)
        self.assertIn(":1: expected `pattern: reason`", error)

    def test_what_a_whole_program_skipped_counts_under_the_name_of_a_test_of_its_own(self):
        status, output, _ = self.report([PASSED, PROGRAM], "", [("sim2/suite", INSIDE)])
        self.assertEqual(status, 1)
        self.assertIn("  sim2/P/F.Skip/0: one process   [not in ", output)
        self.assertTrue(output.endswith("2 passed, 0 failed, 1 skipped\n"), output)
        self.assertEqual(
            self.last_line([PASSED, PROGRAM], "sim*/P/F.*: one\n", [("sim2/suite", INSIDE)]),
            (0, "2 passed, 0 failed, 1 skipped"))

    def test_what_failed_inside_a_whole_program_is_named_and_the_rest_counts_as_passed(self):
        status, output, _ = self.report([PASSED, PROGRAM_FAILED], "", [("sim2/suite", INSIDE_FAILED)])
        self.assertEqual(status, 1)
        self.assertIn("  sim2/F.Bad\n    /bin/true --quick --gtest_filter=F.Bad\n"
                      "      | f.cc:9\n      | no such thing\n", output)
        self.assertTrue(output.endswith("2 passed, 1 failed, 0 skipped\n"), output)

    def test_a_whole_program_that_failed_after_all_its_tests_is_named_itself(self):
        status, output, _ = self.report([PROGRAM_FAILED], "", [("sim2/suite", INSIDE)])
        self.assertEqual(status, 1)
        self.assertIn("  sim2/suite\n    ctest", output)

    def test_a_whole_program_that_ended_in_the_midst_of_a_test_is_named_itself(self):
        status, output, _ = self.report([PROGRAM_FAILED])
        self.assertEqual(status, 1)
        self.assertIn("  sim2/suite\n    ctest", output)

    def test_a_program_that_skipped_and_does_not_say_what_fails(self):
        status, output, _ = self.report([PROGRAM_SILENT])
        self.assertEqual(status, 1)
        self.assertIn("  A.Ok: 2 inside it, which wrote no ", output)

    def test_a_whole_program_that_ended_in_the_midst_and_says_that_all_is_well_fails(self):
        status, output, _ = self.report([PASSED, PROGRAM])
        self.assertEqual(status, 1)
        self.assertIn("  sim2/suite (ran none of its tests)\n    ctest", output)
        self.assertTrue(output.endswith("1 passed, 1 failed, 0 skipped\n"), output)

    def test_a_whole_program_of_which_a_filter_left_nothing_fails(self):
        status, output, _ = self.report([PROGRAM], "", [("sim2/suite", INSIDE_NONE)])
        self.assertEqual(status, 1)
        self.assertIn("  sim2/suite (ran none of its tests)\n", output)

    def test_what_is_disabled_inside_a_whole_program_is_a_skip(self):
        status, output, _ = self.report([PROGRAM], "", [("sim2/suite", INSIDE_DISABLED)])
        self.assertEqual(status, 1)
        self.assertIn("  sim2/F.DISABLED_Off: disabled   [not in ", output)
        self.assertTrue(output.endswith("1 passed, 0 failed, 1 skipped\n"), output)

    def test_a_whole_program_that_wrote_half_its_results_fails(self):
        self.assertEqual(self.report([PROGRAM], "", [("sim2/suite", INSIDE[:40])])[0], 1)

    def test_a_run_of_nothing_fails(self):
        self.assertEqual(self.report([])[0], 1)


if __name__ == "__main__":
    unittest.main()

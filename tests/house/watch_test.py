#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""tests/arch/watch.py ends a program that hangs, and names the test in which a program hangs or ends."""

import pathlib
import subprocess
import sys
import time
import unittest

ROOT = pathlib.Path(sys.argv.pop())
SUCCESS = """
echo '[ RUN      ] A.Succeeds'
echo 'the test says this'
echo '[       OK ] A.Succeeds (0 ms)'
"""


class Watch(unittest.TestCase):
    def watch(self, script, *words, seconds="1"):
        done = subprocess.run([ROOT / "tests/arch/watch.py", seconds, "sh", "-c", script, *words],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout

    def test_brief_keeps_the_names_to_itself_and_nothing_else(self):
        self.assertEqual(self.watch(SUCCESS, "--gtest_brief=1"), (0, "the test says this\n"))
        self.assertEqual(self.watch(SUCCESS), (0, SUCCESS.replace("echo '", "").replace("'", "").lstrip()))

    def test_the_program_does_not_learn_that_it_is_to_be_brief(self):
        self.assertEqual(self.watch('echo "$@"', "zero", "--gtest_brief=1", "--other"), (0, "--other\n"))

    def test_the_status_is_the_programs(self):
        self.assertEqual(self.watch("exit 7"), (7, ""))

    def test_a_failure_is_passed_on_and_is_the_end_of_its_test(self):
        told = "[  FAILED  ] A.Fails (0 ms)\n"
        self.assertEqual(self.watch(f"echo '[ RUN      ] A.Fails'; printf '{told}'; exit 1", "--gtest_brief=1"), (1, told))

    def test_a_program_that_hangs_is_ended_and_its_test_named(self):
        status, said = self.watch(SUCCESS + "echo '[ RUN      ] A.Hangs'; exec sleep 1000")
        self.assertEqual((status, said.splitlines()[-1]), (124, "watch.py: A.Hangs: not done after 1 s, ended"))

    def test_what_a_test_says_is_no_progress(self):
        status, _ = self.watch("echo '[ RUN      ] A.Talks'; while :; do echo and; sleep 0.01; done")
        self.assertEqual(status, 124)

    def test_the_test_in_which_a_program_ends_is_named(self):
        status, said = self.watch("echo '[ RUN      ] A.Dies'; kill -ABRT $$")
        self.assertEqual((status, said.splitlines()[-1]), (134, "watch.py: the program ended in A.Dies: -6"))

    def test_what_a_program_leaves_behind_is_not_waited_for(self):
        began = time.monotonic()
        self.assertEqual(self.watch("sleep 30 2>/dev/null & echo done", seconds="20"), (0, "done\n"))
        self.assertLess(time.monotonic() - began, 10)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""scripts/check-subjects.sh finds subjects that are too long or not in the imperative, and only those."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop())
GIT = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]


class Subjects(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.tree = pathlib.Path(self.folder.name)
        self.git("init", "-q", ".")
        self.commit("a subject of before, about which nobody asks.")
        self.since(self.git("rev-parse", "HEAD"))

    def tearDown(self):
        self.folder.cleanup()

    def git(self, *words):
        return subprocess.run([*GIT, *words], cwd=self.tree, capture_output=True, text=True, check=True).stdout.strip()

    def since(self, commit):
        (self.tree / "since").write_text(f"# a comment\n{commit}\n")

    def commit(self, subject):
        self.git("commit", "-q", "--allow-empty", "-m", subject)

    def check(self):
        done = subprocess.run([ROOT / "scripts/check-subjects.sh", "since"], cwd=self.tree,
                              capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def test_nothing_new_is_no_finding(self):
        self.assertEqual(self.check(), (0, "subjects: 0 commits, 0 findings\n"))

    def test_imperatives_of_72_characters_pass(self):
        for subject in ("Pass what comes", "Embed the fonts", "Process each", "Bring it back", "Need less memory",
                        "A" + "d" * 2 + " " + "x" * 68):
            self.commit(subject)
        self.assertEqual(self.check(), (0, "subjects: 6 commits, 0 findings\n"))

    def test_each_fault_is_found(self):
        for subject, why in (("A" + "d" * 2 + " " + "x" * 69, "73 characters, 72 at most"),
                             ("Mend it.", "a full stop at its end"),
                             ("fix: it", "it begins with no verb"), ("mend it", "it begins with no verb"),
                             ("Mended it", "its verb is not in the imperative"),
                             ("Mending it", "its verb is not in the imperative"),
                             ("Mends it", "its verb is not in the imperative")):
            self.commit(subject)
            status, said = self.check()
            self.assertIn(f"{why}: {subject}", said)
            self.assertEqual(status, 1)
            self.git("reset", "-q", "--hard", "HEAD~1")

    def test_a_merge_may_say_what_it_likes(self):
        branch = self.git("rev-parse", "--abbrev-ref", "HEAD")
        self.git("checkout", "-q", "-b", "side")
        self.commit("Mend the side")
        self.git("checkout", "-q", branch)
        self.git("merge", "-q", "--no-ff", "-m", "merged: " + "x" * 80, "side")
        self.assertEqual(self.check(), (0, "subjects: 1 commits, 0 findings\n"))

    def test_without_that_commit_there_is_nothing_to_check(self):
        self.since("0" * 40)
        status, said = self.check()
        self.assertEqual(status, 4, said)
        self.assertIn("is not in the history here", said)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""scripts/deps.sh on a machine that lacks something, as root and as another user.

The machine is made of small programs that stand before the real ones in PATH and write down how
they were called.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop())
ALL_THERE = 'shift 3; for p in "$@"; do echo "installed $p"; done'
NO_CMAKE = 'shift 3; for p in "$@"; do [ "$p" = cmake ] || echo "installed $p"; done; exit 1'


class Deps(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.bin = pathlib.Path(self.folder.name)
        self.calls = self.bin / "calls"
        self.program("sudo", "exit 1")
        self.program("apt-get", f'echo "apt-get $*" >>{self.calls}')

    def tearDown(self):
        self.folder.cleanup()

    def program(self, name, body):
        file = self.bin / name
        file.write_text(f"#!/bin/sh\n{body}\n")
        file.chmod(0o755)

    def deps(self, *arguments, uid=1000, **variables):
        self.program("id", f"echo {uid}")
        done = subprocess.run(
            [ROOT / "scripts/deps.sh", *arguments], capture_output=True, text=True, check=False,
            env={**os.environ, **variables, "PATH": f"{self.bin}:{os.environ['PATH']}"})
        calls = self.calls.read_text().splitlines() if self.calls.exists() else []
        return done, calls

    def test_nothing_missing_asks_nobody(self):
        self.program("dpkg-query", ALL_THERE)
        done, calls = self.deps()
        self.assertEqual((done.returncode, done.stdout, done.stderr, calls), (0, "", "", []))

    def test_packages_are_left_alone_where_the_caller_says_so(self):
        self.program("dpkg-query", NO_CMAKE)
        for arguments in ([], ["--check"], ["build", "check"]):
            with self.subTest(arguments=arguments):
                done, calls = self.deps(*arguments, uid=0, DEPS="no")
                self.assertEqual((done.returncode, done.stdout, done.stderr, calls), (0, "", "", []))

    def test_another_word_for_packages_is_refused(self):
        done, calls = self.deps(uid=0, DEPS="off")
        self.assertEqual((done.returncode, calls), (2, []))
        self.assertIn("DEPS=off: expected yes or no", done.stderr)

    def test_root_updates_the_lists_and_installs_what_is_missing(self):
        self.program("dpkg-query", NO_CMAKE)
        done, calls = self.deps("build", uid=0)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(calls), 2, calls)
        self.assertTrue(calls[0].endswith(" update"), calls)
        self.assertTrue(calls[1].endswith(" install -y --no-install-recommends cmake"), calls)

    def test_sudo_without_a_password_is_used(self):
        self.program("dpkg-query", NO_CMAKE)
        self.program("sudo", f'echo "sudo $*" >>{self.calls}; [ "$1" = -n ] || exit 1; shift; exec "$@"')
        done, calls = self.deps("build")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(calls[-1].endswith(" install -y --no-install-recommends cmake"), calls)

    def test_anybody_else_is_told_the_one_line(self):
        self.program("dpkg-query", NO_CMAKE)
        done, calls = self.deps("build")
        self.assertEqual((done.returncode, calls), (2, []))
        self.assertIn(
            "run as root: apt-get update && apt-get install -y --no-install-recommends cmake\n",
            done.stderr)

    def test_check_installs_nothing_even_for_root(self):
        self.program("dpkg-query", NO_CMAKE)
        done, calls = self.deps("--check", "build", uid=0)
        self.assertEqual((done.returncode, calls), (2, []))
        self.assertIn("missing packages: cmake\n", done.stderr)
        self.assertIn("make deps\n", done.stderr)

    def test_a_failed_installation_says_what_and_exits_2(self):
        self.program("dpkg-query", NO_CMAKE)
        self.program("apt-get", "exit 100")
        done, _ = self.deps("build", uid=0)
        self.assertEqual(done.returncode, 2)
        self.assertIn("could not install: cmake", done.stderr)

    def test_an_unknown_group_is_refused_with_the_known_ones(self):
        done, calls = self.deps("biuld")
        self.assertEqual((done.returncode, calls), (2, []))
        self.assertIn('group "biuld" is unknown; the groups are: build test check', done.stderr)

    def test_every_package_has_a_known_group_and_a_reason(self):
        done, _ = self.deps("--list")
        for line in done.stdout.splitlines():
            group, package, reason = line.split(None, 2)
            self.assertIn(group, ("build", "test", "check", "interop", "bench", "coverage", "siw", "system", "arch",
                                  "machine", "deb", "dist", "portable", "rpm", "musl"))
            self.assertRegex(package, r"^[a-z0-9][a-z0-9+.-]+$")
            self.assertGreater(len(reason), 10, line)


if __name__ == "__main__":
    unittest.main()

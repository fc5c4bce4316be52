#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""tests/interop/tshark/run.py: what it prints if tshark is not installed."""

import contextlib
import importlib.util
import io
import os
import pathlib
import sys
import unittest
from unittest import mock

ROOT = pathlib.Path(sys.argv.pop())
SPEC = importlib.util.spec_from_file_location("run", ROOT / "tests/interop/tshark/run.py")
run = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(run)


class Missing(unittest.TestCase):
    def without_tshark(self, environment):
        said, complained = io.StringIO(), io.StringIO()
        with mock.patch.object(run.shutil, "which", return_value=None), \
             contextlib.redirect_stdout(said), contextlib.redirect_stderr(complained), \
             mock.patch.dict(os.environ, environment):
            return run.main(), said.getvalue(), complained.getvalue()

    def test_at_a_desk_the_stage_is_absent(self):
        status, said, _ = self.without_tshark({"CI": ""})
        self.assertEqual(status, 4)
        self.assertIn("absent: ", said)

    def test_in_ci_it_fails_and_names_the_command_that_installs_it(self):
        status, _, complained = self.without_tshark({"CI": "true"})
        self.assertEqual(status, 1)
        self.assertIn("make deps GROUPS=check", complained)


if __name__ == "__main__":
    unittest.main()

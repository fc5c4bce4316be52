#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""scripts/check-layers.py finds each kind of wrong include, and only those."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop())


class CheckLayers(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.tree = pathlib.Path(self.folder.name)
        self.write("scripts/layers.rules", (ROOT / "scripts/layers.rules").read_text())

    def tearDown(self):
        self.folder.cleanup()

    def write(self, path, text):
        file = self.tree / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def check(self):
        done = subprocess.run(
            [sys.executable, ROOT / "scripts/check-layers.py", self.tree],
            capture_output=True, text=True, check=False)
        return done.returncode, done.stdout

    def assert_finds(self, finding):
        status, output = self.check()
        self.assertIn(finding, output)
        self.assertEqual(status, 1, output)

    def test_includes_along_the_arrows_pass(self):
        self.write("src/core/port/a.cc", '#include "core/port/a.h"\n#include "base/x.h"\n#include <vector>\n')
        self.write("src/facade/b.cc", "#include <dat/udat.h>\n#include \"core/port/a.h\"\n")
        self.assertEqual(self.check(), (0, "layers: 2 files, 0 findings\n"))

    def test_core_may_not_include_dat(self):
        self.write("src/core/port/a.cc", "\n#include <dat/udat.h>\n")
        self.assert_finds("src/core/port/a.cc:2: core/port may not include dat (dat/udat.h)")

    def test_registry_may_not_include_core(self):
        self.write("src/registry/a.cc", '#include "core/endpoint/endpoint.h"\n')
        self.assert_finds("src/registry/a.cc:1: registry may not include core/endpoint (core/endpoint/endpoint.h)")

    def test_base_may_not_include_dat(self):
        self.write("src/base/a.h", "#include <dat/dat.h>\n")
        self.assert_finds("src/base/a.h:1: base may not include dat (dat/dat.h)")

    def test_one_transport_may_not_include_another(self):
        self.write("src/transport/shm/a.cc", '#include "transport/sim/world.h"\n')
        self.assert_finds("transport/shm may not include transport/sim")

    def test_a_transport_sees_the_port_of_the_core_alone(self):
        self.write("src/transport/link/a.cc", '#include "core/endpoint/endpoint.h"\n')
        self.assert_finds("transport/link may not include core/endpoint")

    def test_a_detour_through_the_parent_folder_is_seen(self):
        self.write("src/registry/r.h", "")
        self.write("src/core/port/a.cc", '#include "../../registry/r.h"\n')
        self.assert_finds("src/core/port/a.cc:1: core/port may not include registry (../../registry/r.h)")

    def test_core_may_not_include_sockets(self):
        self.write("src/core/port/a.cc", "#include <sys/socket.h>\n")
        self.assert_finds("src/core/port/a.cc:1: core/port is pure, but this includes <sys/socket.h>")

    def test_core_may_not_read_a_clock(self):
        self.write("src/core/port/a.cc", "auto t = std::chrono::steady_clock::now();\n")
        self.assert_finds("src/core/port/a.cc:1: core/port is pure, but this uses steady_clock")

    def test_a_clock_named_in_a_comment_is_no_clock(self):
        self.write("src/core/port/a.cc", "// steady_clock is the caller's business\n")
        self.assertEqual(self.check()[0], 0)

    def test_protocol_code_does_no_io(self):
        self.write("src/transport/link/a.cc", "#include <unistd.h>\n")
        self.assert_finds("transport/link is pure, but this includes <unistd.h>")

    def test_an_exception_that_is_listed_passes(self):
        rules = (ROOT / "scripts/layers.rules").read_text()
        self.write("scripts/layers.rules", rules + "allow core/port/a.cc: unistd.h\n")
        self.write("src/core/port/a.cc", "#include <unistd.h>\n")
        self.assertEqual(self.check()[0], 0)

    def test_a_folder_without_a_rule_is_a_finding(self):
        self.write("src/helpers/a.cc", "")
        self.assert_finds("src/helpers/a.cc lies in no layer that scripts/layers.rules names")

    def test_a_tree_without_sources_does_not_pass(self):
        self.write("src/README", "")
        self.assertEqual(self.check()[0], 1)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`make bench` looks for its programs where the preset that it builds puts them."""
import json
import pathlib
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop() if len(sys.argv) > 1 else ".").resolve()
sys.path.insert(0, str(ROOT / "scripts"))
sys.dont_write_bytecode = True
import bench  # noqa: E402


def built_in(preset):
    """The folder that a preset of CMakePresets.json builds in, of its own or inherited."""
    known = {each["name"]: each for each in json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]}
    folder = preset
    while "binaryDir" not in known[folder]:
        folder = known[folder]["inherits"]
    return known[folder]["binaryDir"].replace("${sourceDir}/", "").replace("${presetName}", preset)


class Programs(unittest.TestCase):
    def test_are_looked_for_where_they_are_built(self):
        self.assertEqual(bench.parser().get_default("bin"), built_in("bench") + "/bin")


if __name__ == "__main__":
    unittest.main()

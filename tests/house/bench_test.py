#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`make bench` looks for its programs where the preset that it builds puts them, and its tables say what a
reader needs: which peers have no goal, and whether the machine is a virtual one."""
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


class Tables(unittest.TestCase):
    @staticmethod
    def row(figure):
        bar = bench.Bar("send", "-t send-lat -s 8", "<=", 2, peers=(("ucx tag_lat 8", "latency"),),
                        shown=(("sockperf spinning 8", "latency"),))
        kept = [{"figure": figure, "limit": 100, "limit_name": "ring", "ratio": figure / 100, "remark": "",
                 "peers": {"ucx tag_lat 8": 100, "sockperf spinning 8": 100}}]
        return bench.row(bar, kept, 0)

    def test_a_peer_without_a_goal_is_marked_and_never_behind(self):
        self.assertIn("| **no** | 1 | 1.50 x ucx tag_lat 8 (behind); 1.50 x sockperf spinning 8 (no goal) |",
                      self.row(150))
        self.assertIn("| yes | 1 | 0.50 x ucx tag_lat 8; 0.50 x sockperf spinning 8 (no goal) |", self.row(50))

    def test_a_virtual_machine_is_called_one(self):
        self.assertEqual("AMD EPYC", bench.processor("model name\t: AMD EPYC\nflags\t\t: fpu sse\n"))
        self.assertEqual("AMD EPYC (a virtual machine)",
                         bench.processor("model name\t: AMD EPYC\nflags\t\t: fpu hypervisor sse\n"))


if __name__ == "__main__":
    unittest.main()

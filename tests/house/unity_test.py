#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Two sources of a target may have one name each to themselves (cmake/DatumUnity.cmake), together and apart."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

TREE = pathlib.Path(sys.argv.pop(1))

PROJECT = f"""
cmake_minimum_required(VERSION 3.22)
project(unity CXX)
include({TREE}/cmake/DatumUnity.cmake)
add_executable(program one.cc two.cc)
"""
SOURCE = """
namespace {{
namespace DATUM_SOURCE {{
int number() {{ return {number}; }}
}} // namespace DATUM_SOURCE
}} // namespace
int {name}() {{ return DATUM_SOURCE::number(); }}
"""
MAIN = """
int one();
int main() { return 10 * one() + two(); }
"""


class Unity(unittest.TestCase):
    def status_of_program(self, unity):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "CMakeLists.txt").write_text(PROJECT)
            (folder / "one.cc").write_text(SOURCE.format(name="one", number=1))
            (folder / "two.cc").write_text(SOURCE.format(name="two", number=2) + MAIN)
            for command in (["cmake", "-G", "Ninja", "-S", folder, "-B", folder / "build", f"-DDATUM_UNITY={unity}"],
                            ["cmake", "--build", folder / "build"]):
                built = subprocess.run(command, capture_output=True, text=True)
                self.assertEqual(built.returncode, 0, built.stdout + built.stderr)
            together = any((folder / "build").rglob("unity_0_cxx.cxx"))
            self.assertEqual(together, unity == "ON")
            return subprocess.run([folder / "build/program"]).returncode

    def test_sources_compiled_together_keep_their_names(self):
        self.assertEqual(self.status_of_program("ON"), 12)

    def test_sources_compiled_apart_keep_their_names(self):
        self.assertEqual(self.status_of_program("OFF"), 12)


if __name__ == "__main__":
    unittest.main()

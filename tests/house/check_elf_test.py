#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""scripts/check-elf.py finds search paths that lead to the current folder, and files that are not hardened."""

import json
import os
import pathlib
import platform
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop())
SOURCE = "#include <string.h>\nint main(int n, char **v) { char b[64]; strncpy(b, v[0], n); return b[0]; }\n"
HARD = ["-fstack-protector-strong", "-fPIE", "-pie", "-Wl,-z,relro", "-Wl,-z,now"]


class CheckElf(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.tree = pathlib.Path(self.folder.name)
        (self.tree / "elf").mkdir()

    def tearDown(self):
        self.folder.cleanup()

    def link(self, *options):
        source = self.tree / "a.c"
        source.write_text(SOURCE)
        subprocess.run([os.environ.get("CC", "cc"), source, "-o", self.tree / "elf/a", *options], check=True)

    def check(self, *options):
        done = subprocess.run([sys.executable, ROOT / "scripts/check-elf.py", *options, self.tree / "elf"],
                              capture_output=True, text=True, check=False)
        return done.returncode, done.stdout

    def assert_finds(self, finding, *options):
        status, output = self.check(*options)
        self.assertIn(finding, output)
        self.assertEqual(status, 1, output)

    def test_absolute_paths_and_the_place_of_the_file_pass(self):
        self.link("-Wl,-rpath,/usr/lib:$ORIGIN:$ORIGIN/../lib:${ORIGIN}/x")
        self.assertEqual(self.check(), (0, "elf: 1 files, 0 findings\n"))

    def test_empty_elements_are_found(self):
        for path in ("/usr/lib:", ":", "/a::/b"):
            self.link("-Wl,-rpath," + path)
            self.assert_finds('searches ""')

    def test_relative_elements_are_found(self):
        for path in ("lib", ".", "../lib", "$ORIGINAL/lib", "x/$ORIGIN"):
            self.link("-Wl,-rpath," + path)
            self.assert_finds(f'searches "{path}"')

    def test_the_old_tag_counts_too(self):
        self.link("-Wl,--disable-new-dtags,-rpath,lib")
        self.assert_finds('searches "lib"')

    def test_libraries_needed_by_a_relative_path_are_found(self):
        # without a name of its own, a library is needed by the path that it was linked by
        library = self.tree / "elf/libb.so"
        (self.tree / "b.c").write_text("int b;\n")
        subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", self.tree / "b.c", "-o", library], check=True)
        self.link("-Wl,--no-as-needed", os.path.relpath(library))
        self.assert_finds(f'loads "{os.path.relpath(library)}"')

    def test_an_installed_file_searches_the_installation_alone(self):
        self.link(*HARD, "-Wl,-rpath,/usr/lib")
        self.assert_finds("no part of the installation", "--installed")
        self.link(*HARD, "-Wl,-rpath,$ORIGIN/../lib")
        self.assertEqual(self.check("--installed")[0], 0)

    def test_an_installed_file_needs_lasting_libraries_alone(self):
        library = self.tree / "libfmt.so.9"
        (self.tree / "b.c").write_text("int b;\n")
        subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-Wl,-soname,libfmt.so.9", self.tree / "b.c",
                        "-o", library], check=True)
        self.link(*HARD, "-Wl,--no-as-needed", library)
        self.assertEqual(self.check()[0], 0)
        self.assert_finds('needs "libfmt.so.9"', "--installed")

    def test_each_missing_protection_is_found(self):
        for options, finding in ((["-Wl,-z,norelro"], "no read-only relocations"),
                                 (["-Wl,-z,lazy"], "bound lazily"),
                                 (["-Wl,-z,execstack"], "the stack may be executed"),
                                 (["-fno-pie", "-no-pie"], "fixed address"),
                                 (["-fno-stack-protector"], "no stack protector")):
            self.link(*HARD, *options)
            self.assert_finds(finding, "--installed")

    def test_debug_information_alone_is_no_program(self):
        self.link(*HARD)
        elf = self.tree / "elf"
        subprocess.run(["objcopy", "--only-keep-debug", elf / "a", elf / "a.debug"], check=True)
        status, output = self.check("--installed")
        self.assertEqual(status, 0, output)
        self.assertIn("elf: 1 files", output)
        (elf / "a.debug").unlink()
        (elf / "a").rename(elf / "a.debug")
        self.assertIn("elf: 1 files", self.check("--installed")[1])

    def test_a_folder_without_programs_is_no_success(self):
        self.assertEqual(self.check()[0], 2)

    def test_compile_commands_lack_nothing(self):
        self.link(*HARD)
        options = ["-fstack-protector-strong", "-D_FORTIFY_SOURCE=2", "-fcf-protection=full"]
        self.assertEqual(self.check_commands(options)[0], 0)
        self.assertEqual(self.check_commands(options[:1] + options[2:], "Debug")[0], 0)
        for option in options if platform.machine() == "x86_64" else options[:2]:
            status, output = self.check_commands([o for o in options if o != option])
            self.assertEqual(status, 1, output)
            self.assertIn("compiled without", output)

    def check_commands(self, options, build_type="Release"):
        build = self.tree / "build"
        build.mkdir(exist_ok=True)
        (build / "CMakeCache.txt").write_text(f"CMAKE_BUILD_TYPE:STRING={build_type}\n")
        command = {"file": f"{ROOT}/src/a.cc", "command": " ".join(["c++", *options])}
        (build / "compile_commands.json").write_text(json.dumps([command]))
        return self.check("--commands", build)


if __name__ == "__main__":
    unittest.main()

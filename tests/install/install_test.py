#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""scripts/install.sh and uninstall.sh in a prefix with files of others: install_test.py SOURCE_DIR

The tests install small trees that stand for versions of Datum. DESTDIR has its own database of
dpkg.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop())
LIBRARY = "lib/libdat2.so.2.0.0"
HEADER = "include/dat2/udat.h"
PAGE = "share/man/man3/dat_old.3"
FIRST = {LIBRARY: "first library", HEADER: "first header", PAGE: "only in the first"}
SECOND = {LIBRARY: "second library", HEADER: "second header", "share/man/man7/dat_new.7": "only in the second"}


class Prefix(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.work = pathlib.Path(self.folder.name)
        self.root = self.work / "root"
        self.usr = self.root / "usr"
        self.usr.mkdir(parents=True)
        self.database = self.root / "var/lib/dpkg"
        (self.database / "info").mkdir(parents=True)
        (self.database / "status").write_text("")
        self.write("share/man/man3/theirs.3", "theirs")

    def tearDown(self):
        self.folder.cleanup()

    def write(self, name, text):
        file = self.usr / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def read(self, name):
        return (self.usr / name).read_text()

    def package(self, name, *files):
        """Makes a package that is installed in DESTDIR own these paths."""
        with (self.database / "status").open("a") as status:
            status.write(f"Package: {name}\nStatus: install ok installed\nMaintainer: nobody\nArchitecture: all\n"
                         "Version: 1\nDescription: of a test\n\n")
        (self.database / f"info/{name}.list").write_text("".join(f"{file}\n" for file in files))

    def build(self, files):
        """Makes a folder that looks like a build that installs these files."""
        build = self.work / "build"
        shutil.rmtree(build, ignore_errors=True)
        for name, text in files.items():
            file = build / "files" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        (build / "files/lib/libdat2.so.2").symlink_to("libdat2.so.2.0.0")
        (build / "cmake_install.cmake").write_text(
            f'file(INSTALL DESTINATION "${{CMAKE_INSTALL_PREFIX}}" TYPE DIRECTORY FILES "{build}/files/")\n')
        return build

    def script(self, name, *arguments, **environment):
        done = subprocess.run([ROOT / "scripts" / name, self.root, "/usr", *arguments], capture_output=True, text=True,
                              env={**os.environ, "DEBUG_INFO": "inside", **environment}, check=False)
        return done.returncode, done.stdout + done.stderr

    def install(self, files, **environment):
        return self.script("install.sh", self.build(files), **environment)

    def must_install(self, files):
        status, said = self.install(files)
        self.assertEqual(status, 0, said)
        return said

    def must_uninstall(self):
        status, said = self.script("uninstall.sh")
        self.assertEqual(status, 0, said)
        return said

    def tree(self):
        return {str(path.relative_to(self.usr)): path.read_bytes() if path.is_file() else None
                for path in self.usr.rglob("*")}

    def assert_refused(self, files, *lines):
        before = self.tree()
        status, said = self.install(files)
        self.assertEqual(status, 1, said)
        for line in lines:
            self.assertIn(line, said.splitlines())
        self.assertEqual(len([line for line in said.splitlines() if line.startswith("  ")]), len(lines), said)
        self.assertIn("nothing was installed", said)
        self.assertEqual(self.tree(), before)

    def test_what_others_installed_is_not_overwritten_and_its_package_is_named(self):
        self.write(LIBRARY, "of a package")
        self.write(HEADER, "of nobody")
        self.package("libdat2-2", "/usr/" + LIBRARY)
        self.assert_refused(FIRST, f"  {self.usr}/{LIBRARY} (package libdat2-2)", f"  {self.usr}/{HEADER}")

    def test_a_package_that_says_lib_for_usr_lib_is_named(self):
        self.write(LIBRARY, "of a package")
        self.package("libdat2-2", "/" + LIBRARY)
        self.assert_refused(FIRST, f"  {self.usr}/{LIBRARY} (package libdat2-2)")

    def test_a_link_that_leads_nowhere_is_not_overwritten(self):
        (self.usr / "lib").mkdir()
        (self.usr / LIBRARY).symlink_to("nowhere")
        self.assert_refused(FIRST, f"  {self.usr}/{LIBRARY}")

    def test_a_folder_in_place_of_a_file_is_refused(self):
        (self.usr / HEADER).mkdir(parents=True)
        self.assert_refused(FIRST, f"  {self.usr}/{HEADER}")
        (self.usr / HEADER).rmdir()
        self.must_install(FIRST)
        (self.usr / HEADER).unlink()
        (self.usr / HEADER).mkdir()
        self.assert_refused(SECOND, f"  {self.usr}/{HEADER}")

    def test_a_file_in_place_of_a_folder_is_refused(self):
        self.write("include", "a file")
        self.assert_refused(FIRST, f"  {self.usr}/include")

    def test_long_lists_are_shortened(self):
        files = {f"include/dat2/{number:02}.h": "" for number in range(25)}
        for name in files:
            self.write(name, "of nobody")
        status, said = self.install({LIBRARY: "", **files})
        self.assertEqual((status, said.count(".h\n")), (1, 20))
        self.assertIn("  and 5 more\n", said)

    def test_only_what_was_installed_is_removed(self):
        before = self.tree()
        self.must_install(FIRST)
        self.write("include/dat2/theirs.h", "theirs")
        self.must_uninstall()
        after = self.tree()
        self.assertEqual(after.pop("include/dat2/theirs.h"), b"theirs")
        self.assertEqual(after, {**before, "include": None, "include/dat2": None})

    def test_another_version_takes_the_place_of_the_first(self):
        before = self.tree()
        self.must_install(FIRST)
        self.must_install(SECOND)
        self.assertEqual(self.read(LIBRARY), "second library")
        self.assertFalse((self.usr / PAGE).exists())
        self.assertNotIn(PAGE, self.read("share/datum/installed.txt"))
        self.assertEqual(self.read("share/man/man3/theirs.3"), "theirs")
        self.must_install(FIRST)
        self.assertFalse((self.usr / "share/man/man7").exists())
        self.assertIn("removed 4 files", self.must_uninstall())
        self.assertEqual(self.tree(), before)

    def test_a_record_without_sums_is_understood(self):
        before = self.tree()
        record = self.usr / "share/datum/installed.txt"
        for replaced in (True, False):
            self.must_install(FIRST)
            lines = [line for line in record.read_text().splitlines() if not line.startswith("sum ")]
            record.write_text("\n".join([*lines, "file /usr/share/datum/installed.txt"]) + "\n")
            if replaced:
                self.assertNotIn("kept", self.must_install(SECOND))
                self.assertFalse((self.usr / PAGE).exists())
            self.assertIn("removed 4 files", self.must_uninstall())
            self.assertEqual(self.tree(), before)

    def test_an_installation_over_a_changed_file_keeps_a_copy_of_it(self):
        self.must_install(FIRST)
        self.write(HEADER, "changed")
        self.assertIn(f"kept what was changed in {self.usr}/{HEADER} as {self.usr}/{HEADER}.saved\n",
                      self.must_install(SECOND))
        self.assertEqual((self.read(HEADER), self.read(HEADER + ".saved")), ("second header", "changed"))
        self.write(HEADER, "changed again")
        self.must_install(SECOND)
        self.assertEqual((self.read(HEADER + ".saved"), self.read(HEADER + ".saved.~1~")), ("changed again", "changed"))

    def test_a_change_to_what_the_new_version_brings_needs_no_copy(self):
        self.must_install(FIRST)
        self.write(HEADER, "second header")
        self.assertNotIn("kept", self.must_install(SECOND))
        self.assertFalse((self.usr / (HEADER + ".saved")).exists())

    def test_a_changed_file_that_the_new_version_lacks_stays(self):
        self.must_install(FIRST)
        self.write(PAGE, "changed")
        self.assertIn(f"  {self.usr}/{PAGE}\n", self.must_install(SECOND))
        self.assertEqual(self.read(PAGE), "changed")

    def test_uninstalling_leaves_a_changed_file_and_names_it(self):
        self.must_install(FIRST)
        self.write(HEADER, "changed")
        (self.usr / "lib/libdat2.so.2").unlink()
        (self.usr / "lib/libdat2.so.2").symlink_to("libdat2.so.2.9")
        said = self.must_uninstall()
        self.assertIn("left, since changed", said)
        self.assertIn(f"  {self.usr}/{HEADER}\n", said)
        self.assertIn(f"  {self.usr}/lib/libdat2.so.2\n", said)
        self.assertIn("removed 2 files", said)
        self.assertEqual(self.read(HEADER), "changed")
        self.assertFalse((self.usr / LIBRARY).exists())

    def test_what_a_package_took_over_is_its_own(self):
        self.must_install(FIRST)
        self.write(LIBRARY, "of a package")
        self.package("libdat2-2", "/usr/" + LIBRARY)
        self.assert_refused(SECOND, f"  {self.usr}/{LIBRARY} (package libdat2-2)")
        self.assertIn(f"  {self.usr}/{LIBRARY} (package libdat2-2)\n", self.must_uninstall())
        self.assertEqual(self.read(LIBRARY), "of a package")

    def interrupted_install(self, files):
        """tar writes all but the header, then fails."""
        shims = self.work / "shims"
        shims.mkdir(exist_ok=True)
        (shims / "tar").write_text(f'#!/bin/sh\ncase "$*" in *-xf*) {shutil.which("tar")} --exclude=udat.h "$@"; exit 1;;\n'
                                   f'esac\nexec {shutil.which("tar")} "$@"\n')
        (shims / "tar").chmod(0o755)
        status, said = self.install(files, PATH=f"{shims}:{os.environ['PATH']}")
        self.assertEqual(status, 1, said)
        self.assertIn("make uninstall", said)

    def test_what_was_interrupted_can_be_repeated(self):
        self.interrupted_install(FIRST)
        self.assertNotIn("kept", self.must_install(FIRST))
        self.interrupted_install(SECOND)
        self.assertNotIn("kept", self.must_install(SECOND))
        self.assertEqual(self.read(HEADER), "second header")
        self.assertFalse((self.usr / PAGE).exists())

    def test_what_was_interrupted_can_be_removed(self):
        before = self.tree()
        self.must_install(FIRST)
        self.interrupted_install(SECOND)
        self.must_uninstall()
        self.assertEqual(self.tree(), before)

    def test_impossible_prefixes_are_refused(self):
        for name in ("install.sh", "uninstall.sh"):
            for prefix in ("usr", "", "/a\nb", "/a\\b"):
                done = subprocess.run([ROOT / "scripts" / name, self.root, prefix, self.work], capture_output=True,
                                      text=True, check=False)
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            done = subprocess.run([ROOT / "scripts" / name, "", ROOT, self.work], capture_output=True, text=True,
                                  check=False)
            self.assertEqual((done.returncode, done.stderr.count("source tree")), (2, 1), done.stderr)


if __name__ == "__main__":
    unittest.main()

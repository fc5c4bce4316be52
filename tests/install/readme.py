#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""README.md does what it says, word for word: readme.py SOURCE_DIR [BUILD_DIR]

Runs the commands of the section "A first program" as a new user with an empty home, and those of examples/README.md for
an installed Datum. With BUILD_DIR `make install` installs that build instead of build/release.
"""

import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

EXPECTED = re.compile(r"datum: messages up to [0-9]+ bytes\n\Z")
STRICT = "-Wall -Wextra -Wpedantic -Werror"


def blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)


def section(text, title):
    found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", text, re.M | re.S)
    if not found:
        sys.exit(f'README.md has no section "{title}"')
    return found.group(1)


class NewUser:
    """A shell with its own home, without variables that help to find libraries."""

    def __init__(self, home):
        self.home = home
        self.environment = {name: value for name, value in os.environ.items()
                            if name not in ("LD_LIBRARY_PATH", "PKG_CONFIG_PATH", "CMAKE_PREFIX_PATH", "PREFIX", "DESTDIR",
                                            "MAKEFLAGS", "MAKELEVEL", "MFLAGS", "DAT_OVERRIDE", "LD_PRELOAD")}
        # Lets ccache find what was compiled before.
        self.environment.setdefault("CCACHE_DIR", str(pathlib.Path.home() / ".cache/ccache"))
        self.environment["HOME"] = str(home)

    def run(self, commands, folder):
        print(commands.rstrip())
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", commands], cwd=folder, env=self.environment,
                              stdout=subprocess.PIPE, text=True, check=False)
        print(done.stdout, end="", flush=True)
        if done.returncode != 0:
            sys.exit(f"exit status {done.returncode}")
        return done.stdout


def expect_first_program(output):
    if not EXPECTED.search(output):
        sys.exit(f'expected the first program to say "datum: messages up to N bytes", got: {output!r}')


def first_program(user, text, source, build):
    """Runs the section in its order: installs in the source tree, does the rest in the user's folder."""
    install, by_pkg_config, by_cmake = blocks(text, "sh")
    if build:
        prefix = re.search(r"^make install PREFIX=(\S+)", install).group(1)
        install = f'scripts/install.sh "" {prefix} {shlex.quote(str(build))}'
    user.run(install, source)
    folder = user.home / "first"
    folder.mkdir()
    (program,) = blocks(text, "c")
    (lists,) = blocks(text, "cmake")
    (folder / "first.c").write_text(program)
    (folder / "CMakeLists.txt").write_text(lists)
    expect_first_program(user.run(by_pkg_config, folder))
    for compiler in (f"cc -std=c99 {STRICT}", f"c++ -x c++ -std=c++11 {STRICT} -Wwrite-strings"):
        expect_first_program(user.run(re.sub(r"^cc ", f"{compiler} ", by_pkg_config, flags=re.M), folder))
    # With the other header, the same program is a program of DAT 2.0.
    (folder / "first.c").write_text(program.replace("<dat/udat.h>", "<dat2/udat.h>"))
    newer = re.sub(r"\bdat\)", "dat2)", by_pkg_config)
    expect_first_program(user.run(re.sub(r"^cc ", f"c++ -x c++ {STRICT} ", newer, flags=re.M), folder))
    (folder / "first.c").write_text(program)
    expect_first_program(user.run(by_cmake, folder))
    return lists, by_cmake


def cmake_targets(user, text, lists, by_cmake):
    """Each target that the text names provides the header that follows it in the text, and can be linked."""
    named = re.findall(r"`(Datum::\w+)` \(`(<[\w/.]+>)`\)", text)
    if len(named) != 3:
        sys.exit(f"expected three targets of CMake and their headers, found {named}")
    for target, header in named:
        if target in lists:
            continue
        folder = user.home / target.replace("::", "-")
        folder.mkdir()
        (folder / "first.c").write_text(f"#include {header}\nint main(void) {{ return 0; }}\n")
        (folder / "CMakeLists.txt").write_text(lists.replace("Datum::dat", target))
        user.run(by_cmake, folder)


def examples(user, documents):
    """Runs the commands of examples/README.md for an installed Datum, beside the installed sources."""
    commands = [block for block in blocks((documents / "examples/README.md").read_text(), "sh") if "pkg-config" in block]
    if len(commands) != 1:
        sys.exit("examples/README.md: expected one block of commands with pkg-config")
    user.environment["PKG_CONFIG_PATH"] = str(user.home / "datum/lib/pkgconfig")
    user.run(commands[0], documents / "examples")


def links(readme, documents):
    """Each target of a link in README.md is installed beside it, or README.md says that it is in the sources."""
    said = in_sources_only(readme)
    for link in re.findall(r"\]\(([^)#:]+)[^):]*\)", readme):
        if not (documents / link).exists() and link.split("/")[0] not in said:
            sys.exit(f"README.md: {link} is neither installed nor said to be in the sources only")


def in_sources_only(readme):
    found = re.search(r"in the folder of this\s+file\. (.*?) are in the sources only", readme, re.S)
    return found.group(1) if found else ""


def main():
    source = pathlib.Path(sys.argv[1]).resolve()
    build = pathlib.Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else None
    readme = (source / "README.md").read_text()
    text = section(readme, "A first program")
    # A new user has both folders in the home, so they must not be the same.
    cloned = re.search(r"^git clone .* (\S+) && cd \1$", readme, re.M).group(1)
    if f"PREFIX=$HOME/{cloned} " in text:
        sys.exit(f"README.md: {cloned} is the source tree and the installation")
    with tempfile.TemporaryDirectory() as home:
        user = NewUser(pathlib.Path(home))
        lists, by_cmake = first_program(user, text, source, build)
        cmake_targets(user, text, lists, by_cmake)
        links(readme, user.home / "datum/share/doc/datum")
        examples(user, user.home / "datum/share/doc/datum")
    print("README.md: as written")


if __name__ == "__main__":
    main()

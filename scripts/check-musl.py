#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Our sources compile with the headers of musl: check-musl.py [FILE...]

A look at syntax and declarations of src and tools; nothing is linked or run. Debian's libstdc++ is configured for glibc, so
that the C++ library is libc++, for which musl is a macro; it takes a Clang of its age. Minutes for all sources.
The packages: scripts/deps.sh build musl
"""

import concurrent.futures
import json
import os
import pathlib
import platform
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
LLVM = 19
# Headers to use beside those of musl: the kernel's, and those of libraries that need no particular
# C library.
BESIDE = ("linux", "asm-generic", "fmt", "tl", "CLI", "xxhash.h", "xxh3.h", "xxh_x86dispatch.h", "isa-l.h", "isa-l",
          "jemalloc")
# What libstdc++ has and this libc++ has not: the exception by which glibc cancels a thread, and numbers with a fraction
# read by from_chars(), which libc++ reads from version 20 on.
LACKING = """#pragma once
#ifdef __cplusplus
#include <charconv>
namespace __cxxabiv1 { struct __forced_unwind {}; }
_LIBCPP_BEGIN_NAMESPACE_STD
from_chars_result from_chars(const char*, const char*, double&, chars_format = chars_format::general);
_LIBCPP_END_NAMESPACE_STD
#endif
"""


def configure(build):
    options = {"CMAKE_C_COMPILER": f"clang-{LLVM}", "CMAKE_CXX_COMPILER": f"clang++-{LLVM}", "DATUM_TESTS": "OFF",
               "DATUM_BENCH": "OFF", "DATUM_EXAMPLES": "OFF", "DATUM_PRECOMPILE": "OFF", "DATUM_SHARED_FMT": "OFF"}
    done = subprocess.run(["cmake", "--preset", "clang", "-B", build, *(f"-D{name}={options[name]}" for name in options)],
                          cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{done.stdout}\nmusl: cmake failed; if a package is missing: scripts/deps.sh build musl")
    return json.loads((build / "compile_commands.json").read_text())


class Musl:
    """The options that replace the machine's own headers."""

    def __init__(self, folder):
        machine = platform.machine()
        self.include = folder / "include"
        self.include.mkdir()
        for header in BESIDE:
            if os.path.exists(f"/usr/include/{header}"):
                (self.include / header).symlink_to(f"/usr/include/{header}")
        self.replace_jemalloc()
        (self.include / "asm").symlink_to(f"/usr/include/{machine}-linux-gnu/asm")
        self.lacking = folder / "lacking.h"
        self.lacking.write_text(LACKING)
        self.all = [f"--target={machine}-linux-musl", "-nostdlibinc", "-fsyntax-only", "-w", "-D_GNU_SOURCE"]
        self.system = ["-isystem", f"/usr/include/{machine}-linux-musl", "-isystem", str(self.include)]

    def replace_jemalloc(self):
        """musl declares malloc() without the promise not to throw. For it jemalloc is configured without that promise;
        Clang also counts the attribute as one."""
        header = pathlib.Path("/usr/include/jemalloc/jemalloc.h")
        if header.exists():
            (self.include / "jemalloc").unlink()
            (self.include / "jemalloc").mkdir()
            text = header.read_text().replace("#define JEMALLOC_USE_CXX_THROW", "").replace("JEMALLOC_ATTR(nothrow)", "")
            (self.include / "jemalloc/jemalloc.h").write_text(text)

    def command(self, entry):
        kept = [word for word in shlex.split(entry["command"]) if word.startswith(("-D", "-I", "-U", "-std="))]
        if entry["file"].endswith(".c"):
            return [f"clang-{LLVM}", *self.all, *kept, *self.system, entry["file"]]
        cxx = ["-nostdinc++", "-isystem", f"/usr/lib/llvm-{LLVM}/include/c++/v1", "-D_LIBCPP_HAS_MUSL_LIBC=1",
               "-include", str(self.lacking)]
        return [f"clang++-{LLVM}", *self.all, *cxx, *kept, *self.system, entry["file"]]


def main():
    if "--help" in sys.argv:
        print(__doc__)
        return 0
    wanted = {str(pathlib.Path(name).resolve()) for name in sys.argv[1:]}
    with tempfile.TemporaryDirectory() as folder:
        ours = (f"{ROOT}/src/", f"{ROOT}/tools/")
        entries = [entry for entry in configure(pathlib.Path(folder) / "build")
                   if entry["file"].startswith(ours) and (not wanted or entry["file"] in wanted)]
        if not entries:
            sys.exit("musl: no such source")
        musl = Musl(pathlib.Path(folder))

        def check(entry):
            return entry["file"], subprocess.run(musl.command(entry), cwd=entry["directory"], capture_output=True,
                                                 text=True, check=False)

        failed = set()
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for file, done in pool.map(check, entries):
                if done.returncode != 0:
                    failed.add(file)
                    print(done.stderr)
    print(f"musl: {len({entry['file'] for entry in entries})} sources, {len(failed)} do not compile")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

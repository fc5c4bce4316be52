#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Packs what runs on any distribution, wherever it is unpacked: scripts/portable.sh
#   build/portable/datum-VERSION-linux-PROCESSOR.tar.xz        libraries, tools, headers, documentation
#   build/portable/datum-VERSION-linux-PROCESSOR-debug.tar.xz  its debug information, to be unpacked over it
# It needs glibc 2.34 and nothing else. docs/portable.md says what it contains; scripts/check-portable.sh checks it.
set -euo pipefail
[ "${1-}" != --help ] || { sed -n '3,6s/^# \{0,1\}//p' "$0"; exit 0; }
cd "$(dirname "$0")/.."
export LC_ALL=C
prefix=/datum-portable # occurs in no file; scripts/check-portable.sh searches for it
build=build/portable/tree
log=build/portable/build.log

version=$(sed -n 's/^project(datum VERSION \([0-9.]*\) .*/\1/p' CMakeLists.txt)
name=datum-$version-linux-$(uname -m)
if [ -e .git ]; then epoch=$(git show -s --format=%ct HEAD); else epoch=$(sed -n '1s/^commit [0-9a-f]* //p' packaging/source.txt); fi
flags="-ffile-prefix-map=$PWD=. -ffile-prefix-map=$PWD/$build=."

mkdir -p build/portable
# ISA-L is off: Debian has no static archive of it, and our own CRC is as fast on processors with
# VPCLMULQDQ.
if ! { cmake --preset release -B "$build" -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib \
  -DCMAKE_C_FLAGS="$flags" -DCMAKE_CXX_FLAGS="$flags" -DDATUM_STATIC_RUNTIME=ON -DDATUM_ISAL=off -DDATUM_PC_RPATH=ON \
  -DDATUM_EXAMPLES=OFF && cmake --build "$build" --parallel "${DATUM_JOBS:-$(nproc)}"; } >"$log" 2>&1; then
  tail -n 20 "$log" >&2
  echo "portable: it does not build; all of it: $log" >&2
  exit 1
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(umask 022 && DESTDIR=$work/stage cmake --install "$build" >>"$log" && scripts/split-debug.sh "$work/stage" "$prefix" "$build")
mv "$work/stage$prefix" "$work/$name"

pack() { # TARBALL, names of files on the input
  tar -C "$work" --no-recursion --verbatim-files-from -T - --owner=0 --group=0 --numeric-owner --mode=u+rwX,go+rX,go-w \
    --mtime="@$epoch" --format=ustar -cf "$work/$1.tar"
  xz -T1 -6 "$work/$1.tar"
  mv "$work/$1.tar.xz" build/portable/
  echo "build/portable/$1.tar.xz ($(du -h "build/portable/$1.tar.xz" | cut -f1))"
}
is_debug='/lib/debug\(/\|$\)\|/\.debug\(/\|$\)'
(cd "$work" && find "$name" | sort) >"$work/all"
grep -v "$is_debug" "$work/all" | pack "$name"
grep "$is_debug" "$work/all" | pack "$name-debug"

#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# headers.sh SOURCE_DIR: which headers are installed, with the memory extension and without it.
set -euo pipefail
source=$1
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
fail() { echo "headers: $*"; exit 1; }

# NAME [OPTION...]: prints the headers of datum/ that such a build installs, on one line.
installed_by() {
  local name=$1
  shift
  cmake -S "$source" -B "$place/$name" -G Ninja -DDATUM_TESTS=OFF -DDATUM_BENCH=OFF -DDATUM_EXAMPLES=OFF \
    -DCMAKE_INSTALL_INCLUDEDIR=include "$@" >"$place/log" 2>&1 || fail "$(tail -n 20 "$place/log")"
  DESTDIR=$place/$name/stage cmake -DCMAKE_INSTALL_PREFIX=/usr -P "$place/$name/include/cmake_install.cmake" >"$place/log"
  [ -e "$place/$name/stage/usr/include/dat2/udat.h" ] || fail "$name: no dat2/udat.h"
  (cd "$place/$name/stage/usr/include/datum" && echo *)
}

without=$(installed_by without -DDATUM_MEMORY=off)
[ "$without" = names.h ] || fail "without the memory extension: $without"
all=$(installed_by auto)
case $all in
"memory.h names.h") grep -q 'datum_memory' "$place/auto/build.ninja" || fail "memory.h without its library" ;;
names.h) ;; # no jemalloc here
*) fail "as a rule: $all" ;;
esac
echo "headers: $without, and $all"

#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# scripts/check-tidy.sh [FILE...] (default: all sources): runs clang-tidy over the product's own
# sources (src, tools, examples, bench), as Clang compiles them. Warnings are errors. If all sources
# are checked, they are read sixteen at a time (cmake/DatumUnity.cmake), because most of the time
# goes into reading system headers. FILEs are read one by one.
set -euo pipefail
cd "$(dirname "$0")/.."
# This replaces bugprone-suspicious-include, which would also report the files that CMake makes.
if git grep -nE '^ *# *include *["<][^">]*\.(c|cc|cpp|cxx)[">]' -- src tools examples bench; then
  echo "a source may not be included"
  exit 1
fi
if [ $# -gt 0 ]; then
  preset=clang
  files=("$@")
else
  preset=tidy
fi
build=build/$preset
scripts/configure.sh "$preset"
if [ $# -eq 0 ]; then
  mapfile -t files < <(sed -n 's/^ *"file": "\(.*\)",\?$/\1/p' "$build/compile_commands.json" |
    grep -v -F -e "$PWD/tests/" -e "$PWD/$build/tests/" | sort -u)
fi
if [ ${#files[@]} -eq 0 ]; then
  echo "absent: no source to check"
  exit 4
fi
echo "clang-tidy: ${#files[@]} files"
printf '%s\0' "${files[@]}" |
  xargs -0 -n 1 -P "${DATUM_JOBS:-$(nproc)}" clang-tidy -p "$build" --quiet --checks=-bugprone-suspicious-include \
    2> >(grep -v 'warnings\? generated' >&2)

#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# clang-tidy over the product's own sources (src, tools, examples, bench), as Clang compiles them:
# scripts/check-tidy.sh [FILE...] (default: all of them). Warnings are errors.
# All of them are read sixteen at a time (cmake/DatumUnity.cmake), since reading the headers of the
# system is most of the work; FILEs are read alone.
set -euo pipefail
cd "$(dirname "$0")/.."
build=build/tidy
unity=ON
[ $# -gt 0 ] && unity=OFF
mkdir -p build
if ! cmake --preset clang -B "$build" -DDATUM_TESTS=OFF -DDATUM_UNITY="$unity" >build/configure-tidy.log 2>&1; then
  cat build/configure-tidy.log >&2
  exit 2
fi
if [ $# -gt 0 ]; then
  files=("$@")
else
  mapfile -t files < <(sed -n 's/^ *"file": "\(.*\)",\?$/\1/p' "$build/compile_commands.json" | sort -u)
fi
if [ ${#files[@]} -eq 0 ]; then
  echo "absent: no source to check"
  exit 4
fi
echo "clang-tidy: ${#files[@]} files"
# That a file includes the sources is what it is for.
printf '%s\0' "${files[@]}" |
  xargs -0 -n 1 -P "${DATUM_JOBS:-$(nproc)}" clang-tidy -p "$build" --quiet --checks=-bugprone-suspicious-include \
    2> >(grep -v 'warnings\? generated' >&2)

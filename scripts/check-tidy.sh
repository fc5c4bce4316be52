#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# clang-tidy over the product's own sources (src, tools, examples, bench), as the Clang build
# compiles them: scripts/check-tidy.sh [FILE...] (default: all of them). Warnings are errors.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -f build/clang/compile_commands.json ] || scripts/build.sh clang
if [ $# -gt 0 ]; then
  files=("$@")
else
  # Only what that build compiles; a file of a part that is switched off has no command line.
  mapfile -t files < <(git ls-files 'src/*.cc' 'src/*.c' 'tools/*.cc' 'examples/*.c' 'bench/*.cc' |
    while read -r file; do
      if grep -qF "\"file\": \"$PWD/$file\"" build/clang/compile_commands.json; then echo "$file"; fi
    done)
fi
if [ ${#files[@]} -eq 0 ]; then
  echo "absent: no source to check"
  exit 4
fi
echo "clang-tidy: ${#files[@]} files"
printf '%s\0' "${files[@]}" |
  xargs -0 -n 1 -P "${DATUM_JOBS:-$(nproc)}" clang-tidy -p build/clang --quiet \
    2> >(grep -v 'warnings\? generated' >&2)

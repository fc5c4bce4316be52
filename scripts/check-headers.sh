#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Compiles every public header alone in a file, as C99 and as C++17, with each compiler that is
# installed, for x86-64 and aarch64. No warning may come. datum/names.h follows a header of DAT, of
# either version.
set -uo pipefail
cd "$(dirname "$0")/.."
strict=(-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wundef -Werror -fsyntax-only -Iinclude)
failed=0
count=0

# Includes each header twice, which shows whether its include guard works.
alone() { # header...
  printf '#include <%s>\n' "$@" "$@"
  printf 'extern int translation_unit_is_not_empty;\n'
}

check() { # compiler, language, standard, header...
  local compile=("$1" -x "$2" -std="$3" "${strict[@]}" -)
  count=$((count + 1))
  if ! alone "${@:4}" | "${compile[@]}"; then
    echo "<${*:4}> alone as $3: rerun with"
    echo "  printf '#include <%s>\\n' ${*:4} | ${compile[*]}"
    failed=$((failed + 1))
  fi
}

for compiler in gcc clang aarch64-linux-gnu-gcc; do
  cxx=${compiler%gcc}
  [ "$cxx" = clang ] && cxx=clang++ || cxx=${cxx}g++
  for tool in "$compiler" "$cxx"; do
    command -v "$tool" >/dev/null || {
      echo "$tool is missing; install it with: make deps GROUPS=check" >&2
      exit 2
    }
  done
  while read -r header; do
    check "$compiler" c c99 $header
    check "$cxx" c++ c++17 $header
  done < <(cd include && find . -name '*.h' ! -path ./datum/names.h -printf '%P\n' | sort &&
    printf '%s/udat.h datum/names.h\n' dat dat2)
done
echo "headers: $count compilations, $failed failed"
[ "$failed" -eq 0 ] && [ "$count" -gt 0 ]

#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Checks each function of the C library that our libraries call. Either the tests of shortages can
# make it fail, or not-injected.txt has the reason why not.
#   injected-calls.sh NM PROGRAM LIBRARY...
# PROGRAM is the tests. It exports the functions that replace those of the C library.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
nm=$1
program=$2
shift 2
failed=0
complain() {
  echo "$*"
  failed=1
}

# Removes the version of a symbol, and gives a call that _FORTIFY_SOURCE has renamed (__read_chk,
# __open_2) its plain name.
plain() { sed -E 's/@.*//; s/^__(.*)_chk$/\1/; s/^__open_2$/open/' | sort -u; }
asked=$(for library in "$@"; do "$nm" -D --undefined-only "$library"; done | awk '{print $NF}' | plain)
[ -n "$asked" ] || complain "no library asks for anything: $*"
# What the program has of the C++ library replaces nothing.
in_front=$("$nm" -D --defined-only "$program" | awk '($2 == "T" || $2 == "W") && $NF !~ /^_ZNK?St/ {print $NF}' | plain)
# System calls without a function in the C library, by number. memory/ is a library of its own.
numbers=$(grep -rohE --include='*.cc' --include='*.h' --exclude-dir=memory '\bSYS_[a-z0-9_]+' \
  "$here/../../src" | sort -u)
numbers_in_front=$(grep -oE '\bSYS_[a-z0-9_]+' "$here/shortage.cc" | sort -u)
patterns=$(sed -E '/^#/d; /^$/d; s/:.*//' "$here/not-injected.txt" | tr ' ' '\n' | sed '/^$/d')

is_excused() {
  local pattern
  while read -r pattern; do
    # shellcheck disable=SC2053
    [[ $1 == $pattern ]] && return 0
  done <<<"$patterns"
  return 1
}

for name in $asked; do
  if grep -qxF "$name" <<<"$in_front"; then
    # These need no row in kInFront. Memory fails as Resource::kMemory. kInFront names the system
    # calls that syscall() makes. free() and munmap() never fail.
    case $name in malloc | calloc | realloc | aligned_alloc | posix_memalign | free | munmap | syscall) continue ;; esac
    grep -qF "{\"$name\"" "$here/shortage_calls_test.cc" ||
      complain "$name: can be made to fail, but kInFront of shortage_calls_test.cc does not name it"
  else
    is_excused "$name" ||
      complain "$name: no test makes it fail: put it in front (shortage.cc), or say why not in not-injected.txt"
  fi
done
for number in $numbers; do
  grep -qxF "$number" <<<"$numbers_in_front" || is_excused "$number" ||
    complain "$number: no test makes it fail: see syscall() in shortage.cc, or not-injected.txt"
done
[ "$failed" -eq 0 ] && echo "$(wc -w <<<"$asked") names and $(wc -w <<<"$numbers") numbers, all known"
exit "$failed"

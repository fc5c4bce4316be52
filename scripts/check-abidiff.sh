#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Holds the libraries that programs link with against those of the first release.
#
#   scripts/check-abidiff.sh BUILD_DIR              each library, functions and types (a build with debug information)
#   scripts/check-abidiff.sh --compare OLD NEW      two files of abidw
#   scripts/check-abidiff.sh --record BUILD_DIR DIR  write what a release has into DIR
#
# tests/abi/0.1 has what abidw says of the first release, and the names that each library shows. What is added passes;
# what is lost or changed fails. Exit: 0 passed, 1 failed, 4 nothing to check.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2
readonly kFirst=tests/abi/0.1
# Leaves out everything specific to this machine, and everything that only our own sources see.
readonly kOptions=(--exported-interfaces-only --headers-dir include --drop-private-types --no-comp-dir-path --no-corpus-path
  --no-show-locs --no-elf-needed --no-parameter-names --no-architecture --no-write-default-sizes)

case "${1-}" in
  '' | -h | --help) sed -n '3,11s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac
for tool in abidw abidiff; do
  command -v "$tool" >/dev/null || {
    echo "$tool is missing; install it with: make deps GROUPS=check" >&2
    exit 2
  }
done

names() { nm -D --defined-only "$1" | awk '$2 != "A" {sub(/@.*/, "", $3); print $3}' | LC_ALL=C sort -u; }

# describe LIBRARY FILE
describe() { abidw "${kOptions[@]}" "$1" | awk "/<abi-instr / {sub(/path='[^']*'/, \"path='\" ++unit \"'\")} {print}" >"$2"; }

# compare OLD NEW: reports what was lost or changed. Status 1: something was; 2: abidiff failed.
compare() {
  local status=0
  abidiff --no-added-syms "$1" "$2" || status=$?
  [ "$status" -eq 0 ] && return 0
  # Bits 4 and 8: the ABI has changed, or has changed incompatibly.
  [ $((status & ~12)) -eq 0 ] && return 1
  echo "abidiff failed with status $status"
  return 2
}

if [ "$1" = --compare ]; then
  compare "$2" "$3"
  exit
fi
if [ "$1" = --record ]; then
  mkdir -p "$3"
  for library in libdat.so.1 libdat2.so.2 libdatum.so.1; do
    describe "$2/lib/$library" "$3/$library.abi" || exit 1
  done
  for library in "$2"/lib/lib{dat.so.1,dat2.so.2,datum.so.1,datum-malloc.so,datum1.so,datum2.so}; do
    [ -e "$library" ] || { echo "$library is missing" >&2; exit 1; }
    names "$library" >"$3/$(basename "$library").names"
  done
  exit
fi

[ -e "$1/lib/libdat.so.1" ] || { echo "absent: no library in $1/lib"; exit 4; }
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
count=0
failed=0
for list in "$kFirst"/*.names; do
  library=$(basename "$list" .names)
  if [ ! -e "$1/lib/$library" ]; then
    echo "$library, which the first release has, is not in $1/lib"
    failed=$((failed + 1))
    continue
  fi
  count=$((count + 1))
  lost=$(LC_ALL=C comm -23 "$list" <(names "$1/lib/$library") | tr '\n' ' ')
  if [ -n "$lost" ]; then
    echo "$library: names of the first release that it does not show any more: $lost"
    failed=$((failed + 1))
  fi
done
for old in "$kFirst"/*.abi; do
  library=$(basename "$old" .abi)
  [ -e "$1/lib/$library" ] || continue
  count=$((count + 1))
  if ! describe "$1/lib/$library" "$made/$library.abi" || ! compare "$old" "$made/$library.abi"; then
    echo "$library: programs that were linked with the first release would break: docs/design/versions.md"
    failed=$((failed + 1))
  fi
done
echo "abidiff: $count comparisons, $failed failed"
[ "$failed" -eq 0 ]

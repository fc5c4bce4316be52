#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Whether Datum does without the libraries that not every distribution has: scripts/check-options.sh
#   JEMALLOC_SOURCE=DIR   jemalloc's unpacked source, from which the memory extension is built and tested as well
# Builds it without the memory extension (jemalloc), without ISA-L and without both, one after the other in one folder;
# the configuration says so, nothing that is built names the library that is off, and the conformance suite passes.
# A build takes minutes: not a part of .ci/run.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
build=build/options
log=$build.log
failed=0

fail() {
  echo "options: $*" >&2
  failed=$((failed + 1))
}

# WORD: programs and libraries that need a library of that name, or hold its code.
naming() {
  find "$build/bin" "$build/lib" -type f -exec sh -c '
    for file; do
      { readelf -dW "$file" 2>/dev/null; nm -C "$file" 2>/dev/null; } | grep -qi -- "$0" && echo "$file"
    done' "$1" {} +
}

# OPTION...: configures and builds; the folders of tests that see the options.
build_with() {
  cmake --preset dev -B "$build" "-DDATUM_TEST_PARTS=conformance;process;memory;tools" "$@" >"$log" 2>&1 &&
    cmake --build "$build" >>"$log" 2>&1 && return
  tail -n 20 "$log" >&2
  fail "$* does not build; all of it: $log"
  return 1
}

# LABEL WHAT
tests_pass() {
  ctest --test-dir "$build" -L "$1" --no-tests=error --output-on-failure --parallel "$(nproc)" >"$log.$1" 2>&1 && return
  tail -n 20 "$log.$1" >&2
  fail "$2: the tests of $1 fail; all of it: $log.$1"
}

# OPTION...
try() {
  local option said word
  build_with "$@" || return
  for option; do
    case $option in
      -DDATUM_MEMORY=off) said='^-- Memory extension: off' word=jemalloc ;;
      -DDATUM_ISAL=off) said='^-- CRC32C: our own' word='libisal\|crc32_iscsi' ;;
      *) continue ;;
    esac
    grep -q -- "$said" "$log" || fail "$option: the configuration does not say so"
    naming "$word" | grep . && fail "$option: these name $word"
  done
  tests_pass conformance "$*"
}

from_source() { # JEMALLOC_SOURCE
  build_with -DDATUM_MEMORY=auto -DDATUM_ISAL=auto "-DDATUM_JEMALLOC_SOURCE=$1" || return
  grep -q "^-- Memory extension: on, with jemalloc built from $1" "$log" || fail "the configuration does not name $1"
  tests_pass memory "DATUM_JEMALLOC_SOURCE=$1"
}

mkdir -p build
rm -rf "$build"
try -DDATUM_MEMORY=off -DDATUM_ISAL=off
try -DDATUM_MEMORY=auto -DDATUM_ISAL=off
try -DDATUM_MEMORY=off -DDATUM_ISAL=auto
[ -z "${JEMALLOC_SOURCE-}" ] || from_source "$(realpath "$JEMALLOC_SOURCE")"
[ "$failed" -ne 0 ] || rm -rf "$build" "$log" "$log".*
echo "options: $failed failures"
[ "$failed" -eq 0 ]

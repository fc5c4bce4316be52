#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Whether Datum does without the libraries that not every distribution has: scripts/check-options.sh
# Builds it without the memory extension (jemalloc), without ISA-L and without both; the configuration says so, nothing
# that is built names the library that is off, and the conformance suite passes. Minutes each: not a part of .ci/run.
set -uo pipefail
cd "$(dirname "$0")/.."
failed=0

fail() {
  echo "options: $*" >&2
  failed=$((failed + 1))
}

# BUILD WORD: programs and libraries that need a library of that name, or hold its code.
naming() {
  find "$1/bin" "$1/lib" -type f -exec sh -c '
    for file; do
      { readelf -dW "$file" 2>/dev/null; nm -C "$file" 2>/dev/null; } | grep -qi -- "$0" && echo "$file"
    done' "$2" {} +
}

# NAME OPTION...
try() {
  local build=build/options-$1 off said
  shift
  rm -rf "$build"
  if ! cmake --preset dev -B "$build" "$@" >"$build.log" 2>&1 || ! cmake --build "$build" >>"$build.log" 2>&1; then
    tail -n 20 "$build.log" >&2
    fail "$* does not build; all of it: $build.log"
    return
  fi
  for off in "$@"; do
    case $off in
      -DDATUM_MEMORY=off) said='^-- Memory extension: off' word=jemalloc ;;
      -DDATUM_ISAL=off) said='^-- CRC32C: our own' word='libisal\|crc32_iscsi' ;;
    esac
    grep -q -- "$said" "$build.log" || fail "$off: the configuration does not say so"
    naming "$build" "$word" | grep . && fail "$off: these name $word"
  done
  ctest --test-dir "$build" -L conformance --no-tests=error --output-on-failure --parallel "$(nproc)" >"$build.log" 2>&1 ||
    { tail -n 20 "$build.log" >&2; fail "$*: the conformance suite fails; all of it: $build.log"; }
  rm -rf "$build"
}

mkdir -p build
try memory -DDATUM_MEMORY=off
try isal -DDATUM_ISAL=off
try both -DDATUM_MEMORY=off -DDATUM_ISAL=off
echo "options: 3 builds, $failed failures"
[ "$failed" -eq 0 ]

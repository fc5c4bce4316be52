#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Runs the tests of a built preset and sums them up: scripts/test.sh PRESET [ctest option...]
# for instance: scripts/test.sh dev -L unit
#   DATUM_SKIPS=FILE   what may be skipped (default: tests/skips.txt)
#   DATUM_JOBS=N       the cores that tests may share (default: all)
set -uo pipefail
cd "$(dirname "$0")/.."
preset=$1
shift
build=build/$preset
results=$PWD/$build/test-results.xml
seconds=120

. scripts/sanitizer-options.sh
case $preset in
  asan | tsan) seconds=300 ;; # the sanitizers make a test slow, but do not make it hang
esac

# GoogleTest's variables in a caller's environment would leave out tests.
unset "${!GTEST_@}"
skips=${DATUM_SKIPS:-tests/skips.txt}
unset DATUM_SKIPS

show=()
[ -t 1 ] && show=(--progress)
rm -rf "$results" "$build/program-results"
# What a test takes of a core is counted in quarters: tests/WholePrograms.cmake.
ctest --test-dir "$build" --output-on-failure --no-tests=error --output-junit "$results" \
  --test-output-size-passed 65536 --parallel $((4 * ${DATUM_JOBS:-$(nproc)})) --timeout "$seconds" "${show[@]}" "$@"
status=$?
scripts/test_report.py "$build" "$results" "$skips" || exit 1
# The report found no fault in the results, so ctest must agree.
exit "$status"

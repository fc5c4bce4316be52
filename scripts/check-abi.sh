#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Runs the ABI tests (ctest label abi) in the build of each compiler. The tests use the aarch64
# cross compiler, and Clang for aarch64 with the headers of that compiler (libc6-dev-arm64-cross and
# libstdc++'s, which Clang finds itself). This script also checks that those tests exist, so that no
# run leaves them out. It compares the libraries of build/release with those of the first release.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v aarch64-linux-gnu-gcc >/dev/null || {
  echo "aarch64-linux-gnu-gcc is missing; install it with: make deps GROUPS=check" >&2
  exit 2
}
# A build that was configured before the cross compiler was installed lacks the tests that use it.
for preset in dev clang; do
  scripts/build.sh "$preset"
  # Reads the output to its end, because ctest would take a closed pipe for a failure.
  tests=$(ctest --test-dir "build/$preset" -N -L '^abi$')
  if ! grep -q 'Test *#' <<<"$tests"; then
    echo "absent: no test has the label abi"
    exit 4
  fi
  if [ "$preset" = clang ] && ! grep -q 'clang++-aarch64-linux-gnu$' <<<"$tests"; then
    echo "absent: no test of Clang's for aarch64"
    exit 4
  fi
  scripts/test.sh "$preset" -L '^abi$'
done
# CI's stage gcc has built these libraries. Without that stage, this builds the libraries to
# compare.
[ -e build/release/lib/libdatum2.so ] ||
  DATUM_TARGETS="dat dat2 datum1 datum2 datum_memory datum_malloc" scripts/build.sh release
scripts/check-abidiff.sh build/release

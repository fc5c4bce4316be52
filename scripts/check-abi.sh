#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# The ABI tests (ctest label abi) as each compiler's build runs them; the tests themselves use the
# aarch64 cross compiler, and Clang for aarch64 with the headers that come with it (libc6-dev-arm64-cross
# and libstdc++'s, found by Clang itself). Here too: that they are there, so that no run leaves them out.
# And the libraries of build/release are held against those of the first release.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v aarch64-linux-gnu-gcc >/dev/null || {
  echo "aarch64-linux-gnu-gcc is missing; install it with: make deps GROUPS=check" >&2
  exit 2
}
# A build made before the cross compiler was installed has no tests that use it.
for preset in dev clang; do
  scripts/build.sh "$preset"
  # Read to its end: ctest would take a closed pipe for a failure.
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
# The stage gcc has built them; by itself this builds what is compared.
[ -e build/release/lib/libdatum2.so ] ||
  DATUM_TARGETS="dat dat2 datum1 datum2 datum_memory datum_malloc" scripts/build.sh release
scripts/check-abidiff.sh build/release

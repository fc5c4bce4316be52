#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# The tests under a sanitizer: scripts/check-sanitizer.sh asan|tsan [ctest option...]
set -euo pipefail
# Some kernels spread mappings into the place of the sanitizers' shadow memory: ask them not to.
if [ -z "${DATUM_FIXED_ADDRESSES-}" ] && setarch -R true 2>/dev/null; then
  DATUM_FIXED_ADDRESSES=1 exec setarch -R "$0" "$@"
fi
cd "$(dirname "$0")/.."
scripts/build.sh "$1"
scripts/test.sh "$@"

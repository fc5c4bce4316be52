#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# scripts/check-sanitizer.sh asan|tsan [ctest option...]: runs the tests under a sanitizer.
set -euo pipefail
. "$(dirname "$0")/fixed-addresses.sh"
cd "$(dirname "$0")/.."
scripts/build.sh "$1"
scripts/test.sh "$@"

#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Runs the tests as on an older kernel, by a filter of system calls: tests/old_kernel/run.sh [VERSION [ctest option...]]
# for instance: tests/old_kernel/run.sh 4.18 -L unit
# What may be skipped there stands in skips.txt beside this, and in tests/skips.txt. Exit 4: no filter can be had here.
set -euo pipefail
cd "$(dirname "$0")/../.."
case "${1-}" in
  -h | --help) sed -n '3,5s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac
version=${1:-4.18}
[ $# -eq 0 ] || shift
scripts/build.sh dev
skips=$(mktemp)
trap 'rm -f "$skips"' EXIT
cat tests/skips.txt tests/old_kernel/skips.txt >"$skips"
build/dev/bin/old-kernel "$version" true
echo "as on Linux $version:"
DATUM_SKIPS=$skips build/dev/bin/old-kernel "$version" scripts/test.sh dev "$@"

#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Each shared library of a build exports exactly the names of tests/abi/SONAME.symbols, no more:
# scripts/check-symbols.sh BUILD_DIR. A library without such a list fails.
set -uo pipefail
cd "$(dirname "$0")/.."
failed=0
count=0
while read -r library; do
  name=$(readelf -d "$library" | sed -n 's/.*Library soname: \[\(.*\)\]/\1/p')
  name=${name:-$(basename "$library")}
  list=tests/abi/$name.symbols
  count=$((count + 1))
  if [ ! -f "$list" ]; then
    echo "$library: no list $list of the names it may export"
    failed=$((failed + 1))
    continue
  fi
  # The version nodes themselves appear as absolute symbols; "A" leaves them out.
  if ! diff --label "$list" --label "$library" -u \
    <(sort "$list") <(nm -D --defined-only "$library" | awk '$2 != "A" {sub(/@.*/, "", $3); print $3}' | sort); then
    failed=$((failed + 1))
  fi
done < <(find "$1/lib" -type f -name '*.so*' 2>/dev/null | sort)
echo "symbols: $count libraries, $failed failed"
[ "$count" -gt 0 ] || { echo "absent: no shared library in $1/lib"; exit 4; }
[ "$failed" -eq 0 ]

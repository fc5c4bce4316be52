#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# scripts/check-symbols.sh BUILD_DIR: checks what the loader reads of our programs and libraries.
# Each shared library of the build must export exactly the names in its list SONAME.symbols, which
# is in tests/abi or packaging/symbols. A library without a list fails. No ELF file of this build,
# of build/dev or of an installation may search the current folder for libraries, and installed ones
# must be hardened (scripts/check-elf.py).
set -uo pipefail
cd "$(dirname "$0")/.."
failed=0
count=0
# The version nodes themselves appear as absolute symbols. "A" leaves them out.
exports() { nm -D --defined-only "$1" | awk '$2 != "A" {sub(/@.*/, "", $3); print $3}' | sort; }

while read -r library; do
  name=$(readelf -d "$library" | sed -n 's/.*Library soname: \[\(.*\)\]/\1/p')
  name=${name:-$(basename "$library")}
  list=$(find tests/abi packaging/symbols -name "$name.symbols" | head -n 1)
  count=$((count + 1))
  if [ -z "$list" ]; then
    echo "$library: no list of the names it may export: packaging/symbols/$name.symbols"
    failed=$((failed + 1))
    continue
  fi
  if ! diff --label "$list" --label "$library" -u <(sed 's/@.*//' "$list" | sort) <(exports "$library"); then
    failed=$((failed + 1))
  fi
done < <(find "$1/lib" -type f -name '*.so*' 2>/dev/null | sort)
echo "symbols: $count libraries, $failed failed"
[ "$count" -gt 0 ] || { echo "absent: no shared library in $1/lib"; exit 4; }

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
trees=("$1")
[ -d build/dev/bin ] && trees+=(build/dev)
scripts/check-elf.py --commands "$1" "${trees[@]}" || failed=$((failed + 1))
scripts/install.sh "$stage" /opt/datum "$1" && scripts/check-elf.py --installed "$stage" || failed=$((failed + 1))
[ "$failed" -eq 0 ]

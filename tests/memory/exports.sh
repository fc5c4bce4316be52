#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# exports.sh LIBRARY NAME...: the library exports exactly these names.
library=$1
shift
found=$(nm -D --defined-only "$library" | awk '$2 != "A" { print $3 }' | LC_ALL=C sort)
wanted=$(printf '%s\n' "$@" | LC_ALL=C sort)
if [ "$found" != "$wanted" ]; then
  echo "$library exports"
  echo "$found"
  echo "expected"
  echo "$wanted"
  exit 1
fi

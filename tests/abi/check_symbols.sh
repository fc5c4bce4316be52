#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# check_symbols.sh <nm> <library> <version node> <list>: fails unless the library exports exactly
# the names in the list, each in that node, or in the node that follows it as in name@@NODE. Prints
# the difference ("<" missing, ">" unexpected).
set -eu
nm=$1 library=$2 node=$3 list=$4

actual=$(mktemp) expected=$(mktemp)
trap 'rm -f "$actual" "$expected"' EXIT

# The node itself appears as an absolute symbol; "A" leaves it out.
"$nm" -D --defined-only --with-symbol-versions "$library" |
  awk '$2 != "A" { print $3 }' | sort > "$actual"
sed "/@/!s/\$/@@$node/" "$list" | sort > "$expected"
diff "$expected" "$actual"

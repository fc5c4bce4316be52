#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# debug_info.sh SOURCE_DIR BUILD_DIR: debug information is installed separately, and debuggers find
# it.
set -euo pipefail
source=$1 build=$2
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
fail() { echo "debug info: $*"; exit 1; }
sections() { readelf -SW "$1" 2>/dev/null; }
elf_files() { find "$1" -type f \( -path '*/bin/*' -o -name '*.so*' \); }

# 0 if a debugger finds the source and the function of main() in $1 by itself.
finds_main() {
  local address
  address=$(nm "$2" | awk '$3 == "main" {print $1}')
  addr2line -f -e "$1" "$address" | tr '\n' ' ' | grep -q '^main .*/main\.cc:[0-9]'
}

prefix=$place/opt/datum
"$source/scripts/install.sh" "$place" /opt/datum "$build"
count=0
while read -r file; do
  id=$(readelf -n "$file" | sed -n 's/.*Build ID: //p')
  apart=$prefix/lib/debug/.build-id/${id:0:2}/${id:2}.debug
  if sections "$file" | grep -q '\.debug_info\|\.symtab'; then fail "$file has debug information"; fi
  [ -f "$apart" ] || fail "$file: no $apart"
  sections "$apart" | grep -q '\.debug_info' || fail "$apart has no debug information"
  [ ! -x "$apart" ] || fail "$apart may be executed"
  [ "${file%/*}/.debug/${id:2}.debug" -ef "$apart" ] || fail "$file: no link in ${file%/*}/.debug"
  count=$((count + 1))
  case "$file" in
    */bin/*) finds_main "$file" "$apart" || fail "$file: where main() is remains unknown" ;;
  esac
done < <(elf_files "$prefix")
[ "$count" -ge 11 ] || fail "only $count programs and libraries are installed"
[ "$count" -eq "$(find "$prefix/lib/debug" -type f | wc -l)" ] || fail "not one file of debug information for each"

# DEBUG_INFO=inside leaves debug information in the files, even over an installation with separate
# debug information.
DEBUG_INFO=inside "$source/scripts/install.sh" "$place" /opt/datum "$build"
while read -r file; do
  sections "$file" | grep -q '\.debug_info' || fail "DEBUG_INFO=inside: $file has no debug information"
done < <(elf_files "$prefix")
left=$(find "$prefix" -name '*debug')
[ -z "$left" ] || fail "DEBUG_INFO=inside: $left"
if DEBUG_INFO=elsewhere "$source/scripts/install.sh" "$place" /opt/datum "$build" 2>"$place/message"; then
  fail "DEBUG_INFO=elsewhere was accepted"
fi
grep -q 'expected apart or inside' "$place/message" || fail "$(cat "$place/message")"

# Below /usr gdb finds debug information by itself, so no links are needed.
mkdir -p "$place/stage/usr/bin"
cp "$prefix/bin/datadm" "$place/stage/usr/bin"
"$source/scripts/split-debug.sh" "$place/stage" /usr "$build"
[ "$(find "$place/stage" -type f -o -type l | wc -l)" -eq 2 ] || fail "$(find "$place/stage")"
[ -n "$(find "$place/stage/usr/lib/debug/.build-id" -name '*.debug')" ] || fail "nothing in /usr/lib/debug"
echo "debug info: $count files"

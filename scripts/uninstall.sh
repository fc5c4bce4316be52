#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Removes what scripts/install.sh recorded, and nothing else: scripts/uninstall.sh DESTDIR PREFIX
set -euo pipefail
destdir=${1%/} prefix=${2%/}
record=$destdir$prefix/share/datum/installed.txt
if [ ! -f "$record" ]; then
  echo "uninstall: no record $record; give the DESTDIR and PREFIX of make install" >&2
  exit 2
fi

list=$(cat "$record")
while read -r kind path; do
  [ "$kind" = file ] && rm -f -- "$destdir$path"
done <<<"$list"
# The deepest first; a directory that somebody else put a file into stays.
grep '^dir ' <<<"$list" | sort -r | while read -r _ path; do
  rmdir --ignore-fail-on-non-empty -- "$destdir$path" 2>/dev/null || true
done
if [ -z "$destdir" ] && [ "$(id -u)" -eq 0 ] && command -v ldconfig >/dev/null; then
  ldconfig
fi
echo "removed $(grep -c '^file ' <<<"$list") files from ${destdir}${prefix}"

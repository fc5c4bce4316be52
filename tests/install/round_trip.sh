#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# round_trip.sh SOURCE_DIR BUILD_DIR: a build can remove everything that it has installed. Foreign
# files in the same prefix stay, and so does an installation of the same build under another prefix.
# Of two installations into one prefix, uninstalling must leave nothing.
set -euo pipefail
source=$1 build=$2
export DEBUG_INFO=inside # debug_info.sh tests DEBUG_INFO=apart
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
fail() { echo "round trip: $*"; exit 1; }

mkdir -p "$place/usr/share/man/man3" "$place/usr/lib"
echo theirs >"$place/usr/share/man/man3/theirs.3"
before=$(cd "$place" && find . | sort)

"$source/scripts/install.sh" "$place" /usr "$build"
"$source/scripts/install.sh" "$place" /usr "$build"
[ -e "$place/usr/include/dat/udat.h" ] || fail "no include/dat/udat.h was installed"
[ -e "$place/usr/share/datum/installed.txt" ] || fail "no record was installed"
"$source/scripts/install.sh" "$place" /other "$build"

"$source/scripts/uninstall.sh" "$place" /other
[ ! -e "$place/other" ] || fail "something is left in /other"
[ -e "$place/usr/include/dat/udat.h" ] || fail "removing /other took a file of /usr"
"$source/scripts/uninstall.sh" "$place" /usr
after=$(cd "$place" && find . | sort)
diff <(echo "$before") <(echo "$after") || fail "the tree is not what it was"

if "$source/scripts/uninstall.sh" "$place" /usr 2>"$place/message"; then
  fail "uninstalling twice succeeded"
fi
grep -q 'give the DESTDIR and PREFIX of make install' "$place/message" || fail "no next step named"

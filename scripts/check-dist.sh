#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Whether the source tarball is reproducible and whole: scripts/check-dist.sh [--build]
# The same octets come out under another umask, time zone and path, and from the unpacked tarball itself.
#   --build   builds and tests what is unpacked, too: make, make test
set -euo pipefail
[ "${1-}" != --help ] || { sed -n '3,5s/^# \{0,1\}//p' "$0"; exit 0; }
cd "$(dirname "$0")/.."
fail() { echo "dist: $*" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

tarball=$(scripts/dist.sh | cut -d ' ' -f 1)
name=$(basename "$tarball" .tar.xz)
cp "$tarball" "$work/first.tar.xz"

if [ -e .git ]; then
  git clone -q . "$work/another place"
  (umask 077 && cd "$work/another place" && TZ=Asia/Kathmandu scripts/dist.sh >/dev/null)
  cmp "$work/first.tar.xz" "$work/another place/$tarball" || fail "another path, umask and time zone give other octets"
fi

tar -C "$work" -xf "$tarball"
touch "$work/$name/stray" # a file that is not on the list must be left out
(umask 027 && cd "$work/$name" && TZ=America/Caracas scripts/dist.sh >/dev/null)
cmp "$work/first.tar.xz" "$work/$name/$tarball" || fail "the unpacked tarball packs other octets"
tar -tvf "$tarball" | awk '$2 != "0/0" {print; bad = 1} END {exit bad}' || fail "these have an owner"
if [ -e .git ]; then
  diff <(git ls-tree -r --name-only HEAD | LC_ALL=C sort) \
    <(tar -tf "$tarball" | sed -n "s|^$name/\(.*[^/]\)\$|\1|p" | grep -vx packaging/source.txt | LC_ALL=C sort) ||
    fail "the tarball has other files than git"
fi
rm "$work/$name/packaging/source.txt"
if (cd "$work/$name" && scripts/dist.sh >"$work/said" 2>&1); then fail "it packs a folder of which it knows nothing"; fi
grep -q 'clone the repository' "$work/said" || fail "no next step named: $(cat "$work/said")"

if [ "${1-}" = --build ]; then
  make -C "$work/$name" --no-print-directory
  make -C "$work/$name" --no-print-directory test
fi
echo "dist: $name is reproducible"

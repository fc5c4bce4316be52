#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Packs the source as build/dist/datum-VERSION.tar.xz: scripts/dist.sh
# The same commit gives the same octets, whatever user, path, umask and time zone. What is not committed is left out.
# In an unpacked tarball, where there is no git, it packs the files that packaging/source.txt names; `make dist` wrote it.
set -euo pipefail
[ "${1-}" != --help ] || { sed -n '3,5s/^# \{0,1\}//p' "$0"; exit 0; }
cd "$(dirname "$0")/.."
export LC_ALL=C
list=packaging/source.txt

version=$(sed -n 's/^project(datum VERSION \([0-9.]*\) .*/\1/p' CMakeLists.txt)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/datum-$version
mkdir "$tree"

if [ -e .git ] && git rev-parse --verify -q HEAD >"$work/commit"; then
  if [ -n "$(git status --porcelain)" ]; then
    echo "dist: there are changes that are not committed; they are not in the tarball" >&2
  fi
  git archive HEAD | tar -C "$tree" -xf -
  {
    echo "commit $(cat "$work/commit") $(git show -s --format=%ct HEAD)"
    git ls-tree -r --name-only HEAD
  } >"$tree/$list"
elif [ -f "$list" ]; then
  tail -n +2 "$list" | tar -cf - --verbatim-files-from -T - "$list" | tar -C "$tree" -xf -
else
  echo "dist: neither git nor $list here, so it is unknown which files belong to Datum; clone the repository" >&2
  exit 2
fi
epoch=$(sed -n '1s/^commit [0-9a-f]* //p' "$tree/$list")

mkdir -p build/dist
tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mode=u+rwX,go+rX,go-w --mtime="@$epoch" --format=ustar \
  -cf "$tree.tar" "datum-$version"
xz -T1 -6 "$tree.tar"
mv "$tree.tar.xz" build/dist/
echo "build/dist/datum-$version.tar.xz ($(du -h "build/dist/datum-$version.tar.xz" | cut -f1))"

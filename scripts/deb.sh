#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Makes the Debian packages of the last commit: scripts/deb.sh [OPTION...]
#   --source       only the source package
#   --out DIR      where the packages go, which is emptied before (default: build/deb)
#   --work DIR     where they are built; it is removed at the end (default: build/deb-work)
#   --help         this text
# The source is that of git, so that what lies around is in no package. How and why: docs/packaging.md.
set -euo pipefail
cd "$(dirname "$0")/.."

only_source='' out=build/deb work=build/deb-work
while [ $# -gt 0 ]; do
  case "$1" in
    --source) only_source=yes ;;
    --out) out=$2; shift ;;
    --work) work=$2; shift ;;
    -h | --help) sed -n '3,8s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) echo "deb: $1: no such option; see scripts/deb.sh --help" >&2; exit 2 ;;
  esac
  shift
done

version=$(sed -n 's/^project(datum VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
packaged=$(dpkg-parsechangelog -l packaging/debian/changelog -S Version)
if [ "${packaged%-*}" != "$version" ]; then
  echo "deb: packaging/debian/changelog is of version $packaged, CMakeLists.txt of $version: add an entry" >&2
  exit 1
fi
commit=$(git rev-parse --verify HEAD) ||
  { echo "deb: the source is taken from git, and this is no git tree" >&2; exit 1; }
[ -z "$(git status --porcelain)" ] || echo "deb: of commit ${commit:0:12}; changes since then are in no package" >&2

rm -rf "$work" "$out"
mkdir -p "$work" "$out"
work=$(realpath "$work") out=$(realpath "$out")
trap 'rm -rf "$work"' EXIT
# Here everything about the tarball is fixed: names, order and times by the commit, modes by
# tar.umask.
git -c tar.umask=0022 archive --format=tar --prefix="datum-$version/" "$commit" |
  xz --threads=1 -6 >"$work/datum_$version.orig.tar.xz"
# dpkg-source packs debian/ with the modes that the files have.
(
  umask 022
  tar -C "$work" -xf "$work/datum_$version.orig.tar.xz"
  cp -r "$work/datum-$version/packaging/debian" "$work/datum-$version/debian"
)

cd "$work/datum-$version"
if [ -n "$only_source" ]; then
  dpkg-buildpackage --no-sign --build=source --no-check-builddeps
else
  log=$out/datum_${packaged}_$(dpkg --print-architecture).build
  dpkg-buildpackage --no-sign --build=full 2>&1 | tee "$log"
fi
find "$work" -maxdepth 1 -type f -exec mv -t "$out" {} +

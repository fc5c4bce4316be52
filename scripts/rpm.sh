#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Builds build/rpm/*.rpm, the source package among them, from packaging/rpm/datum.spec: scripts/rpm.sh
#   JEMALLOC_SOURCE=DIR   jemalloc's unpacked source, where there is no libjemalloc_pic.a; without both no libdatum1
# Writes ${XDG_CONFIG_HOME:-~/.config}/rpmlint/datum.toml as well: what rpmlint shall leave out for these packages alone;
#   --policy   only prints that
set -euo pipefail
[ "${1-}" != --help ] || { sed -n '3,6s/^# \{0,1\}//p' "$0"; exit 0; }
cd "$(dirname "$0")/.."

# Each pattern names our packages, so no other packages are affected.
policy() {
  echo "# Written by make rpm from packaging/rpm/datum.rpmlintrc, which gives the reasons."
  echo "Filters = ["
  sed -n "s/^addFilter(\"\(.*\)\")\$/  '''^(?=(datum|libdat1|libdat2-2|libdatum1)[.:-]).*\1''',/p" \
    packaging/rpm/datum.rpmlintrc
  echo "]"
}

# With several packages rpmlint reads no settings beside them, only those in this file:
# docs/portable.md, "rpm".
write_policy() {
  local file=${XDG_CONFIG_HOME:-$HOME/.config}/rpmlint/datum.toml
  if [ -e "$file" ] && ! grep -q '^# Written by make rpm' "$file"; then
    echo "rpm: $file is not of make rpm, and stays; rpmlint finds what packaging/rpm/datum.rpmlintrc leaves out" >&2
    return
  fi
  mkdir -p "$(dirname "$file")"
  policy >"$file"
  echo "$file: what rpmlint leaves out for these packages, and why: packaging/rpm/datum.rpmlintrc"
}

[ "${1-}" != --policy ] || { policy; exit 0; }
top=$PWD/build/rpm/tree
log=build/rpm/build.log

tarball=$(scripts/dist.sh | cut -d ' ' -f 1)
rm -rf "$top" build/rpm/*.rpm
mkdir -p "$top/SOURCES" "$top/SPECS"
cp "$tarball" "$top/SOURCES/"
cp packaging/rpm/datum.spec "$top/SPECS/"
sed -i "s/^Version: .*/Version:        $(basename "$tarball" .tar.xz | cut -d - -f 2)/" "$top/SPECS/datum.spec"

options=()
if [ -n "${JEMALLOC_SOURCE-}" ]; then
  options+=(--with memory --define "jemalloc_source $(realpath "$JEMALLOC_SOURCE")")
elif [ -n "$(find /usr/lib /usr/lib64 -name libjemalloc_pic.a -print -quit 2>/dev/null)" ]; then
  options+=(--with memory)
fi
if [ -e /etc/debian_version ]; then
  # The names in BuildRequires are Fedora's. On Debian, scripts/deps.sh has installed the
  # equivalents.
  options+=(--nodeps)
fi
if ! rpmbuild -ba --define "_topdir $top" "${options[@]}" "$top/SPECS/datum.spec" >"$log" 2>&1; then
  tail -n 20 "$log" >&2
  echo "rpm: it does not build; all of it: $log" >&2
  exit 1
fi
find "$top/RPMS" "$top/SRPMS" -name '*.rpm' -exec cp -t build/rpm {} +
rm -rf "$top"
ls build/rpm/*.rpm
write_policy

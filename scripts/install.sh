#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Installs a build and records what was added: scripts/install.sh DESTDIR PREFIX [BUILD_DIR]
#   DEBUG_INFO=apart   debug information goes below PREFIX/lib/debug (scripts/split-debug.sh); the default
#   DEBUG_INFO=inside  it stays in programs and libraries, for those who take it out themselves
# It overwrites only what the record of an earlier installation names (scripts/installed.sh), and keeps a copy of what
# somebody changed since. scripts/uninstall.sh reads the record, so that nothing is left behind and nothing of anybody
# else's is removed.
# Without BUILD_DIR it is build/release, configured for that prefix and built first.
set -euo pipefail
umask 022
cd "$(dirname "$0")/.."
destdir=${1%/} prefix=${2%/} build=${3-} debug_info=${DEBUG_INFO:-apart}
. scripts/installed.sh
check_prefix install
case "$debug_info" in
  apart | inside) ;;
  *) echo "install: DEBUG_INFO=\"$debug_info\": expected apart or inside" >&2; exit 2 ;;
esac
if [ -z "$build" ]; then
  build=build/release
  scripts/build.sh release -DCMAKE_INSTALL_PREFIX="$prefix"
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
stage=$work/stage
DESTDIR=$stage cmake --install "$build" --prefix "$prefix" >/dev/null
[ "$debug_info" = inside ] || scripts/split-debug.sh "$stage" "$prefix" "$build"
mkdir -p "$stage${record%/*}"
find "$stage" -mindepth 1 -type d -printf '/%P\n' | sort >"$work/dirs"
find "$stage" ! -type d -printf '/%P\n' | sort >"$work/files"
sums_below "$stage" <"$work/files" | sort >"$work/sums"
[ -f "$destdir$record" ] && read_record "$destdir$record"

# Before anything is written: finds the files that are in the way, and the files that were changed.
foreign=()
: >"$work/replaced"
while read -r path; do
  exists "$destdir$path" || continue
  if [ -z "${recorded_sums[$path]+known}" ] || { [ -d "$destdir$path" ] && [ ! -L "$destdir$path" ]; }; then
    foreign+=("$path")
  else
    echo "$path" >>"$work/replaced"
  fi
done <"$work/files"
while read -r path; do
  exists "$destdir$path" && [ ! -d "$destdir$path" ] && foreign+=("$path")
done <"$work/dirs"
# A changed file that equals the new one needs no copy.
mapfile -t changed < <(changed_since <"$work/replaced" | sums_below "$destdir" | sort |
  comm -23 - "$work/sums" | sed 's/^[^ ]* //')
find_owners "${foreign[@]}" "${changed[@]}"
kept=()
for path in "${changed[@]}"; do
  if [ -n "${owner[$path]-}" ]; then foreign+=("$path"); else kept+=("$path"); fi
done
if [ ${#foreign[@]} -gt 0 ]; then
  {
    echo "install: nothing was installed, since these are here and not from an earlier make install:"
    list_paths "${foreign[@]}"
    echo "install: give another PREFIX, or remove them first"
  } >&2
  exit 1
fi

# The record is written first and names old and new files. So an interrupted installation can be
# repeated or removed.
write_record() { # what it names beside this installation
  sort -u - "$1" >"$work/record"
  mkdir -p "$destdir${record%/*}" && cp "$work/record" "$destdir$record.new" &&
    mv "$destdir$record.new" "$destdir$record" && return
  echo "install: could not write below $destdir$prefix; as root, or with another PREFIX=?" >&2
  exit 1
}
if [ -f "$destdir$record" ]; then cp "$destdir$record" "$work/old"; else : >"$work/old"; fi
{
  while read -r path; do
    if [ ! -d "$destdir$path" ] || [ -n "${recorded_dirs[$path]-}" ]; then echo "dir $path"; fi
  done <"$work/dirs"
  sed 's/^/file /' "$work/files"
  sed 's/^/sum /' "$work/sums"
} >"$work/new"
write_record "$work/old" <"$work/new"

for path in "${kept[@]}"; do
  mv --backup=numbered --no-target-directory -- "$destdir$path" "$destdir$path.saved"
  echo "kept what was changed in $destdir$path as $destdir$path.saved"
done
if ! tar -C "$stage" -cf - --owner=0 --group=0 . |
  tar -C "${destdir:-/}" -xf - --no-same-owner --no-overwrite-dir --keep-directory-symlink; then
  echo "install: could not write all below $destdir$prefix; mend that and repeat it, or: make uninstall" >&2
  exit 1
fi

# Removes the files of the older version that this version does not have.
printf '%s\n' "${!recorded_sums[@]}" | sort | comm -23 - "$work/files" >"$work/stale"
remove_recorded "$work/stale"
printf '%s\n' "${!recorded_dirs[@]}" | sort | comm -23 - "$work/dirs" >"$work/stale"
remove_empty "$work/stale"
while read -r path; do
  [ -n "$path" ] && [ -d "$destdir$path" ] && echo "dir $path" >>"$work/new"
done <"$work/stale"
write_record /dev/null <"$work/new"

library=$(grep -m 1 '/libdat\.so\.1$' "$work/files" || true)
if in_loader_cache "${library%/*}"; then renew_loader_cache; fi
echo "installed $(grep -c '' "$work/files") files below $destdir$prefix"

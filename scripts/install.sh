#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Installs a build and records what was added: scripts/install.sh DESTDIR PREFIX [BUILD_DIR]
# The record lies with the installation, PREFIX/share/datum/installed.txt: a line `file PATH` for
# each file and `dir PATH` for each directory that was not there before. scripts/uninstall.sh
# reads it, so that nothing is left behind and nothing of anybody else's is removed.
# Without BUILD_DIR it is build/release, configured for that prefix and built first.
set -euo pipefail
umask 022
cd "$(dirname "$0")/.."
destdir=${1%/} prefix=${2%/} build=${3-}
case "$prefix" in
  /*) ;;
  *) echo "install: PREFIX=\"$prefix\": an absolute path is needed, such as /usr/local" >&2; exit 2 ;;
esac
if [ -z "$build" ]; then
  build=build/release
  scripts/build.sh release -DCMAKE_INSTALL_PREFIX="$prefix"
fi

record=$prefix/share/datum/installed.txt
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
DESTDIR=$stage cmake --install "$build" --prefix "$prefix" >/dev/null
mkdir -p "$stage${record%/*}"
touch "$stage$record"

# An older installation's directories are ours still.
known=$(sed -n 's/^dir //p' "$destdir$record" 2>/dev/null || true)
{
  find "$stage" -mindepth 1 -type d -printf '/%P\n' | sort | while read -r dir; do
    if [ ! -d "$destdir$dir" ] || grep -qxF -- "$dir" <<<"$known"; then echo "dir $dir"; fi
  done
  find "$stage" ! -type d -printf 'file /%P\n' | sort
} >"$stage.record"
mv "$stage.record" "$stage$record"

# What an older version installed and this one does not have would stay behind unrecorded.
if [ -e "$destdir$record" ]; then
  comm -23 <(grep '^file ' "$destdir$record" | sort) <(grep '^file ' "$stage$record" | sort) |
    while read -r _ file; do rm -f -- "$destdir$file"; done
fi

mkdir -p "${destdir:-/}"
if ! tar -C "$stage" -cf - --owner=0 --group=0 . |
  tar -C "${destdir:-/}" -xf - --no-same-owner --no-overwrite-dir --keep-directory-symlink; then
  echo "install: could not write below ${destdir}${prefix}; as root, or with another PREFIX=?" >&2
  exit 1
fi
# Programs find a library in a standard directory through the loader's cache.
if [ -z "$destdir" ] && [ "$(id -u)" -eq 0 ] && command -v ldconfig >/dev/null; then
  ldconfig
fi
echo "installed $(grep -c '^file ' "$destdir$record") files below ${destdir}${prefix}"

#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Builds this tree on another suite of Debian, in a root of its own, and runs every test there; needs root:
#   scripts/system.sh [--keep] SUITE [ctest option...]     such as trixie or sid
#   --keep    leaves the root in build/system/SUITE, where the next run with --keep takes it as it is
# What is committed or added is copied, as `git ls-files` names it. Exit 4: the mirror does not have the suite.
set -euo pipefail
cd "$(dirname "$0")/.."
keep=no
case "${1-}" in
  -h | --help) sed -n '3,6s/^# \{0,1\}//p' "$0"; exit 0 ;;
  --keep) keep=yes; shift ;;
esac
[ $# -ge 1 ] || { "$0" --help >&2; exit 2; }
suite=$1
shift
[ "$(id -u)" -eq 0 ] || { echo "system.sh: making a root of Debian needs root" >&2; exit 2; }

folder=$PWD/build/system/$suite
mkdir -p build/system
# The mounts are in a namespace that has ended by then.
if [ "$keep" = no ]; then
  rm -rf --one-file-system "$folder"
  trap 'rm -rf --one-file-system "$folder"' EXIT
fi

if [ ! -e "$folder/etc/debian_version" ]; then
  began=$SECONDS
  scripts/debian-root.sh "$suite" "$folder.new" --include=git,make >build/system/"$suite".log 2>&1 || {
    status=$?
    tail -n 5 build/system/"$suite".log >&2
    rm -rf --one-file-system "$folder.new"
    exit $status
  }
  mv "$folder.new" "$folder"
  echo "system.sh: $suite, Debian $(cat "$folder/etc/debian_version"): root made in $((SECONDS - began)) s"
fi
mkdir -p "$folder/datum"
git ls-files -z --cached --others --exclude-standard | tar --null -T - -cf - | tar -xf - -C "$folder/datum"

# The tests get their own network, in which no other process uses a port.
step() { # network|no-network COMMAND...
  local began=$SECONDS
  scripts/inside-root.sh "$folder" "$@" || { status=$?; echo "system.sh: $suite: \`${*:2}\` failed" >&2; exit $status; }
  echo "system.sh: $suite: \`${*:2}\` in $((SECONDS - began)) s"
}

step network scripts/deps.sh build test
step no-network make
step no-network make test ARGS="$*"

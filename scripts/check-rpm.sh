#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Whether the packages of make rpm can be used: scripts/check-rpm.sh
# What rpmlint says of them, then installed into a folder (root, the libraries of this machine): dat-info, and pings.
set -euo pipefail
[ "${1-}" != --help ] || { sed -n '3,4s/^# \{0,1\}//p' "$0"; exit 0; }
cd "$(dirname "$0")/.."
fail() { echo "rpm: $*" >&2; exit 1; }
mapfile -t packages < <(find build/rpm -maxdepth 1 -name '*.rpm' | sort)
[ "${#packages[@]}" -gt 0 ] || { echo "rpm: no build/rpm/*.rpm; first: make rpm" >&2; exit 2; }
. scripts/installed-tools.sh
root=$scratch/root
mkdir "$root"

# Does not use the settings that make rpm has written for this user: with them, rpmlint could not
# find lines of this file that are no longer needed.
XDG_CONFIG_HOME=$scratch rpmlint -r packaging/rpm/datum.rpmlintrc "${packages[@]}" >build/rpm/rpmlint.log 2>&1 ||
  { cat build/rpm/rpmlint.log >&2; fail "rpmlint has found something"; }

installed=()
for package in "${packages[@]}"; do
  case $package in *.src.rpm | *-debuginfo-* | *-debugsource-*) ;; *) installed+=("$package") ;; esac
done
# This root is no whole system, so dependencies and scripts are left out.
rpm --root "$root" --initdb 2>/dev/null
rpm --root "$root" -i --nodeps --noscripts "${installed[@]}" 2>"$scratch/said" || fail "$(cat "$scratch/said")"
LD_LIBRARY_PATH=$(dirname "$(find "$root" -name libdat.so.1)")
export LD_LIBRARY_PATH
PATH=$root/usr/bin:$PATH
for option in "" --dat2; do
  dat-info $option datum >"$scratch/said" || fail "dat-info $option: $(cat "$scratch/said")"
done
ping_both_ways dat-ping
echo "rpm: ${#installed[@]} packages, rpmlint content, dat-info and dat-ping run"

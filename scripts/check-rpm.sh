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
root=$(mktemp -d)
server=
cleanup() {
  local status=$?
  trap - EXIT INT TERM
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  rm -rf "$root"
  exit "$status"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

rpmlint -r packaging/rpm/datum.rpmlintrc "${packages[@]}" >build/rpm/rpmlint.log 2>&1 ||
  { cat build/rpm/rpmlint.log >&2; fail "rpmlint has found something"; }

installed=()
for package in "${packages[@]}"; do
  case $package in *.src.rpm | *-debuginfo-* | *-debugsource-*) ;; *) installed+=("$package") ;; esac
done
# Nothing in there is a system: no dependencies, no scripts.
rpm --root "$root" --initdb 2>/dev/null
rpm --root "$root" -i --nodeps --noscripts "${installed[@]}" 2>"$root/said" || fail "$(cat "$root/said")"
LD_LIBRARY_PATH=$(dirname "$(find "$root" -name libdat.so.1)")
export LD_LIBRARY_PATH
PATH=$root/usr/bin:$PATH
for option in "" --dat2; do
  dat-info $option datum >"$root/said" || fail "dat-info $option: $(cat "$root/said")"
done
mkfifo "$root/log"
dat-ping --serve -p 0 >"$root/log" 2>&1 &
server=$!
exec 3<"$root/log"
read -r said <&3
port=$(sed -n 's/.*, port \([0-9]*\),.*/\1/p' <<<"$said")
[ -n "$port" ] || fail "dat-ping --serve says: $said"
for transport in shm tcp; do
  DATUM_TRANSPORT=$transport dat-ping -q -c 3 -i 0 -p "$port" 127.0.0.1 >"$root/said" 2>&1 ||
    fail "dat-ping over $transport: $(cat "$root/said")"
done
echo "rpm: ${#installed[@]} packages, rpmlint content, dat-info and dat-ping run"

# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# To be sourced by checks of packed tools. It provides a scratch folder, $scratch, and pings by the
# tools. The caller defines fail(), which prints its arguments and ends the script.
# shellcheck shell=bash

scratch=$(mktemp -d)
server=
leave() {
  local status=$?
  trap - EXIT INT TERM
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  rm -rf "$scratch"
  exit "$status"
}
trap leave EXIT
trap 'exit 130' INT TERM

# DAT_PING [COMMAND...]: the program DAT_PING, run by COMMAND (chroot ROOT), pings itself over
# shared memory and TCP.
ping_both_ways() {
  local program=$1 port said transport
  shift
  mkfifo "$scratch/log"
  "$@" "$program" --serve -p 0 >"$scratch/log" 2>&1 &
  server=$!
  exec 3<"$scratch/log"
  read -r said <&3
  port=$(sed -n 's/.*, port \([0-9]*\),.*/\1/p' <<<"$said")
  [ -n "$port" ] || fail "dat-ping --serve says: $said"
  for transport in shm tcp; do
    DATUM_TRANSPORT=$transport "$@" "$program" -q -c 3 -i 0 -p "$port" 127.0.0.1 >"$scratch/said" 2>&1 ||
      fail "$program over $transport: $(cat "$scratch/said")"
  done
  kill "$server"
  wait "$server" 2>/dev/null || true
  server=
  exec 3<&-
  rm "$scratch/log"
}

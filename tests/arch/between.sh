#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Processes of two builds, for processors of any byte order, speak with each other over TCP, each in both parts:
#   tests/arch/between.sh BUILD OTHER_BUILD
# Both must start here: natively, or by an emulator that the kernel knows. Exit 0: everything came unchanged.
set -euo pipefail
case "${1-}" in
  -h | --help) sed -n '3,5s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac
[ $# -eq 2 ] || { "$0" --help >&2; exit 2; }
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
export DATUM_TRANSPORT=tcp

begin() { # line that the server prints when it listens, command: starts the server
  local ready=$1
  shift
  "$@" >"$work/server" 2>&1 &
  server=$!
  for _ in $(seq 600); do
    ! grep -q "$ready" "$work/server" || return 0
    kill -0 "$server" 2>/dev/null || break
    sleep 0.1
  done
  cat "$work/server" >&2
  echo "between.sh: $* does not listen" >&2
  exit 1
}
finish() { # signal or nothing: ends the server
  [ $# -eq 0 ] || kill -"$1" "$server"
  wait "$server" || [ $# -eq 1 ] || { cat "$work/server" >&2; echo "between.sh: the server failed" >&2; exit 1; }
  server=
}

both() { # the build of the server, the build of the client
  local serving=$1 calling=$2
  echo "serving: $serving, calling: $calling"
  begin listening "$serving/bin/datum-exchange" serve 4711
  "$calling/bin/datum-exchange" connect 4711
  finish

  begin 5213 "$serving/bin/dat-ping" --serve
  for size in 56 100000; do "$calling/bin/dat-ping" -q -c 5 -i 0 -s "$size" -W 30 127.0.0.1; done
  finish TERM

  rm -rf "$work/from" "$work/to"
  mkdir -p "$work/from/folder" "$work/to"
  head -c 3000001 /dev/urandom >"$work/from/folder/large"
  printf 'small' >"$work/from/folder/small"
  : >"$work/from/folder/empty"
  begin '^token: ' "$serving/bin/dat-cp" serve --reuse-token "$work/to"
  DAT_CP_TOKEN=$(sed -n 's/^token: //p' "$work/server")
  export DAT_CP_TOKEN
  "$calling/bin/dat-cp" put -q "$work/from/folder" 127.0.0.1:folder
  "$calling/bin/dat-cp" put -q --verify "$work/from/folder" 127.0.0.1:folder
  "$calling/bin/dat-cp" get -q 127.0.0.1:folder "$work/back"
  finish TERM
  diff -r "$work/from/folder" "$work/to/folder"
  diff -r "$work/from/folder" "$work/back"
  rm -rf "$work/back"
}

both "$1" "$2"
both "$2" "$1"
echo "between.sh: everything came unchanged, in both directions"

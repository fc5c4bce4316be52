#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# hello_two_programs.sh PROGRAM: a server and a client that are started separately, as in two
# terminals.
set -euo pipefail
program=$1
# A qualifier too large for a port number. Another run on this machine has another process id.
qualifier=$((7000000000 + $$))

exec 3< <(exec "$program" --server "$qualifier")
server_id=$!
trap 'kill "$server_id" 2>/dev/null || true' EXIT
read -r -u 3 listens # the server prints this line when it listens
printf '%s\n' "$listens"

# A second server finds the qualifier taken.
if taken=$("$program" --server "$qualifier" 2>&1); then exit 1; fi
printf '%s\n' "$taken"
grep -q "^qualifier $qualifier is taken: choose another$" <<<"$taken"

answer=$("$program" 127.0.0.1 "$qualifier")
printf '%s\n' "$answer"
read -r -u 3 received
printf '%s\n' "$received"
wait "$server_id"

grep -qE '^client [0-9]+ received "hello from server [0-9]+"$' <<<"$answer"
grep -qE '^server [0-9]+ received "hello from client [0-9]+"$' <<<"$received"

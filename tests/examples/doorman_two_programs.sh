#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# doorman_two_programs.sh PROGRAM: a doorman and guests that are started separately, as in two
# terminals.
set -euo pipefail
program=$1

exec 3< <(exec "$program" --server)
server_id=$!
trap 'kill "$server_id" 2>/dev/null || true' EXIT
read -r -u 3 listens # the doorman prints this line, with its port, when it listens
printf '%s\n' "$listens"
port=${listens##* }

# A second doorman finds the port taken.
if taken=$("$program" --server "$port" 2>&1); then exit 1; fi
printf '%s\n' "$taken"
grep -q "^port $port is taken" <<<"$taken"

# A guest that is turned away must exit with 1.
if wrong=$("$program" 127.0.0.1 "$port" barley); then exit 1; fi
printf '%s\n' "$wrong"
grep -qE '^guest [0-9]+: turned away: "that is not the password"$' <<<"$wrong"

right=$("$program" 127.0.0.1 "$port" sesame)
printf '%s\n' "$right"
grep -qE '^guest [0-9]+: let in: "welcome"$' <<<"$right"
read -r -u 3 summary
printf '%s\n' "$summary"
grep -qE '^doorman [0-9]+: one guest is in, 1 turned away$' <<<"$summary"
wait "$server_id"

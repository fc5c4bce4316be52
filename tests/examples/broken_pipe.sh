#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Runs an example whose child process prints at its end, into a pipe that nobody reads any more: it says in
# words what ended them. broken_pipe.sh PROGRAM
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkfifo "$folder/pipe"
exec 3<>"$folder/pipe" 4>"$folder/pipe" 3<&-
"$1" 2>"$folder/said" >&4 && { echo "$1 exited 0" >&2; exit 1; }
cat "$folder/said"
grep -qE '^process [0-9]+ was ended by signal 13 \(Broken pipe\)$' "$folder/said"

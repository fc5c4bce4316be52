#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# broken_pipe.sh PROGRAM EXPRESSION: runs an example whose child process prints into a pipe that
# nothing reads. SIGPIPE ends the child. The example must report that in words that match the
# extended expression.
set -uo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkfifo "$folder/pipe"
exec 3<>"$folder/pipe" 4>"$folder/pipe" 3<&-
"$1" 2>"$folder/said" >&4
status=$?
cat "$folder/said"
[ "$status" -eq 141 ] || { echo "$1 exited $status instead of 141" >&2; exit 1; }
grep -qE "^$2; nobody reads standard output any more$" "$folder/said"

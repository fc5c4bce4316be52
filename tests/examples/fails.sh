#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# fails.sh CODE EXPRESSION PROGRAM [ARGUMENT...]: runs a program that must exit with CODE and write
# to standard error what the extended expression describes.
set -uo pipefail
code=$1
expression=$2
shift 2
said=$("$@" 2>&1 >/dev/null)
status=$?
printf '%s\n' "$said"
if [ "$status" -ne "$code" ]; then
  echo "$1 exited $status instead of $code" >&2
  exit 1
fi
if ! grep -qE -- "$expression" <<<"$said"; then
  echo "$1 did not say on standard error: $expression" >&2
  exit 1
fi

#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Runs a program that must exit 0 and print what the extended expression describes:
# run.sh EXPRESSION PROGRAM [ARGUMENT...]
set -euo pipefail
expression=$1
shift
said=$("$@")
printf '%s\n' "$said"
if ! grep -qE -- "$expression" <<<"$said"; then
  echo "$1 exited 0 but did not print: $expression" >&2
  exit 1
fi

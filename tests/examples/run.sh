#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# run.sh EXPRESSION PROGRAM [ARGUMENT...]: runs a program that must exit with 0 and print what the
# extended expression describes.
set -euo pipefail
expression=$1
shift
said=$("$@")
printf '%s\n' "$said"
if ! grep -qE -- "$expression" <<<"$said"; then
  echo "$1 exited 0 but did not print: $expression" >&2
  exit 1
fi

#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Checks an installation as a new user meets it: follows README.md, runs `make install` into an
# empty folder and `make uninstall`, and checks that nothing is left behind. The rest of
# tests/install runs with all tests.
set -euo pipefail
cd "$(dirname "$0")/.."
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

tests/install/readme.py .
make --no-print-directory install DESTDIR="$place/stage" PREFIX=/opt/datum
make --no-print-directory uninstall DESTDIR="$place/stage" PREFIX=/opt/datum
left=$(find "$place/stage" -mindepth 1)
if [ -n "$left" ]; then
  printf 'make uninstall left behind:\n%s\n' "$left"
  exit 1
fi
echo "install: nothing left behind"

#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# The front door of an installation: what README.md says of it, then make install into an empty place, make uninstall,
# and nothing left behind. The rest of tests/install runs with all tests.
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

#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# The front door of an installation: make install into an empty place, consumers built against it,
# make uninstall, and nothing left behind.
set -euo pipefail
cd "$(dirname "$0")/.."
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

make --no-print-directory install DESTDIR="$place/stage" PREFIX=/opt/datum
tests/install/consumers.sh "$place/stage/opt/datum" "$place/consumers"
make --no-print-directory uninstall DESTDIR="$place/stage" PREFIX=/opt/datum
left=$(find "$place/stage" -mindepth 1)
if [ -n "$left" ]; then
  printf 'make uninstall left behind:\n%s\n' "$left"
  exit 1
fi
echo "install: nothing left behind"

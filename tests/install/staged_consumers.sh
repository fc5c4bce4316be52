#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# staged_consumers.sh SOURCE_DIR BUILD_DIR C_COMPILER: installs a build into an empty folder, moves
# that folder, and builds consumers against the moved installation.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
DEBUG_INFO=inside "$1/scripts/install.sh" "$place" /first "$2"
mv "$place/first" "$place/second"
CC=$3 "$1/tests/install/consumers.sh" "$place/second" "$place/work"

#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Runs a script of this project, or says plainly that this tree does not have it.
set -euo pipefail
script=$1
shift
if [ ! -x "$script" ]; then
  echo "$script is not in this tree, so there is nothing to run" >&2
  exit 2
fi
exec "$script" "$@"

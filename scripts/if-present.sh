#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Runs a command if this tree has the script it rests on: if-present.sh SCRIPT COMMAND...
# Exit 4: it has not; .ci/run reports such a stage as absent.
script=$1
shift
if [ ! -x "$script" ]; then
  echo "$script is not in this tree, so there is nothing to run" >&2
  exit 4
fi
exec "$@"

#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# quiet.sh PROGRAM: a list of all adapters must hide the noise of providers that do not open. A
# query of one adapter must show that provider's noise, and so must a list if the user has set
# DAPL_DBG_TYPE.
set -euo pipefail
unset DAPL_DBG_TYPE
all=$("$1" 2>&1)
one=$("$1" noisy 2>&1) || true
set_by_user=$(DAPL_DBG_TYPE=1 "$1" 2>&1)
noise="noise of a provider"
if [[ $all == *"$noise"* || $one != *"$noise"* || $set_by_user != *"$noise"* ]]; then
  printf '%s\n' "all:" "$all" "one:" "$one" "set by the user:" "$set_by_user" >&2
  exit 1
fi

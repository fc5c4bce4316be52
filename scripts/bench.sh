#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Speed against the limits of this machine: scripts/bench.sh [OPTION...] [BIN]
# Takes every bar several times, each beside its limit, UCX and libfabric, and writes
# docs/performance.md (between two marks for each table) and docs/plots/*.svg. Twenty minutes on a
# quiet machine.
#   --table shm|tcp   one of the two tables, not both; a second --raw file is named FILE.tcp
#   BIN               where dat-perf and datum-limits are (default: build/release/bin)
#   --runs N          kept runs of each bar (default 7)
#   --peers DIR       newer builds of UCX and libfabric: ucx_perftest and fi_pingpong in DIR/bin or DIR/*/bin,
#                     their libraries in the lib beside that bin
#   --only WORD       only bars whose name contains WORD (repeat it for more); no plots
#   --no-plots        the table alone
#   --output FILE     instead of docs/performance.md; FILE is made if it is missing
#   --raw FILE        every single run as JSON
# Exit: 0 measured (goals met or not: the table says); 1 a measurement failed; 2 not built.
set -euo pipefail
cd "$(dirname "$0")/.."
case "${1-}" in
  -h | --help) sed -n '3,18s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac
exec python3 scripts/bench/bench.py "$@"

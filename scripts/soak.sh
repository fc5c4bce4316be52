#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# The long runs: tests/stress under the sanitizers, in one process and between two, of one DAT
# version and of both; two hosts and a wire between them that fails; 100,000 seeds of the simulator;
# killed peers; and memory orders, for which some scenes are searched by seeds because a whole
# search takes too long.
#   scripts/soak.sh [--minutes N] [--seed N] [--lanes N] [PRESET|net|sim|orders|kills...]
# The stress runs take N minutes (default 10) each, with each preset. The other runs take as long as
# they need. The default is: asan tsan net sim orders kills. The seed is the date unless given, and
# is printed.
set -euo pipefail
. "$(dirname "$0")/fixed-addresses.sh"
cd "$(dirname "$0")/.."

minutes=10
seed=$(date +%Y%m%d)
lanes=500
while [ $# -gt 0 ]; do
  case $1 in
    --minutes) minutes=$2 && shift ;;
    --seed) seed=$2 && shift ;;
    --lanes) lanes=$2 && shift ;;
    -*) echo "scripts/soak.sh: no option $1" >&2 && exit 2 ;;
    *) break ;;
  esac
  shift
done
runs=("$@")
[ ${#runs[@]} -eq 0 ] && runs=(asan tsan net sim orders kills)

. scripts/sanitizer-options.sh

for preset in "${runs[@]}"; do
  # Runs without a sanitizer, because the rules are about times.
  if [ "$preset" = net ]; then
    DATUM_TARGETS=datum-net-test scripts/build.sh dev
    echo "soak net: seed $seed"
    build/dev/bin/datum-net-test --long --seed "$seed"
    continue
  fi
  # Checks the invariants of the simulated network with each of this many seeds.
  if [ "$preset" = sim ]; then
    DATUM_TARGETS=datum-sim-search scripts/build.sh dev
    build/dev/bin/datum-sim-search 1 100000
    continue
  fi
  # Memory orders of shared words: plays each scene in every way, and by this many seeds beyond
  # that.
  if [ "$preset" = orders ]; then
    DATUM_TARGETS=datum-orders scripts/build.sh dev
    build/dev/bin/datum-orders long
    build/dev/bin/datum-orders seeds 1 20000
    continue
  fi
  # Kills peers at each system call, at many instructions after it, at 10,000 random moments, and at
  # each instruction of the main operations.
  if [ "$preset" = kills ]; then
    DATUM_TARGETS=datum-process-test scripts/build.sh dev
    build/dev/bin/datum-process-test --long --transport=shm
    continue
  fi
  DATUM_TARGETS="datum-stress datum-stress2" scripts/build.sh "$preset"
  for mode in one two "two --child build/$preset/bin/datum-stress2"; do
    echo "soak $preset $mode: $minutes min, seed $seed"
    # a mode may consist of several words
    "build/$preset/bin/datum-stress" $mode --seconds "$((minutes * 60))" --seed "$seed" \
      --threads 64 --lanes "$lanes"
  done
done

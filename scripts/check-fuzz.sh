#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Each fuzz target replays its corpus and then runs for a short time on new input:
# scripts/check-fuzz.sh [SECONDS] (default: 10 for each). The long run is `make fuzz`.
# A target is a program build/fuzz/bin/fuzz_NAME; its corpus is tests/fuzz/corpus/NAME.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-10}
if [ ! -f tests/fuzz/CMakeLists.txt ]; then
  echo "absent: no tests/fuzz in this tree"
  exit 4
fi
scripts/build.sh fuzz
shopt -s nullglob
targets=(build/fuzz/bin/fuzz_*)
if [ ${#targets[@]} -eq 0 ]; then
  echo "tests/fuzz builds no program build/fuzz/bin/fuzz_*"
  exit 1
fi

found=$(mktemp -d)
trap 'rm -rf "$found"' EXIT
run() { # what, target, options
  local what=$1 target=$2
  shift 2
  if ! "$target" -artifact_prefix=build/fuzz/ "$@" >build/fuzz/log 2>&1; then
    cat build/fuzz/log
    echo "$what failed; the input stands in the output above; rerun: $target INPUT"
    exit 1
  fi
}
for target in "${targets[@]}"; do
  name=${target##*/fuzz_}
  corpus=tests/fuzz/corpus/$name
  if [ ! -d "$corpus" ]; then
    echo "$target has no corpus $corpus"
    exit 1
  fi
  run "replay of $corpus" "$target" -runs=0 "$corpus"
  mkdir -p "$found/$name"
  run "short run of $name" "$target" -max_total_time="$seconds" -timeout=10 "$found/$name" "$corpus"
  echo "fuzz $name: $(find "$corpus" -type f | wc -l) inputs replayed, $seconds s of new ones"
done

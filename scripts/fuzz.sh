#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Runs the fuzz targets of build/fuzz. Each replays its kept corpus, then searches for new inputs.
#   scripts/fuzz.sh [--seconds N] [--fresh] [NAME...]    N for each target, 600 by default
#   scripts/fuzz.sh --keep [NAME...]                     makes the found inputs the kept corpus
# A target is a program build/fuzz/bin/fuzz_NAME. Its kept corpus is tests/fuzz/corpus/NAME. New
# inputs go to build/fuzz/corpus/NAME, from which the next run continues, unless --fresh is given.
set -euo pipefail
. "$(dirname "$0")/fixed-addresses.sh"
cd "$(dirname "$0")/.."

seconds=600
fresh=
keep=
while [ $# -gt 0 ]; do
  case $1 in
    --seconds) seconds=$2 && shift ;;
    --fresh) fresh=1 ;;
    --keep) keep=1 ;;
    -*) echo "scripts/fuzz.sh: no option $1" >&2 && exit 2 ;;
    *) break ;;
  esac
  shift
done

names=("$@")
if [ ${#names[@]} -eq 0 ]; then
  shopt -s nullglob
  for target in build/fuzz/bin/fuzz_*; do names+=("${target##*/fuzz_}"); done
fi
if [ ${#names[@]} -eq 0 ]; then
  echo "no program build/fuzz/bin/fuzz_*; build them: scripts/build.sh fuzz" >&2
  exit 1
fi
for name in "${names[@]}"; do
  if [ ! -x "build/fuzz/bin/fuzz_$name" ] || [ ! -d "tests/fuzz/corpus/$name" ]; then
    echo "fuzz $name: no program build/fuzz/bin/fuzz_$name, or no corpus tests/fuzz/corpus/$name" >&2
    exit 1
  fi
done

work=build/fuzz
[ -n "$fresh" ] && work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
mkdir -p "$work/corpus" "$work/log" build/fuzz/found

# Targets that name the situations that their kept corpus must reach
# (tests/fuzz/session/situations.h).
demanding=" iwarp_session "
reaches_all() {
  case $demanding in *" $1 "*) ;; *) return 0 ;; esac
  "build/fuzz/bin/fuzz_$1" --situations "tests/fuzz/corpus/$1" >"$work/log/$1-situations" 2>&1 &&
    return 0
  tail -n 60 "$work/log/$1-situations"
  echo "fuzz $1 FAILED: the kept corpus does not reach all it has to; scripts/fuzz.sh $1, then --keep"
  return 1
}

# The smallest part of both corpora that reaches as much replaces the kept corpus.
keep_one() {
  local name=$1 kept=tests/fuzz/corpus/$1 merged
  merged=$(mktemp -d)
  "build/fuzz/bin/fuzz_$name" -set_cover_merge=1 "$merged" "$kept" "$work/corpus/$name" \
    >"$work/log/$name" 2>&1 || { cat "$work/log/$name" && return 1; }
  rm -f "$kept"/*
  find "$merged" -type f -exec mv -t "$kept" {} +
  rm -r "$merged"
  echo "fuzz $name: $(find "$kept" -type f | wc -l) inputs kept"
  reaches_all "$name" || return 1
}

fuzz_one() {
  local name=$1 kept=tests/fuzz/corpus/$1 log=$work/log/$1 status=0 found=0
  mkdir -p "$work/corpus/$name"
  reaches_all "$name" || status=1
  # Long inputs come late, and inputs above 1 KiB find nothing that shorter ones do not find.
  "build/fuzz/bin/fuzz_$name" -artifact_prefix="build/fuzz/found/$name-" -max_len=1024 \
    -len_control=20 -timeout=10 -rss_limit_mb=4096 -max_total_time="$seconds" \
    "$work/corpus/$name" "$kept" >"$log" 2>&1 || found=$?
  if [ "$found" -ne 0 ]; then
    tail -n 60 "$log"
    echo "fuzz $name FAILED: the input stands above; rerun: build/fuzz/bin/fuzz_$name INPUT"
    return 1
  fi
  echo "fuzz $name: $(find "$kept" -type f | wc -l) kept inputs replayed;" \
    "$(sed -n 's/^Done \(.*\)/\1/p' "$log") without a finding"
  return "$status"
}

job=fuzz_one
[ -n "$keep" ] && job=keep_one
failed=0
running=0
for name in "${names[@]}"; do
  if [ "$running" -ge "${DATUM_JOBS:-$(nproc)}" ]; then
    wait -n || failed=1
    running=$((running - 1))
  fi
  $job "$name" &
  running=$((running + 1))
done
while [ "$running" -gt 0 ]; do
  wait -n || failed=1
  running=$((running - 1))
done
exit "$failed"

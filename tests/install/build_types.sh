#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# build_types.sh SOURCE_DIR: the builds of packagers have no assertions, whatever build type they
# name.
set -euo pipefail
source=$1
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
fail() { echo "build types: $*"; exit 1; }

# TYPE EXPECTED_STATUS: the configuration must print this status, and each of our compile commands
# must have -DNDEBUG.
has_no_assertions() {
  cmake -S "$source" -B "$place/$1" -G Ninja -DCMAKE_BUILD_TYPE="$1" -DDATUM_TESTS=OFF -DDATUM_BENCH=OFF \
    -DDATUM_EXAMPLES=OFF >"$place/log" 2>&1 || fail "$(tail -n 20 "$place/log")"
  grep -q -- "^-- $2" "$place/log" || fail "\"$1\": the configuration does not say \"$2\""
  grep '"command"' "$place/$1/compile_commands.json" >"$place/commands" || fail "\"$1\": no commands"
  if grep -v -- ' -DNDEBUG ' "$place/commands"; then fail "\"$1\": these are compiled with assertions"; fi
  if grep -- ' -DDATUM_ASSERTIONS ' "$place/commands"; then fail "\"$1\": these are compiled with DATUM_ASSERT"; fi
}

# TYPE OPTION...: DATUM_ASSERT must be on in each of our compile commands.
has_assertions() {
  cmake -S "$source" -B "$place/asserting-$1" -G Ninja -DCMAKE_BUILD_TYPE="$1" -DDATUM_TESTS=OFF -DDATUM_BENCH=OFF \
    -DDATUM_EXAMPLES=OFF "${@:2}" >"$place/log" 2>&1 || fail "$(tail -n 20 "$place/log")"
  grep '"command"' "$place/asserting-$1/compile_commands.json" >"$place/commands" || fail "\"$1\": no commands"
  if grep -v -- ' -DDATUM_ASSERTIONS ' "$place/commands"; then fail "\"$*\": these are compiled without DATUM_ASSERT"; fi
}

has_no_assertions "" "No build type given: RelWithDebInfo"
has_no_assertions None "Build type None: with the compiler flags of the caller, without assertions"
has_assertions Debug
has_assertions RelWithDebInfo -DDATUM_ASSERTIONS=ON
echo "build types: none, None, Debug, with assertions"

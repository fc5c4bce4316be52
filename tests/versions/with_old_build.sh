#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# The random mix between the first release and this tree: tests/versions/with_old_build.sh [COMMIT]
#
#   COMMIT   the release to hold this tree against (default: the first one)
#   --help   this text
#
# Builds COMMIT's libraries and mix from the history into build/old, and what this tree has of them into build/dev. Then the
# two meet: two processes over shared memory and over TCP, each of DAT 1.2 and 2.0, either one in the active part; libdat of
# one release with the provider of the other; and both providers, of different releases, in one process.
# Exit: 0 passed, 1 failed, 77 skipped, with a line that says why (no history: a tarball, a shallow clone).
# Rules: VERSION.16
set -euo pipefail
cd "$(dirname "$0")/../.."
readonly kFirstRelease=366c5d41d99dcc1b6a21e928737328ab6d0b4eda
[ "${1-}" = --help ] && { sed -n '3,11s/^# \{0,1\}//p' "$0"; exit 0; }
commit=$(git rev-parse --quiet --verify "${1:-$kFirstRelease}^{commit}" 2>/dev/null) || {
  echo "skipped: the release ${1:-$kFirstRelease} is not in the history of this tree, so it cannot be built"
  exit 77
}
seconds=${DATUM_MIX_SECONDS:-3}
old=$PWD/build/old/${commit:0:12}
new=$PWD/build/dev
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

programs=(datum-stress datum-stress2)
libraries=(dat dat2 datum1 datum2)

# An unfinished tree is unpacked again.
if [ ! -e "$old/unpacked" ]; then
  rm -rf "$old"
  mkdir -p "$old/source"
  git archive "$commit" | tar -x -C "$old/source"
  touch "$old/unpacked"
fi
echo "building ${commit:0:12} in ${old#"$PWD/"}"
cmake -S "$old/source" -B "$old/build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG="-O1 -g1" \
  -DCMAKE_C_FLAGS_DEBUG="-O1 -g1" -DDATUM_UNITY=ON -DDATUM_PRECOMPILE=ON -DDATUM_BENCH=OFF -DDATUM_TOOLS=OFF \
  -DDATUM_EXAMPLES=OFF >"$old/configure.log" 2>&1 || { cat "$old/configure.log" >&2; exit 1; }
cmake --build "$old/build" --parallel "${DATUM_JOBS:-$(nproc)}" --target "${libraries[@]}" "${programs[@]}"
DATUM_TARGETS="${libraries[*]} ${programs[*]} datum-versions-test" scripts/build.sh dev

# conf NAME LIBRARIES_OF_1.2 LIBRARIES_OF_2.0: writes a dat.conf with the provider of a release for
# each DAT version.
conf() {
  for ia in shm0 tcp0; do
    echo "$ia u1.2 nonthreadsafe default $2/libdatum1.so datum.0.1 \"\" \"\""
    echo "$ia u2.0 nonthreadsafe default $3/libdatum2.so datum.0.1 \"\" \"\""
  done >"$work/$1.conf"
}
conf old "$old/build/lib" "$old/build/lib"
conf new "$new/lib" "$new/lib"
conf old-new "$old/build/lib" "$new/lib"
conf new-old "$new/lib" "$old/build/lib"

# side LIBDAT PROVIDER VERSION: a program that runs the mix with the libdat of one release and the
# provider of another. Prints the path of the program.
side() {
  local bin=$new/bin suffix=$3
  [ "$1" = old ] && bin=$old/build/bin
  printf '#!/bin/sh\nDAT_OVERRIDE=%s exec %s "$@"\n' "$work/$2.conf" "$bin/datum-stress${suffix#1}" >"$work/$1-$2-$3"
  chmod +x "$work/$1-$2-$3"
  echo "$work/$1-$2-$3"
}

runs=0
failed=0
# run TITLE COMMAND...
run() {
  local title=$1
  shift
  runs=$((runs + 1))
  if timeout 300 "$@" >"$work/said" 2>&1; then
    echo "passed  $title"
  else
    echo "FAILED  $title: $*"
    sed 's/^/        /' "$work/said"
    failed=$((failed + 1))
  fi
}

# If the numbers differ, the two cannot use shared memory with each other, and `auto` has to find
# TCP.
number() { sed -n 's/.*kHandshake\(Version\|Number\) = \([0-9]*\);.*/\2/p' "$1/src/transport/shm/handshake_wire.h"; }
same_host=shm
if [ "$(number "$old/source")" != "$(number .)" ]; then
  same_host=auto
  echo "over shared memory the two speak versions $(number "$old/source") and $(number .): they have to meet over TCP"
fi

load=(--seconds "$seconds" --seed 2 --threads 8 --lanes 20)
for way in "$same_host" tcp; do
  ia=shm0
  [ "$way" = tcp ] && ia=tcp0
  for active in new old; do
    passive=$([ "$active" = new ] && echo old || echo new)
    for versions in "1 1" "1 2" "2 1" "2 2"; do
      read -r first second <<<"$versions"
      run "$way: $active DAT $first with $passive DAT $second" env DATUM_TRANSPORT="$way" \
        "$(side "$active" "$active" "$first")" two --child "$(side "$passive" "$passive" "$second")" --ia "$ia" "${load[@]}"
    done
  done
  for parts in "old new" "new old"; do
    read -r libdat provider <<<"$parts"
    for version in 1 2; do
      run "$way: libdat $libdat, provider $provider, DAT $version" env DATUM_TRANSPORT="$way" \
        "$(side "$libdat" "$provider" "$version")" one --ia "$ia" "${load[@]}"
    done
    run "$way: provider of DAT 1.2 $libdat, of DAT 2.0 $provider, in one process" \
      env DATUM_TEST_DAT_CONF="$work/$libdat-$provider.conf" "$new/bin/datum-versions-test" \
      --transport="${ia%0}" --gtest_filter='*RuleVersions.*:*RuleMixOfVersions.*'
  done
done
echo "$((runs - failed)) passed, $failed failed"
[ "$failed" -eq 0 ]

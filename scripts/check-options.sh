#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Whether Datum does without the libraries that not every distribution has: scripts/check-options.sh [--here]
#   --here                on this machine even if jemalloc and ISA-L are installed for building
#   JEMALLOC_SOURCE=DIR   jemalloc's unpacked source, from which the memory extension is built and tested as well
# In a fresh root of this Debian, without libjemalloc-dev and libisal-dev (needs root; on a machine without both packages:
# there). Builds it without the memory extension (jemalloc), without ISA-L and without both, one after the other in one
# folder; the configuration says so, nothing that is built names a library that is off, and the conformance suite passes.
# A build takes minutes: not a part of .ci/run.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
build=build/options
log=$build.log
failed=0

fail() {
  echo "options: $*" >&2
  failed=$((failed + 1))
}

is_installed() { dpkg-query -W -f '${db:Status-Status}\n' libjemalloc-dev libisal-dev 2>/dev/null | grep -qx installed; }

# Runs this script in a root that has everything that a build and the tests need, except those two
# packages.
in_bare_root() {
  local root=$PWD/build/options-root suite packages status=0
  [ "$(id -u)" -eq 0 ] || {
    echo "options: jemalloc and ISA-L are installed here, and making a root without them needs root; see --help" >&2
    return 2
  }
  scripts/deps.sh system || return
  suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
  packages=$(scripts/deps.sh --list build test | awk '{print $2}' | grep -vx 'libjemalloc-dev\|libisal-dev' | sort -u)
  rm -rf --one-file-system "$root"
  scripts/debian-root.sh "$suite" "$root" >"$log" 2>&1 &&
    mkdir "$root/datum" &&
    git ls-files -z --cached --others --exclude-standard | tar --null -T - -cf - | tar -xf - -C "$root/datum" &&
    scripts/inside-root.sh "$root" network sh -euc '
      apt-get -qq update
      DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "$@"' - $packages >>"$log" 2>&1 || {
    status=$?
    tail -n 5 "$log" >&2
    echo "options: there is no root to build in; all of it: $log" >&2
    return "$status"
  }
  if [ -n "${JEMALLOC_SOURCE-}" ]; then cp -r "$JEMALLOC_SOURCE" "$root/jemalloc"; fi
  echo "options: in a root of $suite without libjemalloc-dev and libisal-dev"
  scripts/inside-root.sh "$root" no-network \
    env ${JEMALLOC_SOURCE:+JEMALLOC_SOURCE=/jemalloc} scripts/check-options.sh --here || {
    status=$?
    echo "options: the root is left as $root" >&2
    return "$status"
  }
  rm -rf --one-file-system "$root" "$log"
}

# WORD: prints the programs and libraries that need a library of that name, or contain its code.
naming() {
  find "$build/bin" "$build/lib" -type f -exec sh -c '
    for file; do
      { readelf -dW "$file" 2>/dev/null; nm -C "$file" 2>/dev/null; } | grep -qi -- "$0" && echo "$file"
    done' "$1" {} +
}

# OPTION...: configures and builds, with the folders of tests that the options affect.
build_with() {
  cmake --preset dev -B "$build" "-DDATUM_TEST_PARTS=conformance;process;memory;tools" "$@" >"$log" 2>&1 &&
    cmake --build "$build" >>"$log" 2>&1 && return
  tail -n 20 "$log" >&2
  fail "$* does not build; all of it: $log"
  return 1
}

# LABEL WHAT
tests_pass() {
  ctest --test-dir "$build" -L "$1" --no-tests=error --output-on-failure --parallel "$(nproc)" >"$log.$1" 2>&1 && return
  tail -n 20 "$log.$1" >&2
  fail "$2: the tests of $1 fail; all of it: $log.$1"
}

# LIBRARY WHAT-THE-CONFIGURATION-SAYS WORD OPTION...: if the options turn the library off, the configuration must say
# so. If the configuration says that the library is off, nothing that was built may name it.
is_off() {
  local library=$1 said=$2 word=$3
  shift 3
  if grep -q -- "$said" "$log"; then
    naming "$word" | grep . && fail "$*: these name $library, which is off"
    echo "options: $*: $library is off"
  else
    case " $* " in *" -DDATUM_$library=off "*) fail "$*: the configuration does not say that $library is off" ;; esac
  fi
}

try() { # OPTION...
  build_with "$@" || return
  is_off MEMORY '^-- Memory extension: off' jemalloc "$@"
  is_off ISAL '^-- CRC32C: our own (ISA-L is off' 'libisal\|crc32_iscsi' "$@"
  tests_pass conformance "$*"
}

from_source() { # JEMALLOC_SOURCE
  build_with -DDATUM_MEMORY=auto -DDATUM_ISAL=auto "-DDATUM_JEMALLOC_SOURCE=$1" || return
  grep -q "^-- Memory extension: on, with jemalloc built from $1" "$log" || fail "the configuration does not name $1"
  tests_pass memory "DATUM_JEMALLOC_SOURCE=$1"
}

mkdir -p build
case "${1-}" in
  -h | --help) sed -n '3,9s/^# \{0,1\}//p' "$0"; exit 0 ;;
  --here) ;;
  "") if is_installed; then in_bare_root; exit; fi ;;
  *) echo "options: $1: no such option; see scripts/check-options.sh --help" >&2; exit 2 ;;
esac
rm -rf "$build"
try -DDATUM_MEMORY=off -DDATUM_ISAL=off
try -DDATUM_MEMORY=auto -DDATUM_ISAL=off
try -DDATUM_MEMORY=off -DDATUM_ISAL=auto
[ -z "${JEMALLOC_SOURCE-}" ] || from_source "$(realpath "$JEMALLOC_SOURCE")"
[ "$failed" -ne 0 ] || rm -rf "$build" "$log" "$log".*
echo "options: $failed failures"
[ "$failed" -eq 0 ]

#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Whether the tarball of make portable keeps what it promises: scripts/check-portable.sh
# Its programs and libraries need glibc 2.34 and nothing else, and name no folder of this machine. It runs from a folder
# with a blank in its name, then from another one: tools, pings over shared memory and TCP, the README's first program.
# As root, with Debian 13 to be had, all but the program also in a bare root of it.
#   PORTABLE_MIRROR=ADDRESS   the package archive for that root (default: what apt uses here)
# shellcheck disable=SC2016 # $ORIGIN and what another shell replaces
set -euo pipefail
[ "${1-}" != --help ] || { sed -n '3,7s/^# \{0,1\}//p' "$0"; exit 0; }
cd "$(dirname "$0")/.."
floor=2.34
suite=trixie
fail() { echo "portable: $*" >&2; exit 1; }

tarball=$(find build/portable -maxdepth 1 -name 'datum-*-linux-*.tar.xz' ! -name '*-debug.tar.xz' | sort -V | tail -n 1)
[ -n "$tarball" ] || { echo "portable: no build/portable/datum-*.tar.xz; first: make portable" >&2; exit 2; }
name=$(basename "$tarball" .tar.xz)
. scripts/installed-tools.sh

# What $1 needs that another machine may lack.
strange_versions() {
  local version
  objdump -T "$1" | grep -o '(GLIBC_[0-9.]*)' | tr -d '()' | sed 's/GLIBC_//' | sort -uV | while read -r version; do
    [ "$(printf '%s\n' "$floor" "$version" | sort -V | tail -n 1)" = "$floor" ] || echo "GLIBC_$version"
  done
  objdump -T "$1" | grep -o '(\(GLIBCXX\|CXXABI\|GCC\)_[0-9.]*)' | sort -u || true
}
strange_needs() {
  objdump -p "$1" | awk '$1 == "NEEDED" {print $2}' |
    grep -vx 'lib\(c\|m\|dat\|dat2\|datum\)\.so\.[0-9]*\|ld-linux.*\.so\.[0-9]' || true
}
strange_paths() {
  objdump -p "$1" | awk '$1 == "RUNPATH" || $1 == "RPATH" {print $2}' | tr ':' '\n' | grep -v '^\$ORIGIN\(/\.\./lib\)\?$' || true
}

check_files() { # folder
  local count=0 file found what
  while IFS= read -r -d '' file; do
    [ "$(head -c 4 "$file" | tr -d '\0')" = $'\x7fELF' ] || continue
    count=$((count + 1))
    for what in versions needs paths; do
      found=$("strange_$what" "$file")
      [ -z "$found" ] || fail "${file#"$1"/}: ${what} that not every machine has: $found"
    done
  done < <(find "$1" -type f -print0)
  [ "$count" -ge 13 ] || fail "only $count programs and libraries"
  # Neither the folder of the source, nor that of the build, nor the prefix may occur.
  found=$(grep -rlF -e "$PWD" -e /datum-portable "$1" || true)
  [ -z "$found" ] || fail "these name folders of the build: $found"
  echo "portable: $count programs and libraries need glibc $floor and nothing else"
}

# The loader's variables cannot quote a blank.
check_dat_run() { # of check_tools, whose folder it is
  local said
  if said=$("$@" "$folder/bin/dat-run" -- "$folder/bin/dat-info" --json datum 2>&1); then
    case $folder in *\ *) fail "dat-run takes a folder with a blank" ;; esac
    grep -q '"datum"' <<<"$said" || fail "dat-info under dat-run says: $said"
  else
    case $folder in *\ *) ;; *) fail "dat-run in $folder says: $said" ;; esac
    grep -q 'takes no path with a blank' <<<"$said" || fail "dat-run in $folder says: $said"
  fi
}

# FOLDER [COMMAND...]: checks the tools in FOLDER, run by COMMAND (chroot ROOT).
check_tools() {
  local folder=$1 said
  shift
  "$@" "$folder/bin/dat-info" datum >/dev/null || fail "dat-info fails in $folder"
  "$@" "$folder/bin/dat-info" --dat2 datum >/dev/null || fail "dat-info --dat2 fails in $folder"
  check_dat_run "$@"
  # With this option the tool throws an exception internally, which tests our copy of the unwinder.
  if said=$("$@" "$folder/bin/dat-info" --no-such-option 2>&1); then fail "dat-info takes any option"; fi
  grep -q 'no-such-option' <<<"$said" || fail "dat-info --no-such-option says: $said"
  ping_both_ways "$folder/bin/dat-ping" "$@"
}

check_first_program() { # folder
  rm -rf "$scratch/first" && mkdir "$scratch/first"
  awk '/^## /{in_section = $0 == "## A first program"} in_section && /^```c$/{c = 1; next} /^```$/{c = 0} c' README.md \
    >"$scratch/first/first.c"
  awk '/^## /{in_section = $0 == "## A first program"} in_section && /^```cmake$/{c = 1; next} /^```$/{c = 0} c' README.md \
    >"$scratch/first/CMakeLists.txt"
  # For a path with a blank pkg-config quotes its output for a shell.
  (cd "$scratch/first" && eval "cc first.c $(PKG_CONFIG_PATH="$1/lib/pkgconfig" pkg-config --cflags --libs dat) -o first")
  "$scratch/first/first" | grep -q '^datum: messages up to [0-9]* bytes$' || fail "the first program, by pkg-config"
  cmake -S "$scratch/first" -B "$scratch/first/build" -DCMAKE_PREFIX_PATH="$1" >"$scratch/said" ||
    fail "the first program, by CMake: $(cat "$scratch/said")"
  cmake --build "$scratch/first/build" >"$scratch/said" || fail "the first program, by CMake: $(cat "$scratch/said")"
  "$scratch/first/build/first" | grep -q '^datum: messages up to [0-9]* bytes$' || fail "the first program, by CMake"
}

check_bare_root() {
  local mirror=${PORTABLE_MIRROR-} root=$scratch/root
  [ -n "$mirror" ] || mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 2>/dev/null | head -n 1) || true
  if [ "$(id -u)" -ne 0 ] || ! command -v debootstrap >/dev/null || [ -z "$mirror" ]; then
    echo "portable: bare Debian 13: absent (needs root, debootstrap and a package archive)"
    return
  fi
  if ! debootstrap --variant=minbase "$suite" "$root" "$mirror" >"$scratch/said" 2>&1; then
    echo "portable: bare Debian 13: absent ($(tail -n 1 "$scratch/said"))"
    return
  fi
  tar -C "$root/opt" -xf "$tarball"
  unshare --mount bash -c 'mount -t proc proc "$0/proc" && mount -t tmpfs tmpfs "$0/dev/shm" && exec "$@"' "$root" \
    "$BASH" "$PWD/scripts/check-portable.sh" --tools "/opt/$name" "$root" || fail "it fails in a bare Debian 13"
  echo "portable: runs in a bare Debian 13"
}

if [ "${1-}" = --tools ]; then # called by check_bare_root
  check_tools "$2" chroot "$3"
  exit 0
fi
mkdir "$scratch/an odd place"
tar -C "$scratch/an odd place" -xf "$tarball"
check_files "$scratch/an odd place/$name"
check_tools "$scratch/an odd place/$name"
check_first_program "$scratch/an odd place/$name"
mv "$scratch/an odd place/$name" "$scratch/moved"
check_tools "$scratch/moved"
check_first_program "$scratch/moved"
echo "portable: runs where it was unpacked, and where it was moved to"
check_bare_root

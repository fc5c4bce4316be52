#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Builds for another processor and tests what was built under an emulator of it:
#   scripts/arch.sh [--build] arm64|ppc64el|s390x|riscv64 [ctest option...]
#   --build   only builds
# Debian's cross compiler, for riscv64 Clang; its packages of that processor in build/arch (scripts/cross-root.sh);
# qemu-user-static for each program that is started, in a user namespace of its own, so that nothing is installed or
# registered on this machine. ABI, unit tests, conformance over shared memory and TCP; without options then also
# tests/arch/between.sh, where such a process speaks with one of this machine's own.
# What may be skipped stands in tests/skips.txt and tests/arch/skips.txt, what is left out in
# tests/arch/not-emulated.txt. Exit 4: Debian's mirror has no packages for that processor.
set -euo pipefail
cd "$(dirname "$0")/.."
suite=bookworm
only_build=no
[ "${1-}" != --build ] || { only_build=yes; shift; }
case "${1-}" in
  arm64) triple=aarch64-linux-gnu emulator=aarch64 machine='\xb7\x00' ;;
  ppc64el) triple=powerpc64le-linux-gnu emulator=ppc64le machine='\x15\x00' ;;
  s390x) triple=s390x-linux-gnu emulator=s390x machine='\x00\x16' ;;
  riscv64) triple=riscv64-linux-gnu emulator=riscv64 machine='\xf3\x00' suite=trixie ;;
  -h | --help) sed -n '3,11s/^# \{0,1\}//p' "$0"; exit 0 ;;
  *) "$0" --help >&2; exit 2 ;;
esac
export DATUM_CROSS_ARCH=$1 DATUM_CROSS_TRIPLE=$triple DATUM_CROSS_ROOT=$PWD/build/arch/$1-root
arch=$1
shift

# A question mark marks a package without which the build can do, if Debian has none for that
# processor.
packages=(libc6-dev libstdc++-12-dev libexpected-dev libfmt-dev libcli11-dev libxxhash-dev libgtest-dev libgmock-dev
  'libjemalloc-dev?' 'libisal-dev?')
options=()
if [ "$suite" != bookworm ]; then
  packages[1]=libstdc++-14-dev
  # Archives that the compiler of that suite has made contain relocations that Debian 12's objcopy
  # does not know, and sections that LLD does not link.
  options=(-DDATUM_MEMORY=off "-DDATUM_GTEST_SOURCE=$DATUM_CROSS_ROOT/usr/src/googletest")
fi
if [ ! -e "$DATUM_CROSS_ROOT/complete" ]; then
  began=$SECONDS
  mkdir -p build/arch
  scripts/cross-root.sh "$suite" "$arch" "$DATUM_CROSS_ROOT" "${packages[@]}"
  touch "$DATUM_CROSS_ROOT/complete"
  echo "arch.sh: $arch: packages of $suite in $((SECONDS - began)) s"
fi

# Needs Linux 6.7 or later, where each user namespace has its own table of emulators. Users are the
# same inside. Emulated programs take their loader and libraries from the folder of the packages.
emulated() {
  local data=01 mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff' type='\x02\x00'
  if [ "$arch" = s390x ]; then
    data=02 type='\x00\x02' mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff'
  fi
  local magic="\\x7fELF\\x02\\x$data\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00$type$machine"
  # In a namespace without users nothing can be mounted, so the namespace waits until it has users.
  unshare --user bash -c 'echo >"$0"; read -r _ <"$0"; exec "$@"' "$work/ready" \
    env QEMU_LD_PREFIX="$DATUM_CROSS_ROOT" unshare --mount --net --pid --fork --kill-child bash -euc '
    mount -t proc proc /proc
    mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc
    printf "%s" ":datum:M::$1:$2:$3:PF" >/proc/sys/fs/binfmt_misc/register
    ip link set lo up
    shift 3
    exec "$@"' - "$magic" "$mask" "$(command -v "qemu-$emulator-static")" "$@" </dev/null &
  child=$!
  read -r _ <"$work/ready"
  if [ "$(id -u)" -eq 0 ]; then
    echo "0 0 65536" >"/proc/$child/uid_map"
    echo "0 0 65536" >"/proc/$child/gid_map"
  else
    echo deny >"/proc/$child/setgroups"
    echo "0 $(id -u) 1" >"/proc/$child/uid_map"
    echo "0 $(id -g) 1" >"/proc/$child/gid_map"
  fi
  echo >"$work/ready"
  wait "$child"
}
work=$(mktemp -d)
child=
trap '[ -z "$child" ] || kill -KILL "$child" 2>/dev/null || true; rm -rf "$work"' EXIT
mkfifo "$work/ready"
if ! emulated true; then
  echo "arch.sh: no table of emulators can be had: that takes Linux 6.7, and user namespaces" >&2
  exit 2
fi

began=$SECONDS
emulated scripts/build.sh cross "${options[@]}"
echo "arch.sh: $arch: built in $((SECONDS - began)) s"
[ "$only_build" = no ] || exit 0
# Whole programs that are left out count as disabled.
sed -n 's/^[a-z0-9_]* \([^ ]*\/datum-.*\)/\1/p' tests/arch/not-emulated.txt >"$work/skips"
cat tests/skips.txt tests/arch/skips.txt >>"$work/skips"
began=$SECONDS
# Plays a tenth of the seeds of tests/unit/progress, because all seeds take a quarter of an hour.
emulated env DATUM_TEST_PATIENCE=10 DATUM_SEEDS=1-20 DATUM_SKIPS="$work/skips" scripts/test.sh "$arch" "$@"
echo "arch.sh: $arch: tested in $((SECONDS - began)) s"
[ $# -eq 0 ] || exit 0

# Tests between that processor and this machine's own build, over TCP.
DATUM_TARGETS="datum-exchange dat-ping dat-cp dat2 datum2 dat datum1" scripts/build.sh dev
began=$SECONDS
emulated tests/arch/between.sh build/dev "build/$arch"
echo "arch.sh: $arch: spoke with $(uname -m) in $((SECONDS - began)) s"

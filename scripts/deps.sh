#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# The one list of the Debian 12 packages that Datum needs, a reason each, and what installs them.
# Not here: anything fetched from elsewhere than Debian.
#
#   scripts/deps.sh [GROUP...]          install what is missing (default: build test)
#   scripts/deps.sh --check [GROUP...]  install nothing; exit 2 and say the line to run
#   scripts/deps.sh --list [GROUP...]   print package, group and reason
#
# DEPS=no in the environment (make test DEPS=no): ask for no package and install none. For a machine that has
# the libraries from elsewhere: the configuration says what it misses.
set -euo pipefail

packages() {
  cat <<'TABLE'
build     g++                    the C and C++ compilers, C++20 inside
build     cmake                  configures the build, reads CMakePresets.json
build     ninja-build            runs the build
build     pkg-config             finds libraries; other people find Datum through dat.pc
build     libexpected-dev        tl::expected, the result type of the core
build     libfmt-dev             text of logs and tools, linked privately
build     libcli11-dev           command lines of the tools
build     libjemalloc-dev        the allocator whose arenas peers can map (memory, private copy)
build     libisal-dev            CRC32C of FPDUs: ten times what one chain of instructions does
build     libxxhash-dev          the end-to-end checksum of dat-cp
build     pandoc                 renders the manual pages
test      libgtest-dev           GoogleTest, which the tests are written in
test      libgmock-dev           matchers for GoogleTest
test      python3                the checks of layers and rules, which run as tests
test      mandoc                 judges the rendered manual pages
test      iproute2               the interfaces, addresses and rates of tests/net
test      binutils               nm and readelf for the exported symbols
test      librdmacm-dev          compiles the peer of make siw: connections
test      libibverbs-dev         compiles the peer of make siw: queue pairs and memory
check     clang                  the second compiler, and the fuzz targets
check     lld                    links what Clang builds with half the work, which is a minute of all
check     libclang-rt-14-dev     sanitizer and libFuzzer runtimes of that Clang
check     llvm                   symbolizer and archiver of that Clang
check     clang-format           the layout of the source
check     clang-tidy             static checks
check     cppcheck               static checks of another author
check     gcc-aarch64-linux-gnu  the ABI checks on a second processor, C
check     g++-aarch64-linux-gnu  the ABI checks on a second processor, C++
check     libc6-dev-arm64-cross  the C headers of that processor
check     libbenchmark-dev       the benchmarks are compiled and checked too
check     liburing-dev           bare sockets by io_uring, which the benchmarks hold epoll against
check     dapl2-utils            Debian's DAT 2.0 programs and registry, which run over Datum unmodified
check     abigail-tools          abidw and abidiff: libraries held against those of the first release
check     tshark                 its dissectors judge captures of our connections
check     valgrind               callgrind counts the instructions of each call: the stage budget
interop   dapl2-utils            the same by itself: tests/interop/dapl-utils installs it where it is missing
interop   iproute2               the cable between the two hosts there
bench     libbenchmark-dev       micro-benchmarks
bench     liburing-dev           the figures of io_uring
bench     ucx-utils              the peer figures of UCX
bench     libfabric-bin          the peer figures of libfabric
bench     iperf3                 how fast others stream over TCP
bench     sockperf               round trips over bare sockets, as others take them
bench     qperf                  the same, and bandwidth
bench     iproute2               the veth pair through which TCP is measured, too
bench     linux-perf             counts the system calls of a message
coverage  gcovr                  line coverage per folder
system    debootstrap            the root of another suite of Debian
system    iproute2               its network
arch      g++-aarch64-linux-gnu      compiles for arm64
arch      g++-powerpc64le-linux-gnu  compiles for ppc64el
arch      g++-s390x-linux-gnu        compiles for s390x, which is big-endian
arch      g++-riscv64-linux-gnu      compiles for riscv64
arch      clang-19               compiles for riscv64 with Debian 13's headers
arch      lld-19                 links it with Debian 13's libraries
arch      qemu-user-static       runs what was compiled for them
arch      iproute2               the network in which it runs
machine   g++-aarch64-linux-gnu  compiles for arm64
machine   qemu-user-static       runs what the build asks of what was compiled for it
machine   qemu-system-arm        an arm64 machine
machine   qemu-system-x86        a machine of this processor, for another kernel
machine   cpio                   packs everything that the machine needs
machine   kmod                   the order of its kernel's modules
siw       qemu-system-x86        the machine that has a siw device
siw       busybox-static         its shell and small commands
siw       cpio                   packs its files
siw       xz-utils               unpacks the kernel and its source
siw       kmod                   the order of its modules
siw       iproute2               makes its network, and the siw device
siw       ibverbs-providers      what libibverbs needs to speak to siw
siw       rdmacm-utils           rping, another peer
siw       perftest               ib_write_bw and its sisters, more of them
deb       debhelper              builds the Debian packages
deb       dpkg-dev               the same, and the lists of packages for apt
deb       lintian                judges them
deb       blhc                   judges the flags in the log of their build
deb       debootstrap            the roots that make deb-check installs them in
dist      git                    knows which files belong to the source
dist      xz-utils               packs the source
portable  debootstrap            a bare Debian 13, in which the portable tarball runs
portable  xz-utils               packs what was built
rpm       rpm                    rpmbuild, and rpm to look into what it built
rpm       rpmlint                judges what was built
rpm       git                    knows which files belong to the source
rpm       xz-utils               packs the source
rpm       debugedit              takes the debug information apart
rpm       elfutils               and strips what is left
musl      musl-dev               the headers of that C library
musl      libc++-19-dev          a C++ library that can be told of it, and has all of C++20 that we use
musl      clang-19               the compiler that goes with it
TABLE
}

known_groups="build test check interop bench coverage siw system arch machine deb dist portable rpm musl"
mode=install
case "${1-}" in
  --check) mode=check; shift ;;
  --list) mode=list; shift ;;
  -h | --help) sed -n '3,11s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac
groups="${*:-build test}"
[ "$mode" = list ] && [ $# -eq 0 ] && groups=$known_groups
for group in $groups; do
  case " $known_groups " in
    *" $group "*) ;;
    *) echo "deps.sh: group \"$group\" is unknown; the groups are: $known_groups" >&2; exit 2 ;;
  esac
done

selected() { packages | awk -v groups=" $groups " 'index(groups, " " $1 " ")'; }

if [ "$mode" = list ]; then
  selected
  exit 0
fi

case "${DEPS-}" in
  "" | yes) ;;
  no) exit 0 ;;
  *) echo "deps.sh: DEPS=$DEPS: expected yes or no" >&2; exit 2 ;;
esac
wanted=$(selected | awk '{print $2}' | sort -u)
if ! command -v dpkg-query >/dev/null; then
  # On another distribution Debian's package names cannot be queried, so CMake's own messages must
  # be enough.
  echo "deps.sh: no dpkg-query here, so this is not Debian; needed are the equivalents of:" \
    $wanted >&2
  exit 0
fi

# One query for all packages. The answer lacks a package that dpkg does not know at all.
installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $wanted 2>/dev/null |
  awk '$1 == "installed" {print $2}') || true
missing=$(comm -23 <(echo "$wanted") <(sort <<<"$installed") | tr '\n' ' ')
missing=${missing% }
[ -n "$missing" ] || exit 0

line="apt-get update && apt-get install -y --no-install-recommends $missing"
if [ "$mode" = check ]; then
  echo "missing packages: $missing" >&2
  echo "install them with: make deps" >&2
  exit 2
fi
if [ "$(id -u)" -eq 0 ]; then
  as_root=(env)
elif sudo -n true 2>/dev/null; then
  as_root=(sudo -n env)
else
  echo "missing packages: $missing" >&2
  echo "run as root: $line" >&2
  exit 2
fi

echo "installing from Debian: $missing"
apt() {
  "${as_root[@]}" DEBIAN_FRONTEND=noninteractive apt-get -qq \
    -o Acquire::Retries=3 -o DPkg::Lock::Timeout=120 "$@" </dev/null
}
# A third-party package source that cannot be reached must not end this script: the installation
# decides.
apt update || echo "deps.sh: apt-get update reported errors; trying the package lists as they are" >&2
if ! apt install -y --no-install-recommends $missing; then
  echo "deps.sh: could not install: $missing" >&2
  echo "run as root: $line" >&2
  exit 2
fi

#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Runs tests in a whole virtual machine, under software emulation:
#   scripts/machine.sh arm64 [ctest option...]   another processor, with Debian 12's kernel and user land for it
#   scripts/machine.sh 5.10 [ctest option...]    Debian 11's kernel under Debian 12's user land, on amd64
# Without options: unit tests, and conformance over shared memory and TCP; at 5.10 also what needs processes,
# network namespaces and the registry. The guest has no network but its own. Nothing is installed on this machine:
# Debian's packages are laid into build/machine, and everything that the guest needs goes into its memory.
# What may be skipped stands in tests/skips.txt and tests/old_kernel/skips.txt. Exit 4: Debian's mirror has no such kernel.
#   DATUM_MACHINE_LIMIT=S   how long the guest may take (default 10800)
#   DATUM_MACHINE_ACCEL=    kvm instead of tcg, where that works
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C
# Of each program, the tests that run.
filter='*'
tests=(-L 'unit|conformance')
case "${1-}" in
  arm64)
    arch=arm64 triple=aarch64-linux-gnu suite=bookworm series=6.1 build=build/arm64
    machine=(qemu-system-aarch64 -M virt -cpu max,pauth-impdef=on) console=ttyAMA0
    # An emulated processor takes longer than 200 us for a backoff, two wake-ups and a turn of TCP.
    filter='-*.AfterTheLastDequeueAWriteIsSeenWithin200us' ;;
  5.10)
    arch=amd64 triple=x86_64-linux-gnu suite=bullseye series=5.10 build=build/dev
    machine=(qemu-system-x86_64 -M q35 -cpu max) console=ttyS0
    tests=(-L 'unit|conformance|process|registry|memory|net|tcp') ;;
  -h | --help) sed -n '3,12s/^# \{0,1\}//p' "$0"; exit 0 ;;
  *) "$0" --help >&2; exit 2 ;;
esac
name=$1
shift
# The simulator does not depend on a kernel, and the rules are checked on the source. The guest has
# neither compilers nor nm nor git: what they check is the same on every kernel. AtOnce posts requests
# in quick succession, which an emulated processor cannot.
tests+=(-E 'sim|conformance/rules|memory_header|exports_only|preload_git|injected-calls|AtOnce.SeveralRequests')
[ $# -eq 0 ] || tests=("$@")

folder=$PWD/build/machine/$name
image=$folder/image
mkdir -p "$folder"

fetch() { # suite, folder, packages: those in the folder, once
  local into=$folder/$2 began=$SECONDS
  [ ! -e "$into.complete" ] || return 0
  scripts/cross-root.sh "$1" "$arch" "$into" "${@:3}"
  touch "$into.complete"
  echo "machine.sh: $name: packages of $1 in $((SECONDS - began)) s"
}
fetch "$suite" kernel "linux-image-$arch"
kernel=$(find "$folder/kernel/boot" -name "vmlinuz-$series.*" | sort -V | tail -n 1)
if [ -z "$kernel" ]; then
  echo "absent: $suite has no Linux $series for $arch" >&2
  exit 4
fi
version=${kernel##*/vmlinuz-}
# The package's own script would list what each module depends on, but no script of a package is run here.
/sbin/depmod -b "$folder/kernel" "$version"
fetch bookworm root libc-bin bash coreutils findutils grep sed gawk diffutils hostname util-linux mount procps \
  iproute2 kmod cmake python3 libstdc++6 libfmt9 libxxhash0 libjemalloc2 libisal2

if [ "$build" = build/dev ]; then scripts/build.sh dev; else scripts/arch.sh --build "$arch"; fi

rm -rf "$image"
cp -a --reflink=auto "$folder/root" "$image"
# cross-root.sh lets links lead to this folder; in the guest, it is the root.
find "$image" -type l -lname "$folder/root/*" -print0 | while IFS= read -r -d '' link; do
  target=$(readlink "$link")
  ln -sfn "${target#"$folder/root"}" "$link"
done
rm -rf "$image"/usr/share/{doc,man,locale,info,perl,cmake-*/Help} "$image/boot"
mkdir -p "$image"/{proc,sys,dev,run,tmp,etc,root,var}
ln -s ../run "$image/var/run"
ln -s ../tmp "$image/var/tmp"
ln -sf gawk "$image/usr/bin/awk"
ln -sf bash "$image/usr/bin/sh"
printf 'root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534:nobody:/:/bin/false\n' >"$image/etc/passwd"
printf 'root:x:0:\nnogroup:x:65534:\n' >"$image/etc/group"
printf '127.0.0.1 localhost machine\n::1 localhost\n' >"$image/etc/hosts"
printf 'passwd: files\ngroup: files\nhosts: files\n' >"$image/etc/nsswitch.conf"
cp -L tests/machine/init "$image/init"

# Modules that the kernel loads by itself on demand: diagnostics, interfaces, rates.
modules=$image/usr/lib/modules/$version
mkdir -p "$modules"
for module in inet_diag tcp_diag unix_diag veth dummy bridge sch_netem sch_tbf sch_htb sch_ingress sch_fq tcp_bbr; do
  /sbin/modprobe -d "$folder/kernel" -S "$version" --show-depends "$module"
done | awk '$1 == "insmod" && !seen[$2]++ {print $2}' | while read -r file; do cp "$file" "$modules/"; done
cp "$folder/kernel/lib/modules/$version"/modules.{builtin,builtin.modinfo,order} "$modules/"
/sbin/depmod -b "$image" "$version"

# Copies the tree and its build to the same path.
mkdir -p "$image$PWD"
git ls-files -z --cached --others --exclude-standard | tar --null -T - -cf - | tar -xf - -C "$image$PWD"
tar -cf - --exclude=CMakeFiles --exclude='*.[ao]' --exclude='*.gch' --exclude=Testing "$build" | tar -xf - -C "$image$PWD"
find "$image$PWD/$build"/{bin,lib} -type f -exec "$triple-strip" -g {} + 2>"$folder/strip.log" || true
# The guest has what qemu-user lacks, but everything takes longer. Programs list their tests in the
# guest; the build for another processor has no such lists.
{ grep -rlZ gtest_discover_tests_impl --include='*_include.cmake' "$image$PWD/$build" || true; } |
  while IFS= read -r -d '' lists; do rm -f "${lists%_include.cmake}_tests.cmake"; done
find "$image$PWD/$build" -name '*.cmake' -exec sed -i -E \
  -e "s/\"--gtest_filter=-[^\"]*\"/\"--gtest_filter=$filter\"/g" -e 's/ DISABLED "TRUE"//g' \
  -e 's/(TIMEOUT"?[ ;]("|\[==\[)?[0-9]+)/\10/g' -e 's|"[^"]*/python3[^"]*"|"/usr/bin/python3"|g' {} +
{
  printf 'cd %q\n' "$PWD"
  printf 'cat tests/skips.txt tests/old_kernel/skips.txt >/tmp/skips\n'
  printf 'export DATUM_SKIPS=/tmp/skips DATUM_TEST_PATIENCE=10\n'
  printf 'scripts/test.sh %q --timeout 1200' "${build#build/}"
  printf ' %q' "${tests[@]}"
  printf '\n'
} >"$image/command"
(cd "$image" && find . | cpio -o -H newc -R 0:0 --quiet) >"$folder/initrd"
rm -rf "$image"

began=$SECONDS
scripts/guest.sh machine "$folder" "$kernel" "$console" "${DATUM_MACHINE_LIMIT:-10800}" \
  "${machine[@]}" -m 4096 -accel "${DATUM_MACHINE_ACCEL:-tcg}" -smp 2
echo "machine.sh: $name: Linux $version, $((SECONDS - began)) s"

#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Tests Datum's TCP transport against the kernel's siw, in a virtual machine:
#   scripts/siw.sh [ARGUMENT...]    passes the arguments to tests/interop/siw's test program
#   (GoogleTest's)
# The first run fetches a kernel and builds siw for it, which takes some minutes (200 MB are
# fetched; build/siw keeps what is needed). Each run boots that kernel under software emulation. It
# needs no privileges, and the guest has no network.
#   DATUM_SIW_LIMIT=S   how long the guest may take (default 1800)
#   DATUM_SIW_ACCEL=    kvm instead of tcg, where that works
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C
cache=build/siw
build=$PWD/build/dev
image=$cache/image

DATUM_TARGETS="siw-peer siw-tests dat2 datum2" scripts/build.sh dev
mkdir -p "$cache"
tests/interop/siw/kernel.sh "$cache/kernel"

place() { # folder of the image, files: copies the files into the folder
  mkdir -p "$image$1"
  cp -L "${@:2}" "$image$1/"
}
libraries_of() { # files: prints the libraries that they need, except Datum's own
  local file
  for file in "$@"; do LD_LIBRARY_PATH=$build/lib ldd "$file"; done |
    awk '$2 == "=>" && $3 ~ "^/" {print $3} $1 ~ "^/" {print $1}' | grep -v "^$build/" | sort -u
}

rm -rf "$image"
providers=/usr/lib/$(gcc -print-multiarch)/libibverbs
programs=("$(command -v busybox)")
for name in ip rdma rping ib_{write,read,send}_{bw,lat}; do programs+=("$(command -v "$name")"); done
own=("$build/bin/siw-tests" "$build/bin/siw-peer" "$build/lib/libdat2.so.2" "$build/lib/libdatum2.so")
place / tests/interop/siw/init
place /bin "${programs[@]}"
place /modules "$cache"/kernel/modules/*
place "$providers" "$providers"/libsiw-*.so
place /etc/libibverbs.d /etc/libibverbs.d/siw.driver
libraries_of "${programs[@]:1}" "${own[@]}" "$providers"/libsiw-*.so | while read -r library; do
  place "$(dirname "$library")" "$library"
done
place /datum "${own[@]}"
strip -g "$image"/datum/*
echo 'tcp0 u2.0 nonthreadsafe default /datum/libdatum2.so datum.0.1 "" ""' >"$image/datum/dat.conf"
printf '%s\n' "$@" >"$image/datum/arguments"
(cd "$image" && find . | cpio -o -H newc -R 0:0 --quiet) >"$cache/initrd"

exec scripts/guest.sh siw "$cache" "$cache/kernel/vmlinux" ttyS0 "${DATUM_SIW_LIMIT:-1800}" \
  qemu-system-x86_64 -M q35 -cpu max -m 1024 -accel "${DATUM_SIW_ACCEL:-tcg}" -smp "$(nproc)"

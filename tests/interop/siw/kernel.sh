#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Makes a kernel for the virtual machine of scripts/siw.sh from Debian's packages: kernel.sh FOLDER.
# Leaves FOLDER/vmlinux, FOLDER/modules/*.ko and FOLDER/modules/order, which has the names of the
# modules in the order of loading. Debian's kernel comes without siw, so this script builds that
# module from Debian's kernel source. It installs nothing on this machine.
set -euo pipefail
folder=$1
flavour=amd64

# The modules that the guest loads. The modules that these depend on are added below. siw looks for
# crc32c by name, so no dependency says that it needs one of the crc32c modules.
wanted="crc32c_generic crc32c_intel veth ib_uverbs rdma_ucm siw"

fetch() { # downloads packages and unpacks them into the current folder
  local package
  apt-get -qq -o APT::Sandbox::User="$(id -un)" download "$@"
  for package in ./*.deb; do
    dpkg-deb -x "$package" .
    rm "$package"
  done
}

depends_on() { # prints the first dependency of package $1 that matches pattern $2
  apt-cache depends --no-recommends "$1" | awk -v p="$2" '$1 == "Depends:" && $2 ~ p && !found++ {print $2}'
}

image=$(depends_on "linux-image-$flavour" '^linux-image-')
version=${image#linux-image-}
series=$(cut -d. -f1,2 <<<"$version")
if [ -z "$version" ]; then
  echo "kernel.sh: apt knows no linux-image-$flavour; run apt-get update" >&2
  exit 2
fi
if [ -f "$folder/version" ] && [ "$(cat "$folder/version")" = "$version" ]; then
  exit 0
fi

echo "fetching kernel $version and building siw for it"
rm -rf "$folder"
mkdir -p "$folder/work" "$folder/modules"
folder=$(readlink -e "$folder")
cd "$folder/work"
fetch "$image" "linux-headers-$version" "linux-headers-${version%-"$flavour"}-common" \
  "linux-kbuild-$series" "linux-source-$series"

headers=$PWD/usr/src/linux-headers-$version
# The Makefile of the headers includes the common headers, and the tools, by absolute names.
sed -i "s#/usr/src/#$PWD/usr/src/#g" "$headers/Makefile"
siw=drivers/infiniband/sw/siw
tar -xf "usr/src/linux-source-$series.tar.xz" --strip-components=1 --wildcards "*/$siw/*"
compiler=$(awk 'match($0, /gcc-[0-9]+/) && !found++ {print substr($0, RSTART, RLENGTH)}' \
  "$headers/.kernelvariables")
command -v "$compiler" >/dev/null || compiler=gcc
make -s -C "$headers" M="$PWD/$siw" CONFIG_RDMA_SIW=m CC="$compiler" modules >build.log 2>&1 || {
  tail -20 build.log >&2
  exit 2
}
modules=$PWD/lib/modules/$version
mkdir -p "$modules/extra"
strip -g -o "$modules/extra/siw.ko" "$siw/siw.ko"

/sbin/depmod -b "$PWD" "$version"
for module in $wanted; do
  /sbin/modprobe -d "$PWD" -S "$version" --show-depends "$module"
done | awk '$1 == "insmod" && !seen[$2]++ {print $2}' | while read -r file; do
  cp "$file" "$folder/modules/"
  basename "$file"
done >"$folder/modules/order"

# Unpacks the kernel here, since on an emulated processor the kernel would take seconds to unpack
# itself. The header of the file says where the compressed kernel is (Linux boot protocol 2.08). The
# last 4 octets of the compressed kernel are the size of the unpacked kernel.
kernel=boot/vmlinuz-$version
# The fields are little-endian, as is this machine
field() { od -An -j "$(($1))" -N "$2" -t "u$2" "$kernel" | tr -d ' '; }
start=$((($(field 0x1f1 1) + 1) * 512 + $(field 0x248 4)))
size=$(($(field 0x24c 4) - 4))
head -c "$((start + size))" "$kernel" | tail -c "$size" | xz -dc >"$folder/vmlinux"
cd "$folder"
rm -rf work
echo "$version" >version

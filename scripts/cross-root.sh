#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Lays Debian's packages of another processor into a folder, for a cross compiler and an emulator:
#   scripts/cross-root.sh SUITE ARCH FOLDER PACKAGE...     with all that they depend on
# apt works with lists and a state of its own in FOLDER.apt: nothing of this machine's is read but the mirror's name, and
# nothing of it changes. Nothing of a package is run. Exit 4: the mirror has no such suite, or not for that processor.
set -euo pipefail
case "${1-}" in
  -h | --help) sed -n '3,6s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac
[ $# -ge 4 ] || { "$0" --help >&2; exit 2; }
suite=$1
arch=$2
folder=$3
shift 3
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
root=$(dirname "$0")/debian-root.sh
release=$("$root" --release "$suite")
if ! grep -q "^Architectures:.* $arch\( \|$\)" <<<"$release"; then
  echo "absent: $suite has no $arch" >&2
  exit 4
fi
mirror=$("$root" --mirror)

rm -rf "$folder" "$folder.apt"
mkdir -p "$folder"/usr/{bin,sbin,lib,lib64} "$folder.apt"/{lists/partial,archives/partial,etc/preferences.d,etc/apt.conf.d}
trap 'rm -rf "$folder.apt"' EXIT
for name in bin sbin lib lib64; do ln -s "usr/$name" "$folder/$name"; done
: >"$folder.apt/status"
: >"$folder.apt/apt.conf"
echo "deb [signed-by=$keyring] $mirror $suite main" >"$folder.apt/etc/sources.list"

apt_there() {
  APT_CONFIG=$folder.apt/apt.conf apt-get -qq -o Dir::Etc="$folder.apt/etc" -o Dir::State="$folder.apt" \
    -o Dir::State::status="$folder.apt/status" -o Dir::Cache="$folder.apt" -o APT::Architecture="$arch" \
    -o APT::Architectures="$arch" -o APT::Install-Recommends=false -o APT::Sandbox::User="$(id -un)" \
    -o Debug::NoLocking=1 -o Acquire::Retries=3 -o Acquire::Languages=none "$@" </dev/null
}
apt_there update -o APT::Update::Error-Mode=any
# A package that does not exist for this processor is left out; the build reports what it does
# without.
wanted=()
for package in "$@"; do
  if apt_there install --simulate "${package%\?}" >/dev/null 2>&1; then wanted+=("${package%\?}")
  elif [ "${package%\?}" != "$package" ]; then echo "cross-root.sh: no ${package%\?} in $suite for $arch"
  else echo "absent: no $package in $suite for $arch" >&2; exit 4
  fi
done
apt_there install --download-only -y "${wanted[@]}" >/dev/null
for package in "$folder.apt"/archives/*.deb; do
  dpkg-deb --fsys-tarfile "$package" | tar -xf - -C "$folder" --keep-directory-symlink --exclude='./usr/share/doc' \
    --exclude='./usr/share/man' --exclude='./dev' --exclude='./proc' --exclude='./sys' --exclude='./tmp' --exclude='./etc'
done
# A link with an absolute path means a path below the folder.
find "$folder" -type l -lname '/*' -print0 | while IFS= read -r -d '' link; do
  ln -sfn "$folder$(readlink "$link")" "$link"
done

#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# scripts/uninstall.sh DESTDIR PREFIX: removes what scripts/install.sh has recorded, and nothing
# else. A file that was changed since the installation stays, and its name is printed.
set -euo pipefail
destdir=${1%/} prefix=${2%/}
. "$(dirname "$0")/installed.sh"
check_prefix uninstall
if [ ! -f "$destdir$record" ]; then
  echo "uninstall: no record $destdir$record; give the DESTDIR and PREFIX of make install" >&2
  exit 2
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
read_record "$destdir$record"
printf '%s\n' "${!recorded_sums[@]}" | sort >"$work/files"
printf '%s\n' "${!recorded_dirs[@]}" | sort >"$work/dirs"
library=$(grep -m 1 '/libdat\.so\.1$' "$work/files" || true)
cached=no
in_loader_cache "$destdir${library%/*}" && cached=yes

remove_recorded "$work/files"
# The record is removed last, so that an interrupted removal can be repeated.
rm -f -- "$destdir$record"
remove_empty "$work/dirs"
[ "$cached" = no ] || renew_loader_cache
echo "removed $removed files from $destdir$prefix"

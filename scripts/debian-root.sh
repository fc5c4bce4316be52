#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Makes the root of a Debian suite in a folder, from the mirror that this machine's apt uses:
#   scripts/debian-root.sh SUITE FOLDER [debootstrap option...]
#   scripts/debian-root.sh --mirror              only says that mirror
# Exit 4: the mirror does not have the suite.
set -euo pipefail

# The first source of Debian's own main packages; updates and security come from elsewhere.
mirror() {
  apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(COMPONENT)|$(REPO_URI)' 'Created-By: Packages' |
    awk -F '|' '$1 == "Debian" && $2 == "Debian" && $3 == "main" && !seen++ {print $4}'
}

case "${1-}" in
  -h | --help) sed -n '3,6s/^# \{0,1\}//p' "$0"; exit 0 ;;
  --mirror) mirror; exit 0 ;;
esac
[ $# -ge 2 ] || { "$0" --help >&2; exit 2; }
suite=$1
folder=$2
shift 2

uri=$(mirror)
[ -n "$uri" ] || {
  echo "debian-root.sh: apt knows no source of Debian's main packages; write one into /etc/apt, then: apt-get update" >&2
  exit 2
}
# apt itself answers whether there is such a suite: it needs no other program, and knows the proxies of this machine.
release=$(mktemp -u)
found=yes
/usr/lib/apt/apt-helper download-file "${uri%/}/dists/$suite/Release" "$release" >/dev/null 2>&1 || found=no
rm -f "$release"
if [ "$found" = no ]; then
  echo "absent: $suite is not on this machine's Debian mirror" >&2
  exit 4
fi
exec debootstrap --variant=minbase "$@" "$suite" "$folder" "$uri"
